"""The catalogue: the owner's policy laid over the live schema.

This is all that exists for an analyst. A table that the policy does not name is absent; a column
of a named table that the policy does not name is there, but without bounds and without public
keys. Names are looked up by their folded form and answered with the name that the database uses.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from discreet.plan.moments import DAY
from discreet.plan.types import Type
from discreet.policy.mismatches import problems, remarks
from discreet.policy.model import ROW, Column, Table, Via
from discreet.policy.names import fold

if TYPE_CHECKING:
    from collections.abc import Mapping

    from discreet.plan.types import ColumnSchema, TableSchema, Value
    from discreet.policy.model import Policy

__all__ = ["Catalogue", "KnownColumn", "KnownTable", "declared_types", "problems", "remarks", "resolve"]


@dataclass(frozen=True, slots=True)
class KnownColumn:
    """A live column with what the owner declared of it; ``values_from`` names a live table and column."""

    name: str
    type: Type
    range: tuple[Fraction, Fraction] | None = None
    step: Fraction | None = None
    values: tuple[Value, ...] | None = None
    values_from: tuple[str, str] | None = None

    @property
    def public_keys(self) -> bool:
        return self.values is not None or self.values_from is not None


@dataclass(frozen=True, slots=True)
class KnownTable:
    """A live table that the policy names. Every name in it is the database's own spelling.

    ``unit`` is a column, or ``ROW``, or None for a public table and for one that has ``via``.
    ``key`` tells a unit's rows apart: the declared one, else the primary key, else empty.
    """

    name: str
    public: bool
    declared: Table
    columns: Mapping[str, KnownColumn]
    primary_key: tuple[str, ...] = ()
    unique: tuple[tuple[str, ...], ...] = ()
    unit: str | None = None
    via: Via | None = None
    key: tuple[str, ...] = ()

    @property
    def row_level(self) -> bool:
        return self.unit == ROW

    def identifies(self, name: str) -> bool:
        """Whether the database itself holds the column's values apart, by a key or a unique constraint."""
        return self.primary_key == (name,) or (name,) in self.unique

    def column(self, name: str) -> KnownColumn | None:
        return self.columns.get(fold(name))


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Every table that exists for analysts, by folded name."""

    policy: Policy
    tables: Mapping[str, KnownTable]

    def table(self, name: str) -> KnownTable | None:
        return self.tables.get(fold(name))


def resolve(policy: Policy, schema: Mapping[str, TableSchema]) -> Catalogue:
    """Lay the policy over the schema; the first mismatch is raised as a PolicyError."""
    for problem in problems(policy, schema):
        raise problem
    live = {fold(table.name): table for table in schema.values()}
    known = (_known_table(declared, live) for declared in policy.tables.values())
    return Catalogue(policy, {fold(table.name): table for table in known})


def _known_table(declared: Table, live: Mapping[str, TableSchema]) -> KnownTable:
    table = live[fold(declared.name)]
    spelling = {fold(name): column.name for name, column in table.columns.items()}
    by_fold = {fold(column.name): column for column in declared.columns.values()}
    unit = declared.unit
    return KnownTable(
        name=table.name,
        public=declared.public,
        declared=declared,
        columns={
            fold(column.name): _known_column(column, by_fold.get(fold(column.name)), live)
            for column in table.columns.values()
        },
        primary_key=table.primary_key,
        unique=table.unique,
        unit=unit if unit is None or unit == ROW else spelling[fold(unit)],
        via=_known_via(declared.via, spelling, live) if declared.via else None,
        key=tuple(spelling[fold(name)] for name in declared.key) or table.primary_key,
    )


def _known_via(via: Via, spelling: Mapping[str, str], live: Mapping[str, TableSchema]) -> Via:
    parent, parent_column = _live_place((via.parent, via.parent_column), live)
    return Via(spelling[fold(via.column)], parent, parent_column)


def _known_column(live: ColumnSchema, declared: Column | None, tables: Mapping[str, TableSchema]) -> KnownColumn:
    declared = declared or Column(live.name)
    return KnownColumn(
        name=live.name,
        type=live.type,
        range=_range_of(declared, live.type),
        step=declared.step or natural_step(live),
        values=declared.values,
        values_from=_live_place(declared.values_from, tables) if declared.values_from else None,
    )


def _range_of(declared: Column, type_: Type) -> tuple[Fraction, Fraction] | None:
    """Where times have a range of dates, the last of these days belongs to it."""
    if declared.range is None or declared.moments is not Type.DATE or type_ is not Type.TIMESTAMP:
        return declared.range
    low, high = declared.range
    return low, high + DAY


def _live_place(place: tuple[str, str], live: Mapping[str, TableSchema]) -> tuple[str, str]:
    table = live[fold(place[0])]
    return table.name, next(c.name for c in table.columns.values() if fold(c.name) == fold(place[1]))


def natural_step(column: ColumnSchema) -> Fraction | None:
    """The grid that a type brings: 1 for integers, the last digit of a DECIMAL, days, seconds; none for floats."""
    if column.type in (Type.INTEGER, Type.TIMESTAMP):
        return Fraction(1)
    if column.type is Type.DATE:
        return Fraction(DAY)
    if column.type is Type.DECIMAL and column.scale is not None:
        return Fraction(1, 10**column.scale)
    return None


def declared_types(policy: Policy) -> dict[str, dict[str, str]]:
    """Types by folded table and column, for sources that have none of their own (CSV).

    What the owner wrote, else what the declared range or values imply; the data are never asked.
    """
    return {
        fold(table.name): {fold(name): found for name, column in table.columns.items() if (found := _type_of(column))}
        for table in policy.tables.values()
    }


def _type_of(column: Column) -> str | None:
    if column.type is not None:
        return column.type.value
    if column.moments is not None:
        return column.moments.value
    if column.range is not None:
        ends = (*column.range, column.step or Fraction(1))
        return "integer" if all(end.denominator == 1 for end in ends) else "float"
    return None
