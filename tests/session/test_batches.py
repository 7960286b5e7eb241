"""A batch of counting queries is planned as a list: sharper at the same price, with intervals that hold, paid for once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from unittest.mock import patch

import duckdb
import pytest

import discreet

PEOPLE = 1200
POLICY = """
[dataset]
name = "people"
source = "duckdb:///people.duckdb"
[budget]
epsilon = {epsilon}
delta = 1e-6
accounting = "{accounting}"
per_query = {{ epsilon = 0.5 }}
when_spent = "{when_spent}"
[tables.people]
unit = "id"
rows_per_unit = 1
columns.age = {{ range = [0, 100] }}
columns.town = {{ values = ["Aa", "Bb", "Cc"] }}
[tables.visits]
unit = "person"
rows_per_unit = 3
columns.page = {{ values = ["home", "shop"] }}
"""

AGES = [f"SELECT COUNT(*) AS n FROM people WHERE age >= {low} AND age < {low + 20}" for low in range(0, 100, 20)]
NESTED = [f"SELECT COUNT(*) AS n FROM people WHERE age < {age}" for age in range(10, 100, 10)]
TOWNS = "SELECT town, COUNT(*) AS n FROM people WHERE age < 30 GROUP BY town"
MEAN = "SELECT AVG(age) AS a FROM people"


def opened(
    folder: Path, accounting: str = "zcdp", epsilon: float = 1000, when_spent: str = "refuse"
) -> discreet.Database:
    folder.mkdir(exist_ok=True)
    if not (folder / "people.duckdb").exists():
        with duckdb.connect(str(folder / "people.duckdb")) as connection:
            connection.execute("CREATE TABLE people (id INTEGER PRIMARY KEY, age INTEGER, town TEXT)")
            connection.execute(
                "INSERT INTO people SELECT i, i % 100, ['Aa', 'Bb', 'elsewhere'][1 + i % 3] FROM range($1) AS r(i)",
                [PEOPLE],
            )
            connection.execute(
                "CREATE TABLE visits AS SELECT i % 400 AS person, 'home' AS page FROM range(2000) AS r(i)"
            )
    words = POLICY.format(accounting=accounting, epsilon=epsilon, when_spent=when_spent)
    (folder / "discreet.toml").write_text(words, encoding="utf-8")
    return discreet.connect(folder / "discreet.toml")


@pytest.fixture
def db(tmp_path: Path) -> Iterator[discreet.Database]:
    with opened(tmp_path) as database:
        yield database


@pytest.fixture
def pure(tmp_path: Path) -> Iterator[discreet.Database]:
    with opened(tmp_path / "pure", "pure") as database:
        yield database


def halves(answers: list[discreet.Release]) -> list[float]:
    return [(ends.high - ends.low) / 2 for answer in answers for ends in answer.intervals()["n"] if ends is not None]


def exact(folder: Path, sql: str) -> list[tuple[object, int]]:
    """The key (None without groups) and the number of each row."""
    with duckdb.connect(str(folder / "people.duckdb"), read_only=True) as connection:
        return [(row[0] if len(row) > 1 else None, row[-1]) for row in connection.execute(sql).fetchall()]


def test_conditions_that_exclude_each_other_are_as_sharp_as_one(db: discreet.Database) -> None:
    alone = db.explain(AGES[0], epsilon=0.5).releases[0].half_width_95
    assert halves(db.batch(AGES, epsilon=0.5)) == [alone] * len(AGES)
    assert db.explain_batch(AGES, epsilon=0.5).lists[0].used == "gaussian"


def test_the_price_is_the_batchs_whatever_the_way(db: discreet.Database, tmp_path: Path) -> None:
    answers = db.batch([*AGES, TOWNS, MEAN], epsilon=0.5)
    spent = db.budget().dataset.spent
    assert Fraction(1, 8) * (1 - Fraction(1, 10**9)) <= spent.amount <= Fraction(1, 8)
    assert sum(answer.cost.rho for answer in answers) == pytest.approx(float(spent.amount))
    assert len({answer.receipt.id for answer in answers}) == 1
    assert Fraction(answers[0].receipt.amount) == spent.amount
    assert db.verify().ok


def test_the_same_batch_again_is_free_and_the_same(db: discreet.Database, pure: discreet.Database) -> None:
    for database, batch in ((db, [*AGES, TOWNS]), (pure, NESTED)):
        first = database.batch(batch, epsilon=0.5)
        spent = database.budget().dataset.spent
        again = database.batch(batch, epsilon=0.5)
        assert all(answer.repeated for answer in again)
        assert [list(each) for each in first] == [list(each) for each in again]
        assert [each.intervals(0.9) for each in first] == [each.intervals(0.9) for each in again]
        assert database.budget().dataset.spent == spent


@pytest.mark.parametrize("accounting", ["zcdp", "pure"])
def test_what_was_released_is_given_again_when_all_is_spent(tmp_path: Path, accounting: str) -> None:
    with opened(tmp_path, accounting, epsilon=5, when_spent="cached") as database:
        first = database.batch(NESTED, epsilon=0.5)
        for n in range(100):
            try:
                database.query(f"SELECT COUNT(*) FROM people WHERE age <> {n}", epsilon=0.25)
            except discreet.BudgetExhausted:
                break
        again = database.batch(NESTED, epsilon=1.5)
        assert all(answer.repeated for answer in again)
        assert [list(each) for each in first] == [list(each) for each in again]
        assert [each.intervals() for each in first] == [each.intervals() for each in again]


def test_cells_that_have_noise_once_add_up(pure: discreet.Database) -> None:
    """Sums of one histogram: what lies between two thresholds is the difference of their numbers, in every answer."""
    between = [
        f"SELECT COUNT(*) AS n FROM people WHERE age >= {age - 10} AND age < {age}" for age in range(20, 100, 10)
    ]
    plan = pure.explain_batch([*NESTED, *between], epsilon=1)
    assert plan.lists[0].used == "histogram"
    answers = [next(iter(answer))[0] for answer in pure.batch([*NESTED, *between], epsilon=1)]
    below, inside = answers[: len(NESTED)], answers[len(NESTED) :]
    assert [b - a for a, b in pairwise(below)] == inside


def test_a_sum_of_more_cells_has_a_wider_interval(pure: discreet.Database) -> None:
    widths = halves(pure.batch(NESTED, epsilon=1))
    assert widths == sorted(widths)
    assert widths[0] < widths[-1]
    planned = [each.releases[0].half_width_95 for each in pure.explain_batch(NESTED, epsilon=1).statements]
    assert widths == planned


def test_groups_of_one_statement_have_intervals_of_their_own(pure: discreet.Database) -> None:
    """Another statement divides the rows of one town alone."""
    batch = [TOWNS, *(f"SELECT COUNT(*) AS n FROM people WHERE town = 'Aa' AND age < {age}" for age in range(3, 30, 3))]
    answer = pure.batch(batch, epsilon=1)[0]
    widths = dict(zip([row[0] for row in answer], halves([answer]), strict=True))
    assert pure.explain_batch(batch, epsilon=1).lists[0].used == "histogram"
    assert widths["Aa"] > widths["Bb"] == widths["Cc"]


@pytest.mark.parametrize("batch", [AGES, NESTED, [*AGES[:2], TOWNS]], ids=["apart", "nested", "groups"])
@pytest.mark.parametrize("accounting", ["zcdp", "pure"])
def test_answers_are_near_the_truth(tmp_path: Path, batch: list[str], accounting: str) -> None:
    """Widths at a billionth: none is missed, unless what is counted is something else."""
    with opened(tmp_path, accounting) as database:
        for answer, sql in zip(database.batch(batch, epsilon=2), batch, strict=True):
            known = dict(exact(tmp_path, sql))
            for row, ends in zip(answer, answer.intervals(1 - 1e-9)["n"], strict=True):
                assert ends is not None
                assert ends.low <= known.get(row[0] if len(row) > 1 else None, 0) <= ends.high


def test_rows_of_a_unit_count_together(db: discreet.Database) -> None:
    """Five visits of each person to one page, of which three count: in both statements together, as in a GROUP BY."""
    batch = [
        "SELECT COUNT(*) AS n FROM visits WHERE page = 'home'",
        "SELECT COUNT(*) AS n FROM visits WHERE page = 'shop'",
    ]
    with patch("discreet.release.lists.perturb", lambda noise, values: list(values)):
        home, shop = (next(iter(answer))[0] for answer in db.batch(batch, epsilon=1))
    assert (home, shop) == (1200, 0)
    assert db.explain_batch(batch, epsilon=1).lists[0].l1 == 3


def test_other_statements_are_answered_for_themselves(db: discreet.Database) -> None:
    plan = db.explain_batch([*AGES, MEAN, "SELECT COUNT(*) AS n FROM visits"], epsilon=1)
    assert [each.statements for each in plan.lists] == [(1, 2, 3, 4, 5)]
    assert plan.notes == (
        "statement 6 is answered for itself: it does not only count",
        "statement 7 is answered for itself: nothing else is counted over its tables",
    )
    answers = db.batch([*AGES, MEAN, "SELECT COUNT(*) AS n FROM visits"], epsilon=1)
    assert list(answers[5].intervals()) == ["a"]
    assert halves(answers[6:]) == [plan.statements[6].releases[0].half_width_95]


def test_a_statement_that_names_its_mechanism_keeps_it(db: discreet.Database) -> None:
    named = AGES[0].replace("SELECT", "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (mechanism = 'laplace')", 1)
    plan = db.explain_batch([named, *AGES[1:]], epsilon=1)
    assert plan.statements[0].releases[0].mechanism == "laplace"
    assert plan.notes == ("statement 1 is answered for itself: it names its mechanism",)


def test_a_plan_costs_nothing_and_touches_no_data(db: discreet.Database) -> None:
    with patch("discreet.engines.duckdb.DuckDB.fetch", side_effect=AssertionError("private data")):
        plan = db.explain_batch([*AGES, TOWNS, MEAN], epsilon=0.5)
    assert plan.verdict == "answer"
    assert plan.cost.epsilon == pytest.approx(0.5)
    assert db.budget().dataset.spent.amount == 0
    assert [entry.kind for entry in db.history()] == ["opened"]


def test_a_plan_is_what_the_batch_does(db: discreet.Database, pure: discreet.Database) -> None:
    for database in (db, pure):
        for batch in (AGES, NESTED, [*AGES, TOWNS]):
            plan = database.explain_batch(batch, epsilon=0.7)
            answers = database.batch(batch, epsilon=0.7)
            for told, answer in zip(plan.statements, answers, strict=True):
                assert max(halves([answer])) == told.releases[0].half_width_95
                assert told.cost == answer.cost
            used = next(way for way in plan.lists[0].ways if way.name == plan.lists[0].used)
            assert used.error_95 is not None
            assert used.error_95 >= max(halves(answers))


def test_without_a_price_the_batch_has_the_policys(db: discreet.Database) -> None:
    assert db.explain_batch(AGES).cost.rho == pytest.approx(0.125)
    db.batch(AGES)
    assert db.budget().dataset.spent.amount == Fraction(1, 8)
    assert db.batch([]) == []
    assert db.explain_batch([]).statements == ()


def test_one_refused_statement_refuses_the_batch(db: discreet.Database) -> None:
    batch = [*AGES, "SELECT * FROM people"]
    plan = db.explain_batch(batch, epsilon=1)
    assert (plan.verdict, plan.refused, plan.lists) == ("refuse", 6, ())
    assert plan.error is not None
    assert plan.error.code == "raw-rows"
    assert plan.statements == ()
    with pytest.raises(discreet.Refused):
        db.batch(batch, epsilon=1)
    assert db.budget().dataset.spent.amount == 0


def test_the_plan_as_json_and_as_text(db: discreet.Database) -> None:
    plan = db.explain_batch([*AGES, MEAN], epsilon=1, rows=1000, within="5%")
    told = json.loads(json.dumps(plan.to_dict(), allow_nan=False))
    assert set(told) == {"verdict", "error", "refused", "statements", "lists", "notes", "cost"}
    assert told["lists"][0]["statements"] == [1, 2, 3, 4, 5]
    assert [way["name"] for way in told["lists"][0]["ways"]] == [
        "one by one", "gaussian", "laplace", "histogram", "randomised response",
    ]  # fmt: skip
    assert all(set(way) == set(told["lists"][0]["ways"][0]) for way in told["lists"][0]["ways"])
    text = repr(plan)
    assert "statements 1-5 over people: 5 numbers, which one unit moves by 1 together" in text
    assert "±5 % of the rows from" in text
    assert any(line.startswith("→   gaussian ") for line in text.splitlines())
    assert "raw-rows" in repr(db.explain_batch(["SELECT * FROM people"]))


def test_a_crash_between_tallies_stays_paid(db: discreet.Database) -> None:
    with patch("discreet.release.lists.perturb", side_effect=ValueError("noise")), pytest.raises(discreet.EngineError):
        db.batch(AGES, epsilon=0.5)
    assert db.budget().dataset.spent.amount > 0
    assert [entry.state for entry in db.history() if entry.kind == "reserved"] == ["failed"]


def test_an_accuracy_is_each_statements_own(db: discreet.Database) -> None:
    plan = db.explain_batch([*AGES, TOWNS], accuracy=30)
    assert plan.lists == ()
    assert plan.notes[0] == "statement 1 is answered for itself: its price follows from an accuracy"
    assert max(halves(db.batch([*AGES, TOWNS], accuracy=30))) <= 30


def test_gaussian_dp_plans_lists_with_its_own_noise(tmp_path: Path) -> None:
    with opened(tmp_path, "gdp", epsilon=5) as database:
        plan = database.explain_batch(AGES, epsilon=0.5)
        assert (plan.lists[0].used, plan.statements[0].releases[0].mechanism) == ("gaussian", "fine-gaussian")
        assert halves(database.batch(AGES, epsilon=0.5)) == [plan.statements[0].releases[0].half_width_95] * len(AGES)


def test_prices_that_decay_are_shared_by_a_list_and_its_answer_is_kept(tmp_path: Path) -> None:
    words = POLICY.replace("per_query = {{ epsilon = 0.5 }}\n", "")
    with patch(f"{__name__}.POLICY", words), opened(tmp_path, "decaying", epsilon=3) as database:
        first = database.batch(AGES)
        again = database.batch(AGES)
        assert [list(each) for each in first] == [list(each) for each in again]
        assert all(each.repeated for each in again)
        assert [each.intervals() for each in first] == [each.intervals() for each in again]
        assert database.explain_batch(AGES).lists[0].used == "gaussian"


def test_slots_give_each_number_the_noise_of_its_slot(tmp_path: Path) -> None:
    words = POLICY.replace("per_query = {{ epsilon = 0.5 }}\n", "slots = 50\n")
    with patch(f"{__name__}.POLICY", words), opened(tmp_path, "slots", epsilon=3) as database:
        plan = database.explain_batch(AGES)
        assert plan.lists == ()
        assert "slot" in plan.notes[0]
        assert halves(database.batch(AGES)) == [database.explain(NESTED[0]).releases[0].half_width_95] * len(AGES)
