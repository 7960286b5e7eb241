"""The printed vectors, to the last printed digit."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from discreet.accounting import formulas as f


def test_laplace_cdf_and_accuracy():
    assert f.laplace_cdf(-1, 1) == pytest.approx(0.1839397, abs=5e-8)
    assert f.laplace_accuracy(2, 0.05) == pytest.approx(-stats.laplace.ppf(0.025, scale=2))
    assert f.laplace_accuracy(2, 0.05, 10) == pytest.approx(2 * math.log(200))


def test_laplace_cdf_follows_scipy_on_both_sides():
    for x in (-30, -1, -0.1, 0, 0.1, 4):
        assert f.laplace_cdf(x, 1.7) == pytest.approx(stats.laplace.cdf(x, scale=1.7))


@pytest.mark.parametrize(
    ("epsilon", "delta", "sigma"),
    [(0.5, 1e-5, 7.031827), (1, 1e-5, 3.730632), (10, 1e-5, 0.499889), (3, 1e-8, 1.818643)],
)
def test_analytic_gaussian(epsilon: float, delta: float, sigma: float):
    found = f.gaussian_sigma(epsilon, delta)
    assert found == pytest.approx(sigma, abs=5e-7)
    assert f.gaussian_delta(found, epsilon) == pytest.approx(delta, rel=1e-9)
    assert f.gaussian_sigma(epsilon, delta, l2=3) == pytest.approx(3 * found)


def test_the_classical_gaussian_is_refused_where_it_is_wrong():
    with pytest.raises(ValueError, match="below 1"):
        f.gaussian_classical_sigma(10, 1e-5)
    with pytest.raises(ValueError, match="below 1"):
        f.gaussian_classical_sigma(1, 1e-5)
    printed = math.sqrt(2 * math.log(1.25 / 1e-5)) / 10
    assert printed == pytest.approx(0.484481, abs=5e-7)
    assert f.gaussian_delta(printed, 10) == pytest.approx(2.2654e-5, abs=5e-10)


def test_the_classical_gaussian_is_looser_than_the_analytic_one_where_it_holds():
    assert f.gaussian_classical_sigma(0.5, 1e-5) == pytest.approx(math.sqrt(2 * math.log(1.25e5)) / 0.5)
    assert f.gaussian_classical_sigma(0.5, 1e-5) > f.gaussian_sigma(0.5, 1e-5)


def test_gaussian_accuracy():
    sigma = math.sqrt(2 * math.log(1.25 / 1e-8))
    assert f.gaussian_accuracy(sigma, 0.05) == pytest.approx(11.968248, abs=5e-7)
    assert f.normal_quantile_above(0.025) == pytest.approx(1.959963984540054)
    with pytest.raises(ValueError, match="chance"):
        f.normal_quantile_above(0)


def test_what_epsilon_and_delta_mean():
    assert f.gaussian_delta(2.040663, 3) == pytest.approx(1.5345e-10, abs=5e-15)
    assert f.gaussian_loss_above(2.040663, 3) == pytest.approx(2.0892e-9, abs=5e-14)


@pytest.mark.parametrize(("sigma", "ratio", "digits"), [(1, 2.14, 2), (5, 1.061, 3), (20, 1.004, 3)])
def test_integer_gaussian_noise_is_not_exactly_gaussian(sigma: float, ratio: float, digits: int):
    """The largest ratio of the two deltas over every epsilon up to 6 / sigma."""
    ratios = [f.discrete_gaussian_delta(sigma, e) / f.gaussian_delta(sigma, e) for e in np.linspace(0, 6 / sigma, 601)]
    assert round(max(ratios), digits) == ratio


def test_movements():
    assert f.movement([1, 1, 1, 1]) == (4, 4)
    assert math.sqrt(f.movement([1, 1, 1, 1])[1]) == 2
    assert f.movement([1]) == (1, 1)
    assert f.movement([1, -1]) == (2, 2)


def test_groups():
    assert f.group_epsilon(0.5, 3) == 1.5
