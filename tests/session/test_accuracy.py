"""A wanted accuracy that is a calculation: the least price that meets it, quoted before it is paid, or a refusal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import discreet
from attacks.worlds import POLICY, build

if TYPE_CHECKING:
    from pathlib import Path

COUNT = "SELECT COUNT(*) AS n FROM people"
TWO = "SELECT COUNT(*) AS n, SUM(age) AS s FROM people"
BY_CITY = "SELECT city, COUNT(*) AS n, SUM(age) AS s FROM people GROUP BY city"
BY_NAME = "SELECT name, COUNT(*) AS n FROM people GROUP BY name"
QUESTIONS = {"one number": COUNT, "two numbers": TWO, "public groups": BY_CITY, "private groups": BY_NAME}


@pytest.mark.parametrize("sql", QUESTIONS.values(), ids=QUESTIONS)
def test_every_number_is_as_sharp_as_was_asked(db: discreet.Database, sql: str) -> None:
    quoted, before = db.quote(sql, accuracy=600), db.budget().dataset.spent.amount
    answer = db.query(sql, accuracy=600)
    assert answer.cost == quoted
    assert db.budget().dataset.spent.amount - before == pytest.approx(quoted.rho)
    for ends in (each for column in answer.intervals().values() for each in column):
        assert ends is not None
        assert ends.high - ends.low <= 1200


@pytest.mark.parametrize("sql", QUESTIONS.values(), ids=QUESTIONS)
def test_no_number_is_sharper_than_it_must_be(db: discreet.Database, sql: str) -> None:
    numbers = [each for each in db.explain(sql, accuracy=600).releases if each.aggregate != "units"]
    assert numbers
    assert all(597 < (each.half_width_95 or 0) <= 600 for each in numbers)


def test_one_price_for_all_is_never_cheaper(db: discreet.Database) -> None:
    """An even split pays for a count that nobody wanted so sharp."""
    aimed = db.quote(TWO, accuracy=600)
    even = db.explain(TWO, epsilon=aimed.epsilon)
    assert max(each.half_width_95 or 0 for each in even.releases) > 600


def test_a_share_of_a_number_that_is_named_is_the_same_question(db: discreet.Database) -> None:
    first = db.query(COUNT, accuracy="5% of 400")
    for same in (20, "20", 20.0, "20% of 100", " 5 %  OF 4e2 "):
        again = db.query(COUNT, accuracy=same)
        assert (again.repeated, list(again)) == (True, list(first))
    stated = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (accuracy = '5% of 400') COUNT(*) AS n FROM people"
    assert db.query(stated).repeated
    assert db.query(stated, accuracy=20).repeated


@pytest.mark.parametrize(
    ("sql", "told"),
    [
        ("SELECT MODE(age) AS m FROM people", "how sharp 'm' is depends on how dense values lie"),
        ("SELECT COUNT(*) AS n, MEDIAN(age) AS m FROM people", "how sharp 'm' is depends on how dense values lie"),
        ("SELECT name FROM people GROUP BY name", "no number that could be sharp"),
    ],
)
def test_what_no_price_can_promise_is_refused(db: discreet.Database, sql: str, told: str) -> None:
    for ask in (db.query, db.quote):
        with pytest.raises(discreet.Refused, match=told) as refused:
            ask(sql, accuracy=20)
        assert refused.value.code == "accuracy-unknown"
    assert db.explain(sql, accuracy=20).verdict == "refuse"


@pytest.mark.parametrize(
    "accuracy", ["5% of", "% of 20", "5 of 20", "x% of 20", "5% of x", "-5% of 20", "5% of 0", "5%%"]
)
def test_words_that_are_no_accuracy(db: discreet.Database, accuracy: str) -> None:
    with pytest.raises(discreet.Refused) as refused:
        db.query(COUNT, accuracy=accuracy)
    assert refused.value.code == "bad-price"


def reached(text: str) -> float:
    return float(text.partition("reaches ±")[2].partition(" at 95 %")[0])


@pytest.mark.parametrize("sql", QUESTIONS.values(), ids=QUESTIONS)
def test_the_most_that_is_named_holds_and_the_best_for_it_is_told(db: discreet.Database, sql: str) -> None:
    with pytest.raises(discreet.Refused, match=r"at most 0\.1 is to be paid") as refused:
        db.query(sql, accuracy=3, epsilon=0.1)
    assert refused.value.code == "accuracy-unreachable"
    best = reached(refused.value.hint)
    assert db.query(sql, accuracy=best * 1.001, epsilon=0.1).cost.epsilon <= 0.1
    with pytest.raises(discreet.Refused):
        db.quote(sql, accuracy=best * 0.98 - 1, epsilon=0.1)


@pytest.mark.parametrize("analyst", [None, "alice"])
@pytest.mark.parametrize("sql", QUESTIONS.values(), ids=QUESTIONS)
def test_the_best_that_is_left_is_told(policy: Path, analyst: str | None, sql: str) -> None:
    """Of the dataset's budget, or of the analyst's quota under it."""
    with discreet.connect(policy, analyst=analyst) as db:
        with pytest.raises(discreet.BudgetExhausted) as refused:
            db.query(sql, accuracy=0.5)
        left = db.budget().remaining.amount
        assert refused.value.remaining == db.budget()
        best = reached(refused.value.message)
        with pytest.raises(discreet.BudgetExhausted):
            db.query(sql, accuracy=best * 0.98 - 0.5)
        assert db.budget().dataset.spent.amount == 0
        assert left / 2 <= db.query(sql, accuracy=best * 1.001).cost.rho <= left


def test_beyond_every_price(db: discreet.Database) -> None:
    with pytest.raises(discreet.Refused, match="up to epsilon 100 is that sharp: it reaches ±") as refused:
        db.quote("SELECT SUM(cents) AS s FROM people", accuracy=0.001)
    assert refused.value.code == "accuracy-unreachable"


def test_a_batch_costs_the_least_for_each(db: discreet.Database) -> None:
    alone = [db.quote(sql, accuracy=600).rho for sql in (COUNT, BY_CITY)]
    answers = db.batch([COUNT, BY_CITY], accuracy=600)
    assert [answer.cost.rho for answer in answers] == pytest.approx(alone)
    assert db.budget().dataset.spent.amount == pytest.approx(sum(alone))
    assert all(answer.repeated for answer in db.batch([COUNT, BY_CITY], accuracy=600))
    with pytest.raises(discreet.Refused, match=r"at most 0\.05 is to be paid"):
        db.batch([BY_CITY] * 4, accuracy=20, epsilon=0.1)


@pytest.mark.parametrize("accounting", ['"slots"\nslots = 50', '"decaying"'], ids=["slots", "decaying"])
def test_an_accounting_that_sets_prices_takes_no_accuracy(tmp_path: Path, accounting: str) -> None:
    words = POLICY.replace("epsilon = 10000", f"epsilon = 3\naccounting = {accounting}")
    policy = build(tmp_path / "set", policy=words)
    stated = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (accuracy = 20) COUNT(*) AS n FROM people"
    with discreet.connect(policy) as db:
        asks = (
            lambda: db.query(COUNT, accuracy=20),
            lambda: db.query(stated),
            lambda: db.batch([COUNT], accuracy=20),
            lambda: db.batch([stated]),
        )
        for ask in asks:
            with pytest.raises(discreet.Refused) as refused:
                ask()
            assert refused.value.code == "price-is-set"


def test_a_spent_budget_gives_what_was_released_at_an_accuracy(policy: Path) -> None:
    policy.write_text(policy.read_text().replace("[budget]", '[budget]\nwhen_spent = "cached"'))
    with discreet.connect(policy) as db:
        first = db.query(BY_CITY, accuracy=600)
        later = db.query(BY_CITY, epsilon=100)
        assert (later.repeated, list(later), later.intervals()) == (True, list(first), first.intervals())


def test_a_mechanism_may_be_named(db: discreet.Database) -> None:
    aimed = db.explain(COUNT, accuracy=20, mechanism="laplace").releases[0]
    assert (aimed.mechanism, aimed.half_width_95) == ("laplace", 20)
