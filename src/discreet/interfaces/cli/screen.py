"""Standard output and standard error as consoles. What is not a terminal gets neither colours nor line breaks."""

from __future__ import annotations

import json
import sys
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from rich.console import Console

__all__ = ["err", "out", "print_json", "waiting"]

UNBROKEN = 10_000


def out() -> Console:
    return _console(sys.stdout)


def err() -> Console:
    return _console(sys.stderr)


def _console(stream: TextIO) -> Console:
    from rich.console import Console

    return Console(file=stream, width=None if stream.isatty() else UNBROKEN, highlight=False, soft_wrap=False)


def print_json(value: Any) -> None:
    sys.stdout.write(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False, default=str) + "\n")


def waiting(what: str) -> AbstractContextManager[object]:
    """A sign of life while the database works, for people who watch."""
    return err().status(what) if sys.stderr.isatty() else nullcontext()
