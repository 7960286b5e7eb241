"""Noise and intervals through the front door are what explain says: with real noise and fixed critical values."""

from __future__ import annotations

from math import sqrt

import pytest

import discreet
from attacks.worlds import build

ASKED = 600
SIGMAS = 6.5
"""A standard normal is further out with a chance below 1e-10."""

AGES = range(21, 61)
TRUE = {"rows": 40.0, "total": float(sum(AGES)), "units": 40.0, "mean": sum(AGES) / 40}
"""Of the forty people, all of whom are inside every bound."""
SQL = (
    "SELECT COUNT(*) AS rows, SUM(age) AS total, COUNT(DISTINCT id) AS units, AVG(age) AS mean "
    "FROM people WHERE id <> -{}"
)
PRICE = 2


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> tuple[discreet.Explanation, list[discreet.Release]]:
    """Independent answers: each question differs from the others in a number that changes nothing."""
    found: list[discreet.Release] = []
    with discreet.connect(build(tmp_path_factory.mktemp("honest") / "db")) as db:
        for start in range(0, ASKED, 100):
            found += db.batch([SQL.format(n + 1) for n in range(start, start + 100)], epsilon=10 * PRICE)
        return db.explain(SQL.format(0), epsilon=PRICE), found


Asked = tuple[discreet.Explanation, list[discreet.Release]]


@pytest.mark.parametrize("column", TRUE)
def test_intervals_cover_the_truth_as_often_as_they_say(asked: Asked, column: str) -> None:
    """Whole numbers and shared doubt only make them wider; half of such an interval must miss some."""
    intervals = [answer.intervals()[column][0] for answer in asked[1]]
    covered = sum(ends is None or ends.low <= TRUE[column] <= ends.high for ends in intervals)
    assert covered >= 0.95 * ASKED - SIGMAS * sqrt(ASKED * 0.95 * 0.05)
    known = [ends for ends in intervals if ends is not None]
    assert len(known) > ASKED / 2
    assert any(abs(TRUE[column] - (ends.low + ends.high) / 2) > (ends.high - ends.low) / 8 for ends in known)


@pytest.mark.parametrize("column", ["rows", "total", "units"])
def test_noise_has_the_scale_that_explain_says(asked: Asked, column: str) -> None:
    """Mean nought, and the variance of the law: the square of normal noise strays by sqrt(2) times its mean."""
    explanation, answers = asked
    planned = next(each for each in explanation.releases if each.column == column)
    assert planned.mechanism == "gaussian"
    place = answers[0].columns.index(column)
    errors = [float(next(iter(answer))[place]) - TRUE[column] for answer in answers]
    assert abs(sum(errors) / ASKED) <= SIGMAS * planned.scale / sqrt(ASKED)
    ratio = sum(error**2 for error in errors) / ASKED / planned.scale**2
    assert abs(ratio - 1) <= SIGMAS * sqrt(2 / ASKED)
