"""Attacks 26 and 27: one SELECT over the policy's tables, whatever the text tries; nothing of the catalogue."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import discreet
from attacks.worlds import build

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

STATEMENTS = [
    "SELECT COUNT(*) FROM people; DROP TABLE people",
    "SELECT COUNT(*) FROM people; SELECT * FROM people",
    "SELECT COUNT(*) FROM people;;SELECT 1",
    "",
    ";",
    "-- nothing",
    "DROP TABLE people",
    "DELETE FROM people",
    "INSERT INTO people SELECT * FROM people",
    "UPDATE people SET age = 1",
    "CREATE TABLE t AS SELECT * FROM people",
    "CREATE MACRO count(x) AS 1",
    "COPY people TO '/tmp/people.csv'",
    "EXPORT DATABASE '/tmp/x'",
    "ATTACH '/tmp/x.db'",
    "DETACH source",
    "INSTALL httpfs",
    "LOAD httpfs",
    "SET enable_external_access = true",
    "RESET ALL",
    "PRAGMA database_list",
    "PRAGMA storage_info('people')",
    "CALL pragma_storage_info('people')",
    "EXPLAIN SELECT COUNT(*) FROM people",
    "EXPLAIN ANALYZE SELECT COUNT(*) FROM people",
    "SUMMARIZE people",
    "DESCRIBE people",
    "SHOW TABLES",
    "SHOW ALL TABLES",
    "FROM people",
    "TABLE people",
    "VALUES (1)",
    "PIVOT people ON city USING COUNT(*)",
    "UNPIVOT people ON age INTO NAME n VALUE v",
    "PREPARE q AS SELECT COUNT(*) FROM people",
    "EXECUTE q",
    "BEGIN; SELECT COUNT(*) FROM people; COMMIT",
    "CHECKPOINT",
    "VACUUM ANALYZE people",
]

SOURCES = [
    "information_schema.tables", "information_schema.columns", "duckdb_tables", "duckdb_tables()", "duckdb_columns()",
    "duckdb_settings()", "duckdb_constraints()", "duckdb_databases()", "duckdb_secrets()", "pg_catalog.pg_class",
    "pg_class", "sqlite_master", "pragma_storage_info('people')", "pragma_table_info('people')", "duckdb_temporary_files()",
    "read_csv('/etc/passwd')", "'/etc/passwd'", "'people.duckdb'", "read_text('/etc/passwd')", "glob('/*')",
    "read_parquet('x.parquet')", "query('SELECT 1')", "query_table('people')", "range(10)", "unnest([1, 2])",
    "generate_series(1, 10)", "sql_auto_complete('S')", "(VALUES (1))", "LATERAL (SELECT 1)", "sniff_csv('/etc/passwd')",
]  # fmt: skip

FUNCTIONS = [
    "random() < 0.5", "now() > met", "current_date > day", "gen_random_uuid() = uid", "nextval('s') > 0",
    "getenv('HOME') = name", "current_setting('threads') = 1", "current_user = name", "version() = name",
    "txid_current() > 1", "setseed(0.5) IS NULL", "error('now') IS NULL", "pg_sleep(1) IS NULL", "regexp_matches(name, '(a+)+$')",
    "name SIMILAR TO '(a+)+'", "name ~ 'a'", "hash(name) > 1", "md5(name) = ''", "rowid = 1", "people.rowid = 1",
    "read_text('/etc/passwd') = ''", "strptime(name, '%Y') > met", "1 = ANY ([1])", "getvariable('x') = 1", "name GLOB '*'",
    "json_extract(doc, '$.a') = 1", "doc -> 'a' = 1", "list_contains([age], 1)", "try(age) = 1", "in_search_path('a', 'b')",
    "age = ?", "age = $1", "name = $secret", "age = :secret", "COLUMNS(*) > 0", "row(age) = row(1)", "age::mood = 'sad'",
    "mood > 'sad'::mood", "age + INTERVAL 1 DAY > met", "met AT TIME ZONE 'UTC' > met", "power(age, 1000) > 1", "exp(age) > 1",
    "ln(age) > 1", "1 << age > 1", "age ^ 100 > 1", "factorial(age) > 1", "repeat(name, age) = ''", "lpad(name, age, 'x') = ''",
    "chr(age) = 'x'", "age ** 2 > 1", "name COLLATE nocase = 'x'", "substring(name, age) = 'x'", "name LIKE name",
    "name LIKE 'a' ESCAPE name", "day - day > 1", "strftime(met, name) = ''", "REPLACE(name, 'a', name) = ''",
    f"REPLACE(REPLACE(name, 'a', '{'a' * 11}'), 'a', '{'a' * 10}') = ''", f"REPLACE(name, 'a', '{'a' * 101}') = ''",
]  # fmt: skip

LITERALS = [
    "'", "''", "\\", "\\'", "'; DROP TABLE people; --", "/*", "*/", "--", "$secret", "$1", "?", "%s", "{0}", "$$", "$a$",
    "\\u0027", "\u2019", "\uff07", "\x00", "é", "\U0001f600", "\n", "' OR '1'='1", "E'\\''", "U&'\\0027'",
]  # fmt: skip


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Iterator[discreet.Database]:
    with discreet.connect(build(tmp_path_factory.mktemp("injection") / "db")) as opened:
        yield opened


def refused(db: discreet.Database, sql: str) -> str:
    with pytest.raises(discreet.Refused) as found:
        db.query(sql, epsilon=1)
    assert db.explain(sql).verdict == "refuse"
    return found.value.code


@pytest.mark.parametrize("sql", STATEMENTS)
def test_only_one_select(db: discreet.Database, sql: str) -> None:
    known = {"one-statement", "not-a-select", "syntax", "raw-rows", "no-table", "unsupported"}
    assert refused(db, sql) in known


@pytest.mark.parametrize("source", SOURCES)
def test_only_the_tables_of_the_policy(db: discreet.Database, source: str) -> None:
    known = {"unknown-table", "unsupported", "syntax"}
    assert refused(db, f"SELECT COUNT(*) FROM {source}") in known
    assert refused(db, f"SELECT COUNT(*) FROM people, {source}") in known


@pytest.mark.parametrize("condition", FUNCTIONS)
def test_only_the_functions_on_the_list(db: discreet.Database, condition: str) -> None:
    refused(db, f"SELECT COUNT(*) FROM people WHERE {condition}")


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("value", LITERALS, ids=repr)
def test_a_literal_is_only_a_text(db: discreet.Database, value: str) -> None:
    quoted = "'" + value.replace("'", "''") + "'"
    sql = f"SELECT name = {quoted} AS same, COUNT(*) AS n FROM people WHERE name <> {quoted} AND name LIKE {quoted} GROUP BY 1"
    answer = db.query(sql, epsilon=1)
    assert sorted(map(repr, answer.to_arrow().column("same").to_pylist())) == ["False", "None", "True"]
    assert abs(sum(answer.to_arrow().column("n").to_pylist())) < 1


def test_nothing_is_written_outside(db: discreet.Database, tmp_path: Path) -> None:
    """The source is read-only, access to files is off and the settings are locked: even if SQL came through."""
    connection = db._engines.here()._connection
    for sql in (
        f"COPY (SELECT 1) TO '{tmp_path}/x.csv'",
        "SELECT * FROM read_text('/etc/passwd')",
        "SET enable_external_access = true",
        "SET lock_configuration = false",
        "DELETE FROM source.main.people",
        f"ATTACH '{tmp_path}/other.db'",
        "INSTALL httpfs",
    ):
        with pytest.raises(Exception, match=r"(?i)disabled|locked|read-only|cannot"):
            connection.execute(sql)
    assert list(tmp_path.iterdir()) == []
