"""``SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (…)``: read here, since no dialect of the parser knows it.

The clause is blanked out rather than cut, so that places in the rest of the text stay true.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, fields

from discreet.errors import Refused, Span

__all__ = ["Options", "strip"]

_CLAUSE = re.compile(
    r"""(?P<head>(?:\s|--[^\n]*(?:\n|$)|/\*.*?\*/)*SELECT)
        (?P<clause>\s+WITH\s+DIFFERENTIAL_PRIVACY\b(?:\s+OPTIONS\s*\((?P<options>[^()]*)\))?)""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
_OPTION = re.compile(r"\s*(?P<name>\w+)\s*=\s*(?P<value>'[^']*'|[^\s,']+)\s*")


@dataclass(frozen=True, slots=True)
class Options:
    """What a statement says about its own price; numbers are still text, for ``ledger.amount.parse_price``."""

    epsilon: str | None = None
    delta: str | None = None
    max_groups_contributed: int | None = None
    mechanism: str | None = None
    accuracy: str | None = None
    proposal: str | None = None
    span: Span | None = None
    """Where these options are written."""


_KNOWN = tuple(each.name for each in fields(Options) if each.name != "span")


def strip(text: str) -> tuple[str, Options]:
    """The text without its privacy clause, and what the clause said."""
    match = _CLAUSE.match(text)
    if match is None:
        return text, Options()
    start, end = match.span("clause")
    blank = re.sub(r"[^\n]", " ", text[start:end])
    return text[:start] + blank + text[end:], _options(text, match)


def _options(text: str, match: re.Match[str]) -> Options:
    if match["options"] is None or not match["options"].strip():
        return Options()
    found: dict[str, str] = {}
    place = match.start("options")
    for piece in match["options"].split(","):
        option = _OPTION.fullmatch(piece)
        if option is None:
            raise Refused(
                "bad-option", f"cannot read the option {piece.strip()!r}", "write name = value", _at(text, place)
            )
        name = option["name"].lower()
        if name in found:
            raise Refused("bad-option", f"the option {name!r} is named twice", "name it once", _at(text, place))
        found[name] = option["value"].strip("'")
        place += len(piece) + 1
    return _checked(found, _at(text, match.start("options")))


def _checked(found: dict[str, str], span: Span) -> Options:
    unknown = sorted(found.keys() - set(_KNOWN))
    if unknown:
        raise Refused("bad-option", f"unknown option {unknown[0]!r}", f"known options: {', '.join(_KNOWN)}", span)
    groups = found.get("max_groups_contributed")
    if groups is not None and (not re.fullmatch(r"[0-9]{1,9}", groups) or int(groups) == 0):
        raise Refused("bad-option", f"max_groups_contributed is {groups!r}", "write a whole number of at least 1", span)
    texts = {name: found.get(name) for name in ("epsilon", "delta", "mechanism", "accuracy", "proposal")}
    return Options(**texts, max_groups_contributed=int(groups) if groups else None, span=span)


def _at(text: str, offset: int) -> Span:
    before = text[:offset]
    return Span(before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1)
