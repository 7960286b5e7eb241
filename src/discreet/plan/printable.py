"""Values as text for people: group keys and statements may hold anything, and a terminal obeys some of it."""

from __future__ import annotations

from typing import Any

__all__ = ["printable"]


def printable(value: Any) -> str:
    """A value as one line that no terminal takes for a command."""
    text = "NULL" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
    return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
