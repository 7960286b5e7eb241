"""Bounds as text: for people who ask what protects them, and for golden files."""

from __future__ import annotations

from fractions import Fraction
from math import isqrt

from discreet.plan.nodes import aggregate_of
from discreet.plan.scalar import Scalar
from discreet.plan.show import show, show_scalar
from discreet.privacy.bounded import Bounded, Histogram, KeyFilter, Level, Part, Pick

__all__ = ["show_bounds"]


def show_bounds(bounded: Bounded) -> str:
    """One fact a line: the unit, what is kept of it, the groups, and how far it moves each part."""
    return "\n".join([*_unit(bounded), *map(_level, bounded.levels), *_groups(bounded), *_parts(bounded)])


def _unit(bounded: Bounded) -> list[str]:
    who = "each row" if bounded.unit is None else show_scalar(bounded.unit)
    head = f"unit {who}: at most {bounded.rows} rows in {bounded.groups} groups"
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
    head = f"histogram [{show_scalar(histogram.cell)}], {histogram.cells} cells, {histogram.rows} rows of a unit"
    return [head, *picked]


def _rank(share: Fraction | None) -> str:
    return "the fullest cell" if share is None else f"the cell at {share} of the rows"


def _part(part: Part, role: str) -> str:
    value = "all" if part.value is None else show_scalar(part.value)
    return f"part {part.kind.value} [{value}], grid {part.grid}, l1 {part.l1}, l2 {_root(part.l2_squared)}: {role}"


def _root(square: int) -> str:
    root = isqrt(square)
    return str(root) if root * root == square else f"sqrt({square})"


def _list(scalars: tuple[Scalar, ...]) -> str:
    return ", ".join(map(show_scalar, scalars))
