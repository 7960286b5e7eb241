"""What is wrong between a policy and the live schema: names and types only, never a row.

``problems`` are refused; ``remarks`` are printed by ``discreet check`` for the owner to look at.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

from discreet.errors import PolicyError
from discreet.plan.types import Type
from discreet.policy.model import ROW
from discreet.policy.names import did_you_mean, fold, list_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from discreet.plan.types import ColumnSchema, TableSchema, Value
    from discreet.policy.codes import Code
    from discreet.policy.model import Column, Policy, Table

__all__ = ["problems", "remarks"]

EXACT = "an exact type (integer, decimal, text, date, timestamp)"
NO_KEYS = f"public keys need a boolean or {EXACT}; cast the column in a view"
HOW_TO_WRITE = {
    Type.BOOLEAN: "write true and false without quotes",
    Type.INTEGER: "write whole numbers without quotes",
    Type.DECIMAL: "write numbers without quotes, with no more digits than the column has",
    Type.TEXT: "write every value in quotes",
    Type.DATE: "write dates without quotes: 2026-01-31",
    Type.TIMESTAMP: "write times without quotes: 2026-01-31T12:00:00",
}
WRITTEN_AS: dict[Type, tuple[type, ...]] = {
    Type.BOOLEAN: (bool,),
    Type.INTEGER: (int,),
    Type.DECIMAL: (int, Decimal),
    Type.TEXT: (str,),
    Type.DATE: (dt.date,),
    Type.TIMESTAMP: (dt.datetime,),
}


@dataclass(frozen=True, slots=True)
class _Live:
    """The policy beside the live schema by folded name: what every check below looks at."""

    policy: Policy
    tables: Mapping[str, TableSchema]

    def column(self, table: str, name: str) -> ColumnSchema | None:
        """The one live column of that name; None where the table, the column or the choice is not clear."""
        live = self.tables.get(fold(table))
        found = [column for column in live.columns.values() if fold(column.name) == fold(name)] if live else []
        return found[0] if len(found) == 1 else None

    def complaint(self, code: Code, message: str, hint: str, line: int) -> PolicyError:
        return PolicyError(code, message, hint, file=self.policy.path, line=line or None)


def problems(policy: Policy, schema: Mapping[str, TableSchema]) -> list[PolicyError]:
    """Every mismatch, in the order of the file's tables; an empty list means that the policy fits."""
    live = _Live(policy, {fold(table.name): table for table in schema.values()})
    return [problem for table in policy.tables.values() for problem in _of_table(live, table, schema)]


def remarks(policy: Policy, schema: Mapping[str, TableSchema]) -> list[PolicyError]:
    """Public tables with a column that is called like a private unit: allowed, and worth a second look."""
    live = _Live(policy, {fold(table.name): table for table in schema.values()})
    units = {fold(table.unit) for table in policy.tables.values() if table.unit and table.unit != ROW}
    found: list[PolicyError] = []
    for table in policy.tables.values():
        columns = live.tables[fold(table.name)].columns.values() if fold(table.name) in live.tables else ()
        for column in columns:
            if table.public and fold(column.name) in units - {"id"}:
                message = f'public table "{table.name}" has the column "{column.name}", which names a private unit'
                hint = "every row of a public table can be learned exactly; make sure that none of it is about a unit"
                found.append(live.complaint("public-names-unit", message, hint, table.line))
    return found


def _of_table(live: _Live, table: Table, schema: Mapping[str, TableSchema]) -> Iterator[PolicyError]:
    same = [found.name for found in schema.values() if fold(found.name) == fold(table.name)]
    if not same:
        hint = did_you_mean(table.name, [found.name for found in schema.values()], "the source has no tables")
        yield live.complaint("unknown-table", f'table "{table.name}" is not in the source', hint, table.line)
        return
    if len(same) > 1:
        yield _ambiguous(live, table, "tables", same)
        return
    yield from _colliding_columns(live, table)
    yield from _unit(live, table)
    yield from _via(live, table)
    yield from _missing(live, table, "key", table.key)
    yield from _public(live, table)
    for column in table.columns.values():
        yield from _of_column(live, table, column)


def _ambiguous(live: _Live, table: Table, what: str, names: list[str]) -> PolicyError:
    message = f'table "{table.name}": the source has {what} that differ only in case: {list_of(names)}'
    return live.complaint("ambiguous-name", message, "rename one of them in the database or make a view", table.line)


def _colliding_columns(live: _Live, table: Table) -> Iterator[PolicyError]:
    by_fold: dict[str, list[str]] = {}
    for column in live.tables[fold(table.name)].columns.values():
        by_fold.setdefault(fold(column.name), []).append(column.name)
    for names in by_fold.values():
        if len(names) > 1:
            yield _ambiguous(live, table, "columns", names)


def _missing(live: _Live, table: Table, key: str, names: tuple[str, ...], line: int = 0) -> Iterator[PolicyError]:
    """Columns that the policy names under ``key`` and that the live table lacks."""
    present = live.tables[fold(table.name)].columns.values()
    folded = {fold(column.name) for column in present}
    for name in names:
        if fold(name) not in folded:
            message = f'{key} of table "{table.name}": there is no column "{name}"'
            hint = did_you_mean(name, [column.name for column in present])
            yield live.complaint("unknown-column", message, hint, line or table.line)


def _unit(live: _Live, table: Table) -> Iterator[PolicyError]:
    if table.unit is None:
        return
    if table.unit == ROW:
        if live.column(table.name, ROW):
            message = f'table "{table.name}" has a column called "{ROW}", and unit = "{ROW}" means every row by itself'
            hint = "rename the column in the database, or make a view that does"
            yield live.complaint("unit-row-column", message, hint, table.line)
        return
    yield from _missing(live, table, "unit", (table.unit,))
    column = live.column(table.name, table.unit)
    if column and column.type in (Type.FLOAT, Type.NULL):
        message = f'unit "{column.name}" of table "{table.name}" is {column.type.value}, which identifies nobody'
        hint = f"use a column of {EXACT}; NaN and -0.0 make a float a bad identity"
        yield live.complaint("unit-type", message, hint, table.line)


def _via(live: _Live, table: Table) -> Iterator[PolicyError]:
    if table.via is None:
        return
    via = table.via
    yield from _missing(live, table, "via", (via.column,))
    parent = live.policy.tables[via.parent]
    if fold(parent.name) in live.tables:
        yield from _missing(live, parent, f'via of table "{table.name}"', (via.parent_column,), table.line)
    child_column, parent_column = live.column(table.name, via.column), live.column(parent.name, via.parent_column)
    if child_column is None or parent_column is None:
        return
    if child_column.type is not parent_column.type or child_column.type is Type.FLOAT:
        message = (
            f'via of table "{table.name}": "{via.column}" is {child_column.type.value} and '
            f'"{via.parent}.{via.parent_column}" is {parent_column.type.value}'
        )
        yield live.complaint("via-type", message, f"both must have one and the same type, {EXACT}", table.line)


def _public(live: _Live, table: Table) -> Iterator[PolicyError]:
    """A public table with a foreign key into a private one tells which private rows there are."""
    private = {fold(other.name) for other in live.policy.tables.values() if not other.public}
    for columns, target, _ in live.tables[fold(table.name)].foreign_keys:
        if table.public and fold(target) in private:
            message = f'public table "{table.name}" refers by ({list_of(columns)}) to private table "{target}"'
            hint = "its rows exist only where private rows do: declare it private with via, or leave it out"
            yield live.complaint("public-refers-to-private", message, hint, table.line)


def _of_column(live: _Live, table: Table, column: Column) -> Iterator[PolicyError]:
    yield from _missing(live, table, "columns", (column.name,), column.line)
    found = live.column(table.name, column.name)
    if found is None:
        return
    where = f'column "{table.name}.{found.name}"'
    if column.type and column.type is not found.type:
        message = f"{where} is declared {column.type.value} and is {found.type.value} in the source"
        hint = "type is needed for CSV only; drop it, or correct it"
        yield live.complaint("type-mismatch", message, hint, column.line)
        return
    yield from _range(live, where, column, found)
    yield from _values(live, where, column, found)
    yield from _values_from(live, where, column, found)


def _range(live: _Live, where: str, column: Column, found: ColumnSchema) -> Iterator[PolicyError]:
    if column.range is None:
        return
    if not _ranged_as(found.type, column.moments):
        message, hint = _other_range(where, found.type, column.moments)
        yield live.complaint("range-type", message, hint, column.line)
        return
    grid = _required_grid(column, found)
    for number in (*column.range, column.step):
        if grid and number is not None and (number / grid).denominator != 1:
            message = f"{where} is {found.type.value}, and {_short(number)} is finer than it can hold"
            hint = f"write multiples of {_short(grid)} in range and step"
            yield live.complaint("range-off-grid", message, hint, column.line)
            return


def _ranged_as(type_: Type, moments: Type | None) -> bool:
    """Whether the ends of a range are what the column holds; a date is the beginning of a time, or the end of one."""
    return type_.numeric if moments is None else type_ is moments or (type_, moments) == (Type.TIMESTAMP, Type.DATE)


def _other_range(where: str, type_: Type, moments: Type | None) -> tuple[str, str]:
    if not (type_.numeric or type_.temporal):
        hint = "a range bounds numbers, dates and times; for public group keys write values or values_from"
        return f"{where} is {type_.value}, so it cannot have a range", hint
    written = "in numbers" if moments is None else "in dates" if moments is Type.DATE else "in times"
    example = "range = [0, 120]" if type_.numeric else "range = [2020-01-01, 2029-12-31]"
    return f"{where} is {type_.value}, and its range is written {written}", f"write {example}"


def _required_grid(column: Column, found: ColumnSchema) -> Fraction | None:
    """Integers stay integers. A DECIMAL's range lies on its digits, unless the owner chose a step."""
    if found.type is Type.INTEGER:
        return Fraction(1)
    digits = found.scale if found.type is Type.DECIMAL and column.step is None else None
    return Fraction(1, 10**digits) if digits is not None else None


def _short(number: Fraction) -> str:
    return str(number.numerator) if number.denominator == 1 else f"{float(number):g}"


def _values(live: _Live, where: str, column: Column, found: ColumnSchema) -> Iterator[PolicyError]:
    if column.values is not None and not all(_fits(value, found) for value in column.values):
        message = f"{where} is {found.type.value} and its values are not"
        yield live.complaint("values-type", message, HOW_TO_WRITE.get(found.type, NO_KEYS), column.line)


def _fits(value: Value, found: ColumnSchema) -> bool:
    """Whether a declared key can equal what the column holds."""
    if found.type is Type.DECIMAL and isinstance(value, Decimal):
        return found.scale is None or (Fraction(value) * 10**found.scale).denominator == 1
    return type(value) in WRITTEN_AS.get(found.type, ())


def _values_from(live: _Live, where: str, column: Column, found: ColumnSchema) -> Iterator[PolicyError]:
    if column.values_from is None:
        return
    table, name = column.values_from
    if fold(table) not in live.tables:
        return  # reported where the public table itself is declared
    missing = list(_missing(live, live.policy.tables[table], f"values_from of {where}", (name,), column.line))
    yield from missing
    source = live.column(table, name)
    if source and (source.type is not found.type or found.type in (Type.FLOAT, Type.NULL, Type.OTHER)):
        message = f'{where} is {found.type.value} and its values_from, "{table}.{name}", is {source.type.value}'
        hint = f"both must have one and the same type, a boolean or {EXACT}"
        yield live.complaint("values-type", message, hint, column.line)
