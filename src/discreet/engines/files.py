"""Parquet and CSV files as tables of an embedded DuckDB: how they are read, and that no row makes reading fail."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import duckdb
from sqlglot import exp

from discreet.engines import tree
from discreet.errors import PolicyError
from discreet.policy.names import fold

__all__ = ["add_views", "files_of"]

CSV_TYPES = {
    "boolean": "BOOLEAN", "integer": "BIGINT", "decimal": "DECIMAL(38, 10)", "float": "DOUBLE",
    "text": "VARCHAR", "date": "DATE", "timestamp": "TIMESTAMP",
}  # fmt: skip

NO_NAME = re.compile(r"[\W\d_]*")
"""What stands in the first line of a file that has no names: nothing, a number, a date, a time."""

Connection = duckdb.DuckDBPyConnection


def files_of(place: Path, kind: str) -> list[Path]:
    """The files of a source, in a fixed order: itself, or every file of its kind in the folder and one level below."""
    if place.is_file():
        return [place]
    return sorted([*place.glob(f"*.{kind}"), *place.glob(f"*/*.{kind}")])


def add_views(
    connection: Connection, place: Path, files: list[Path], kind: str, types: dict[str, dict[str, str]]
) -> None:
    """A table for every file, and one for every folder of files, named for it."""
    tables: dict[str, list[Path]] = {}
    for file in files:
        name = file.stem if place in (file.parent, file) else file.parent.name
        tables.setdefault(name, []).append(file)
    connection.execute(f"SET allowed_paths = {_array(files).sql('duckdb')}")
    for name, parts in tables.items():
        query = _parquet(connection, parts) if kind == "parquet" else _csv(parts, types.get(fold(name), {}))
        view = exp.Create(this=tree.name(name), kind="VIEW", expression=query)
        connection.execute(view.sql("duckdb"))


def _array(files: list[Path]) -> exp.Array:
    return exp.Array(expressions=[tree.text(str(file)) for file in files])


def _parquet(connection: Connection, files: list[Path]) -> exp.Select:
    """Bytes that are no text are read as question marks: a row that cannot be read would show that it is there."""
    first = _parquet_columns(connection, files[0])
    for file in files[1:]:
        if _parquet_columns(connection, file) != first:
            raise _other_columns(file, files[0])
    return _read("read_parquet", files, {"utf8_validation": tree.text("replace")})


def _parquet_columns(connection: Connection, file: Path) -> dict[str, str]:
    """Names and types: of another type a column would be cast, which one row can make fail."""
    found = connection.sql(_read("read_parquet", [file], {}).sql("duckdb"))
    return dict(zip(found.columns, map(str, found.types), strict=True))


def _other_columns(file: Path, first: Path) -> PolicyError:
    message = f"dataset.source: {file} has other columns than {first.name}"
    return PolicyError("bad-source", message, "give all files of a folder the same columns and types in the same order")


def _read(function: str, files: list[Path], options: dict[str, exp.Expr]) -> exp.Select:
    named = [exp.EQ(this=exp.Var(this=option), expression=value) for option, value in options.items()]
    return tree.select([exp.Star()], exp.Anonymous(this=function, expressions=[_array(files), *named]))


def _csv(files: list[Path], types: dict[str, str]) -> exp.Select:
    """All columns as text, then converted where a type is declared; a word that does not fit is NULL.

    Files are read by place: one whose columns stand in another order would give its rows to other units.

    One thread reads a file from its beginning: several guess where lines begin, and fail at a line break in quotes.
    """
    header, *others = map(_header, files)
    for file, other in zip(files[1:], others, strict=True):
        if other != header:
            raise _other_columns(file, files[0])
    texts = [exp.PropertyEQ(this=tree.text(name), expression=tree.text("VARCHAR")) for name in header]
    yes, no = exp.Boolean(this=True), exp.Boolean(this=False)
    options: dict[str, exp.Expr] = {
        "auto_detect": no,
        "header": yes,
        "delim": tree.text(","),
        "quote": tree.text('"'),
        "escape": tree.text('"'),
        "columns": exp.Struct(expressions=texts),
        "null_padding": yes,
        "ignore_errors": yes,
        "parallel": no,
        "strict_mode": no,
    }
    read = _read("read_csv", files, options)
    read.set("expressions", [_csv_column(name, types.get(fold(name), "text")) for name in header])
    return read


def _header(file: Path) -> list[str]:
    """The names in the first line. Where it has none it is a row, which no policy and no message may show."""
    with file.open(encoding="utf-8-sig", errors="replace", newline="") as lines:
        try:
            names = next(csv.reader(lines), list[str]())
        except csv.Error:
            names = []
    if not names or len(set(map(fold, names))) < len(names) or any(map(NO_NAME.fullmatch, names)):
        message = f"dataset.source: the first line of {file} does not name its columns"
        hint = "write a line of names above the rows, each another and none a number"
        raise PolicyError("bad-source", message, hint)
    return names


def _csv_column(name: str, type_: str) -> exp.Expr:
    column = tree.column("", name)
    if type_ == "text":
        return column
    wanted = exp.DataType.build(CSV_TYPES[type_], dialect="duckdb")
    # A bare cast of a column would be pushed down into the reader, which drops a row whose word does not fit.
    return tree.alias(exp.TryCast(this=exp.Trim(this=column), to=wanted, safe=True), name)
