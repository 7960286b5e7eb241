"""Estimates over every outcome of small publications: right on average, and inside their intervals as often as told."""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal
from fractions import Fraction
from itertools import product
from unittest.mock import patch

import pytest

from discreet.ledger.events import GaussianNoise, LaplaceNoise
from discreet.mechanisms.fine_gaussian import FineGaussian
from discreet.mechanisms.gaussian import Gaussian
from discreet.mechanisms.laplace import Laplace
from discreet.mechanisms.randomised_response import RandomisedResponse
from discreet.mechanisms.survey import Survey
from discreet.plan.types import Type
from discreet.release.answers import Answers
from discreet.release.counts import Counts
from discreet.release.draw import Groups
from discreet.release.view import Content

THREE = (("a",), ("b",), (None,))
TWO = ((True,), (False,))
EPSILON = Fraction(1)


def outcomes(answers: tuple, right: tuple[int, ...], named: bool):
    """Every list of shown answers, with its chance, as a publication."""
    law = RandomisedResponse.at(EPSILON, len(answers))
    for shown in product(range(len(answers)), repeat=len(right)):
        chance = math.prod(law.right if a == b else law.wrong for a, b in zip(shown, right, strict=True))
        counts = tuple(shown.count(n) for n in range(len(answers)))
        names = tuple(range(len(right))) if named else None
        yield chance, Answers(answers, len(answers) - 1, names, 0, shown if named else counts, EPSILON)


def truth(answers: tuple, right: tuple[int, ...], weights: dict[int, int], named: bool) -> int:
    size = len(answers)
    return sum(weights.get(n * size + answer if named else answer, 0) for n, answer in enumerate(right))


WEIGHTS = [
    {},
    {0: 1},
    {0: 1, 1: 1},
    {0: 2, 1: 2, 2: 2},
    {0: 3, 1: -1},
    {0: 1, 4: 1, 8: 1},
    {0: 1, 3: 1, 6: 1, 9: 1},
    {0: 5, 3: 1, 7: -2, 9: 4},
    {3: 7, 4: 7, 5: 7, 6: 1},
]


@pytest.mark.parametrize("answers", [TWO, THREE])
@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("weights", WEIGHTS, ids=str)
@pytest.mark.parametrize("confidence", [0.5, 0.95])
def test_rows(answers: tuple, named: bool, weights: dict[int, int], confidence: float) -> None:
    there = len(answers) * (4 if named else 1)
    weights = {place: weight for place, weight in weights.items() if place < there}
    for right in [(0, 0, 0, 0), (0, 1, 1, 0), (1, 1, 1, 1)]:
        mean = covered = 0.0
        expected = truth(answers, right, weights, named)
        for chance, published in outcomes(answers, right, named):
            noisy = published.noisy(weights, confidence)
            assert noisy.low <= noisy.value <= noisy.high
            mean += chance * float(noisy.value)
            covered += chance * (noisy.low - Fraction(1, 10**9) <= expected <= noisy.high + Fraction(1, 10**9))
        assert mean == pytest.approx(expected, abs=1e-9)
        assert covered >= confidence - 1e-9


def test_a_count_is_as_sharp_as_two_binomials_and_a_sum_as_hoeffding() -> None:
    published = Answers(TWO, 1, None, 0, (500, 500), EPSILON)
    law = published.response
    count, total = published.noisy({0: 1}, 0.95), published.noisy({0: 3, 1: 1}, 0.95)
    assert (count.low, count.high) == law.interval(500, 1000, 1, 0.95)
    assert total.high - total.low == 2 * (count.high - count.low), "1 for each row, and 2 more for some of them"
    wide = Answers(THREE, 2, None, 0, (300, 300, 400), EPSILON).noisy({0: 1, 1: 2}, 0.95)
    half = RandomisedResponse.at(EPSILON, 3).half_width(4 * 1000, 0.95)
    assert float(wide.high - wide.low) == pytest.approx(2 * half)
    whole = published.noisy({0: 4, 1: 4}, 0.95)
    assert (whole.low, whole.value, whole.high) == (4000, 4000, 4000)


def test_nobody_is_not_counted_where_that_is_an_answer_of_its_own() -> None:
    assert [row for _, row in Answers(THREE, 2, None, 0, (1, 2, 3), EPSILON).cells()] == [("a",), ("b",)]
    assert [row for _, row in Answers(TWO, 1, None, 0, (1, 2), EPSILON).cells()] == [(True,), (False,)]
    named = Answers(THREE, 2, ("x", "y"), 1, (0, 2), EPSILON)
    assert list(named.cells()) == [(0, ("a", "x")), (1, ("b", "x")), (3, ("a", "y")), (4, ("b", "y"))]
    assert list(named.rows()) == [("a", "x"), (None, "y")]


@pytest.mark.parametrize("confidence", [0.5, 0.95])
@pytest.mark.parametrize("weights", [{0: 1}, {0: 1, 1: 1, 2: 1}, {0: 1, 1: -1}, {0: 1, 1: 3}])
def test_counts(weights: dict[int, int], confidence: float) -> None:
    """Discrete Laplace noise of scale 1/2, over so many values that what is left out does not matter."""
    noise = Laplace(Fraction(1, 2), LaplaceNoise(Fraction(2)))
    exact, reach = (4, 0, 7), range(-6, 7)
    chances = {x: math.exp(-2 * abs(x)) for x in reach}
    whole = sum(chances.values())
    expected, mean, covered = sum(w * exact[n] for n, w in weights.items()), 0.0, 0.0
    for drawn in product(reach, repeat=3):
        chance = math.prod(chances[x] / whole for x in drawn)
        noisy = Counts(((1,), (2,), (3,)), tuple(map(sum, zip(exact, drawn, strict=True))), noise).noisy(
            weights, confidence
        )
        mean += chance * float(noisy.value)
        covered += chance * (noisy.low <= expected <= noisy.high)
    assert mean == pytest.approx(expected, abs=1e-9)
    assert covered >= confidence - 1e-4


def test_what_is_published_is_read_as_it_was_written() -> None:
    survey = Survey(THREE, 2, (1, 2, 3), 1, 3, RandomisedResponse.at(EPSILON, 3))
    with patch("discreet.mechanisms.noise_source.answer_shifts", lambda ratio, k, n: [0, 1, 2]):
        shown = survey.ask({("a", 2): 1})
    numbers = [
        Answers.of(survey, Groups(list(shown), [list(shown.values())])),
        Answers(THREE, 2, None, 0, (4, 0, 9), Fraction(1, 3)),
        Counts(
            ((dt.date(2026, 1, 1), Decimal("1.50"), True, 2**70),),
            (-3,),
            Laplace(Fraction(1, 3), LaplaceNoise(Fraction(3))),
        ),
        Counts((("x",), (None,)), (1, 2), Gaussian(Fraction(5), GaussianNoise(Fraction(1, 5)))),
        Counts((), (), FineGaussian.calibrate(1, 1, Fraction(1, 7), "gdp")),
        Counts(
            ((dt.datetime(2026, 1, 1, 12, 30),), (0.1,)), (1, 2), Gaussian(Fraction(5), GaussianNoise(Fraction(1, 5)))
        ),
    ]
    assert numbers[0].shown == (2, 1, 1)
    for each in numbers:
        content = Content("SELECT é", "duckdb", (("a", Type.TEXT), ("b", Type.DATE)), "n", each)
        assert Content.from_bytes(content.to_bytes()) == content
