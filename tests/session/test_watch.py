"""A watch through the front door: what it says, what it costs, how it ends, and how it is gone on with."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import duckdb
import pytest

import discreet
from attacks.worlds import POLICY, build, person
from discreet.engines.duckdb import DuckDB
from discreet.mechanisms import noise_source

if TYPE_CHECKING:
    from pathlib import Path

PEOPLE = "SELECT COUNT(*) FROM people WHERE age > {}"
"""Of the forty people, who are from 21 to 60 years old."""

OLD, YOUNG = PEOPLE.format(50), PEOPLE.format(10)
VISITS = "SELECT COUNT(*) FROM visits"


@pytest.fixture
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without noise, what is said follows from the rows: a seam that only tests have."""
    monkeypatch.setattr(noise_source, "discrete_laplace", lambda _scale, n: [0] * n)
    monkeypatch.setattr(noise_source, "discrete_gaussian", lambda _variance, n: [0] * n)


def spent(db: discreet.Database) -> Fraction:
    return db.budget().dataset.spent.amount


@pytest.mark.usefixtures("quiet")
def test_it_says_which_counts_are_above_and_is_paid_once(db: discreet.Database) -> None:
    watch = db.watch(30, answers=2, epsilon=1)
    assert spent(db) == Fraction(1, 2)
    said = [(each.statement, bool(each), each.left) for each in watch.over([OLD, VISITS, PEOPLE.format(30), YOUNG])]
    assert said == [(OLD, False, 2), (VISITS, True, 1), (PEOPLE.format(30), False, 1), (YOUNG, True, 0)]
    assert (watch.finished, watch.receipt.state, watch.cost.epsilon) == (True, "settled", 1)
    assert spent(db) == Fraction(1, 2)
    assert db.verify().ok


@pytest.mark.usefixtures("quiet")
def test_it_stops_after_its_last_answer(db: discreet.Database) -> None:
    watch = db.watch(30, epsilon=1)
    asked: list[str] = []

    def statements():
        for sql in (OLD, YOUNG, VISITS):
            asked.append(sql)
            yield sql

    assert [each.above for each in watch.over(statements())] == [False, True]
    assert asked == [OLD, YOUNG], "nothing was read beyond the last answer"
    with pytest.raises(discreet.Refused) as refused:
        watch.ask(VISITS)
    assert refused.value.code == "watch-finished"
    assert watch.ask(YOUNG).repeated
    assert watch.ask(OLD).repeated
    assert [each.statement for each in watch.observations] == [OLD, YOUNG]


@pytest.mark.usefixtures("quiet")
def test_a_value_is_released_of_what_is_above_alone(db: discreet.Database) -> None:
    watch = db.watch(30, answers=2, release=True, epsilon=1)
    below, above, visits = watch.ask(OLD), watch.ask(YOUNG), watch.ask(VISITS)
    assert (below.value, below.interval) == (None, None)
    assert (above.value, visits.value) == (40, 120)
    assert above.interval == discreet.Interval(
        40 - watch.explain(YOUNG).half_width_95, 40 + watch.explain(YOUNG).half_width_95
    )
    width = watch.explain(VISITS).half_width_95
    assert visits.interval == discreet.Interval(120 - width, 120 + width)
    assert width > watch.explain(YOUNG).half_width_95, "one person has up to four visits, and up to three rows"
    assert watch.ask(VISITS) == db.watch(name=watch.name).ask(VISITS)
    assert db.verify().ok


def test_values_have_noise_of_their_own(policy: Path) -> None:
    """They are not the counts that were compared."""
    with discreet.connect(policy) as db:
        values = [db.watch(0, release=True, epsilon=0.5, name=str(n)).ask(VISITS).value for n in range(12)]
    assert len({value for value in values if value is not None}) > 1


def test_the_same_words_go_on_with_the_same_watch(policy: Path) -> None:
    with discreet.connect(policy) as db, discreet.connect(policy) as other:
        first = db.watch(1000, epsilon=1)
        said = first.ask(OLD)
        second = other.watch(1000, epsilon=1)
        assert (first.resumed, second.resumed, second.name) == (False, True, first.name)
        again = second.ask(OLD.lower().replace("count", "COUNT"))
        assert (again.id, again.hash, again.repeated) == (said.id, said.hash, True)
        assert spent(db) == Fraction(1, 2)
        assert db.watch(1000, epsilon="1.0").resumed
        assert not db.watch(1001, epsilon=1).resumed
        assert spent(db) == 1


def test_a_name_is_enough_to_go_on(db: discreet.Database) -> None:
    db.watch(1000, answers=3, release=True, epsilon=1, name="crowds").ask(OLD)
    watch = db.watch(name="crowds")
    assert (watch.above, watch.answers, watch.release, watch.resumed) == (1000, 3, True, True)
    assert watch.observations[0].statement == OLD
    assert "'crowds'" in repr(watch)
    assert watch.receipt.statement == "watch above 1000, 3 answers with values, epsilon 1 as crowds"


@pytest.mark.parametrize(
    ("named", "code"),
    [
        ({"above": 1001}, "watch-differs"),
        ({"answers": 2}, "watch-differs"),
        ({"release": True}, "watch-differs"),
        ({"epsilon": 2}, "watch-differs"),
        ({"name": "another"}, "no-such-watch"),
    ],
)
def test_another_watch_is_not_taken_for_it(db: discreet.Database, named: dict[str, object], code: str) -> None:
    db.watch(1000, epsilon=1, name="crowds")
    before = spent(db)
    with pytest.raises(discreet.Refused) as refused:
        db.watch(**{"name": "crowds", **named})
    assert refused.value.code == code
    assert spent(db) == before


@pytest.mark.parametrize(
    ("named", "code"),
    [
        ({}, "bad-watch"),
        ({"above": -1}, "bad-watch"),
        ({"above": 1.5}, "bad-watch"),
        ({"above": True}, "bad-watch"),
        ({"above": "1000"}, "bad-watch"),
        ({"above": 10**19}, "bad-watch"),
        ({"above": 1, "answers": 0}, "bad-watch"),
        ({"above": 1, "answers": 10**7}, "bad-watch"),
        ({"above": 1, "release": "yes"}, "bad-watch"),
        ({"above": 1, "name": ""}, "bad-watch"),
        ({"above": 1, "name": "a\nb"}, "bad-watch"),
        ({"above": 1, "name": 7}, "bad-watch"),
        ({"above": 1, "epsilon": 0}, "bad-price"),
        ({"above": 1, "epsilon": float("nan")}, "bad-price"),
        ({"above": 1, "epsilon": 100}, "budget-exhausted"),
    ],
)
def test_a_wish_that_cannot_be_met_costs_nothing(db: discreet.Database, named: dict[str, object], code: str) -> None:
    with pytest.raises(discreet.Refused) as refused:
        db.watch(**named)
    assert refused.value.code == code
    assert spent(db) == 0


@pytest.mark.parametrize(
    ("sql", "code"),
    [
        ("SELECT SUM(age) FROM people", "not-a-count"),
        ("SELECT SUM(CASE WHEN age > 3 THEN 1 ELSE 0 END) FROM people", "not-a-count"),
        ("SELECT AVG(age) FROM people", "not-a-count"),
        ("SELECT MEDIAN(age) FROM people", "not-a-count"),
        ("SELECT city, COUNT(*) FROM people GROUP BY city", "not-a-count"),
        ("SELECT name, COUNT(*) FROM people GROUP BY name", "not-a-count"),
        ("SELECT COUNT(*), COUNT(age) FROM people", "not-a-count"),
        ("SELECT COUNT(*) AS n FROM people HAVING COUNT(*) > 3", "not-a-count"),
        ("SELECT COUNT(*) AS n FROM people ORDER BY n", "not-a-count"),
        ("SELECT COUNT(*) FROM people LIMIT 0", "not-a-count"),
        ("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (epsilon = 1) COUNT(*) FROM people", "bad-option"),
        ("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (mechanism = 'gaussian') COUNT(*) FROM people", "bad-option"),
        ("SELECT COUNT(*) FROM nobody", "unknown-table"),
        ("SELECT COUNT(* FROM people", "syntax"),
    ],
)
def test_what_is_no_count_is_refused_and_takes_nothing(db: discreet.Database, sql: str, code: str) -> None:
    watch = db.watch(10, epsilon=1)
    for ask in (lambda: watch.ask(sql), lambda: watch.explain(sql), lambda: db.explain_watch([sql], above=10)):
        with pytest.raises(discreet.Refused) as refused:
            ask()
        assert refused.value.code == code
    assert watch.left == 1
    assert watch.observations == []


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize(
    ("sql", "moved"),
    [
        ("SELECT COUNT(*) FROM people", 3),
        ("SELECT COUNT(name) FROM people WHERE mood = 'glad'", 3),
        ("SELECT COUNT(*) FILTER (WHERE age > 0) FROM people", 3),
        ("SELECT COUNT_IF(age > 0) AS n FROM people", 3),
        ("SELECT COUNT(DISTINCT id) FROM people", 1),
        ("SELECT COUNT(*) FROM visits", 4),
        ("SELECT COUNT(DISTINCT person) FROM visits", 1),
        ("SELECT COUNT(*) FROM people JOIN cities ON people.city = cities.city", 3),
    ],
)
def test_counts_of_all_kinds_are_compared_in_steps_of_what_one_unit_moves(
    db: discreet.Database, sql: str, moved: int
) -> None:
    watch = db.watch(39, epsilon=1)
    assert watch.explain(sql).moved == moved
    assert watch.ask(sql)


@pytest.mark.usefixtures("quiet")
def test_the_threshold_itself_is_not_above(db: discreet.Database) -> None:
    assert not db.watch(40, epsilon=1).ask(YOUNG)
    assert db.watch(39, epsilon=1).ask(YOUNG)
    assert not db.watch(0, epsilon=1).ask("SELECT COUNT(*) FROM people WHERE age > 1000")


@pytest.mark.usefixtures("quiet")
def test_other_data_are_compared_anew(policy: Path) -> None:
    with discreet.connect(policy) as db:
        assert not db.watch(40, epsilon=1).ask(YOUNG)
    with duckdb.connect(str(policy.with_name("people.duckdb"))) as connection:
        connection.execute(person(age="50", city="'Rome'"))
    with discreet.connect(policy) as db:
        watch = db.watch(40, epsilon=1)
        said = watch.ask(YOUNG)
        assert (watch.resumed, said.above, said.repeated) == (True, True, False)
        assert spent(db) == Fraction(1, 2)


def test_it_is_charged_to_its_analyst_and_is_theirs(policy: Path) -> None:
    with discreet.connect(policy, analyst="alice") as alice, discreet.connect(policy, analyst="bob") as bob:
        alice.watch(1000, epsilon=0.2, name="crowds")
        assert alice.budget().analyst.spent.amount == Fraction(1, 50)
        with pytest.raises(discreet.Refused, match="no watch 'crowds' of this analyst"):
            bob.watch(name="crowds")
        with pytest.raises(discreet.BudgetExhausted):
            alice.watch(1000, epsilon=1)


def test_it_explains_what_it_would_cost_and_how_sure_it_would_be(db: discreet.Database) -> None:
    told = db.explain_watch([OLD, VISITS], above=100, answers=2, release=True, epsilon=1)
    assert spent(db) == 0
    assert (told.above, told.answers, told.release, told.resumed) == (100, 2, True, False)
    assert (told.cost.epsilon, told.cost.rho) == (1, 0.5)
    assert [each.moved for each in told.statements] == [3, 4]
    margins = [each.margin_95 - 1 for each in told.statements]
    assert margins[0] / 3 == margins[1] / 4 > 5
    assert told.to_dict()["statements"][0]["statement"] == OLD
    db.watch(100, answers=2, release=True, epsilon=1)
    again = db.explain_watch([OLD, VISITS], above=100, answers=2, release=True, epsilon=1)
    assert (again.resumed, again.cost.epsilon, again.statements) == (True, 0, told.statements)


def test_a_watch_that_is_closed_is_kept(db: discreet.Database) -> None:
    with db.watch(1000, epsilon=1, name="crowds") as watch:
        watch.ask(OLD)
    with pytest.raises(discreet.LedgerError, match=r"go on with it: db.watch\(name='crowds'\)"):
        watch.ask(OLD)
    assert watch.left == 1
    assert db.watch(name="crowds").ask(OLD).repeated


def fails(monkeypatch: pytest.MonkeyPatch, kind: type[BaseException]) -> None:
    def fail(*_: object) -> object:
        raise kind("canary")

    monkeypatch.setattr(DuckDB, "fetch", fail)


@pytest.mark.parametrize("kind", [ValueError, MemoryError, OverflowError, RecursionError])
def test_a_failure_has_one_text_and_takes_an_answer(
    db: discreet.Database, monkeypatch: pytest.MonkeyPatch, kind: type[Exception]
) -> None:
    watch = db.watch(1000, answers=2, epsilon=1)
    with monkeypatch.context() as patch:
        fails(patch, kind)
        for sql in (OLD, OLD, VISITS):
            with pytest.raises(discreet.EngineError) as failed:
                watch.ask(sql)
            assert str(failed.value) == discreet.EngineError.TEXT
            assert failed.value.__context__ is failed.value.__cause__ is None
    assert watch.finished
    with pytest.raises(discreet.EngineError):
        watch.ask(OLD)
    with pytest.raises(discreet.Refused, match="watch-finished"):
        watch.ask(YOUNG)
    assert watch.observations == []
    assert db.verify().ok


def test_an_interrupt_takes_nothing_and_says_nothing(db: discreet.Database, monkeypatch: pytest.MonkeyPatch) -> None:
    watch = db.watch(1000, epsilon=1)
    with monkeypatch.context() as patch:
        fails(patch, KeyboardInterrupt)
        with pytest.raises(KeyboardInterrupt) as interrupted:
            watch.ask(OLD)
        assert interrupted.value.args == ()
        assert interrupted.value.__context__ is None
    assert watch.left == 1
    assert not watch.ask(OLD).repeated
    assert db.verify().ok


def test_a_watch_ends_with_its_period(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from datetime import timedelta

    from discreet.ledger import ledger
    from discreet.ledger.ledger import utcnow

    path = build(tmp_path / "people", policy=POLICY.replace("epsilon = 10000", 'epsilon = 10\nrenew = "30d"'))
    with discreet.connect(path) as db:
        watch = db.watch(1000, epsilon=1)
        assert watch.until is not None
        watch.ask(OLD)
    monkeypatch.setitem(ledger.Ledger.open.__func__.__kwdefaults__, "clock", lambda: utcnow() + timedelta(days=31))
    with discreet.connect(path) as db:
        later = db.watch(1000, epsilon=1)
        assert (later.resumed, later.observations) == (False, [])
        assert spent(db) == Fraction(1, 2)
        assert db.verify().ok


def test_under_pure_accounting(tmp_path: Path) -> None:
    path = build(tmp_path / "people", policy=POLICY.replace("delta   = 1e-6", 'accounting = "pure"\ndelta   = 1e-6'))
    with discreet.connect(path) as db:
        watch = db.watch(1000, answers=2, epsilon=1, release=True)
        assert spent(db) == 1
        assert (watch.cost.epsilon, watch.ask(OLD).above) == (1, False)
        assert {event["kind"] for event in watch.receipt.events} == {"above-threshold", "laplace"}
        assert db.verify().ok


@pytest.mark.parametrize(("accounting", "slots"), [("slots", "slots = 10\n"), ("decaying", "")])
def test_where_the_accounting_sets_prices_a_watch_takes_one(tmp_path: Path, accounting: str, slots: str) -> None:
    words = f'accounting = "{accounting}"\n{slots}delta   = 1e-6'
    path = build(
        tmp_path / "people", policy=POLICY.replace("epsilon = 10000", "epsilon = 3").replace("delta   = 1e-6", words)
    )
    with discreet.connect(path) as db:
        with pytest.raises(discreet.Refused) as refused:
            db.watch(1000, epsilon=1)
        assert refused.value.code == "price-is-set"
        assert db.explain_watch([OLD], above=1000).cost == db.explain(OLD).cost
        watch = db.watch(1000, answers=2, release=True)
        assert watch.name == "above 1000, 2 answers with values"
        assert not watch.ask(OLD)
        assert spent(db) == db.budget().dataset.cap.amount / (10 if slots else 2)
        assert db.watch(1000, answers=2, release=True).resumed
        assert db.verify().ok


def test_under_gaussian_accounting(tmp_path: Path) -> None:
    words = 'accounting = "gdp"\ndelta   = 1e-6'
    path = build(
        tmp_path / "people", policy=POLICY.replace("epsilon = 10000", "epsilon = 3").replace("delta   = 1e-6", words)
    )
    with discreet.connect(path) as db:
        watch = db.watch(0, epsilon=0.5, release=True)
        said = watch.ask(VISITS)
        assert (said.above, said.value is None) in ((True, False), (False, True))
        assert watch.cost.epsilon == 0.5
        assert {event["kind"] for event in watch.receipt.events} == {"above-threshold", "fine-gaussian"}
        assert db.verify().ok
