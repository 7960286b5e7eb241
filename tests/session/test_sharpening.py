"""A relative accuracy, through the front door: reached step by step, for what it turns out to cost."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import TYPE_CHECKING

import duckdb
import pytest

import discreet
from discreet.errors import LedgerError
from discreet.mechanisms import noise_source
from discreet.mechanisms.sharpening.gaussian_steps import GaussianSteps

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

TABLE = """
CREATE TABLE people AS SELECT i AS id, 20 + i % 50 AS age, (i % 1000) / 7 AS score,
    CASE WHEN i % 2000 = 0 THEN 'Bern' WHEN i % 3 = 0 THEN 'Oslo' ELSE 'Rome' END AS city,
    CASE WHEN i % 1000 = 0 THEN 'rare' || i ELSE ['a', 'b'][1 + i % 2] END AS name
FROM range(20000) AS numbers(i);
"""
TRUE = {"Bern": 10, "Oslo": 6664, "Paris": 0, "Rome": 13326}

POLICY = """
[dataset]
name   = "people"
source = "duckdb:///people.duckdb"
[budget]
epsilon = 30
delta   = 1e-6
{budget}
[analysts.alice]
epsilon = 3
[tables.people]
unit           = "id"
rows_per_unit  = 2
columns.age    = {{ range = [0, 100] }}
columns.score  = {{ range = [0, 200], step = 0.01 }}
columns.city   = {{ values = ["Bern", "Oslo", "Paris", "Rome"] }}
[keys]
threshold_delta = 1e-9
"""

COUNT = "SELECT COUNT(*) AS n FROM people"
LARGE = "SELECT city, COUNT(*) AS n FROM people GROUP BY city HAVING COUNT(*) > 3000 ORDER BY n DESC LIMIT 1"
BY_CITY = "SELECT city, COUNT(*) AS n, SUM(age) AS s FROM people GROUP BY city"
MEAN = "SELECT AVG(age) AS a FROM people"
MIXED = "SELECT COUNT(*) AS n, SUM(score) AS s, AVG(age) AS a, STDDEV(age) AS d FROM people"
BY_NAME = "SELECT name, COUNT(*) AS n, AVG(age) AS a FROM people GROUP BY name"


def built(folder: Path, budget: str = "per_query = { epsilon = 0.2 }") -> Path:
    folder.mkdir()
    with duckdb.connect(str(folder / "people.duckdb")) as connection:
        connection.execute(TABLE)
    path = folder / "discreet.toml"
    path.write_text(POLICY.format(budget=budget), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("sharp") / "db")


@pytest.fixture
def policy(source: Path) -> Iterator[Path]:
    """A fresh ledger each time."""
    ledger = source.with_name("people.ledger")
    for path in source.parent.glob("people.ledger*"):
        path.unlink()
    yield source
    assert ledger.exists()


@pytest.fixture
def db(policy: Path) -> Iterator[discreet.Database]:
    with discreet.connect(policy) as opened:
        yield opened
        assert opened.verify().ok


def halves(answer: discreet.Release, column: str) -> list[float]:
    found = []
    for row, ends in zip(answer, answer.intervals()[column], strict=True):
        value = row[answer.columns.index(column)]
        assert ends is not None
        found.append(max(ends.high - value, value - ends.low) / abs(value))
    return found


def test_a_number_is_within_the_share_that_was_asked_for(db: discreet.Database) -> None:
    answer = db.query(COUNT, accuracy="5%")
    assert halves(answer, "n") == [pytest.approx(0.05, rel=0.2)]
    assert halves(answer, "n")[0] <= 0.05
    assert abs(next(iter(answer))[0] - 20_000) < 3_000
    assert answer.notes == []


def test_what_it_turned_out_to_cost_is_paid_and_no_more(db: discreet.Database) -> None:
    most = db.quote(COUNT, accuracy="5%")
    answer = db.query(COUNT, accuracy="5%")
    assert most.epsilon == 0.2
    assert 0.001 < answer.cost.epsilon < 0.02
    assert db.budget().dataset.spent.amount == Fraction(answer.receipt.amount)
    assert float(db.budget().dataset.spent.amount) == pytest.approx(answer.cost.rho)
    assert answer.remaining == db.remaining
    assert answer.receipt.held is not None
    assert answer.receipt.held["charge"] == {"amount": "1/50", "delta": "0"}
    (paid,), (held,) = answer.receipt.events, answer.receipt.held["events"]
    assert paid["kind"] == held["kind"] == "sharpened-gaussian"
    assert Fraction(paid["ratio_squared"]) < Fraction(held["ratio_squared"]) == Fraction(1, 25)
    assert [entry.kind for entry in db.history(2)] == ["held", "settled"]


def test_sharper_costs_more_and_a_larger_number_costs_less(db: discreet.Database) -> None:
    costs = [db.query(COUNT, accuracy=share).cost.epsilon for share in ("20%", "5%", "2%")]
    assert costs == sorted(costs)
    few = db.query(COUNT + " WHERE age < 25", accuracy="5%").cost.epsilon
    assert few > 4 * costs[1]


def test_the_price_is_near_that_of_who_knows_the_answer(db: discreet.Database) -> None:
    """At 5 % the steps, and intervals that hold wherever they end, add some fifteen percent to epsilon."""
    best = db.quote(COUNT, accuracy="5% of 20000").epsilon
    costs = sorted(db.query(f"{COUNT} WHERE id <> -{n}", accuracy="5%").cost.epsilon for n in range(1, 12))
    assert best < costs[5] < 1.3 * best


@pytest.mark.parametrize("sql", [BY_CITY, LARGE], ids=["all", "having"])
def test_every_group_counts_shown_or_not(db: discreet.Database, sql: str) -> None:
    """Nobody lives in Paris: no price makes that sharp, so the most is paid, and the answer says what it is not."""
    answer = db.query(sql, accuracy="5%")
    assert answer.cost == db.quote(sql, accuracy="5%")
    assert all("is not within 5% in 2 of 4 groups" in note for note in answer.notes)
    assert len(answer.notes) == (2 if sql is BY_CITY else 1)


def test_a_floor_beside_the_share_lets_small_groups_be(db: discreet.Database) -> None:
    answer = db.query(BY_CITY, accuracy="5% or 200", epsilon=4)
    assert answer.notes == []
    assert answer.cost.epsilon < 3.5
    for column, place in (("n", 1), ("s", 2)):
        for row, ends in zip(answer, answer.intervals()[column], strict=True):
            assert ends is not None
            assert (ends.high - ends.low) / 2 <= max(200, abs(row[place]) / 20)
    most = db.explain(BY_CITY, accuracy="5% or 200", epsilon=4)
    assert max(each.half_width_95 or 0 for each in most.releases if each.column == "n") <= 200


def test_columns_climb_for_themselves_unless_they_share_parts(db: discreet.Database) -> None:
    answer = db.query(MIXED, accuracy="5%", epsilon=2)
    assert {each.columns for each in db.explain(MIXED, accuracy="5%", epsilon=2).climbs} == {("n",), ("s",), ("a", "d")}
    shared = db.explain("SELECT COUNT(age) AS n, AVG(age) AS a FROM people", accuracy="5%").climbs
    assert [each.columns for each in shared] == [("n", "a")]
    for column in ("n", "s", "a", "d"):
        assert halves(answer, column)[0] <= 0.05
    value = dict(zip(answer.columns, next(iter(answer)), strict=True))
    assert abs(value["a"] - 44.5) < 5
    assert abs(value["d"] - 14.4) < 3
    assert answer.notes == []


def test_an_average_may_be_asked_for_absolutely(db: discreet.Database) -> None:
    """It depends on the data how sharp an average is, so that is reached by steps, too."""
    answer = db.query(MEAN, accuracy=2)
    (ends,) = answer.intervals()["a"]
    assert ends is not None
    assert max(ends.high - next(iter(answer))[0], next(iter(answer))[0] - ends.low) <= 2
    assert answer.cost.epsilon < db.quote(MEAN, accuracy=2).epsilon == 0.2


def test_what_can_be_calculated_beside_it_is(db: discreet.Database) -> None:
    sql = "SELECT COUNT(*) AS n, AVG(age) AS a FROM people WHERE age > 30"
    explained = db.explain(sql, accuracy=40, epsilon=1)
    assert [each.columns for each in explained.climbs] == [("a",)]
    count = next(each for each in explained.releases if each.column == "n")
    assert (count.mechanism, count.half_width_95) == ("gaussian", 40)
    with pytest.raises(discreet.Refused, match="whose price is known cost") as refused:
        db.query("SELECT SUM(score) AS s, AVG(age) AS a FROM people", accuracy=1)
    assert refused.value.code == "accuracy-unreachable"


def test_private_keys_are_chosen_first_and_then_made_sharp(db: discreet.Database) -> None:
    answer = db.query(BY_NAME, accuracy="10%", epsilon=1.5)
    assert [row[0] for row in answer] == ["a", "b"]
    assert max(halves(answer, "n") + halves(answer, "a")) <= 0.1
    assert answer.cost.delta == 1e-9
    assert answer.cost.epsilon < 1.4
    assert db.budget().dataset.spent.delta == Fraction(1, 10**9)


def test_the_count_that_chooses_the_keys_cannot_be_made_sharper(db: discreet.Database) -> None:
    sql = "SELECT name, COUNT(DISTINCT id) AS n FROM people GROUP BY name"
    with pytest.raises(discreet.Refused, match="decides which private keys are shown") as refused:
        db.query(sql, accuracy="5%")
    assert refused.value.code == "accuracy-unknown"
    assert db.query(sql, accuracy=100).columns == ["name", "n"]


def test_quantiles_cannot_be_asked_for_by_share(db: discreet.Database) -> None:
    with pytest.raises(discreet.Refused, match="how dense values lie") as refused:
        db.query("SELECT COUNT(*) AS n, MEDIAN(age) AS m FROM people", accuracy="5%")
    assert refused.value.code == "accuracy-unknown"


def test_another_mechanism_is_refused(db: discreet.Database) -> None:
    assert db.query(COUNT, accuracy="5%", mechanism="gaussian").notes == []
    with pytest.raises(discreet.Refused, match="made sharper with gaussian noise") as refused:
        db.query(COUNT, accuracy="5%", mechanism="laplace")
    assert refused.value.code == "wrong-mechanism"


# The same again, and what else is free.


def test_the_same_accuracy_on_the_same_data_is_free(db: discreet.Database) -> None:
    first, spent = db.query(BY_CITY, accuracy="5% or 300"), db.budget().dataset.spent
    stated = BY_CITY.replace("SELECT", "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (accuracy = '5% or 300')", 1)
    for again in (db.query(BY_CITY, accuracy=" 5.0 % OR 3e2"), db.query(stated)):
        assert again.repeated
        assert (list(again), again.intervals(), again.intervals(0.5)) == (
            list(first),
            first.intervals(),
            first.intervals(0.5),
        )
        assert again.cost.epsilon == 0
        assert again.receipt == first.receipt
    assert db.budget().dataset.spent == spent
    assert not db.query(BY_CITY, accuracy="5% or 301").repeated


def test_a_restart_finds_it(policy: Path) -> None:
    with discreet.connect(policy) as db:
        first = db.query(MIXED, accuracy="10%", epsilon=1)
    with discreet.connect(policy) as db:
        again = db.query(MIXED, accuracy="10%", epsilon=1)
    assert (again.repeated, list(again), again.intervals()) == (True, list(first), first.intervals())


def test_a_spent_budget_gives_what_was_released_step_by_step(tmp_path: Path) -> None:
    with discreet.connect(built(tmp_path / "db", 'when_spent = "cached"\nper_query = { epsilon = 0.2 }')) as db:
        first = db.query(COUNT, accuracy="5%")
        later = db.query(COUNT, epsilon=100)
        assert (later.repeated, list(later), later.intervals()) == (True, list(first), first.intervals())


# The most that may be paid.


def test_the_most_is_what_was_named_or_the_default(tmp_path: Path, db: discreet.Database) -> None:
    assert db.quote(COUNT, accuracy="5%", epsilon=0.7).epsilon == 0.7
    assert db.quote(COUNT, accuracy="5%").epsilon == 0.2
    with discreet.connect(built(tmp_path / "db", "")) as other:
        whole = other.budget().dataset.cap.amount
        most = other.quote(COUNT, accuracy="5%")
        assert 0.98 * whole / 10 < most.rho <= whole / 10
        assert other.quote(COUNT, accuracy=40).epsilon < 0.2


def test_the_most_has_to_fit_before_anything_is_asked(policy: Path) -> None:
    with discreet.connect(policy) as db, discreet.connect(policy, analyst="alice") as alice:
        for asking, most in ((db, 10), (alice, 2)):
            before = asking.budget()
            with pytest.raises(discreet.BudgetExhausted) as refused:
                asking.query("SELECT SUM(age) AS s FROM people", accuracy="5%", epsilon=most)
            assert "the question may cost" in refused.value.message
            assert ", which reaches 5% of numbers from " in refused.value.message
            assert "epsilon" in refused.value.hint
            assert asking.budget() == before
        assert alice.query(COUNT, accuracy="5%", epsilon=0.1).cost.epsilon < 0.02
        quota = alice.budget().analyst
        assert quota is not None
        assert quota.spent == alice.budget().dataset.spent


def test_more_accuracy_than_the_most_reaches_is_told_with_the_answer(db: discreet.Database) -> None:
    answer = db.query(COUNT, accuracy="0.1%", epsilon=0.05)
    assert answer.cost.epsilon == 0.05
    assert answer.notes == ["n is not within 0.1%: that costs more than the most that may be paid"]
    assert halves(answer, "n")[0] > 0.001


def test_a_batch_is_held_together_and_paid_for_together(db: discreet.Database) -> None:
    statements = [COUNT, MEAN, BY_CITY]
    answers = db.batch(statements, accuracy="5% or 500", epsilon=0.5)
    assert len({answer.receipt.hash for answer in answers}) == 1
    paid = sum(Fraction(answer.cost.rho) for answer in answers)
    assert float(db.budget().dataset.spent.amount) == pytest.approx(float(paid))
    assert paid < Fraction(1, 10)
    assert all(answer.repeated for answer in db.batch(statements, accuracy="5% or 500", epsilon=0.5))


# What can be seen beforehand.


def test_explain_tells_what_it_may_cost(db: discreet.Database) -> None:
    explained = db.explain(COUNT, accuracy="5%")
    assert explained.cost.epsilon == 0.2
    (prospect,) = explained.climbs
    assert (prospect.columns, prospect.goal) == (("n",), "5%")
    costs = [stop.cost.epsilon for stop in prospect.stops]
    assert costs == sorted(costs)
    assert costs[-1] == 0.2
    assert costs[0] == pytest.approx(0.2 / 4096)
    for stop in prospect.stops:
        assert stop.half_width_95 is not None
        assert stop.enough_from == 20 * stop.half_width_95
    found = json.loads(json.dumps(explained.to_dict()))["climbs"]
    assert found[0]["stops"][-1].keys() == {"cost", "half_width_95", "enough_from"}
    assert explained.releases[0].mechanism == "gaussian-steps"
    assert db.explain(COUNT, epsilon=0.1).to_dict()["climbs"] == []
    (average,) = db.explain(MEAN, accuracy="5%").climbs
    assert {stop.enough_from for stop in average.stops} == {None}


def test_explain_and_quote_cost_nothing_and_look_at_nothing(
    db: discreet.Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = db.history()
    monkeypatch.setattr(noise_source, "discrete_gaussian", None)
    db.explain(MIXED, accuracy="5%")
    db.quote(MIXED, accuracy="5%")
    assert db.history() == before


# What goes wrong on the way.


def test_a_climb_that_fails_keeps_the_whole_hold(db: discreet.Database, monkeypatch: pytest.MonkeyPatch) -> None:
    def breaking(self: GaussianSteps, values: Sequence[int]) -> Iterator[list[int]]:
        yield [0] * len(values)
        raise ZeroDivisionError(f"{values}")

    monkeypatch.setattr(GaussianSteps, "releases", breaking)
    with pytest.raises(discreet.EngineError) as failed:
        db.query(COUNT, accuracy="5%")
    assert str(failed.value) == discreet.EngineError.TEXT
    assert failed.value.__context__ is None
    assert db.budget().dataset.spent.amount == Fraction(1, 50)
    assert [entry.kind for entry in db.history(2)] == ["held", "failed"]


def test_an_interrupt_keeps_the_whole_hold(db: discreet.Database, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> list[int]:
        raise KeyboardInterrupt

    monkeypatch.setattr(noise_source, "discrete_gaussian", interrupted)
    with pytest.raises(KeyboardInterrupt):
        db.query(COUNT, accuracy="5%")
    assert db.budget().dataset.spent.amount == Fraction(1, 50)


def test_a_price_that_the_events_do_not_bear_out_is_not_taken(
    db: discreet.Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The ledger prices the events itself, whatever it is told."""
    monkeypatch.setattr("discreet.session.answering.Paid", _Cheap)
    with pytest.raises(LedgerError, match="less than its events cost"):
        db.query(COUNT, accuracy="5%")
    assert db.budget().dataset.spent.amount == Fraction(1, 50)


class _Cheap:
    def __init__(self, charge: object, events: object) -> None:
        self.charge, self.events = type(charge)(charge.amount / 2, charge.delta), events


# Other accountings.


@pytest.mark.parametrize(
    ("accounting", "mechanism", "most"),
    [("pure", "laplace-steps", 2), ("gdp", "fine-gaussian-steps", 0.8), ("zcdp", "gaussian-steps", 2)],
)
def test_each_accounting_has_steps_of_its_own(tmp_path: Path, accounting: str, mechanism: str, most: float) -> None:
    budget = f'accounting = "{accounting}"\nper_query = {{ epsilon = 0.4 }}'
    policy = built(tmp_path / "db", budget)
    policy.write_text(policy.read_text().replace("epsilon = 30\n", "epsilon = 12\n"))
    with discreet.connect(policy) as db:
        assert {each.mechanism for each in db.explain(MIXED, accuracy="5%", epsilon=2).releases} == {mechanism}
        answer = db.query(COUNT, accuracy="5%")
        assert halves(answer, "n")[0] <= 0.05
        assert 0 < answer.cost.epsilon < 0.05
        assert db.budget().dataset.spent.amount == Fraction(answer.receipt.amount)
        by_city = db.query(BY_CITY, accuracy="20% or 1000", epsilon=most)
        assert by_city.notes == []
        assert [row[0] for row in by_city] == sorted(TRUE)
        assert db.query(BY_CITY, accuracy="20% or 1000", epsilon=most).repeated
        assert db.verify().ok
