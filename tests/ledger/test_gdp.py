"""Precision as a currency: printed vectors, the normal law by another library, and what the proof leans on."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from discreet.accounting.gaussian_dp import capacity, delta_above, of_pure, pure_below
from discreet.ledger.accountants import accountant
from discreet.ledger.events import Charge, ExponentialChoice, FineGaussianNoise, KeyThreshold, LaplaceNoise

GDP = accountant("gdp")
COUNT = Fraction(1, 400)  # a count with sigma 20


@pytest.mark.parametrize(("epsilon", "delta", "counts"), [("3", "3.16e-8", 130), ("1", "1e-6", 22)])
def test_capacity_in_counts(epsilon, delta, counts):
    assert GDP.capacity(Fraction(epsilon), Fraction(delta), Fraction(0)).amount // COUNT == counts


@settings(deadline=None)
@given(st.fractions(Fraction(1, 100), 10), st.integers(2, 12).map(lambda d: Fraction(1, 10**d)))
def test_capacity_keeps_the_promise_and_hardly_anything_is_left(epsilon, delta):
    granted, e = float(GDP.capacity(epsilon, delta, Fraction(0)).amount), float(epsilon)

    def true(precision):
        mu = math.sqrt(precision)
        return norm.sf(e / mu - mu / 2) - math.exp(e + norm.logsf(e / mu + mu / 2))

    assert true(granted) <= float(delta) * (1 + 1e-7)
    assert true(granted * (1 + 1e-6)) >= float(delta) * (1 - 1e-2)


def test_all_slots_under_the_printed_sigma_cost_what_they_truly_cost():
    spent = Charge(1 / Fraction("2.040663") ** 2)
    assert GDP.guarantee(spent, Fraction("3.16227766e-8")) == pytest.approx(2.545096, abs=2e-6)
    assert GDP.guarantee(Charge(Fraction(0)), Fraction("1e-6")) == 0
    assert GDP.guarantee(Charge(Fraction(1), Fraction("1e-6")), Fraction("1e-6")) == math.inf


def test_a_delta_that_the_fine_grid_would_eat_up_is_refused():
    assert capacity(Fraction(27), Fraction("1e-6")) > 0
    assert capacity(Fraction(40), Fraction("1e-6")) == capacity(Fraction(3), Fraction(0)) == 0
    with pytest.raises(ValueError, match="larger one the larger epsilon"):
        GDP.capacity(Fraction(40), Fraction("1e-6"), Fraction(0))


def test_events_are_charged_as_the_note_says():
    assert GDP.charge([FineGaussianNoise(Fraction(3, 25)), KeyThreshold(Fraction(1, 10**8))]) == Charge(
        Fraction(3, 25), Fraction(1, 10**8)
    )
    z = float(norm.isf(1 / (1 + math.e)))
    assert float(GDP.charge([LaplaceNoise(Fraction(1))]).amount) == pytest.approx(4 * z * z, rel=1e-9)
    assert GDP.charge([ExponentialChoice(Fraction(2))]) == GDP.charge([LaplaceNoise(Fraction(1))])
    assert GDP.charge([LaplaceNoise(Fraction(0))]) == Charge(Fraction(0))


@settings(deadline=None)
@given(st.floats(1e-4, 30), st.floats(0, 40))
def test_a_pure_answer_tells_no_more_than_its_precision(ratio, epsilon):
    """The coin of randomised response, at every epsilon."""
    chance = 1 / (1 + math.exp(-ratio))
    coin = max(0.0, chance - math.exp(epsilon) * (1 - chance))
    assert coin <= delta_above(float(of_pure(Fraction(ratio))), epsilon) + 1e-15


@settings(deadline=None)
@given(st.floats(1e-4, 20), st.floats(-12, 12))
def test_a_choice_of_bounded_range_tells_no_more_than_its_precision(ratio, where):
    """Two coins whose logits differ by the ratio, anywhere: normal quantiles are no further apart than at the centre."""
    high, low = (norm.isf(1 / (1 + math.exp(x))) for x in (where + ratio / 2, where - ratio / 2))
    apart = float(high - low)
    assert apart**2 <= float(of_pure(Fraction(ratio) / 2)) * (1 + 1e-6) + 1e-12


@settings(deadline=None)
@given(st.floats(1e-6, 1000), st.floats(1e-6, 1000))
def test_what_is_spread_over_groups_costs_no_more_than_together(first, second):
    apart = of_pure(Fraction(first)) + of_pure(Fraction(second))
    assert apart <= of_pure(Fraction(first) + Fraction(second)) * (1 + Fraction(1, 10**9))


@settings(deadline=None)
@given(st.fractions(Fraction(1, 10**18), 4000))
def test_the_ratio_that_a_precision_buys_is_charged_no_more_and_hardly_less(precision):
    bought = of_pure(pure_below(precision))
    assert precision * (1 - Fraction(1, 10**9)) <= bought <= precision
