"""Questions about publications: no unit can move what is public already, so every part has the sensitivity 0.

What adds up is answered: COUNT, SUM and AVG are estimates of what they would be over the rows that were published, with
an interval. Each part is asked for every row of the publication by itself (``PLACE``): the whole number that says how
often the row counts. What rows stand for, and how sure that is, is known where publications are read (``release``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from discreet.errors import Refused
from discreet.plan.nodes import Aggregate, Aggregation, Filter, Join, Plan, Relation, Scan, aggregate_of, scans
from discreet.plan.scalar import Case, ColumnRef, Literal, Scalar, columns
from discreet.plan.types import Type
from discreet.policy.catalogue import PLACE, Catalogue, KnownTable
from discreet.policy.names import fold
from discreet.privacy.aggregates import AGGREGATES
from discreet.privacy.aggregates.single import Single
from discreet.privacy.bounded import Bounded, Key, Output, Part
from discreet.privacy.ranges import declared_in
from discreet.privacy.unit import Unit

__all__ = ["bound_published", "published_scan"]

LINEAR = ("avg", "count", "sum")


def published_scan(plan: Plan, catalogue: Catalogue) -> Scan | None:
    """The publication that a question reads; one beside a private table, or beside another, is refused."""
    relation = aggregate_of(plan).input
    tables = [(scan, catalogue.tables[fold(scan.table)]) for scan in scans(relation)]
    found = [scan for scan, table in tables if table.published]
    if not found:
        return None
    private = next((scan for scan, table in tables if not table.public), None)
    if private is not None:
        hint = "ask the publication by itself, or joined with public tables"
        raise Refused(
            "published-join", f"{private.table!r} is private, and {found[0].table!r} is not", hint, private.span
        )
    if len(found) > 1:
        hint = "ask one of them at a time"
        raise Refused("published-join", "what two publications say together does not add up", hint, found[1].span)
    if any(found[0] in scans(side) for side in _far_sides(relation)):
        hint = "write the publication first, or use an inner join"
        raise Refused("published-join", "a public row without a row of the publication counts for nothing", hint)
    return found[0]


def _far_sides(relation: Relation) -> Iterator[Relation]:
    """What LEFT JOIN may leave empty."""
    match relation:
        case Join(left=left, right=right, kind=kind):
            yield from [right] if kind == "left" else []
            yield from _far_sides(left)
        case Filter(input=inner):
            yield from _far_sides(inner)
        case Scan():
            return


def bound_published(plan: Plan, scan: Scan, catalogue: Catalogue) -> Bounded:
    """The question, asked for each row of the publication: its place is one more key."""
    asked, table = aggregate_of(plan), catalogue.tables[fold(scan.table)]
    place = ColumnRef(scan.alias, PLACE, Type.INTEGER)
    listed = any(key.value == place for key in asked.keys)
    aggregations = [_of_count(each, scan.alias, table) for each in asked.aggregations]
    _check(asked, aggregations, scan.alias, table, listed)
    unit = Unit((), 0, 0, declared_in(asked.input, catalogue))
    outputs = tuple(_output(each, unit, table) for each in aggregations)
    parts = [part for output in outputs for part in output.parts.values() if isinstance(part, Part)]
    keys = [Key(f"k{n}", key.value) for n, key in enumerate(asked.keys)]
    return Bounded(
        plan=plan,
        relation=asked.input,
        unit=None,
        levels=(),
        keys=(*keys, Key("place", place)),
        key_filters=(),
        domain=None,
        outputs=outputs,
        parts=tuple(dict.fromkeys(parts)),
        histograms=(),
        rows=0,
        groups=0,
        units_part=None,
    )


@dataclass(frozen=True, slots=True)
class Estimate(Single):
    """A number of rows, or a sum over them, that is told from randomised answers: it need not be whole."""

    @property
    def type(self) -> Type:
        return Type.FLOAT


def _output(aggregation: Aggregation, unit: Unit, table: KnownTable) -> Output:
    if aggregation.function not in LINEAR:
        name = aggregation.function.replace("_", " ").upper()
        hint = "list the rows and compute it from them: SELECT * FROM published.…"
        raise Refused("not-linear", f"{name} of a publication does not add up", hint, aggregation.span)
    output = AGGREGATES[aggregation.function](aggregation, unit)
    if isinstance(output, Single) and table.counted is None:
        return Estimate(output.name, output.role, output.part)
    return output


def _of_count(aggregation: Aggregation, alias: str, table: KnownTable) -> Aggregation:
    """The sum of the column that counts is a count."""
    if aggregation.function != "sum":
        return aggregation
    match aggregation.argument:
        case ColumnRef() as column if _counts(column, alias, table):
            return replace(aggregation, function="count", argument=None)
        case Case(branches=((test, ColumnRef() as column),), default=None) if _counts(column, alias, table):
            one = Case(((test, Literal(1, Type.INTEGER)),), None, Type.INTEGER)
            return replace(aggregation, function="count", argument=one)
        case _:
            return aggregation


def _counts(column: ColumnRef, alias: str, table: KnownTable) -> bool:
    return (column.source, column.name) == (alias, table.counted)


def _check(asked: Aggregate, aggregations: list[Aggregation], alias: str, table: KnownTable, listed: bool) -> None:
    """A count that was noised may be shown and added up. What picks rows or weighs them by it has another law."""
    used = [each.argument for each in aggregations if each.argument is not None]
    if not listed:
        used += [*(key.value for key in asked.keys), *_conditions(asked.input)]
    for column in (column for scalar in used for column in columns(scalar)):
        if _counts(column, alias, table):
            hint = f"COUNT(*) adds it up; SELECT … WHERE {column.name} > … lists single rows"
            raise Refused("not-linear", f"{column.name!r} is noisy, and what is chosen by it is not", hint, column.span)


def _conditions(relation: Relation) -> Iterator[Scalar]:
    match relation:
        case Scan():
            return
        case Filter(input=inner, predicate=predicate):
            yield predicate
            yield from _conditions(inner)
        case Join(left=left, right=right, on=on):
            yield from on
            yield from _conditions(left)
            yield from _conditions(right)
