"""How far sums are off: against exact convolutions, and by Chernoff's bound where weights differ."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from discreet.mechanisms.fine_gaussian import FineGaussian
from discreet.mechanisms.gaussian import Gaussian
from discreet.mechanisms.laplace import Laplace
from discreet.mechanisms.sums import (
    FINEST,
    LOST,
    Sum,
    _chernoff,
    _wave,
    half_width,
    mixed_width,
    weighted_half_width,
)


def laplace(scale) -> Laplace:
    return Laplace.calibrate(1, 1, 1 / Fraction(scale), "pure")


def gaussian(variance) -> Gaussian:
    return Gaussian.calibrate(1, 1, 1 / Fraction(variance) / 2, "zcdp")


def fine(variance) -> FineGaussian:
    return FineGaussian.calibrate(1, 1, 1 / Fraction(variance), "gdp")


VARIANCES = ("1/20", "1/2", 1, "11/10", 9, 150)
NOISES = [
    *(laplace(each) for each in ("1/10", "1/2", 1, 3, "25/2")),
    *(law(each) for law in (gaussian, fine) for each in VARIANCES),
]


def single(noise) -> np.ndarray:
    """The law of one draw on -reach..reach, in floats."""
    reach = int(60 * noise.spread) + 5
    x = np.arange(-reach, reach + 1)
    if isinstance(noise, FineGaussian):
        tails = np.array([math.erfc((abs(t) - 0.5) / noise.spread / math.sqrt(2)) / 2 for t in range(1, reach + 2)])
        beyond = tails[:-1] - tails[1:]
        return np.concatenate([beyond[::-1], [1 - 2 * tails[0]], beyond])
    exponent = abs(x) / noise.spread if isinstance(noise, Laplace) else x * x / (2 * float(noise.sigma_squared))
    weights = np.exp(-exponent)
    return weights / weights.sum()


def law(noise, weights: dict[int, int]) -> np.ndarray:
    """The law of a weighted sum, on a symmetric range, by convolution."""
    found = np.ones(1)
    for weight, n in weights.items():
        one = single(noise)
        wide = np.zeros((len(one) - 1) * weight + 1)
        wide[::weight] = one
        for _ in range(n):
            found = np.convolve(found, wide)
    return found


def outside(found: np.ndarray, w: int) -> float:
    """P(|S| > w)."""
    middle = len(found) // 2
    return float(found[: max(0, middle - w)].sum() + found[middle + w + 1 :].sum()) if w < middle else 0.0


@pytest.mark.parametrize("noise", NOISES, ids=lambda noise: f"{noise.name} {noise.spread:.3g}")
@pytest.mark.parametrize("n", [1, 2, 5, 12])
def test_half_widths_cover_and_are_the_least(noise, n):
    found = law(noise, {1: n})
    for confidence in (0.5, 0.9, 0.95, 0.99, 0.999):
        w = half_width(noise, n, confidence)
        assert outside(found, w) <= 1 - confidence + 1e-12
        assert w == 0 or outside(found, w - 1) > 1 - confidence - 3 * LOST


@pytest.mark.parametrize("noise", NOISES, ids=lambda noise: f"{noise.name} {noise.spread:.3g}")
def test_the_characteristic_function_is_that_of_the_law(noise):
    found = single(noise)
    x = np.arange(len(found)) - len(found) // 2
    wave = _wave(noise)
    points = np.linspace(1e-3, math.pi, 40)
    assert [wave(t) for t in points] == pytest.approx([float((found * np.cos(t * x)).sum()) for t in points], abs=1e-12)
    sizes = [wave(t) for t in points]
    assert sizes == sorted(sizes, reverse=True)


@pytest.mark.parametrize("noise", NOISES, ids=lambda noise: f"{noise.name} {noise.spread:.3g}")
@pytest.mark.parametrize("weights", [{1: 3, 2: 2}, {5: 1, 1: 4}, {1: 1, 7: 1}])
def test_weighted_widths_cover_and_are_not_much_too_wide(noise, weights):
    found = law(noise, weights)
    for confidence in (0.5, 0.95, 0.999):
        w = weighted_half_width(noise, weights, confidence)
        assert outside(found, w) <= 1 - confidence
    deviation = math.sqrt(float((found * (np.arange(len(found)) - len(found) // 2) ** 2).sum()))
    assert weighted_half_width(noise, weights, 0.95) <= 4.2 * deviation + 5


def test_signs_and_nothing_do_not_matter():
    noise = laplace(4)
    assert weighted_half_width(noise, {3: 2, -3: 5, 0: 9}, 0.95) == 3 * half_width(noise, 7, 0.95)
    assert weighted_half_width(noise, {-2: 1, 5: 1}, 0.95) == weighted_half_width(noise, {2: 1, 5: 1}, 0.95)
    assert weighted_half_width(noise, {}, 0.95) == weighted_half_width(noise, {0: 4}, 0.95) == 0
    assert half_width(noise, 0, 0.95) == 0
    assert half_width(Laplace.calibrate(0, 0, Fraction(1), "pure"), 40, 0.95) == 0


@pytest.mark.parametrize("noise", [laplace(1000), laplace(10**12), gaussian(10**12)], ids=["wide", "widest", "normal"])
def test_wide_noise_is_as_the_normal_law_has_it(noise):
    deviation = noise.spread * (math.sqrt(2) if isinstance(noise, Laplace) else 1)
    assert half_width(noise, 10_000, 0.95) == pytest.approx(1.959964 * 100 * deviation, rel=2e-3)


def test_rare_misses_are_bounded_instead():
    noise = laplace(3)
    found = law(noise, {1: 5})
    for confidence in (1 - FINEST / 2, 1 - 1e-7):
        assert outside(found, half_width(noise, 5, confidence)) <= 1 - confidence
    assert half_width(noise, 5, 1 - 1e-15) == _chernoff(noise, {1: 5}, 1 - (1 - 1e-15))


def test_a_sum_is_told_from_its_characteristic_function():
    """A binomial: not symmetric, and its mean is no whole number."""
    n, p = 37, 0.3
    found = Sum.of(lambda t: (1 - p + p * complex(math.cos(t), math.sin(t))) ** n, n * p, 40)
    for x in range(-60, 100):
        exact = sum(math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(max(0, x), n + 1))
        assert found.above(x) == pytest.approx(exact, abs=LOST)


@pytest.mark.parametrize("deviation", [0.02, 0.1, 0.3, 0.5, 0.8, 1, 1.7, 3])
def test_rounding_widens_the_tails_of_normal_numbers_by_a_twelfth_at_most(deviation):
    """A bound on moments: log E exp(uX) <= u**2 (variance + 1/12) / 2, which Chernoff's bound for rounded noise uses."""
    for u in np.arange(0.05, 40, 0.05):
        reach = int(20 * deviation + u * deviation**2) + 3
        x = np.arange(1, reach)
        ends = np.array([math.erfc((t - 0.5) / deviation / math.sqrt(2)) / 2 for t in range(1, reach + 1)])
        chances = ends[:-1] - ends[1:]
        kept = chances > 0
        logs = np.log(chances[kept]) + u * x[kept]
        both = [math.log(math.erf(0.5 / deviation / math.sqrt(2))), *logs, *(logs - 2 * u * x[kept])]
        assert np.logaddexp.reduce(both) <= u * u * (deviation**2 + 1 / 12) / 2 + 1e-9


MIXED = {
    "one": [(1, laplace(8))],
    "halves": [(4, gaussian(30)), (2, gaussian(55)), (1, gaussian(30))],
    "Laplace halves": [(4, laplace(6)), (2, laplace(7)), (1, laplace(5))],
    "scales that are equal": [(2, laplace(9)), (2, laplace(9)), (2, laplace(9)), (2, laplace(9))],
    "nearly equal": [(3, laplace(20)), (2, laplace(30)), (1, laplace(61))],
    "of both laws": [(2, laplace(9)), (3, gaussian(70))],
    "narrow": [(1, gaussian("1/20")), (1, gaussian("1/2")), (1, laplace("1/10"))],
}


def mixed(terms) -> np.ndarray:
    found = np.ones(1)
    for weight, noise in terms:
        found = np.convolve(found, law(noise, {weight: 1}))
    return found


@pytest.mark.parametrize("name", MIXED)
@pytest.mark.parametrize("miss", [0.1, 0.025, 1e-3, 1e-6])
def test_a_sum_of_different_noises_stays_within_its_width(name, miss):
    found, width = mixed(MIXED[name]), mixed_width(tuple(MIXED[name]), miss)
    assert outside(found, math.floor(width)) / 2 <= miss
    least = next(w for w in range(len(found)) if outside(found, w) / 2 <= miss)
    weights = sum(weight for weight, _ in MIXED[name])
    loose = {"scales that are equal": 1.3, "nearly equal": 1.15, "of both laws": 1.9}.get(name, 1.05)
    assert width <= loose * least + 2 * weights


def test_a_draw_counts_the_same_with_either_sign():
    terms = ((3.0, laplace(20)), (2.0, gaussian(70)))
    assert mixed_width(tuple((-weight, noise) for weight, noise in terms), 0.01) == mixed_width(terms, 0.01)
