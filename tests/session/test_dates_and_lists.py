"""Quantiles of dates and times, and lists of quantiles, asked and told from one end to the other."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

import discreet
from discreet.release import Interval

POLICY = """
[dataset]
name = "people"
source = "duckdb:///people.duckdb"
[budget]
epsilon = 10000
delta = 1e-6
per_query = { epsilon = 20 }
[tables.people]
unit = "id"
rows_per_unit = 1
columns.born = { range = [1900-01-01, 2030-12-31] }
columns.seen = { range = [2020-01-01, 2020-01-31] }
columns.seen_to_the_second = { range = [2020-01-01T00:00:00, 2020-01-01T02:00:00] }
columns.age = { range = [0, 120] }
columns.town = { values = ["a", "b"] }
columns.empty = { range = [2000-01-01, 2000-12-31] }
"""
TABLE = """
CREATE TABLE people AS SELECT
    i AS id, i % 100 AS age, ['a', 'b'][1 + i % 2] AS town,
    DATE '1950-01-01' + (i % 1000)::INTEGER AS born,
    TIMESTAMP '2020-01-31 12:00:00' AS seen,
    TIMESTAMP '2020-01-01 01:00:00' + to_seconds(i % 600) AS seen_to_the_second,
    NULL::DATE AS "empty"
FROM range(20000) AS r(i)
"""
ODD = """INSERT INTO people VALUES
(100001, 5, 'a', 'infinity', 'infinity', 'infinity', NULL),
(100002, 5, 'a', '5877642-06-25 (BC)', '-infinity', NULL, 'infinity')"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("people")
    with duckdb.connect(str(folder / "people.duckdb")) as connection:
        connection.execute(TABLE)
        connection.execute(ODD)
    (folder / "discreet.toml").write_text(POLICY, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def db(folder: Path) -> Iterator[discreet.Database]:
    with discreet.connect(folder / "discreet.toml") as database:
        yield database


def test_quantiles_of_dates_are_dates_in_order(db: discreet.Database) -> None:
    r = db.query(
        "SELECT MIN(born) AS first, MEDIAN(born) AS middle, QUANTILE_DISC(born, 0.9) AS late, MAX(born) AS last FROM people"
    )
    (row,) = list(r)
    assert all(type(value) is dt.date for value in row)
    assert list(row) == sorted(row)
    assert abs((row[1] - dt.date(1951, 5, 15)).days) < 30
    (ends,) = r.intervals()["middle"]
    assert ends is not None
    assert ends.low <= row[1] <= ends.high
    assert ends.low <= dt.date(1951, 5, 15) <= ends.high
    assert r.to_arrow().schema.field("middle").type == pa.date32()


def test_half_widths_of_dates_are_told_in_days(db: discreet.Database) -> None:
    told = str(db.query("SELECT MIN(born) AS first, MEDIAN(born) AS middle FROM people", epsilon=0.1))
    assert re.search(r"≤ 195\d-\d\d-\d\d +195\d-\d\d-\d\d ±[\d,]+ days", told)


def test_the_last_day_of_a_range_belongs_to_it(db: discreet.Database) -> None:
    """Times of the 31st are not moved to its first second."""
    ((middle,),) = list(db.query("SELECT MEDIAN(seen) AS m FROM people"))
    assert abs(middle - dt.datetime(2020, 1, 31, 12)) <= dt.timedelta(minutes=1)


def test_times_are_told_to_the_second(db: discreet.Database) -> None:
    r = db.query("SELECT MEDIAN(seen_to_the_second) AS m FROM people")
    ((middle,),) = list(r)
    assert type(middle) is dt.datetime
    assert middle.microsecond == 0
    assert abs(middle - dt.datetime(2020, 1, 1, 1, 5)) < dt.timedelta(minutes=1)
    assert r.to_arrow().schema.field("m").type == pa.timestamp("us")


def test_a_column_without_dates_says_that_it_knows_nothing(db: discreet.Database) -> None:
    r = db.query('SELECT MEDIAN("empty") AS m FROM people')
    assert r.intervals()["m"] == [Interval(dt.date(2000, 1, 1), dt.date(2000, 12, 31))]


def test_dates_can_be_cut_off_chosen_compared_and_ordered(db: discreet.Database) -> None:
    r = db.query(
        "SELECT town, MODE(DATE_TRUNC('year', born)) AS y, MEDIAN(COALESCE(born, DATE '2000-01-01')) AS m, "
        "DP_INTERVAL_LOW(m) AS low FROM people GROUP BY town HAVING m > DATE '1930-01-01' ORDER BY m"
    )
    assert {row[1] for row in r} <= {dt.date(1950, 1, 1), dt.date(1951, 1, 1), dt.date(1952, 1, 1)}
    assert len(r) == 2
    assert all(type(row[3]) is dt.date and row[3] <= row[2] for row in r)


def test_a_list_of_quantiles_is_one_column(db: discreet.Database) -> None:
    r = db.query(
        "SELECT town, QUANTILE_CONT(age, [0.9, 0.1, 0.5]) AS q, DP_INTERVAL_HIGH(q) AS high FROM people GROUP BY town"
    )
    assert r.columns == ["town", "q", "high"]
    for _, (late, early, middle), high in r:
        assert early < middle < late
        assert high[1] < high[2] < high[0]
        assert abs(middle - 49) <= 5
    for ends in r.intervals()["q"]:
        assert ends is not None
        assert all(low <= high for low, high in zip(ends.low, ends.high, strict=True))
        assert all(high - low < 30 for low, high in zip(ends.low, ends.high, strict=True))
    assert r.to_arrow().schema.field("q").type == pa.list_(pa.int64())
    assert r.to_pandas()["q"][0].tolist() == next(iter(r))[1]
    assert "±" in str(r)


def test_a_list_costs_what_its_quantiles_cost_apart(db: discreet.Database) -> None:
    listed = db.explain("SELECT QUANTILE_CONT(age, [0.25, 0.5]) AS q FROM people").to_dict()
    apart = db.explain("SELECT QUANTILE_CONT(age, 0.25) AS a, MEDIAN(age) AS b FROM people").to_dict()
    assert [each["scale"] for each in listed["releases"]] == [each["scale"] for each in apart["releases"]]
    assert listed["cost"] == apart["cost"]


def test_lists_keep_their_type_when_nothing_is_shown(db: discreet.Database) -> None:
    r = db.query("SELECT town, QUANTILE_CONT(age, [0.5]) AS q FROM people GROUP BY town HAVING COUNT(*) < -1000000")
    assert len(r) == 0
    assert r.to_arrow().schema.field("q").type == pa.list_(pa.int64())


def test_a_repeat_tells_the_same_dates_and_lists(db: discreet.Database) -> None:
    question = "SELECT town, MEDIAN(born) AS m, QUANTILE_CONT(age, [0.2, 0.8]) AS q FROM people GROUP BY town"
    first, again = db.query(question), db.query(question)
    assert again.repeated
    assert list(first) == list(again)


@pytest.mark.parametrize(
    ("question", "code"),
    [
        ("SELECT QUANTILE_CONT(age, [0.5]) AS q FROM people HAVING q > 1", "type-mismatch"),
        ("SELECT QUANTILE_CONT(age, [0.5, age]) AS q FROM people", "not-constant"),
        ("SELECT QUANTILE_CONT(age, [0.5, 1.5]) AS q FROM people", "bad-literal"),
        ("SELECT SUM(born) AS s FROM people", "type-mismatch"),
        ("SELECT MEDIAN(town) AS m FROM people", "type-mismatch"),
        ("SELECT MODE(seen) AS m FROM people", "too-many-values"),
    ],
)
def test_what_lists_and_dates_cannot_do_is_refused(db: discreet.Database, question: str, code: str) -> None:
    with pytest.raises(discreet.Refused) as caught:
        db.query(question)
    assert caught.value.code == code


def test_dates_of_csv_files_have_their_type_from_the_range(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("id,born\n" + "".join(f"{i},1990-01-{1 + i % 28:02}\n" for i in range(500)))
    policy = POLICY.partition("[tables.people]")[0].replace("duckdb:///people.duckdb", "csv:///people.csv")
    body = '[tables.people]\nunit = "id"\nrows_per_unit = 1\n[tables.people.columns]\nid = { type = "integer" }\n'
    (tmp_path / "discreet.toml").write_text(f"{policy}{body}born = {{ range = [1980-01-01, 2000-12-31] }}\n")
    with discreet.connect(tmp_path / "discreet.toml") as database:
        ((middle,),) = list(database.query("SELECT MEDIAN(born) AS m FROM people"))
    assert dt.date(1990, 1, 1) <= middle <= dt.date(1990, 1, 31)
