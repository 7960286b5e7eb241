"""Attack 25: what is free to repeat is the very same answer, and nothing near it is free."""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb
import pytest

import discreet
from attacks.worlds import POLICY, build, person

if TYPE_CHECKING:
    from pathlib import Path

SQL = "SELECT city, COUNT(*) AS n FROM people WHERE age > 20 AND mood = 'glad' GROUP BY city"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return build(tmp_path / "db")


SAME = [
    SQL,
    "select   city, count(*)  as n\nfrom people where age>20 and (mood) = 'glad' group by 1 -- again",
    "SELECT \"CITY\" AS city, COUNT(*) AS n FROM main.people WHERE age > 20 AND mood = 'glad' GROUP BY city;",
]
OTHER = [
    SQL.replace("20", "21"),
    SQL.replace("glad", "Glad"),
    SQL.replace(">", ">="),
    SQL.replace("COUNT(*)", "COUNT(age)"),
    SQL.replace(" AS n", " AS m"),
    SQL + " ORDER BY n",
    SQL.replace("AND", "OR"),
]


def test_the_same_question_has_the_same_answer_and_costs_nothing(path: Path) -> None:
    with discreet.connect(path, analyst="a") as db, discreet.connect(path, analyst="b") as colleague:
        first = db.query(SQL, epsilon=1)
        spent = db.budget().dataset.spent
        for asker in (db, colleague):
            for text in SAME:
                again = asker.query(text, epsilon=1)
                assert (list(again), again.repeated, again.cost.epsilon) == (list(first), True, 0)
                assert (again.receipt.id, again.receipt.hash) == (first.receipt.id, first.receipt.hash)
                assert again.intervals() == first.intervals()
        assert db.budget().dataset.spent == spent


@pytest.mark.parametrize("text", OTHER)
def test_another_question_is_paid_for(path: Path, text: str) -> None:
    with discreet.connect(path) as db:
        db.query(SQL, epsilon=1)
        spent = db.budget().dataset.spent.amount
        assert not db.query(text, epsilon=1).repeated
        assert db.budget().dataset.spent.amount > spent


def test_another_price_is_paid_for(path: Path) -> None:
    with discreet.connect(path) as db:
        db.query(SQL, epsilon=1)
        assert not db.query(SQL, epsilon=2).repeated
        assert not db.query(SQL, epsilon=0.5).repeated
        assert db.query(SQL, epsilon="1.0").repeated
        assert not db.batch([SQL, SQL.replace("20", "30")], epsilon=1)[0].repeated
        assert db.batch([SQL, SQL.replace("20", "30")], epsilon=1)[0].repeated


def test_other_data_are_paid_for(path: Path) -> None:
    with discreet.connect(path) as db:
        first = db.query(SQL, epsilon=1)
    with duckdb.connect(str(path.with_name("people.duckdb"))) as connection:
        connection.execute(person(city="'Rome'", age="50"))
    with discreet.connect(path) as db:
        after = db.query(SQL, epsilon=1)
        assert not after.repeated
        assert after.receipt.id > first.receipt.id


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("rows_per_unit  = 3", "rows_per_unit  = 2"),
        ('values_from = "cities.city"', 'values = ["Oslo", "Rome", "Turin"]'),
    ],
)
def test_another_policy_is_another_question(path: Path, old: str, new: str) -> None:
    """An answer whose noise was made for other bounds is not given under these."""
    with discreet.connect(path) as db:
        before = db.explain(SQL, epsilon=1).releases[0].scale
        db.query(SQL, epsilon=1)
    assert old in POLICY
    path.write_text(POLICY.replace(old, new))
    with discreet.connect(path) as db:
        answer = db.query(SQL, epsilon=1)
        same = db.explain(SQL, epsilon=1).releases[0].scale == before
        assert answer.repeated <= same


def spend_all(db: discreet.Database) -> None:
    for number in range(100):
        try:
            db.query(f"SELECT COUNT(*) FROM people WHERE age <> {number}", epsilon=0.05)
        except discreet.BudgetExhausted:
            return
    raise AssertionError("the budget is larger than the test thinks")


@pytest.mark.parametrize("mode", ["refuse", "cached"])
def test_when_all_is_spent(tmp_path: Path, mode: str) -> None:
    policy = POLICY.replace("epsilon = 10000", f'epsilon = 2\nwhen_spent = "{mode}"')
    batch = [SQL, "SELECT name, COUNT(*) AS n FROM people GROUP BY name"]
    with discreet.connect(build(tmp_path / "db", policy=policy)) as db:
        one, many = db.query(SQL, epsilon=0.1), db.batch(batch, epsilon=0.1)
        spend_all(db)
        spent = db.budget().dataset.spent
        assert list(db.query(SQL, epsilon=0.1)) == list(one)
        if mode == "refuse":
            for ask in (lambda: db.query(SQL, epsilon=0.2), lambda: db.batch(batch, epsilon=0.3)):
                with pytest.raises(discreet.BudgetExhausted):
                    ask()
        else:
            kept = db.query(SQL, epsilon=0.2)
            assert (list(kept), kept.repeated, kept.intervals()) == (list(one), True, one.intervals())
            again = db.batch(batch, epsilon=0.3)
            assert [list(each) for each in again] == [list(each) for each in many]
            assert [each.intervals() for each in again] == [each.intervals() for each in many]
            with pytest.raises(discreet.BudgetExhausted):
                db.query(OTHER[0], epsilon=0.2)
        assert db.budget().dataset.spent == spent
        assert db.verify().ok
