"""Randomised rows: every law on small surveys enumerated, estimates on average, intervals with exact coverage."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from itertools import combinations, product
from unittest.mock import patch

import pytest
from scipy.stats import binom

from discreet.mechanisms.randomised_response import RandomisedResponse
from discreet.mechanisms.survey import Survey

ODDS = 3
"""exp(ratio) in the enumerations: a whole number keeps them exact."""

YES_NO = ((True,), (False,))
CITIES = (("Oslo",), ("Rome",), (None,))


def survey(answers, silence, rows, names=None, place=0):
    return Survey(answers, answers.index(silence), names, place, rows, RandomisedResponse.at(Fraction(1), len(answers)))


def law(asked: Survey, found) -> dict[tuple, Fraction]:
    """The exact chance of everything that can be shown, by every shift and every choice of who is left out."""
    seen: Counter[tuple] = Counter()
    kept = list(combinations(range(sum(found.values())), asked.rows)) if asked.respondents is None else []
    for choice in kept or [()]:
        for shifts in product(range(len(asked.answers)), repeat=asked.rows):
            with (
                patch("discreet.mechanisms.noise_source.answer_shifts", lambda ratio, k, n, s=shifts: list(s)),
                patch("discreet.mechanisms.noise_source.random_places", lambda of, n, c=choice: list(c)),
            ):
                shown = tuple(asked.ask(found).items())
            seen[shown] += ODDS ** shifts.count(0)
    whole = sum(seen.values())
    return {shown: Fraction(weight, whole) for shown, weight in seen.items()}


def people(answers, most):
    """Every way in which so many people, or fewer, can have answers."""
    for n in range(most + 1):
        for given in product(answers, repeat=n):
            yield Counter(given)


def neighbours_of(found, answers):
    yield from (found + Counter([answer]) for answer in answers)


def worst(first, second):
    assert first.keys() == second.keys(), "what can be shown may not tell who is there"
    return max(max(first[k] / second[k], second[k] / first[k]) for k in first)


@pytest.mark.parametrize(
    ("answers", "silence", "rows"), [(YES_NO, (False,), 2), (YES_NO, (False,), 3), (CITIES, (None,), 2)]
)
def test_nobody_moves_a_chance_by_more_than_the_odds(answers, silence, rows):
    """Anonymous rows, with fewer people, as many, and more: each of them more or less, or with another answer."""
    asked = survey(answers, silence, rows)
    given = [answer for answer in answers if answer != (None,)]
    laws = {tuple(sorted(found.items(), key=repr)): law(asked, found) for found in people(given, rows + 2)}

    def of(found):
        return laws[tuple(sorted(found.items(), key=repr))]

    for found in people(given, rows + 1):
        more = list(neighbours_of(found, given))
        assert all(worst(of(found), of(each)) <= ODDS for each in more)
        assert all(worst(of(a), of(b)) <= ODDS for a in more for b in more)


def test_a_unit_moves_its_own_row_alone():
    asked = survey(YES_NO, (False,), 3, names=(1, 2, 3))
    for others in product((None, True, False), repeat=2):
        there = {(n, answer): 1 for n, answer in zip((2, 3), others, strict=True) if answer is not None}
        laws = [law(asked, there | extra) for extra in ({}, {(1, True): 1}, {(1, False): 1}, {(9, True): 1})]
        assert laws[0] == laws[2] == laws[3], "silence is FALSE, and who is not listed is not there"
        assert worst(laws[0], laws[1]) == ODDS


@pytest.mark.parametrize("answers", [YES_NO, CITIES])
def test_the_divergences_stay_within_what_zcdp_charges(answers):
    """One row, the worst of cases: rho = r tanh(r / 2), and no less will do for two answers."""
    law_of = RandomisedResponse.at(Fraction(1), len(answers))
    p = [law_of.right, *[law_of.wrong] * (len(answers) - 1)]
    q = [p[1], p[0], *p[2:]]
    rho = math.tanh(0.5)
    needed = []
    for order in (1 + 1e-7, 1.1, 2, 5, 30, 300):
        divergence = math.log(math.fsum(a**order * b ** (1 - order) for a, b in zip(p, q, strict=True))) / (order - 1)
        assert divergence <= order * rho * (1 + 1e-6)
        needed.append(divergence / order)
    assert max(needed) == pytest.approx(rho, rel=1e-6) if len(answers) == 2 else max(needed) < rho


def test_a_row_for_everybody_whoever_is_there():
    asked = survey(CITIES, (None,), 50)
    for found in ({}, {("Oslo",): 7}, {("Rome",): 400}, {("Oslo",): 49, ("Rome",): 2}):
        shown = asked.ask(found)
        assert list(shown) == list(CITIES)
        assert sum(shown.values()) == 50
    named = survey(CITIES, (None,), 3, names=("a", "b", "c"), place=1)
    shown = named.ask({("Oslo", "b"): 1, ("Rome", "z"): 1, ("Atlantis", "c"): 1})
    assert [row[1] for row in shown] == ["a", "b", "c"]
    assert set(shown.values()) == {1}


def test_answers_are_right_where_nothing_is_shifted():
    with patch("discreet.mechanisms.noise_source.answer_shifts", lambda ratio, k, n: [0] * n):
        assert survey(YES_NO, (False,), 5).ask({(True,): 2, (False,): 1}) == {(True,): 2, (False,): 3}
        named = survey(CITIES, (None,), 3, names=(7, 8, 9))
        assert list(named.ask({(8, "Rome"): 1, (7, "Oslo"): 0})) == [(7, None), (8, "Rome"), (9, None)]


def test_who_is_left_out_is_drawn_by_lot():
    asked, found = survey(YES_NO, (False,), 10), {(True,): 500, (False,): 500}
    with patch("discreet.mechanisms.noise_source.answer_shifts", lambda ratio, k, n: [0] * n):
        shown = [asked.ask(found)[True,] for _ in range(60)]
    assert len(set(shown)) > 3
    assert 3.5 < sum(shown) / len(shown) < 6.5, "sixty tens of a fair thousand: over eight deviations wide"


def test_the_vectors_of_the_formula():
    bit = RandomisedResponse.at(Fraction(1), 2)
    assert bit.right == pytest.approx(math.e / (1 + math.e), rel=1e-15)
    assert (bit.estimate(1, 1, 1), bit.estimate(0, 1, 1)) == pytest.approx((1.5819767, -0.5819767), abs=5e-8)
    shy = RandomisedResponse.at(Fraction(1, 10), 2)
    assert shy.half_width(10_000, 0.95) / 10_000 == pytest.approx(0.271847, abs=5e-7)
    four = RandomisedResponse.at(Fraction(math.log(2)), 4)
    assert (four.right, four.wrong, four.gap) == pytest.approx((0.4, 0.2, 0.2), rel=1e-14)


@pytest.mark.parametrize("answers", [2, 3, 7])
@pytest.mark.parametrize("epsilon", [Fraction(1, 100), Fraction(1), Fraction(6), Fraction(5000)])
def test_estimates_are_right_on_average(answers, epsilon):
    bit = RandomisedResponse.at(epsilon, answers)
    assert bit.right + (answers - 1) * bit.wrong == pytest.approx(1, rel=1e-14)
    assert bit.gap == pytest.approx(bit.right - bit.wrong, rel=1e-9, abs=1e-16)
    for rows, right, within in ((1, 0, 1), (1, 1, 1), (4, 3, answers - 1)):
        chances = [bit.right + (within - 1) * bit.wrong] * right + [within * bit.wrong] * (rows - right)
        mean = 0.0
        for shown in product((0, 1), repeat=rows):
            chance = math.prod(p if hit else 1 - p for p, hit in zip(chances, shown, strict=True))
            mean += chance * bit.estimate(sum(shown), rows, within)
        assert mean == pytest.approx(right, abs=1e-9 / bit.gap)


def coverage(bit, rows, within, right, confidence):
    """The exact chance that the interval holds the right number: two binomials, added up."""
    ours, others = bit.right + (within - 1) * bit.wrong, within * bit.wrong
    chance = 0.0
    for a in range(right + 1):
        for b in range(rows - right + 1):
            low, high = bit.interval(a + b, rows, within, confidence)
            if low <= right <= high:
                chance += binom.pmf(a, right, ours) * binom.pmf(b, rows - right, others)
    return chance


@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999, 0.99999])
@pytest.mark.parametrize(("rows", "answers", "within"), [(1, 2, 1), (2, 3, 1), (7, 2, 1), (30, 2, 1), (30, 5, 3)])
@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1), Fraction(4)])
def test_intervals_hold_the_right_number_as_often_as_they_say(confidence, rows, answers, within, epsilon):
    bit = RandomisedResponse.at(epsilon, answers)
    for right in range(0, rows + 1, max(1, rows // 6)):
        assert coverage(bit, rows, within, right, confidence) >= confidence - 1e-9


def test_intervals_of_many_rows_are_hardly_wider_than_they_need_be():
    bit = RandomisedResponse.at(Fraction(1), 2)
    rows, right = 100_000, 30_000
    seen = round(right * bit.right + (rows - right) * bit.wrong)
    low, high = bit.interval(seen, rows, 1, 0.95)
    deviation = math.sqrt(rows * bit.right * bit.wrong) / bit.gap
    assert high - low == pytest.approx(2 * 1.959964 * deviation, rel=0.01)
    assert high - low < 2 * bit.half_width(rows, 0.95)
    wide = bit.interval(seen, rows, 1, 1 - 1e-7)
    assert wide[0] < low < right < high < wide[1]


@pytest.mark.parametrize("seen", [0, 1, 50, 100])
def test_intervals_stay_among_the_rows(seen):
    for confidence in (0.5, 0.95, 1 - 1e-15):
        low, high = RandomisedResponse.at(Fraction(1, 1000), 2).interval(seen, 100, 1, confidence)
        assert 0 <= low <= high <= 100


def test_hoeffding_covers_sums_over_all_outcomes():
    """Rows that count differently: values by answer, every outcome of three rows."""
    bit = RandomisedResponse.at(Fraction(1), 3)
    values = [(0, 2, 5), (1, 1, 4), (-3, 0, 0)]
    width = bit.half_width(sum((max(v) - min(v)) ** 2 for v in values), 0.95)
    for right in product(range(3), repeat=3):
        truth, missed, mean = sum(v[x] for v, x in zip(values, right, strict=True)), 0.0, 0.0
        for shown in product(range(3), repeat=3):
            chance = math.prod(bit.right if a == b else bit.wrong for a, b in zip(shown, right, strict=True))
            told = sum((v[y] - bit.wrong * sum(v)) / bit.gap for v, y in zip(values, shown, strict=True))
            mean += chance * told
            missed += chance * (abs(told - truth) > width)
        assert mean == pytest.approx(truth)
        assert missed <= 0.05


@pytest.mark.parametrize("answers", [0, 1])
def test_one_answer_hides_nothing(answers):
    with pytest.raises(ValueError, match="two at least"):
        RandomisedResponse.at(Fraction(1), answers)


@pytest.mark.parametrize("epsilon", [Fraction(0), Fraction(-1)])
def test_a_price_of_nothing_is_refused(epsilon):
    with pytest.raises(ValueError, match="price"):
        RandomisedResponse.at(epsilon, 2)
    with pytest.raises(TypeError, match="Fraction"):
        RandomisedResponse.at(float(epsilon), 2)
