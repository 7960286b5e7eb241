"""Smooth noise, propose-test-release and stable answers, end to end, under every accounting."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import duckdb
import pytest

import discreet

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NAMES = ["smooth", "smooth-cauchy", "smooth-laplace", "smooth-gaussian", "ptr", "stable"]
MEDIAN = "SELECT MEDIAN(age) AS m FROM people"
BY_TOWN = "SELECT town, MEDIAN(age) AS m, COUNT(*) AS n FROM people GROUP BY town"
MODE = "SELECT town, MODE(mood) AS mood FROM people GROUP BY town"

POLICY = """
[dataset]
name = "people"
source = "duckdb:///people.duckdb"
[budget]
epsilon = {epsilon}
delta = 1e-3
accounting = "{accounting}"
per_query = {{ epsilon = {price}, delta = 1e-6 }}
[tables.people]
unit = "person"
rows_per_unit = 2
columns.age = {{ range = [0, 120] }}
columns.town = {{ values = ["big", "none", "split"] }}
columns.mood = {{ values = ["glad", "meh", "sad"] }}
"""


def open_people(folder: Path, accounting: str) -> discreet.Database:
    """A town of many who are 40 and glad, one that is torn in two, and one that nobody lives in."""
    with duckdb.connect(str(folder / "people.duckdb")) as connection:
        connection.execute("CREATE TABLE people (person INTEGER, town TEXT, age INTEGER, mood TEXT)")
        connection.execute("INSERT INTO people SELECT i, 'big', 40, 'glad' FROM range(2000) t(i)")
        connection.execute(
            "INSERT INTO people SELECT 5000 + i, 'split', 10 + 100 * (i % 2), ['sad', 'meh'][1 + i % 2] "
            "FROM range(40) t(i)"
        )
        connection.execute("INSERT INTO people SELECT 9000 + i, NULL, NULL, NULL FROM range(300) t(i)")
    epsilon, price = (30, 1.5) if accounting == "gdp" else (5000, 4)
    words = POLICY.format(accounting=accounting, epsilon=epsilon, price=price)
    (folder / "discreet.toml").write_text(words, encoding="utf-8")
    return discreet.connect(folder / "discreet.toml")


@pytest.fixture(params=["zcdp", "pure", "gdp"])
def db(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[discreet.Database]:
    with open_people(tmp_path, request.param) as opened:
        yield opened


@pytest.mark.parametrize("name", NAMES)
def test_a_median_that_nobody_moves_is_told_with_next_to_no_noise(db: discreet.Database, name: str) -> None:
    answer = db.query(MEDIAN, mechanism=name)
    ((value,),) = answer
    ((low, high),) = [ends for ends in answer.intervals()["m"] if ends]
    assert low <= value <= high
    assert abs(value - 40) <= (12 if name == "ptr" else 0)
    assert answer.cost.epsilon == pytest.approx(float(db.policy.budget.per_query or 0))
    assert answer.cost.delta == (0 if name in ("smooth", "smooth-cauchy") else 1e-6)


@pytest.mark.parametrize("name", NAMES)
def test_groups_are_answered_one_by_one(db: discreet.Database, name: str) -> None:
    answer = db.query(BY_TOWN, mechanism=name)
    rows = {town: value for town, value, _ in answer}
    assert set(rows) == {"big", "none", "split"}
    assert rows["big"] is not None
    silent = name in ("ptr", "stable")
    assert (rows["split"] is None, rows["none"] is None) == (silent, silent)
    if silent:
        assert any("m has no answer in 2 of 3 rows" in note for note in answer.notes)
        assert "no answer" in str(answer)
        assert answer.missing == {"m": "no answer", "n": "too noisy"}
        assert answer.intervals()["m"][1:] == [None, None]
        assert answer.to_arrow().column("m").null_count == 2


def test_a_mode_that_is_stable_is_exact(db: discreet.Database) -> None:
    answer = db.query(MODE, mechanism="stable")
    assert list(answer) == [("big", "glad"), ("none", None), ("split", None)]
    assert "no answer" in str(answer)


def test_silence_is_paid_for_and_repeated_like_an_answer(db: discreet.Database) -> None:
    question = "SELECT MODE(mood) AS m FROM people WHERE town = 'split'"
    before = db.remaining
    first = db.query(question, mechanism="stable")
    assert list(first) == [(None,)]
    assert db.remaining.rho < before.rho
    assert db.remaining.delta < before.delta
    again = db.query(question, mechanism="stable")
    assert again.repeated
    assert list(again) == [(None,)]
    assert again.notes == first.notes


def test_delta_is_the_statements_or_the_policys(db: discreet.Database) -> None:
    assert db.quote(MEDIAN, mechanism="ptr").delta == 1e-6
    assert db.quote(MEDIAN, mechanism="ptr", delta=1e-7).delta == 1e-7
    asked = MEDIAN.replace("SELECT", "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (mechanism = 'ptr', delta = 1e-8)", 1)
    assert db.quote(asked).delta == 1e-8
    two = "SELECT MEDIAN(age) AS m, QUANTILE_DISC(age, 0.9) AS q FROM people"
    assert db.quote(two, mechanism="stable").delta == 1e-6
    one = db.explain(MEDIAN, mechanism="stable").releases[0]
    half = db.explain(two, mechanism="stable", epsilon=8).releases[0]
    assert (one.threshold or 0) > 0
    assert (half.threshold or 0) > 0


def test_another_delta_is_another_question(db: discreet.Database) -> None:
    first = db.query(MEDIAN, mechanism="stable")
    assert not db.query(MEDIAN, mechanism="stable", delta=1e-7).repeated
    assert db.query(MEDIAN, mechanism="stable", delta=1e-6).receipt.id == first.receipt.id


def test_receipts_say_what_happened_and_are_priced_alike_when_they_are_verified(db: discreet.Database) -> None:
    for name in NAMES:
        db.query(MEDIAN, mechanism=name)
    kinds = {event["kind"] for entry in db.history() for event in entry.body.get("events", [])}
    assert {"smooth-noise", "stability-threshold"} <= kinds
    assert db.verify().ok


def test_delta_that_is_not_there_is_not_spent(tmp_path: Path) -> None:
    with open_people(tmp_path, "zcdp"):
        pass
    policy = tmp_path / "discreet.toml"
    policy.write_text(policy.read_text().replace(", delta = 1e-6 }", " }"))
    with discreet.connect(policy) as db:
        for stated in (None, 1e-9):
            error = db.explain(MEDIAN, mechanism="ptr", delta=stated).error
            assert error is not None
            assert (error.code, error.line) == ("no-delta", 1)
        assert db.explain(MEDIAN, mechanism="smooth", delta=1e-9).error is None


def test_explain_says_what_a_test_asks_for_and_stays_in_shape(db: discreet.Database) -> None:
    for name in NAMES:
        found = db.explain(MEDIAN, mechanism=name).to_dict()
        (release,) = found["releases"]
        assert {"column", "aggregate", "l1", "l2", "mechanism", "scale", "half_width_95"} <= release.keys()
        assert release["mechanism"] == ("smooth-cauchy" if name == "smooth" else name)
        assert ("threshold" in release) == (name in ("ptr", "stable"))
        assert json.loads(json.dumps(found)) == found
    proposed = db.explain(MEDIAN, mechanism="ptr").releases[0]
    assert proposed.half_width_95 is not None
    assert proposed.half_width_95 <= 120 / 20


def test_a_proposal_can_be_named(db: discreet.Database) -> None:
    asked = MEDIAN.replace("SELECT", "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (mechanism = 'ptr', proposal = 7)", 1)
    for found in (db.explain(asked), db.explain(MEDIAN, mechanism="ptr", proposal="7.9")):
        assert (found.error, [each.l1 for each in found.releases]) == (None, [7])
    assert db.explain(MEDIAN, mechanism="ptr", proposal=0.1).releases[0].l1 == 1
    assert db.explain(MEDIAN, mechanism="ptr", proposal=1e9).releases[0].l1 == 120
    split = "SELECT MEDIAN(age) AS m FROM people WHERE town = 'split'"
    assert list(db.query(split, mechanism="ptr", proposal=120)) != [(None,)]
    assert not db.query(split, mechanism="ptr", proposal=119).repeated


@pytest.mark.parametrize("proposal", ["wide", -1, 0, float("nan")])
def test_a_proposal_is_a_number_above_zero(db: discreet.Database, proposal: object) -> None:
    error = db.explain(MEDIAN, mechanism="ptr", proposal=proposal).error
    assert error is not None
    assert error.code == "bad-price"


def test_only_what_tests_a_proposal_takes_one(db: discreet.Database) -> None:
    for name in (None, "stable", "laplace"):
        error = db.explain(MEDIAN, mechanism=name, proposal=3).error
        assert error is not None
        assert error.code == "wrong-mechanism"


@pytest.mark.parametrize("name", NAMES)
def test_the_command_line_has_them(name: str, tmp_path: Path) -> None:
    with open_people(tmp_path, "zcdp"):
        pass
    run = [sys.executable, "-m", "discreet"]
    policy = ["--policy", str(tmp_path / "discreet.toml")]
    asked = [MEDIAN, "--mechanism", name, "--delta", "1e-7"]
    told = subprocess.run([*run, "explain", *policy, *asked], capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stderr
    assert ("the smooth sensitivity of m" in told.stdout) == name.startswith("smooth")
    assert ("noisy count of the units" in told.stdout) == (name in ("ptr", "stable"))
    found = subprocess.run(
        [*run, "query", *policy, *asked, "--format", "json"], capture_output=True, text=True, check=False
    )
    assert found.returncode == 0, found.stderr
    ((value,),) = json.loads(found.stdout)["rows"]
    assert value is not None
