"""Bounds as text: for people who ask what protects them, and for golden files."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import isqrt

from discreet.plan.nodes import aggregate_of
from discreet.plan.scalar import Scalar
from discreet.plan.show import show, show_scalar
from discreet.privacy.bounded import Bounded, Histogram, KeyFilter, Kind, Level, Part, Pick
from discreet.privacy.probe import GroupsOfUnit, Ladder, Probe, RangeOf, RowsOfUnit, Subject, Total

__all__ = ["show_bounds", "show_subject"]


def show_bounds(bounded: Bounded, probes: Sequence[Probe] = ()) -> str:
    """One fact a line: the unit, what is kept of it, the groups, and how far it moves each part.

    Bounds that ``probes`` find stand first; what awaits them is told with the widest.
    """
    lines = [*_unit(bounded), *map(_level, bounded.levels), *_groups(bounded), *_parts(bounded)]
    if probes:
        found = [line for probe in probes for line in _probe(probe)]
        lines = [*found, "then, with the widest of these bounds", *(f"  {line}" for line in lines)]
    return "\n".join(lines)


def _probe(probe: Probe) -> list[str]:
    question = probe.question
    keys = f" in each of [{_list(tuple(key.value for key in question.within))}]" if question.within else ""
    found = [
        line
        for wanted, histogram in zip(probe.wanted, question.histograms, strict=True)
        for line in (
            f"find {show_subject(wanted.subject)}{keys}: {_ladder(wanted.ladder)}",
            f"  from {_counts(histogram)}",
        )
    ]
    return [*found, *(f"  {_level(level)}" for level in question.levels)]


def show_subject(subject: Subject) -> str:
    match subject:
        case RowsOfUnit():
            return "the most rows of a unit"
        case GroupsOfUnit():
            return "the most groups of a unit"
        case RangeOf(argument):
            return f"the range of [{show_scalar(argument)}]"
        case Total(kind, value):
            return f"the most that a unit adds to {kind.value} [{_value(value)}]"


def _ladder(ladder: Ladder) -> str:
    lows = f"{_few([-low * ladder.step for low in reversed(ladder.lows)])} and " if ladder.lows != (0,) else ""
    return lows + _few([high * ladder.step for high in ladder.highs])


def _few(ends: list[Fraction]) -> str:
    shown = [f"{float(end):.9g}" for end in ends]
    return ", ".join(shown) if len(shown) < 6 else ", ".join([*shown[:2], "...", *shown[-2:]])


def _unit(bounded: Bounded) -> list[str]:
    who = "each row" if bounded.unit is None else show_scalar(bounded.unit)
    rows = "any number of" if bounded.rows is None else f"at most {bounded.rows}"
    head = f"unit {who}: {rows} rows in {bounded.groups} groups"
    if bounded.relation == aggregate_of(bounded.plan).input:
        return [head]
    return [head, "reached through", *(f"  {line}" for line in show(bounded.relation).splitlines())]


def _level(level: Level) -> str:
    what = "distinct" if level.distinct else "rows by"
    within = "".join(f", {show_scalar(scalar)}" for scalar in level.partition)
    return f"keep {level.limit} {what} [{_list(level.identity)}] of each [unit{within}]"


def _groups(bounded: Bounded) -> list[str]:
    if not bounded.keys:
        return []
    size = "private groups" if bounded.domain is None else f"{len(bounded.domain)} public groups"
    keys = _list(tuple(key.value for key in bounded.keys))
    return [f"{size} by [{keys}]", *map(_filter, bounded.key_filters)]


def _filter(each: KeyFilter) -> str:
    listed = f"{list(each.values)}" if each.listed else ".".join(map(str, each.values))
    return f"only rows whose {show_scalar(each.column)} is in {listed}"


def _parts(bounded: Bounded) -> list[str]:
    roles: dict[Part, list[str]] = {part: [] for part in bounded.parts}
    if bounded.units_part is not None:
        roles[bounded.units_part].append("key selection")
    for output in bounded.outputs:
        for role, part in output.parts.items():
            if isinstance(part, Part):
                roles[part].append(f"{role} of {output.name!r}")
    parts = [_part(part, " and ".join(found)) for part, found in roles.items()]
    return [*parts, *(line for histogram in bounded.histograms for line in _histogram(histogram, bounded))]


def _histogram(histogram: Histogram, bounded: Bounded) -> list[str]:
    picked = [
        f"  pick {_rank(part.share)}: {role} of {output.name!r}"
        for output in bounded.outputs
        for role, part in output.parts.items()
        if isinstance(part, Pick) and part.histogram == histogram
    ]
    return [_counts(histogram), *picked]


def _counts(histogram: Histogram) -> str:
    match histogram.cell:
        case Total(Kind.UNITS):
            what = "units by how many groups they are in"
        case Total(kind, value):
            what = f"units by {kind.value} [{_value(value)}]"
        case _:
            what = f"[{show_scalar(histogram.cell)}]"
    return f"histogram {what}, {histogram.cells} cells, {histogram.rows} rows of a unit"


def _rank(share: Fraction | None) -> str:
    return "the fullest cell" if share is None else f"the cell at {share} of the rows"


def _part(part: Part, role: str) -> str:
    held = "" if part.held is None else f", a unit's held between {part.held[0]} and {part.held[1]}"
    moved = f"grid {part.grid}, l1 {part.l1}, l2 {_root(part.l2_squared)}"
    return f"part {part.kind.value} [{_value(part.value)}]{held}, {moved}: {role}"


def _value(value: Scalar | None) -> str:
    return "all" if value is None else show_scalar(value)


def _root(square: int) -> str:
    root = isqrt(square)
    return str(root) if root * root == square else f"sqrt({square})"


def _list(scalars: tuple[Scalar, ...]) -> str:
    return ", ".join(map(show_scalar, scalars))
