"""Bounds that are chosen, in words: what is to be chosen, and what was."""

from __future__ import annotations

from fractions import Fraction

from discreet.plan.show import show_scalar
from discreet.privacy.bounded import Bounded, Part
from discreet.privacy.probe import Ends, GroupsOfUnit, RangeOf, RowsOfUnit, Subject, Total, Wanted

__all__ = ["chosen", "sought"]


def sought(subject: Subject, bounded: Bounded) -> str:
    match subject:
        case RowsOfUnit():
            return "rows of a unit"
        case GroupsOfUnit():
            return "groups of a unit"
        case RangeOf(argument):
            return f"range of {show_scalar(argument)}"
        case Total():
            return f"what a unit adds to {_names(subject, bounded)}"


def chosen(wanted: Wanted, ends: Ends, bounded: Bounded) -> str:
    low, high = (_number(end * wanted.ladder.step) for end in ends)
    match wanted.subject:
        case RowsOfUnit():
            return f"{high} rows of a unit count at most"
        case GroupsOfUnit():
            return f"a unit counts in {high} groups at most"
        case RangeOf(argument):
            return f"{show_scalar(argument)} is held between {low} and {high}"
        case Total() as total:
            where = " in each group" if bounded.keys else ""
            return f"a unit adds {high} to {_names(total, bounded)}{where} at most"


def _names(total: Total, bounded: Bounded) -> str:
    """The columns that are made of it."""
    found = [
        repr(output.name)
        for output in bounded.outputs
        for part in output.parts.values()
        if isinstance(part, Part) and (part.kind, part.value) == (total.kind, total.value)
    ]
    return " and ".join(dict.fromkeys(found))


def _number(value: Fraction) -> str:
    return f"{float(value):,.9g}"
