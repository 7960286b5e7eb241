"""A tiny database with its owner's policy, and who is behind each of its rows.

``owners`` is written from the promise at the head of ``discreet.privacy``, in plain Python, so that it
shares nothing with the SQL that it judges: a row belongs to the unit that it names, or to every unit
that its declared key reaches; a row that reaches nobody belongs to nobody and never leaves.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import duckdb

from discreet.policy.load import loads
from discreet.policy.model import Policy

Row = tuple[Any, ...]


@dataclass(frozen=True)
class Table:
    """``unit`` or ``via`` as in the policy file; neither: public. ``options``: further lines of its section."""

    name: str
    columns: dict[str, str]
    rows: tuple[Row, ...]
    unit: str | None = None
    via: tuple[str, str, str] | None = None
    options: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()

    @property
    def private(self) -> bool:
        return self.unit is not None or self.via is not None

    def values(self, column: str) -> list[Any]:
        place = list(self.columns).index(column)
        return [row[place] for row in self.rows]

    def section(self) -> str:
        lines = [f"[tables.{self.name}]"]
        if self.via:
            lines.append('via = "{} -> {}.{}"'.format(*self.via))
        elif self.unit:
            lines.append(f'unit = "{self.unit}"')
        else:
            lines.append("public = true")
        return "\n".join([*lines, *self.options])

    def create(self) -> str:
        columns = [f'"{name}" {type_}' for name, type_ in self.columns.items()]
        return f"CREATE OR REPLACE TABLE {self.name} ({', '.join([*columns, *self.constraints])})"


@dataclass(frozen=True)
class World:
    tables: tuple[Table, ...]
    keys: str = "[keys]\nthreshold_delta = 1e-6\n"
    owners: dict[str, list[frozenset[Any]]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "owners", _owners(self.tables))

    def policy(self) -> Policy:
        head = '[dataset]\nname = "w"\nsource = "duckdb:///w.duckdb"\n[budget]\nepsilon = 3.0\ndelta = 1e-5\n'
        return loads("\n".join([head, self.keys, *(table.section() for table in self.tables)]))

    @property
    def units(self) -> list[Any]:
        everyone = {unit for owners in self.owners.values() for each in owners for unit in each}
        return sorted(everyone, key=repr)

    def without(self, unit: Any) -> World:
        """The neighbour: that unit and all of its rows are gone, and nothing else."""
        return replace(self, tables=tuple(self._left(table, unit) for table in self.tables))

    def without_anybody(self) -> World:
        return replace(self, tables=tuple(replace(each, rows=()) if each.private else each for each in self.tables))

    def _left(self, table: Table, unit: Any) -> Table:
        if not table.private:
            return table
        kept = (row for row, owners in zip(table.rows, self.owners[table.name], strict=True) if owners != {unit})
        return replace(table, rows=tuple(kept))

    def write(self, connection: duckdb.DuckDBPyConnection, before: World | None = None) -> None:
        """Make the tables; over a database that holds ``before``, only those that differ."""
        there = before.tables if before else (None,) * len(self.tables)
        for table, old in zip(self.tables, there, strict=True):
            if old is None or old.rows != table.rows:
                connection.execute(table.create())
                fill(connection, table)


def fill(connection: duckdb.DuckDBPyConnection, table: Table) -> None:
    if table.rows:
        row = f"({', '.join('?' * len(table.columns))})"
        values = [value for each in table.rows for value in each]
        connection.execute(f"INSERT INTO {table.name} VALUES {', '.join([row] * len(table.rows))}", values)


def _owners(tables: Iterable[Table]) -> dict[str, list[frozenset[Any]]]:
    """For each row of each private table, the units that it belongs to."""
    by_name = {table.name: table for table in tables}
    found: dict[str, list[frozenset[Any]]] = {}

    def of(table: Table) -> list[frozenset[Any]]:
        if table.name not in found:
            found[table.name] = _reached(table, of(by_name[table.via[1]]), by_name) if table.via else _named(table)
        return found[table.name]

    for table in by_name.values():
        if table.private:
            of(table)
    return found


def _named(table: Table) -> list[frozenset[Any]]:
    if table.unit == "row":
        return [frozenset({(table.name, place)}) for place in range(len(table.rows))]
    assert table.unit
    return [frozenset() if value is None else frozenset({value}) for value in table.values(table.unit)]


def _reached(table: Table, above: list[frozenset[Any]], tables: dict[str, Table]) -> list[frozenset[Any]]:
    assert table.via
    column, parent, key = table.via
    units: dict[Any, frozenset[Any]] = {}
    for value, owners in zip(tables[parent].values(key), above, strict=True):
        units[value] = units.get(value, frozenset()) | owners
    return [frozenset() if value is None else units.get(value, frozenset()) for value in table.values(column)]
