"""Attack 13: names that look alike, shadow others, or are words of the engine's own SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb
import pytest

import discreet
from attacks.worlds import build

if TYPE_CHECKING:
    from pathlib import Path

NAMES = [
    "u",
    "k0",
    "p0",
    "v0",
    "r0",
    "h0",
    "w0_0",
    "i0_0",
    "rows",
    "ranked",
    "one",
    "secret",
    "value",
    "d0",
    "source",
    "main",
]
"""Names that the emitted SQL uses itself."""

ODD = [
    'a"b',
    "a'b",
    "a b",
    "a.b",
    "a;b",
    "--a",
    "/*a",
    "$secret",
    "$1",
    "a\\b",
    "é",
    "ﬁ",
    "select",
    "",
    "a\nb",
    "x" * 300,
]


@pytest.fixture
def quietly(tmp_path: Path, quiet: None) -> discreet.Database:
    return discreet.connect(build(tmp_path / "db"))


@pytest.mark.parametrize("name", [*NAMES, *ODD])
def test_an_alias_is_only_a_name(quietly: discreet.Database, name: str) -> None:
    quoted = '"' + name.replace('"', '""') + '"'
    if not name:
        return
    tabled = f"SELECT {quoted}.city, SUM({quoted}.age) FROM people AS {quoted} GROUP BY {quoted}.city"
    shown = f"SELECT city, SUM(age) AS {quoted} FROM people GROUP BY city HAVING {quoted} > 0 ORDER BY {quoted}, city"
    plain = quietly.query("SELECT city, SUM(age) AS n FROM people GROUP BY city ORDER BY n, city", epsilon=1)
    assert sorted(quietly.query(tabled, epsilon=1)) == sorted(plain)
    answer = quietly.query(shown, epsilon=1)
    assert list(answer) == list(plain)
    assert answer.columns == ["city", name]


@pytest.mark.parametrize("name", NAMES)
def test_a_column_of_the_source_may_be_called_that(tmp_path: Path, quiet: None, name: str) -> None:
    path = tmp_path / "discreet.toml"
    with duckdb.connect(str(tmp_path / "t.duckdb")) as connection:
        connection.execute(f'CREATE TABLE "{name}" (id INTEGER, "{name}" INTEGER)')
        connection.execute(f'INSERT INTO "{name}" SELECT i % 5, 7 FROM range(20) AS numbers(i)')
    path.write_text(
        '[dataset]\nname = "t"\nsource = "duckdb:///t.duckdb"\n[budget]\nepsilon = 100\ndelta = 1e-6\n'
        f'[tables."{name}"]\nunit = "id"\nrows_per_unit = 2\ncolumns."{name}" = {{ range = [0, 10], step = 1 }}\n'
    )
    with discreet.connect(path) as db:
        assert list(db.query(f'SELECT SUM("{name}"), COUNT(*) FROM "{name}"', epsilon=1)) == [(70, 10)]


@pytest.mark.parametrize("table", ["PEOPLE", "People", '"People"', "main.people", "Main.People"])
def test_case_never_tells_two_names_apart(quietly: discreet.Database, table: str) -> None:
    ((rows, first, second),) = quietly.query(f'SELECT COUNT(*), SUM(AGE), SUM("Age") FROM {table}', epsilon=1)
    assert (rows, first) == (40, second)


@pytest.mark.parametrize(
    "table",
    ["реорle", "people\u200b", "ｐｅｏｐｌｅ", "source.people", "source.main.people", "memory.main.people", "temp.people",
     "system.people", "pg_catalog.people", "other.people"],
)  # fmt: skip
def test_a_table_that_only_looks_like_one_is_none(quietly: discreet.Database, table: str) -> None:
    for name in (table, f'"{table}"'):
        with pytest.raises(discreet.Refused) as refused:
            quietly.query(f"SELECT COUNT(*) FROM {name}", epsilon=1)
        assert refused.value.code in {"unknown-table", "unsupported", "syntax"}


def test_two_tables_may_not_share_a_name(quietly: discreet.Database) -> None:
    for other in ("p", "P", '"P"'):
        with pytest.raises(discreet.Refused) as refused:
            quietly.query(f"SELECT COUNT(*) FROM people p JOIN visits {other} ON p.id = {other}.person", epsilon=1)
        assert refused.value.code == "duplicate-alias"


def test_an_alias_does_not_hide_a_column(quietly: discreet.Database) -> None:
    """In GROUP BY a column wins over an alias, so nobody groups by something else than it seems."""
    answer = quietly.query("SELECT mood AS city, COUNT(*) AS n FROM people GROUP BY mood", epsilon=1)
    assert {row[0] for row in answer} == {"glad", "sad"}
    with pytest.raises(discreet.Refused):
        quietly.query("SELECT mood AS city, COUNT(*) AS n FROM people GROUP BY city", epsilon=1)


def test_a_column_cannot_be_hidden_behind_an_alias_in_where(quietly: discreet.Database) -> None:
    with pytest.raises(discreet.Refused) as refused:
        quietly.query("SELECT COUNT(*) AS n FROM people WHERE n > 3", epsilon=1)
    assert refused.value.code == "unknown-column"
