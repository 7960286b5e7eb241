"""Accounting that sets prices itself: slots that run out, and prices that decay and never do."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest

import discreet
from attacks.worlds import POLICY, build
from discreet.interfaces.cli import main

if TYPE_CHECKING:
    from pathlib import Path

COUNT = "SELECT COUNT(*) AS n FROM people"


def opened(folder: Path, accounting: str, analysts: str = "", epsilon: int = 3) -> discreet.Database:
    budget = f"epsilon = {epsilon}\ndelta = 1e-6\n{accounting}"
    words = POLICY.replace("epsilon = 10000\ndelta   = 1e-6", budget)
    return discreet.connect(build(folder, policy=words + analysts))


def distinct(n: int) -> str:
    return f"{COUNT} WHERE age > {n}"


@pytest.mark.parametrize(("sigma", "scale"), [("tight", 78.4099), ("printed", 91.2612)])
def test_the_noise_of_a_count_is_that_of_the_protocol(tmp_path: Path, sigma: str, scale: float) -> None:
    words = POLICY.partition("[keys]")[0]
    budget = f'epsilon = 3\ndelta = 3.1622776e-8\naccounting = "slots"\nslots = 2000\nsigma = "{sigma}"'
    with discreet.connect(build(tmp_path / "p", policy=words.replace("epsilon = 10000\ndelta   = 1e-6", budget))) as db:
        (release,) = db.explain("SELECT COUNT(DISTINCT id) FROM people").releases
    assert release.scale == pytest.approx(scale, abs=1e-4)


def test_each_part_takes_a_slot_and_at_zero_the_dataset_is_closed(tmp_path: Path) -> None:
    with opened(tmp_path / "p", 'accounting = "slots"\nslots = 9') as db:
        priced = {
            COUNT: 1,
            "SELECT SUM(age) FROM people": 1,
            "SELECT city, COUNT(*) FROM people GROUP BY city": 1,
            "SELECT AVG(age) FROM people": 2,
            "SELECT VARIANCE(age) FROM people": 3,
            "SELECT AVG(age), VARIANCE(age), COUNT(age) FROM people": 3,
            "SELECT MEDIAN(age) FROM people": 1,
        }
        assert {sql: db.explain(sql).slots for sql in priced} == priced
        db.query("SELECT AVG(age), VARIANCE(age) FROM people")
        for n in range(4):
            db.query(distinct(n))
        assert len(db.batch([distinct(10)])) == 1
        with pytest.raises(discreet.BudgetExhausted, match="takes 2 slots, and 1 of them is left"):
            db.query("SELECT AVG(age) FROM people")
        db.query(COUNT)
        with pytest.raises(discreet.BudgetExhausted, match="the dataset is closed"):
            db.query("SELECT SUM(age) FROM people")
        assert db.budget().remaining.amount == 0
        assert db.query(COUNT).repeated
        assert db.verify().ok


def test_the_printed_guarantee_stands_beside_a_sharper_interval(tmp_path: Path) -> None:
    with opened(tmp_path / "p", 'accounting = "slots"\nslots = 2', epsilon=20) as db:
        answer = db.query("SELECT AVG(age) AS a FROM people")
        (ends,), (width,) = answer.intervals()["a"], answer.guarantees()["a"]
        assert ends is not None
        assert width is not None
        assert (ends.high - ends.low) / 2 < width
        assert f"a: the printed guarantee is ±{width:.3g} at 95 %" in answer.notes
    with opened(tmp_path / "q", 'accounting = "gdp"') as db:
        assert db.query("SELECT AVG(age) AS a FROM people", epsilon=0.1).guarantees() == {}


def test_a_quota_may_be_in_slots(tmp_path: Path) -> None:
    with opened(tmp_path / "p", 'accounting = "slots"\nslots = 9', "[analysts.alice]\nslots = 1\n") as db:
        alice = discreet.connect(db.policy.path, analyst="alice")
        alice.query(COUNT)
        with pytest.raises(discreet.BudgetExhausted):
            alice.query(distinct(1))
        db.query(distinct(1))
        alice.close()


@pytest.mark.parametrize("accounting", ['accounting = "slots"\nslots = 9', 'accounting = "decaying"'])
@pytest.mark.parametrize("named", [{"epsilon": 1}, {"accuracy": 10}])
def test_a_price_that_is_set_cannot_be_named(tmp_path: Path, accounting: str, named: dict[str, int]) -> None:
    with opened(tmp_path / "p", accounting) as db:
        with pytest.raises(discreet.Refused) as refused:
            db.query(COUNT, **named)
        assert refused.value.code == "price-is-set"
        with pytest.raises(discreet.Refused, match="sets it"):
            db.query(COUNT.replace("SELECT", "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (epsilon = 1)"))
        assert db.explain(COUNT, **named).verdict == "refuse"


def test_decaying_prices_fall_as_they_should_and_there_is_always_a_next_one(tmp_path: Path) -> None:
    with opened(tmp_path / "p", 'accounting = "decaying"') as db:
        whole = db.budget().dataset.cap.amount
        for n in range(1, 31):
            before = db.budget().remaining.amount
            db.query(distinct(n))
            paid = before - db.budget().remaining.amount
            assert abs(paid - whole / (n * (n + 1))) < Fraction(1, 10**24)
        assert db.query(distinct(1)).repeated, "a repeat is free, though its price has fallen"
        assert db.verify().ok


def test_questions_that_race_for_a_falling_price_are_all_answered(tmp_path: Path) -> None:
    with opened(tmp_path / "p", 'accounting = "decaying"') as db, ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda n: db.query(distinct(n)), range(24)))
        assert len({answer.receipt.id for answer in answers}) == 24
        assert db.budget().remaining.amount > 0
        assert db.verify().ok


def test_the_command_line_counts_slots(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with opened(tmp_path / "p", 'accounting = "slots"\nslots = 3') as db:
        db.query("SELECT AVG(age) FROM people")
        policy = str(db.policy.path)
    assert main(["budget", "--policy", policy]) == 0
    assert "1 of 3 left" in capsys.readouterr().out
    assert main(["budget", "--policy", policy, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["slots"] == {"granted": 3, "left": 1}
    assert main(["query", "--policy", policy, "SELECT AVG(age) FROM people WHERE age > 1"]) == 3
    assert main(["explain", "--policy", policy, COUNT]) == 0
    assert "1 slot\n" in capsys.readouterr().out
