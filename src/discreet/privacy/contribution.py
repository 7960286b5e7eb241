"""How much of a unit counts, and how that is bounded: by its rows, or by its totals.

Where the owner declared how many rows of a unit count, that many are kept, and each row adds a bounded number. Where it
is to be chosen, there are two ways:

    by total   sums and counts alone: what a unit's rows come to in a group is held between two ends. No row is left
               out, and the noise is as large as the totals of all but a few units: not as most rows, all large
    by rows    all else: so many joined rows of a unit are kept, whatever tables they come from

By total is also taken for a sum over a range that is to be chosen, though rows are declared: a unit hardly ever has the
most rows, all of the largest value.
"""

from __future__ import annotations

from dataclasses import replace

from discreet.plan.nodes import Aggregate, Relation, scans
from discreet.plan.scalar import ColumnRef
from discreet.policy.catalogue import Catalogue, KnownColumn
from discreet.policy.names import fold
from discreet.privacy.aggregates import ADDITIVE
from discreet.privacy.facts import Facts
from discreet.privacy.ladders import COUNTS, ROWS, group_counts, is_undecided
from discreet.privacy.probe import Found, GroupsOfUnit, Ladder, RowsOfUnit, Subject, Wanted
from discreet.privacy.ranges import Declared
from discreet.privacy.unit import Unit

__all__ = ["unit_of"]

FEW_GROUPS = 4
"""Where there are no more, finding out in how many a unit is costs as much as it can save."""


def unit_of(
    asked: Aggregate,
    relation: Relation,
    facts: Facts,
    catalogue: Catalogue,
    size: int | None,
    most_groups: int | None,
    found: Found,
) -> Unit:
    """``size``: how many groups there are, where that is public; ``most_groups``: how many the analyst asked for."""
    declared = _declared(relation, catalogue)
    by_total = _by_total(asked, facts, declared)
    counted = not (by_total and facts.undecided)
    unit = Unit(facts.unit, facts.rows, 1, declared, found, by_total=by_total, counted=counted)
    if facts.undecided and unit.counted:
        rows, awaited = _chosen(RowsOfUnit(), COUNTS, found)
        unit = replace(unit, rows=rows, awaited_rows=awaited)
    if not asked.keys:
        return unit
    limits = [] if facts.row_level else _limits(relation, catalogue, most_groups)
    return _with_groups(unit, limits, [] if size is None else [max(1, size)])


def _by_total(asked: Aggregate, facts: Facts, declared: Declared) -> bool:
    if facts.row_level or any(each.function not in ADDITIVE for each in asked.aggregations):
        return False
    sums = [each.argument for each in asked.aggregations if each.function == "sum" and each.argument]
    return facts.undecided or (facts.rows > 1 and any(is_undecided(argument, declared) for argument in sums))


def _limits(relation: Relation, catalogue: Catalogue, most_groups: int | None) -> list[int]:
    """How many groups of one answer a unit may touch, by policy or by request."""
    tables = (catalogue.tables[fold(scan.table)] for scan in scans(relation))
    declared = [table.declared.groups_per_unit for table in tables if table.declared.groups_per_unit]
    return [*declared, *([most_groups] if most_groups else [])]


def _with_groups(unit: Unit, limits: list[int], size: list[int]) -> Unit:
    """The most groups that one unit touches: as many as it has rows, or fewer; without a bound on rows it is chosen."""
    if unit.counted:
        return replace(unit, groups=min([unit.rows, *limits, *size]), awaited_groups=unit.awaited_rows)
    if limits or min(size, default=ROWS) <= FEW_GROUPS:
        return replace(unit, groups=min([*limits, *size]))
    groups, awaited = _chosen(GroupsOfUnit(), group_counts(min([ROWS, *size])), unit.found)
    return replace(unit, groups=groups, awaited_groups=awaited)


def _chosen(subject: Subject, ladder: Ladder, found: Found) -> tuple[int, tuple[Wanted, ...]]:
    """The most that was found, or that may be."""
    ends = found.of(subject)
    return (ends[1], ()) if ends else (ladder.widest[1], (Wanted(subject, ladder),))


def _declared(relation: Relation, catalogue: Catalogue) -> Declared:
    tables = {scan.alias: catalogue.tables[fold(scan.table)] for scan in scans(relation)}

    def declared(column: ColumnRef) -> KnownColumn:
        return tables[column.source].columns[fold(column.name)]

    return declared
