"""Private keys: lone keys of one unit are shown with a chance of at most delta, and not one step more is taken."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from discreet.mechanisms.gaussian import Gaussian
from discreet.mechanisms.laplace import Laplace
from discreet.mechanisms.threshold import gaussian_threshold, laplace_threshold, threshold
from noise.laws import Law

CASES = [
    (mechanism, groups, delta)
    for mechanism in (
        Laplace.calibrate(1, 1, Fraction(1), "pure"),
        Laplace.calibrate(3, 3, Fraction(1, 7), "pure"),
        Gaussian.calibrate(3, 3, Fraction(3, 50), "zcdp"),
        Gaussian.calibrate(1, 1, Fraction(1, 2), "zcdp"),
    )
    for groups in (1, 3, 20)
    for delta in (Fraction(1, 10**3), Fraction(1, 10**6), Fraction(1, 10**10))
]


def law(mechanism: Laplace | Gaussian) -> Law:
    return Law(mechanism.name, mechanism.scale if isinstance(mechanism, Laplace) else mechanism.sigma_squared)


@pytest.mark.parametrize(("mechanism", "groups", "delta"), CASES)
def test_the_threshold_is_the_least_that_keeps_delta(mechanism, groups: int, delta: Fraction):
    tau = threshold(mechanism, groups, delta)
    lone = [Fraction(law(mechanism).above(t - 1)) for t in (tau, tau - 1)]
    assert groups * lone[0] <= delta
    assert groups * lone[1] > delta


@pytest.mark.parametrize(("mechanism", "groups", "delta"), CASES)
def test_it_is_near_the_continuous_one(mechanism, groups: int, delta: Fraction):
    smooth = (
        laplace_threshold(mechanism.spread, groups, float(delta))
        if isinstance(mechanism, Laplace)
        else gaussian_threshold(mechanism.spread, groups, float(delta))
    )
    assert math.floor(smooth) - 1 <= threshold(mechanism, groups, delta) <= math.ceil(smooth) + 1


def test_a_minimum_frequency_moves_it_up():
    noise = Laplace.calibrate(1, 1, Fraction(1), "pure")
    alone = threshold(noise, 1, Fraction(1, 10**6))
    assert [threshold(noise, 1, Fraction(1, 10**6), least) - alone for least in (1, 2, 10)] == [0, 1, 9]


def test_continuous_vectors():
    assert laplace_threshold(1, 1, 1e-6) == pytest.approx(14.12236, abs=5e-6)
    assert gaussian_threshold(5, 3, 1e-6) == pytest.approx(25.85415, abs=5e-6)


def test_large_noise_has_a_threshold_too():
    noise = Gaussian.calibrate(1, 1, Fraction(1, 2 * 10**16), "zcdp")
    tau = threshold(noise, 3, Fraction(1, 10**6))
    assert tau == pytest.approx(gaussian_threshold(1e8, 3, 1e-6), rel=1e-7)


def test_what_has_no_sound_threshold_is_refused():
    noise = Laplace.calibrate(1, 1, Fraction(1), "pure")
    for delta in (Fraction(0), Fraction(-1), Fraction(1), Fraction(1, 10**301)):
        with pytest.raises(ValueError, match="delta"):
            threshold(noise, 1, delta)
    for groups, least in ((0, 1), (1, 0)):
        with pytest.raises(ValueError, match="at least one"):
            threshold(noise, groups, Fraction(1, 10**6), least)
    with pytest.raises(ValueError, match="need noise"):
        threshold(Laplace.calibrate(0, 0, Fraction(1), "pure"), 1, Fraction(1, 10**6))
