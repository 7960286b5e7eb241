"""DuckDB, embedded: a database file, or Parquet and CSV files as tables.

The source is attached read-only to an instance of our own, which then loses access to anything
outside (files, network, extensions) and can no longer be configured. What a query spills goes to a
folder of this process alone. CSV files are read as text and converted by declared types: a sniffer
would let one person's row decide the type of a column.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from math import isnan, nan
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
from sqlglot import exp

from discreet.engines import tree
from discreet.engines.emit import Words, domain_sql, fan_out_sql, question_sql
from discreet.engines.engine import Exact
from discreet.engines.files import add_views, files_of
from discreet.engines.scalars import SQL_TYPES
from discreet.engines.scratch import Scratch
from discreet.errors import EngineError, PolicyError
from discreet.plan.nodes import scans
from discreet.plan.types import ColumnSchema, TableSchema, Type, Value
from discreet.privacy.bounded import Bounded, DomainQuery
from discreet.privacy.keys import MOST_GROUPS, too_many_groups

__all__ = ["DuckDB", "config", "connect", "lock"]

SOURCE = "source"
"""The catalogue name under which the owner's data are attached."""

INTERRUPTED = "Query interrupted"
BATCH = 65_536
NAN = nan
"""The one NaN of group keys: it is found in a dictionary, since it is the same object."""
ROWS_AT_ONCE = 2_000_000
"""Rows that one slice of the units may hold in a window, more or less."""

TYPES = {
    Type.BOOLEAN: ("BOOLEAN",),
    Type.INTEGER: (
        "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT",
        "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT",
    ),
    Type.FLOAT: ("FLOAT", "DOUBLE"),
    Type.TEXT: ("VARCHAR",),
    Type.DATE: ("DATE",),
    Type.TIMESTAMP: ("TIMESTAMP",),
}  # fmt: skip
READ_AS = {
    "ENUM": Type.TEXT, "JSON": Type.TEXT,
    "TIMESTAMP_S": Type.TIMESTAMP, "TIMESTAMP_MS": Type.TIMESTAMP, "TIMESTAMP_NS": Type.TIMESTAMP,
}  # fmt: skip
"""Types that are read as a plainer one, since comparing them can fail: an ENUM with an unknown word, JSON with
what is none, a time with one that its precision cannot hold. Any that no plan knows is read as text: beside another
such type it would be cast, which fails on some rows and makes others alike. A UUID alone is left as it is."""
BY_NAME = {name: type_ for type_, names in TYPES.items() for name in names}
Connection = duckdb.DuckDBPyConnection


@dataclass(frozen=True, slots=True)
class Place:
    """Where a table of the policy is: the catalogue, schema and name that DuckDB knows it by."""

    catalogue: str
    schema: str
    name: str
    plainer: tuple[tuple[str, Type], ...] = ()
    """Columns of a type in ``READ_AS``, and what they are read as; what does not fit is NULL."""
    texts: tuple[str, ...] = ()
    """Columns of text that may have a collation, and are read without it."""

    def tree(self, alias: str) -> exp.Expr:
        named = exp.TableAlias(this=tree.name(alias))
        table = exp.Table(this=tree.name(self.name), db=tree.name(self.schema), catalog=tree.name(self.catalogue))
        casts = [
            tree.alias(tree.try_cast(tree.column("", name), SQL_TYPES[type_]), name) for name, type_ in self.plainer
        ]
        casts += [tree.alias(_uncollated(tree.column("", name)), name) for name in self.texts]
        if not casts:
            table.set("alias", named)
            return table
        return exp.Subquery(this=tree.select([exp.Star(replace=casts)], table), alias=named)


def _uncollated(text: exp.Expr) -> exp.Expr:
    """Under a collation texts that differ are equal: they match more rows than they are counted in, and one row's
    spelling would name a group of many."""
    return exp.Collate(this=text, expression=tree.name("binary"))


def connect(source: str, types: dict[str, dict[str, str]]) -> DuckDB:
    scheme, _, path = source.partition(":///")
    place = Path(path)
    if not place.exists():
        raise PolicyError(
            "no-source", f"dataset.source names {place}, which does not exist", "create it, or mend the path"
        )
    files = [place, place.with_name(place.name + ".wal")] if scheme == "duckdb" else files_of(place, scheme)
    scratch = Scratch()
    connection = duckdb.connect(":memory:", config=config(scratch.name))
    try:
        if scheme == "duckdb":
            connection.execute(f"ATTACH {_quoted(place)} AS {SOURCE} (READ_ONLY)")
        else:
            add_views(connection, place, files, scheme, types)
        lock(connection)
    except PolicyError:
        connection.close()
        raise
    except duckdb.Error:
        connection.close()
        raise PolicyError(
            "bad-source",
            f"dataset.source: DuckDB cannot open {place}",
            "is it a file of this kind, and not being written?",
        ) from None
    return DuckDB(connection, scratch, files, SOURCE if scheme == "duckdb" else "memory")


def lock(connection: Connection) -> None:
    """From here on nothing outside is reached, and nothing can be configured."""
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")


def config(scratch: str) -> dict[str, str | bool | int | float | list[str]]:
    return {
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "python_enable_replacements": False,
        "allow_community_extensions": False,
        "temp_directory": scratch,
    }


def _quoted(text: object) -> str:
    return exp.Literal.string(str(text)).sql("duckdb")


class DuckDB:
    """One source, opened for reading. Safe to use from many threads: each question has its own cursor."""

    dialect = "duckdb"

    def __init__(self, connection: Connection, scratch: Scratch, files: list[Path], catalogue: str) -> None:
        self._connection, self._scratch, self._files, self._catalogue = connection, scratch, files, catalogue
        self._places: dict[str, Place] = {}
        self._known: dict[tuple[str, str], list[tuple[Any, ...]]] = {}
        self._words = Words(lambda name, alias: self._places[name].tree(alias), _keyed_hash, _histogram, _in_slice)

    @contextmanager
    def _cursor(self) -> Generator[Connection]:
        """A place of its own for one question. An interrupt is one again: DuckDB has an error of its own for it."""
        with self._connection.cursor() as cursor:
            try:
                yield cursor
            except RuntimeError as error:
                if str(error) != INTERRUPTED:
                    raise
                raise KeyboardInterrupt from None

    def schema(self) -> Mapping[str, TableSchema]:
        """Names, types and declared constraints; never a count, a size or a statistic."""
        rows = self._rows(
            "SELECT schema_name, table_name, column_name, data_type, numeric_scale FROM duckdb_columns() "
            "WHERE database_name = $catalogue AND NOT internal ORDER BY ALL",
        )
        columns: dict[str, dict[str, ColumnSchema]] = {}
        collated = self._collated()
        for schema, table, name, native, scale in rows:
            key = _qualified(schema, table)
            columns.setdefault(key, {})[name] = _column(name, native, scale)
            before = self._places.get(key) or Place(self._catalogue, schema, table)
            type_ = _plainer(native)
            plainer = dict(before.plainer) | ({name: type_} if type_ else {})
            texts = {*before.texts, *([name] if collated and native == "VARCHAR" else [])}
            self._places[key] = Place(self._catalogue, schema, table, tuple(plainer.items()), tuple(sorted(texts)))
        constraints = self._constraints()
        return {name: TableSchema(name, known, **constraints.get(name, {})) for name, known in columns.items()}

    def _collated(self) -> bool:
        """Whether any table has a collation: a view over it has it too, without saying so."""
        rows = self._rows("SELECT sql FROM duckdb_tables() WHERE database_name = $catalogue")
        rows += self._rows("SELECT sql FROM duckdb_views() WHERE database_name = $catalogue AND NOT internal")
        return any("collate" in str(sql).lower() for (sql,) in rows)

    def _constraints(self) -> dict[str, dict[str, Any]]:
        rows = self._rows(
            "SELECT schema_name, table_name, constraint_type, constraint_column_names, referenced_table, "
            "referenced_column_names FROM duckdb_constraints() WHERE database_name = $catalogue ORDER BY ALL",
        )
        found: dict[str, dict[str, Any]] = {}
        for schema, table, kind, names, target, target_names in rows:
            here = found.setdefault(_qualified(schema, table), {"primary_key": (), "unique": (), "foreign_keys": ()})
            if kind == "PRIMARY KEY":
                here["primary_key"] = tuple(names)
            elif kind == "UNIQUE":
                here["unique"] = (*here["unique"], tuple(names))
            elif kind == "FOREIGN KEY":
                link = (tuple(names), _qualified(schema, target), tuple(target_names))
                here["foreign_keys"] = (*here["foreign_keys"], link)
        return found

    def _rows(self, sql: str) -> list[tuple[Any, ...]]:
        with self._cursor() as cursor:
            return cursor.execute(sql, {"catalogue": self._catalogue}).fetchall()

    def version(self) -> str:
        """The identity of every file: a file that was written again has another time or size."""
        return ";".join(_identity(file) for file in self._files)

    def fan_out(self, table: str, columns: tuple[str, ...]) -> int:
        return int(self._public(fan_out_sql(table, columns, self._words))[0][0])

    def domain(self, query: DomainQuery) -> tuple[tuple[Value, ...], ...]:
        rows = self._public(domain_sql(query, MOST_GROUPS + 1, self._words))
        if len(rows) > MOST_GROUPS:
            raise too_many_groups()
        return tuple(tuple(map(_key, row)) for row in rows)

    def table(self, name: str) -> pa.Table:
        try:
            with self._connection.cursor() as cursor:
                every = tree.select([exp.Star()], self._words.table(name, "t"))
                return cursor.sql(every.sql("duckdb")).to_arrow_reader(BATCH).read_all()
        except duckdb.Error:
            raise EngineError from None

    def _public(self, query: exp.Select) -> list[tuple[Any, ...]]:
        """What public tables hold; asked once for each version of the data."""
        key = (query.sql("duckdb"), self.version())
        if key not in self._known:
            try:
                with self._cursor() as cursor:
                    self._known[key] = cursor.execute(key[0]).fetchall()
            except duckdb.Error:
                raise EngineError from None
        return self._known[key]

    def emit(self, bounded: Bounded) -> str:
        return question_sql(bounded, self._words).sql("duckdb")

    def fetch(self, sql: str, bounded: Bounded, secret: str) -> Exact:
        """Windows over a large table are taken a slice of the units at a time; what the slices find is added up."""
        try:
            slices = self._slices(bounded)
            found = [self._fetch_slice(sql, bounded, secret, slices, n) for n in range(slices)]
        except duckdb.Error:
            raise EngineError from None
        return found[0] if slices == 1 else _added(found)

    def _fetch_slice(self, sql: str, bounded: Bounded, secret: str, slices: int, n: int) -> Exact:
        width, last = len(bounded.keys), len(bounded.keys) + len(bounded.parts)
        exact = Exact([], [[] for _ in bounded.parts], [[] for _ in bounded.histograms])
        parameters = {"secret": secret, "slices": slices, "slice": n} if bounded.levels else {}
        with self._cursor() as cursor:
            for batch in cursor.sql(sql, params=parameters).to_arrow_reader(BATCH):
                columns: list[list[Any]] = [column.to_pylist() for column in batch.columns]
                keys = [list(map(_key, column)) for column in columns[:width]]
                exact.keys.extend(zip(*keys, strict=True) if width else [()] * batch.num_rows)
                for numbers, column in zip(exact.parts, columns[width:last], strict=True):
                    numbers.extend(map(int, column))
                for histograms, column in zip(exact.histograms, columns[last:], strict=True):
                    histograms.extend(dict(pairs or ()) for pairs in column)
        return exact

    def _slices(self, bounded: Bounded) -> int:
        """How often to look: it changes what is held in memory at once, and no number."""
        if not bounded.levels:
            return 1
        with self._cursor() as cursor:
            largest = 0
            for name in {scan.table for scan in scans(bounded.relation)}:
                count = tree.select([exp.Count(this=exp.Star())], self._words.table(name, "t"))
                largest = max(largest, *cursor.execute(count.sql("duckdb")).fetchall()[0])
        return 1 + largest // ROWS_AT_ONCE

    def close(self) -> None:
        self._connection.close()
        self._scratch.cleanup()


def _key(value: Value) -> Value:
    """One spelling for values that are one group: which of -0.0 and 0.0 is shown would be a single row's to decide."""
    if not isinstance(value, float):
        return value
    return NAN if isnan(value) else value + 0.0


def _added(slices: list[Exact]) -> Exact:
    """Sums over disjoint sets of units, added up group by group."""
    places = {key: place for place, key in enumerate(dict.fromkeys(key for each in slices for key in each.keys))}
    numbers = [[0] * len(places) for _ in slices[0].parts]
    histograms = [[Counter[int]() for _ in places] for _ in slices[0].histograms]
    for each in slices:
        at = [places[key] for key in each.keys]
        for total, part in zip(numbers, each.parts, strict=True):
            for place, number in zip(at, part, strict=True):
                total[place] += number
        for group, histogram in zip(histograms, each.histograms, strict=True):
            for place, counts in zip(at, histogram, strict=True):
                group[place].update(counts)
    return Exact(list(places), numbers, [[dict(each) for each in group] for group in histograms])


def _histogram(cell: exp.Expr) -> exp.Expr:
    return exp.Anonymous(this="HISTOGRAM", expressions=[cell])


def _in_slice(unit: exp.Expr) -> exp.Expr:
    slices, n = (exp.Parameter(this=exp.Var(this=name)) for name in ("slices", "slice"))
    hashed = exp.Mod(this=exp.Anonymous(this="HASH", expressions=[unit]), expression=slices)
    return exp.EQ(this=hashed, expression=n)


def _keyed_hash(values: list[exp.Expr]) -> exp.Expr:
    secret = tree.cast(exp.Parameter(this=exp.Var(this="secret")), "TEXT")
    return exp.Anonymous(this="HASH", expressions=[secret, *(value.copy() for value in values)])


def _qualified(schema: str, table: str) -> str:
    return table if schema == "main" else f"{schema}.{table}"


def _column(name: str, native: str, scale: int | None) -> ColumnSchema:
    plainer = _plainer(native)
    if native.startswith("DECIMAL") and not plainer:
        return ColumnSchema(name, Type.DECIMAL, scale)
    return ColumnSchema(name, plainer or BY_NAME.get(native, Type.OTHER))


def _plainer(native: str) -> Type | None:
    known = native in BY_NAME or native == "UUID" or (native.startswith("DECIMAL(") and not native.endswith("]"))
    return None if known else READ_AS.get(native.partition("(")[0], Type.TEXT)


def _identity(file: Path) -> str:
    try:
        found = os.stat(file)
    except FileNotFoundError:
        return f"{file}:-"
    return f"{file}:{found.st_ino}:{found.st_size}:{found.st_mtime_ns}"
