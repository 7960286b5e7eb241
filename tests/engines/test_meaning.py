"""What is sent means what the analyst wrote: on ordinary values DuckDB itself gives the same."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest

from discreet.engines import open_engine
from discreet.engines.scalars import emit
from discreet.plan.nodes import aggregate_of
from discreet.policy.catalogue import Catalogue, resolve
from discreet.policy.load import load
from discreet.sql import read

TABLE = """
CREATE TABLE t AS
SELECT id, i, j, f, c, s, w, d, ts, b FROM (VALUES
    (1, 7, 2, 2.5, 1.25, 'Bonn', '12', DATE '2026-01-31', TIMESTAMP '2026-01-31 13:14:15.5', TRUE),
    (2, -7, 2, -2.5, -1.25, ' x ', '-3', DATE '2024-02-29', TIMESTAMP '2024-02-29 00:00:00', FALSE),
    (3, 0, 3, 0.5, 0.5, '', 'no', DATE '1999-12-31', TIMESTAMP '1999-12-31 23:59:59', NULL),
    (4, 12, -5, 3.7, 10.75, 'a%_b', '2026-01-02', DATE '2025-01-01', TIMESTAMP '2025-06-15 06:30:00', TRUE),
    (5, -1, -4, -0.4, 99.99, 'Zürich', 'true', DATE '1970-01-01', TIMESTAMP '1970-01-01 00:00:01', FALSE),
    (6, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)
) AS v(id, i, j, f, c, s, w, d, ts, b);
ALTER TABLE t ALTER c TYPE DECIMAL(10, 2);
ALTER TABLE t ALTER f TYPE DOUBLE;
"""
POLICY = """
[dataset]
name   = "t"
source = "duckdb:///t.duckdb"
[budget]
epsilon = 1
delta   = 1e-6
[tables.t]
unit = "row"
"""
EXPRESSIONS = """
i + j | i - j | i * j | i / j | i // j | i % j | f * c | f - i | -i | -f | ABS(i) | ABS(f) | ROUND(f) | ROUND(c, 1) | ROUND(i, -1) |
ROUND(f, 0) | FLOOR(f) | CEIL(f) | CEILING(c) | FLOOR(i) | SIGN(f) | SIGN(i) | SQRT(ABS(f)) | GREATEST(i, j, 1) | LEAST(i, f) | f % 2 |
i = j | i <> j | f < c | f >= 0.5 | i > 1.5 | s = 'Bonn' | s < 'a' | d > '2020-01-01' | d <= ts | ts = '2024-02-29' | b = TRUE | b <> FALSE |
i IN (7, 0) | i NOT IN (7, NULL) | s IN ('Bonn', '') | f IN (2.5, 7) | i BETWEEN 0 AND 7 | i NOT BETWEEN 0 AND 7 | d BETWEEN '2024-01-01' AND '2025-12-31' |
s LIKE 'B%' | s LIKE '%\\_%' | s NOT LIKE '_%' | s ILIKE 'bO__' | s IS NULL | s IS NOT NULL | b IS TRUE | b IS NOT TRUE | b IS FALSE |
i IS DISTINCT FROM j | i IS NOT DISTINCT FROM NULL | b AND i > 0 | b OR i > 0 | NOT b | NOT (b AND i > 0) | b AND b AND i > 0 AND TRUE | i > 5 OR b OR FALSE |
COALESCE(i, j, -1) | COALESCE(s, 'none') | NULLIF(i, 0) | NULLIF(s, '') | IFNULL(i, 5) |
CASE WHEN i > 0 THEN 'up' WHEN i < 0 THEN 'down' END | CASE i WHEN 7 THEN 1 ELSE f END | CASE WHEN b THEN i ELSE c END | IF(i > 0, i, 0) |
LOWER(s) | UPPER(s) | LENGTH(s) | TRIM(s) | LTRIM(s) | RTRIM(s) | SUBSTRING(s, 2, 2) | SUBSTRING(s, 2) | SUBSTR(s, 0, 2) | LEFT(s, 2) | RIGHT(s, 2) | LEFT(s, 0) |
s || '!' | s || i | CONCAT(s, '!', i) | REPLACE(s, 'n', 'mm') | STARTS_WITH(s, 'B') | CONTAINS(s, 'n') |
YEAR(d) | QUARTER(d) | MONTH(ts) | DAY(d) | WEEK(d) | HOUR(ts) | MINUTE(ts) | SECOND(ts) | DAYOFWEEK(d) | DAYOFYEAR(d) | DAYOFMONTH(d) |
EXTRACT(YEAR FROM ts) | EXTRACT(DOW FROM d) | EXTRACT(DOY FROM ts) | EXTRACT(QUARTER FROM ts) | HOUR(d) |
DATE_TRUNC('month', ts) | DATE_TRUNC('hour', ts) |
TRY_CAST(w AS INTEGER) | TRY_CAST(w AS DOUBLE) | TRY_CAST(w AS DATE) | TRY_CAST(w AS TIMESTAMP) | TRY_CAST(w AS BOOLEAN) | CAST(i AS VARCHAR) | CAST(d AS VARCHAR) |
CAST(f AS INTEGER) | CAST(c AS INTEGER) | CAST(i AS DOUBLE) | CAST(b AS INTEGER) | CAST(ts AS DATE) | CAST(d AS TIMESTAMP) | CAST(b AS VARCHAR) | CAST(i AS BOOLEAN)
"""


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Catalogue, duckdb.DuckDBPyConnection]]:
    folder: Path = tmp_path_factory.mktemp("meaning")
    with duckdb.connect(str(folder / "t.duckdb")) as connection:
        connection.execute(TABLE)
    (folder / "discreet.toml").write_text(POLICY, encoding="utf-8")
    policy = load(folder / "discreet.toml")
    engine = open_engine(policy.source, {})
    catalogue = resolve(policy, engine.schema())
    engine.close()
    with duckdb.connect(str(folder / "t.duckdb"), read_only=True) as connection:
        yield catalogue, connection


def plain(value: object) -> object:
    """A number as such, whatever its type is called: a sum of integers is sent as one of doubles."""
    number = isinstance(value, int | float | Decimal) and not isinstance(value, bool)
    return float(f"{value:.12g}") if number else value


@pytest.mark.parametrize("text", re.split(r" \|\s", EXPRESSIONS.strip()))
def test_the_same_as_duckdb(text: str, world: tuple[Catalogue, duckdb.DuckDBPyConnection]) -> None:
    catalogue, connection = world
    argument = (
        aggregate_of(read(f"SELECT COUNT({text}) AS n FROM t", catalogue, "duckdb").plan).aggregations[0].argument
    )
    assert argument is not None
    sent = emit(argument).sql("duckdb")
    rows = connection.execute(f"SELECT {text}, {sent} FROM t ORDER BY id").fetchall()
    assert [plain(row[1]) for row in rows] == [plain(row[0]) for row in rows]
    assert any(row[0] is not None for row in rows)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("DATE_TRUNC('month', d)", dt.date(2026, 1, 1)),
        ("i / (j - j)", None),
        ("i // (i - i)", None),
        ("i % (j - j)", None),
        ("SQRT(-1 - ABS(i))", None),
        ("CAST(s AS INTEGER)", None),
        ("CAST(s AS DATE)", None),
        ("YEAR(s)", None),
        ("9223372036854775807 + i", 9223372036854775807.0),
    ],
)
def test_where_duckdb_fails_or_changes_the_type_there_is_a_value(
    text: str, found: object, world: tuple[Catalogue, duckdb.DuckDBPyConnection]
) -> None:
    catalogue, connection = world
    argument = (
        aggregate_of(read(f"SELECT COUNT({text}) AS n FROM t", catalogue, "duckdb").plan).aggregations[0].argument
    )
    assert argument is not None
    assert connection.execute(f"SELECT {emit(argument).sql('duckdb')} FROM t WHERE id = 1").fetchall() == [(found,)]
