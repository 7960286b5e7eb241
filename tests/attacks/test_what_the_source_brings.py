"""Attack 14: macros, views, types and search paths of the source do not change what a question means."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import discreet
from attacks.worlds import POLICY, build

if TYPE_CHECKING:
    from pathlib import Path

MACROS = [
    "CREATE MACRO hash(a, b := 0, c := 0, d := 0) AS 7",
    "CREATE MACRO isfinite(x) AS false",
    "CREATE MACRO greatest(a, b) AS 1000000",
    "CREATE MACRO least(a, b) AS 1000000",
    "CREATE MACRO round(x) AS 1000000",
    "CREATE MACRO sum(x) AS 1000000",
    "CREATE MACRO count(x) AS 1000000",
    "CREATE MACRO coalesce_(x) AS 1000000",
    "CREATE MACRO row_number() AS 1",
    "CREATE SCHEMA pg_temp_; CREATE TABLE pg_temp_.people AS SELECT 1 AS id",
    "CREATE SCHEMA temp_; CREATE TABLE temp_.visits AS SELECT 1 AS id",
]
SQL = "SELECT SUM(LEAST(GREATEST(ROUND(age), 0), 50)), COUNT(*), COUNT(DISTINCT id) FROM people"


def allowed(statement: str) -> bool:
    """Whether the database lets an owner write this at all."""
    import duckdb

    with duckdb.connect() as connection:
        try:
            connection.execute(statement)
        except duckdb.Error:
            return False
    return True


def test_macros_named_like_functions_are_not_called(tmp_path: Path, quiet: None) -> None:
    macros = [macro for macro in MACROS if allowed(macro)]
    assert macros
    with (
        discreet.connect(build(tmp_path / "a")) as plain,
        discreet.connect(build(tmp_path / "b", *macros)) as shadowed,
    ):
        assert list(shadowed.query(SQL, epsilon=1)) == list(plain.query(SQL, epsilon=1))


VIEW = "[tables.seen]\nunit = 'id'\nrows_per_unit = 1\n"


@pytest.mark.parametrize(
    "view",
    [
        "CREATE MACRO mine(x) AS x; CREATE VIEW seen AS SELECT id, mine(age) AS age FROM people",
        "CREATE VIEW seen AS SELECT * FROM people",
        "CREATE VIEW seen AS SELECT p.* FROM people p JOIN cities USING (city)",
    ],
)
def test_a_view_is_a_table(tmp_path: Path, quiet: None, view: str) -> None:
    with discreet.connect(build(tmp_path / "db", view, policy=POLICY + VIEW)) as db:
        assert list(db.query("SELECT COUNT(*) FROM seen", epsilon=1)) == [(40,)]


def test_a_view_reads_no_file(tmp_path: Path) -> None:
    rows = tmp_path / "rows.csv"
    rows.write_text("id\n1\n2\n")
    view = f"CREATE VIEW seen AS SELECT id FROM read_csv('{rows}')"
    path = build(tmp_path / "db", view, policy=POLICY + VIEW)
    with discreet.connect(path) as db, pytest.raises(discreet.EngineError):
        db.query("SELECT COUNT(*) FROM seen", epsilon=1)


def test_a_view_reads_no_variable_of_the_program(tmp_path: Path) -> None:
    """The driver would look for an unknown table among the variables of the callers."""
    import pandas

    hidden = pandas.DataFrame({"id": [1, 2, 3]})
    make = ["CREATE TABLE hidden (id BIGINT)", "CREATE VIEW seen AS SELECT id FROM hidden", "DROP TABLE hidden"]
    path = build(tmp_path / "db", *make, policy=POLICY + VIEW)
    with discreet.connect(path) as db, pytest.raises(discreet.EngineError):
        db.query("SELECT COUNT(*) FROM seen", epsilon=1)
    assert len(hidden) == 3
