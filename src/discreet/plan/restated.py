"""The same question, asked of what was counted before: a coarser grouping, or one under further conditions.

Where rows were counted by some keys, whatever looks at those keys alone can be told from the counts. So a question is
restated if it reads the same tables, joined alike, under the same conditions and more, and everything in it that looks
at a column is an expression of the keys.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from discreet.plan.nodes import Aggregate, Filter, Join, Named, Plan, Relation, Scan, aggregate_of, scans
from discreet.plan.scalar import Call, Case, ColumnRef, Literal, Op, Scalar, columns, conjuncts, replaced
from discreet.plan.types import Type

__all__ = ["restated"]


def restated(plan: Plan, made: Plan, table: Scan) -> Plan | None:
    """``plan`` over ``table``, whose columns are the keys that ``made`` counted by; None where that is not enough."""
    asked, source = aggregate_of(plan), aggregate_of(made)
    names = _same_tables(asked.input, source.input)
    if names is None:
        return None
    (ours, wanted), (theirs, known) = _parted(_renamed(asked.input, names)), _parted(source.input)
    if ours != theirs or not set(known) <= set(wanted):
        return None
    places = dict(_places(source.keys, table.alias))
    rest = [replaced(each, places) for each in wanted if each not in known]
    keys = tuple(Named(key.name, replaced(_with_names(key.value, names), places)) for key in asked.keys)
    aggregations = tuple(
        each if each.argument is None else replace(each, argument=replaced(_with_names(each.argument, names), places))
        for each in asked.aggregations
    )
    used = [*rest, *(key.value for key in keys), *(each.argument for each in aggregations if each.argument is not None)]
    if any(column.source != table.alias for scalar in used for column in columns(scalar)):
        return None
    return _over(plan, Aggregate(_filtered(table, rest), keys, aggregations))


def _same_tables(ours: Relation, theirs: Relation) -> dict[str, str] | None:
    """Their alias for each of ours, where both read the same tables in the same order."""
    pairs = list(zip(scans(ours), scans(theirs), strict=False))
    same = len(pairs) == len(list(scans(ours))) == len(list(scans(theirs)))
    if not same or any(a.table != b.table for a, b in pairs):
        return None
    return {a.alias: b.alias for a, b in pairs}


def _renamed(relation: Relation, names: Mapping[str, str]) -> Relation:
    match relation:
        case Scan(table=table, alias=alias):
            return Scan(table, names[alias])
        case Filter(input=inner, predicate=predicate):
            return Filter(_renamed(inner, names), _with_names(predicate, names))
        case Join(left=left, right=right, kind=kind, on=on):
            tied = tuple(_with_names(each, names) for each in on)
            return Join(_renamed(left, names), _renamed(right, names), kind, tied)


def _with_names(scalar: Scalar, names: Mapping[str, str]) -> Scalar:
    moved: dict[Scalar, Scalar] = {
        each: ColumnRef(names[each.source], each.name, each.type) for each in columns(scalar)
    }
    return replaced(scalar, moved)


def _parted(relation: Relation) -> tuple[Relation, list[Scalar]]:
    """The joined tables, and the conditions above them."""
    conditions: list[Scalar] = []
    while isinstance(relation, Filter):
        conditions += conjuncts(relation.predicate)
        relation = relation.input
    return relation, conditions


def _places(keys: Iterable[Named], alias: str) -> Iterator[tuple[Scalar, Scalar]]:
    """Where an expression of the rows is found; a condition that was made TRUE or FALSE of everybody is found, too."""
    for key in keys:
        column = ColumnRef(alias, key.name, key.value.type)
        yield key.value, column
        match key.value:
            case Case(branches=((condition, Literal(value=True)),), default=Literal(value=False)):
                yield condition, column
            case _:
                pass


def _filtered(table: Scan, conditions: list[Scalar]) -> Relation:
    if not conditions:
        return table
    both = conditions[0] if len(conditions) == 1 else Call(Op.AND, tuple(conditions), Type.BOOLEAN)
    return Filter(table, both)


def _over(plan: Plan, aggregate: Aggregate) -> Plan:
    """The clauses above the aggregate look at released columns, which have kept their names."""
    if isinstance(plan, Aggregate):
        return aggregate
    return replace(plan, input=_over(plan.input, aggregate))
