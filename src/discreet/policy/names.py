"""How names meet and how they are written: case never tells two apart, and a misspelt one gets a suggestion."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

__all__ = ["did_you_mean", "fold", "list_of", "nearest", "toml_key", "toml_text"]

MOST_LISTED = 8


def fold(name: str) -> str:
    """The form in which names are compared. Two names that fold alike are refused, never ranked."""
    return name.lower()


def nearest(name: str, candidates: Iterable[str]) -> str | None:
    """The candidate that was probably meant; ``orders`` also finds ``sales.orders``."""
    by_fold = {fold(candidate): candidate for candidate in candidates}
    wanted = fold(name)
    for folded, candidate in by_fold.items():
        if folded.rpartition(".")[2] == wanted.rpartition(".")[2]:
            return candidate
    close = get_close_matches(wanted, by_fold, n=1, cutoff=0.6)
    return by_fold[close[0]] if close else None


def did_you_mean(name: str, candidates: Collection[str], otherwise: str = "") -> str:
    """A hint for a name that is not there: the nearest one, else a short list, else ``otherwise``."""
    if guess := nearest(name, candidates):
        return f'did you mean "{guess}"?'
    return f"there is: {list_of(candidates)}" if candidates else otherwise


def list_of(names: Collection[str]) -> str:
    shown = sorted(names)[:MOST_LISTED]
    rest = len(names) - len(shown)
    return ", ".join(shown) + (f" and {rest} more" if rest else "")


def toml_key(name: str) -> str:
    """The name as a key of TOML: bare where it can be."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else toml_text(name)


def toml_text(text: str) -> str:
    """The text as a TOML string on one line."""
    return '"' + re.sub(r'["\\\x00-\x1f\x7f]', lambda found: f"\\u{ord(found[0]):04x}", text) + '"'
