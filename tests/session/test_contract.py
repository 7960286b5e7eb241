"""What users hold on to: names, shapes and meanings of the Python interface."""

from __future__ import annotations

import json
from fractions import Fraction
from math import isclose
from typing import TYPE_CHECKING

import pandas
import polars
import pyarrow as pa
import pytest

import discreet

if TYPE_CHECKING:
    from pathlib import Path

SQL = "SELECT city, COUNT(*) AS n, AVG(age) AS a FROM people GROUP BY city"
COUNT = "SELECT COUNT(*) AS n FROM people"


def test_the_front_door_is_sorted_and_whole() -> None:
    assert discreet.__all__ == sorted(discreet.__all__)
    assert all(getattr(discreet, name) is not None for name in discreet.__all__)


def test_an_answer_iterates_as_tuples(db: discreet.Database) -> None:
    answer = db.query(SQL, epsilon=0.5)
    assert answer.columns == ["city", "n", "a"]
    rows = list(answer)
    assert len(rows) == len(answer) == 3
    assert [row[0] for row in rows] == ["Oslo", "Rome", "Turin"]
    assert all(type(row) is tuple and type(row[1]) is int for row in rows)


def test_an_answer_travels(db: discreet.Database) -> None:
    answer = db.query(SQL, epsilon=2.5)
    table, frame, other = answer.to_arrow(), answer.to_pandas(), answer.to_polars()
    assert isinstance(table, pa.Table)
    assert isinstance(frame, pandas.DataFrame)
    assert isinstance(other, polars.DataFrame)
    assert table.column_names == list(frame.columns) == other.columns == answer.columns
    assert [str(kind) for kind in table.schema.types] == ["string", "int64", "double"]
    assert list(zip(*table.to_pydict().values(), strict=True)) == list(answer) == other.rows()
    assert pa.table(answer).equals(table)


def test_intervals_hold_the_number_and_grow_with_the_confidence(db: discreet.Database) -> None:
    answer = db.query(SQL, epsilon=2.5)
    usual, wide = answer.intervals(), answer.intervals(0.999)
    assert usual == answer.intervals(0.95)
    assert list(usual) == ["n", "a"]
    for column, place in (("n", 1), ("a", 2)):
        for row, ends, wider in zip(answer, usual[column], wide[column], strict=True):
            assert ends is not None
            assert wider is not None
            assert wider.low <= ends.low <= row[place] <= ends.high <= wider.high
            assert wider.high - wider.low > ends.high - ends.low
    for confidence in (0, 1, 95, -1):
        with pytest.raises(ValueError, match="confidence"):
            answer.intervals(confidence)


def test_intervals_follow_the_rows_that_are_shown(db: discreet.Database) -> None:
    whole = {
        row[0]: ends
        for row, ends in zip(db.query(SQL, epsilon=2.5), db.query(SQL, epsilon=2.5).intervals()["n"], strict=True)
    }
    part = db.query(SQL + " ORDER BY n DESC LIMIT 2", epsilon=2.5)
    for confidence in (0.95, 0.5):
        for row, ends in zip(part, part.intervals(confidence)["n"], strict=True):
            assert ends is not None
            assert ends.low <= row[1] <= ends.high
    assert len(whole) == 3


def test_an_average_over_too_few_is_not_printed(db: discreet.Database) -> None:
    answer = db.query("SELECT AVG(age) AS a FROM people WHERE age > 119", epsilon=0.01)
    assert list(answer) == [(None,)]
    assert answer.intervals()["a"] == [None]
    assert "too noisy" in answer.notes[0]


@pytest.mark.parametrize("sql", [None, b"SELECT COUNT(*) FROM people", 7, ["SELECT COUNT(*) FROM people"]])
def test_a_question_is_a_text(db: discreet.Database, sql: str) -> None:
    for ask in (db.query, db.explain, db.quote):
        with pytest.raises(TypeError, match="a question is a text"):
            ask(sql, epsilon=0.1)


def test_cost_and_what_remains(db: discreet.Database) -> None:
    before = db.remaining
    answer = db.query(COUNT, epsilon=0.5)
    assert (answer.cost.epsilon, answer.cost.rho, answer.cost.delta) == (0.5, 0.125, 0.0)
    assert answer.remaining == db.remaining
    assert isclose(before.rho - db.remaining.rho, 0.125, rel_tol=1e-9)
    assert db.budget().dataset.spent.amount == Fraction(1, 8)
    assert db.quote(COUNT, epsilon=0.5) == answer.cost


def test_the_receipt_is_in_the_ledger(db: discreet.Database) -> None:
    answer = db.query(COUNT, epsilon=0.5)
    last = db.history()[-1]
    assert (answer.receipt.id, answer.receipt.hash, answer.receipt.state) == (last.seq, last.hash, "settled")
    assert [entry.kind for entry in db.history(2)] == ["reserved", "settled"]
    assert db.verify().ok


def test_a_question_without_a_price_costs_the_default(db: discreet.Database) -> None:
    assert db.query(COUNT).cost.epsilon == 0.1


def test_without_a_default_a_price_is_asked_for(policy: Path) -> None:
    policy.write_text(policy.read_text().replace("per_query = { epsilon = 0.1 }", ""))
    with discreet.connect(policy) as db, pytest.raises(discreet.Refused) as refused:
        db.query(COUNT)
    assert refused.value.code == "no-price"


def test_an_accuracy_is_met_at_the_least_price(db: discreet.Database) -> None:
    answer = db.query(COUNT, accuracy=20)
    (ends,) = answer.intervals()["n"]
    assert ends is not None
    assert ends.high - ends.low <= 40
    assert db.quote(COUNT, accuracy=20) == answer.cost
    cheaper = db.explain(COUNT, epsilon=answer.cost.epsilon * 0.9).releases[0]
    assert cheaper.half_width_95 > 20


RELEASE = {
    "column": "n",
    "aggregate": "count",
    "l1": 3,
    "l2": 3,
    "mechanism": "gaussian",
    "scale": 6,
    "half_width_95": 12,
}


def test_explain_has_the_shape_that_it_promises(db: discreet.Database) -> None:
    found = db.explain(COUNT, epsilon=0.5).to_dict()
    assert {"verdict", "error", "releases", "keys", "cost", "engine_sql"} <= found.keys()
    assert (found["verdict"], found["error"], found["keys"]) == ("answer", None, "none")
    assert found["releases"] == [RELEASE]
    assert found["cost"] == {"epsilon": 0.5, "rho": 0.125, "delta": 0.0}
    assert found["engine_sql"].startswith("SELECT")
    assert json.loads(json.dumps(found)) == found


def test_explain_of_a_refused_question_says_where(db: discreet.Database) -> None:
    found = db.explain("SELECT SUM(id)\nFROM people").to_dict()
    error = found["error"]
    assert found["verdict"] == "refuse"
    assert found["releases"] == []
    assert error.keys() == {"code", "message", "hint", "line", "column"}
    assert (error["code"], error["line"], error["column"]) == ("unbounded-column", 1, 12)
    assert json.loads(json.dumps(found)) == found


def test_the_parts_of_an_average_are_releases(db: discreet.Database) -> None:
    parts = [(each.column, each.aggregate) for each in db.explain("SELECT AVG(age) AS avg_age FROM people").releases]
    assert sorted(parts) == [("avg_age", "count"), ("avg_age", "sum")]


@pytest.mark.parametrize(
    ("sql", "keys"), [(COUNT, "none"), (SQL, "public"), ("SELECT name, COUNT(*) FROM people GROUP BY name", "private")]
)
def test_explain_says_what_the_keys_are(db: discreet.Database, sql: str, keys: str) -> None:
    assert db.explain(sql, epsilon=1).to_dict()["keys"] == keys


def test_explain_costs_nothing_and_writes_nothing(db: discreet.Database) -> None:
    before = db.history()
    db.explain(SQL, epsilon=1)
    db.quote(SQL, epsilon=1)
    assert db.history() == before


def test_a_batch_is_one_price(db: discreet.Database) -> None:
    answers = db.batch([COUNT, SQL], epsilon=1)
    assert [answer.columns for answer in answers] == [["n"], ["city", "n", "a"]]
    assert db.budget().dataset.spent.amount == Fraction(1, 2)
    assert isclose(sum(answer.cost.rho for answer in answers), 0.5)
    assert len({answer.receipt.hash for answer in answers}) == 1
    assert db.batch([], epsilon=1) == []


def test_a_batch_is_all_or_nothing(db: discreet.Database) -> None:
    with pytest.raises(discreet.Refused):
        db.batch([COUNT, "SELECT * FROM people"], epsilon=0.1)
    with pytest.raises(discreet.BudgetExhausted):
        db.batch([COUNT, SQL], epsilon=100)
    assert db.budget().dataset.spent.amount == 0


def test_an_exhausted_budget_says_what_is_left(db: discreet.Database) -> None:
    with pytest.raises(discreet.BudgetExhausted) as refused:
        db.query(COUNT, epsilon=100)
    assert isinstance(refused.value, discreet.Refused)
    assert refused.value.code == "budget-exhausted"
    assert refused.value.remaining == db.budget()


def test_history_is_each_analysts_own(policy: Path) -> None:
    with discreet.connect(policy, analyst="alice") as alice, discreet.connect(policy) as owner:
        alice.query(COUNT, epsilon=0.1)
        owner.query(COUNT, epsilon=0.2)
        assert {entry.body["analyst"] for entry in alice.history()} == {"alice"}
        assert {entry.body.get("analyst") for entry in owner.history()} == {"alice", None}
        quota = alice.budget().analyst
        assert quota is not None
        assert quota.spent.amount == Fraction(1, 200)


def test_closed_is_closed(policy: Path) -> None:
    with discreet.connect(policy) as db:
        db.query(COUNT, epsilon=0.1)
    for ask in (db.query, db.explain, db.quote):
        with pytest.raises(discreet.LedgerError, match="closed"):
            ask(COUNT, epsilon=0.2)
    with pytest.raises(discreet.LedgerError, match="closed"):
        db.budget()
    db.close()
    with discreet.connect(policy) as again:
        assert again.query(COUNT, epsilon=0.1).repeated


def test_what_is_shown_holds_no_more_than_was_released(db: discreet.Database) -> None:
    answer = db.query(SQL, epsilon=2.5)
    assert "Rome" in answer._repr_html_()
    assert str(next(iter(answer))[1]) in answer._repr_html_()
    assert "Rome" in repr(answer)


@pytest.mark.parametrize("dialect", ["duckdb", "postgres", "mysql", "bigquery"])
def test_another_dialect_may_be_named(db: discreet.Database, dialect: str) -> None:
    assert db.query(COUNT, epsilon=0.1, dialect=dialect).columns == ["n"]


def test_an_unknown_dialect_is_refused(db: discreet.Database) -> None:
    with pytest.raises(discreet.Refused):
        db.query(COUNT, epsilon=0.1, dialect="klingon")
