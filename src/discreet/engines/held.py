"""Public tables held in memory, in an instance of their own: no path leads from there to the owner's data.

Publications are asked there, together with the public tables that they are joined with. It is the engine of the data
themselves, so one SQL means one thing in both places.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

import duckdb
import pyarrow as pa
from sqlglot import exp

from discreet.engines import tree
from discreet.engines.duckdb import DuckDB, config, lock
from discreet.engines.engine import Engine
from discreet.engines.scratch import Scratch
from discreet.plan.types import Type, Value

__all__ = ["arrow_of", "hold"]

ARROW = {
    Type.BOOLEAN: pa.bool_(),
    Type.FLOAT: pa.float64(),
    Type.TEXT: pa.string(),
    Type.DATE: pa.date32(),
    Type.TIMESTAMP: pa.timestamp("us"),
}

INCOMING = "incoming"


def hold(tables: Mapping[str, pa.Table]) -> Engine:
    """An engine over these tables alone, by the names that a catalogue has for them."""
    scratch = Scratch()
    connection = duckdb.connect(":memory:", config=config(scratch.name))
    for name, table in tables.items():
        connection.register(INCOMING, table)
        for statement in _statements(name):
            connection.execute(statement.sql("duckdb"))
        connection.unregister(INCOMING)
    lock(connection)
    held = DuckDB(connection, scratch, [], "memory")
    held.schema()
    return held


def _statements(name: str) -> list[exp.Expr]:
    """Copy what comes in to a table of this name, in the schema that the name may begin with."""
    schema, _, table = name.rpartition(".")
    place = exp.Table(this=tree.name(table), db=tree.name(schema) if schema else None)
    every = tree.select([exp.Star()], exp.Table(this=tree.name(INCOMING)))
    copy = exp.Create(this=place, kind="TABLE", expression=every)
    if not schema:
        return [copy]
    return [exp.Create(this=exp.Table(this=tree.name(schema)), kind="SCHEMA", exists=True), copy]


def arrow_of(columns: Sequence[tuple[str, Type]], rows: Sequence[Sequence[Value]]) -> pa.Table:
    """Rows of values as a table of these columns."""
    by_column = list(zip(*rows, strict=True)) if rows else [()] * len(columns)
    arrays = [_array(values, type_) for values, (_, type_) in zip(by_column, columns, strict=True)]
    return pa.table(arrays, names=[name for name, _ in columns])


def _array(values: Sequence[Value], type_: Type) -> Any:
    """Whole numbers beyond 64 bits, and decimals, have as many digits as they need."""
    if type_ in ARROW:
        return pa.array(values, ARROW[type_])
    if type_ is Type.INTEGER and all(value is None or abs(int(str(value))) < 2**63 for value in values):
        return pa.array(values, pa.int64())
    numbers = [None if value is None else Decimal(str(value)) for value in values]
    scale = max((-int(number.as_tuple().exponent) for number in numbers if number is not None), default=0)
    return pa.array(numbers, pa.decimal128(38, max(0, scale)))
