"""The draws follow the laws that are promised, at scales from a thousandth of a step to a million million steps."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from discreet.mechanisms import noise_source
from noise.harness import misfit, sign_pairs, surprising
from noise.laws import Law

N = 100_000
DRAW = {"gaussian": noise_source.discrete_gaussian, "laplace": noise_source.discrete_laplace}
PARAMETERS = [
    Fraction(1, 3),
    Fraction(1),
    Fraction(7, 3),
    Fraction(25),
    Fraction(10**30 + 57, 3 * 10**29 + 7),
    Fraction(123_456_789, 10**6),
]


def spread(name: str, parameter: Fraction) -> float:
    return math.sqrt(parameter) if name == "gaussian" else float(parameter)


def smooth_cdf(name: str, size: float):
    """The discrete laws at huge scales: between two steps, the continuous law to twenty digits of the step."""
    law = stats.norm(scale=size) if name == "gaussian" else stats.laplace(scale=size)
    return lambda x: float(law.cdf(x + 0.5))


@pytest.mark.parametrize("name", sorted(DRAW))
@pytest.mark.parametrize("parameter", PARAMETERS, ids=str)
def test_cells_fit(name: str, parameter: Fraction):
    draws = DRAW[name](parameter, N)
    law = Law(name, parameter)
    assert misfit(draws, lambda x: float(law.below_or_at(x)), spread(name, parameter)) < 1


@pytest.mark.parametrize("name", sorted(DRAW))
@pytest.mark.parametrize("parameter", PARAMETERS, ids=str)
def test_tails_are_as_heavy_as_they_should_be(name: str, parameter: Fraction):
    draws = np.array(DRAW[name](parameter, N))
    law = Law(name, parameter)
    far = next(t for t in range(1, 10**6) if law.above(t) < 50 / N)
    for t in (1, far // 2 + 1, far, 2 * far):
        chance = float(law.above(t))
        assert not surprising(int((draws >= t).sum()), N, chance)
        assert not surprising(int((draws <= -t).sum()), N, chance)


@pytest.mark.parametrize("name", sorted(DRAW))
@pytest.mark.parametrize("parameter", PARAMETERS, ids=str)
def test_mean_and_variance(name: str, parameter: Fraction):
    """Within 7.5 standard errors, which themselves come from the law's own second and fourth moments."""
    draws = np.array(DRAW[name](parameter, N), dtype=float)
    law = Law(name, parameter)
    cells = [(x, float(law.chance(x))) for x in range(1, int(60 * spread(name, parameter)) + 60)]
    second, fourth = (2 * math.fsum(x**power * chance for x, chance in cells) for power in (2, 4))
    assert abs(draws.mean()) < 7.5 * math.sqrt(second / N)
    assert abs((draws**2).mean() - second) < 7.5 * math.sqrt((fourth - second**2) / N)


@pytest.mark.parametrize("name", sorted(DRAW))
@pytest.mark.parametrize("size", [Fraction(10**4), Fraction(10**12), Fraction(10**12 * 997 + 1, 991)], ids=str)
def test_large_scales(name: str, size: Fraction):
    draws = DRAW[name](size**2 if name == "gaussian" else size, N // 2)
    assert misfit(draws, smooth_cdf(name, float(size)), float(size)) < 1
    assert sign_pairs(draws) < 1
    last_digits = np.bincount(np.array(draws) % 16, minlength=16)
    assert stats.chisquare(last_digits).pvalue > 1e-13


@pytest.mark.parametrize("name", sorted(DRAW))
def test_a_thousandth_of_a_step(name: str):
    parameter = Fraction(1, 1000) if name == "laplace" else Fraction(1, 1000**2)
    assert DRAW[name](parameter, 20_000) == [0] * 20_000


@pytest.mark.parametrize("name", sorted(DRAW))
def test_draws_do_not_foretell_the_next(name: str):
    assert sign_pairs(DRAW[name](Fraction(40), N)) < 1


def test_the_vector_has_the_length_asked_for():
    for draw in DRAW.values():
        assert draw(Fraction(3), 0) == []
        assert len(draw(Fraction(3), 17)) == 17
