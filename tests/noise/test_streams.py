"""Streams of comparisons are as private as they are priced, and not by much more; the printed variants are not."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import log

import pytest

from discreet.ledger.accountants import ACCOUNTANTS
from discreet.mechanisms.sparse_vector import SparseVector
from noise.laws import Law
from noise.streams import Stream, chances, losses, tails

N = 10
ROUNDING = 1e-9
CURRENCIES = sorted({each.currency for each in ACCOUNTANTS.values()})
CASES = [
    (accounting, answers, amount)
    for accounting in CURRENCIES
    for answers, amount in ((1, Fraction(1)), (2, Fraction(1)), (1, Fraction(4)))
]


def of(noise: SparseVector, moved: int) -> Stream:
    return Stream(N, moved, noise.threshold_scale, noise.comparison_scale)


@pytest.mark.parametrize(("accounting", "answers", "amount"), CASES)
@pytest.mark.parametrize("moved", [1, 3])
def test_no_words_of_a_short_stream_tell_more_than_is_paid_for(accounting, answers, amount, moved):
    noise = SparseVector.calibrate(answers, amount, accounting)
    threshold, fresh = float(noise.event.threshold), float(noise.event.answers)
    found = []
    for ours in product((N - 3 * moved, N - 1, N, N + 1, N + 2 * moved), repeat=3):
        for step in product((0, 1, moved), repeat=3):
            theirs = [count + more for count, more in zip(ours, step, strict=True)]
            found += losses(of(noise, moved), ours, theirs, answers)
    assert -fresh - ROUNDING <= min(found) < 0 < max(found) <= threshold + fresh + ROUNDING


def extremes(noise: SparseVector, checks: int) -> tuple[float, float]:
    """The largest losses of a long stream: everything below moves up or stays, and so do the last ones, above."""
    stream, answers = of(noise, 1), noise.answers
    words = (False,) * (checks - answers) + (True,) * answers
    found = []
    for low, high in product(range(N - 40, N + 41, 5), repeat=2):
        for below, over in product((0, 1), repeat=2):
            ours = [low] * (checks - answers) + [high] * answers
            theirs = [low + below] * (checks - answers) + [high + over] * answers
            chance = stream.chance(ours, words)
            if chance > 1e-200:
                found.append(log(chance / stream.chance(theirs, words)))
    return min(found), max(found)


@pytest.mark.parametrize("accounting", CURRENCIES)
@pytest.mark.parametrize("answers", [1, 3])
def test_a_long_stream_reaches_what_is_paid_for_and_does_not_pass_it(accounting, answers):
    noise = SparseVector.calibrate(answers, Fraction(1), accounting)
    least, most = extremes(noise, 100)
    threshold, fresh = float(noise.event.threshold), float(noise.event.answers)
    assert least == pytest.approx(-fresh, abs=1e-3)
    assert most == pytest.approx(threshold + fresh, abs=1e-3)
    assert least >= -fresh - ROUNDING
    assert most <= threshold + fresh + ROUNDING


def test_counts_that_may_also_fall_need_fresh_noise_of_twice_the_scale():
    """The vector of Lyu, Su and Li: scales 2/eps and 4/eps, a hundred checks, a loss of 1.000; half of it is too little."""

    def loss(comparison: int) -> float:
        stream, words = Stream(N, 1, Fraction(2), Fraction(comparison)), (False,) * 99 + (True,)
        found = [
            log(stream.chance(ours, words) / stream.chance(theirs, words))
            for low, high in product(range(N - 60, N + 61, 6), repeat=2)
            for ours, theirs in [([low] * 99 + [high], [low + 1] * 99 + [high - 1])]
        ]
        return max(found)

    assert f"{loss(4):.3f}" == "1.000"
    assert loss(4) <= 1 + ROUNDING
    assert f"{loss(2):.3f}" == "1.500"


def test_a_threshold_that_is_drawn_anew_at_each_check_loses_everything():
    """The printed variant, at a claimed epsilon of 1: a loss of 20 after 20 checks."""

    def not_above(count: int) -> float:
        """The chance where the threshold's noise is fresh, and the only one: noise of 1 - count + N or less is not."""
        return float(Law("laplace", Fraction(1)).above(count - N))

    count = N + 5
    assert f"{20 * log(not_above(count) / not_above(count + 1)):.3f}" == "20.000"


def test_going_on_after_the_last_answer_loses_more_than_was_paid_for():
    stream, words = of(SparseVector.calibrate(1, Fraction(1), "pure"), 1), (False,) * 20 + (True,) * 20
    ours, theirs = [N + 10] * 20 + [N - 10] * 20, [N + 11] * 20 + [N - 10] * 20
    assert log(stream.chance(ours, words) / stream.chance(theirs, words)) > 9.99


def test_a_value_that_is_told_with_the_noise_of_its_comparison_loses_everything():
    """A value of N - 30 says that the noisy threshold is no higher; twenty counts that are not above lie below that."""
    noise = SparseVector.calibrate(1, Fraction(1), "pure")
    reach = of(noise, 1).reach

    def twenty_below(count: int) -> float:
        below, _ = tails(noise.comparison_scale, reach, N + 1 - count)
        kept = chances(noise.threshold_scale, reach)
        return sum(chance * each**20 for z, chance, each in zip(reach, kept, below, strict=True) if z <= -30)

    assert log(twenty_below(N) / twenty_below(N + 1)) > 9.9
