"""The draws follow the laws that are promised, at scales from a thousandth of a step to a million million steps."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from discreet.mechanisms import coins, noise_source, strips, vectors
from discreet.mechanisms.law import Law as Exponent
from noise.harness import differ, misfit, sign_pairs, surprising
from noise.laws import Law

N = 100_000
MANY = 1_000_000
DRAW = {"gaussian": noise_source.discrete_gaussian, "laplace": noise_source.discrete_laplace}
COINS = {"gaussian": coins.gaussian, "laplace": coins.laplace}
LAWS = {"gaussian": Exponent.gaussian, "laplace": Exponent.laplace}
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


def one_by_one(name: str, parameter: Fraction, n: int) -> list[int]:
    """As short vectors are drawn."""
    source = noise_source._random_bytes()
    return [COINS[name](parameter.numerator, parameter.denominator, source) for _ in range(n)]


def scale_of(name: str, size: Fraction) -> Fraction:
    """The parameter of the law that has this spread."""
    return size**2 if name == "gaussian" else size


@pytest.mark.parametrize("name", sorted(DRAW))
@pytest.mark.parametrize("parameter", PARAMETERS[1::2], ids=str)
def test_cells_of_short_vectors_fit(name: str, parameter: Fraction):
    draws = one_by_one(name, parameter, N // 2)
    law = Law(name, parameter)
    assert misfit(draws, lambda x: float(law.below_or_at(x)), spread(name, parameter)) < 1


@pytest.mark.parametrize("name", sorted(DRAW))
def test_short_and_long_vectors_cannot_be_told_apart(name: str):
    parameter = scale_of(name, Fraction(10**5 * 7 + 1, 3))
    assert differ(one_by_one(name, parameter, N // 2), DRAW[name](parameter, N // 2)) < 1


@pytest.mark.parametrize("name", sorted(DRAW))
@pytest.mark.parametrize("size", [Fraction(2, 5), Fraction(63), Fraction(1000, 7), Fraction(517)], ids=str)
def test_every_single_cell_of_many_draws_fits(name: str, size: Fraction):
    """As many cells as integers where that is possible: an error at a strip's edge would show as a tooth."""
    draws, law = DRAW[name](scale_of(name, size), MANY), Law(name, scale_of(name, size))
    assert misfit(draws, lambda x: float(law.below_or_at(x)), float(size), cells=5000) < 1


@pytest.mark.parametrize("name", sorted(DRAW))
@pytest.mark.parametrize("size", [Fraction(1000), Fraction(4099, 3)], ids=str)
def test_columns_of_a_cell_fit(name: str, size: Fraction):
    """The place of a draw in its cell, on either side, over all cells: an error of the doubtful strips would show here."""
    parameter = scale_of(name, size)
    law, width = Law(name, parameter), strips.cut(LAWS[name](parameter)).width
    assert width >= 8
    chances = np.zeros(2 * width)
    for x in range(1, int(40 * size)):
        chance = float(law.chance(x))
        chances[x % width] += chance
        chances[width + -x % width] += chance
    chances[0] += float(law.chance(0))
    draws = np.array(DRAW[name](parameter, MANY))
    seen = np.bincount(draws % width + width * (draws < 0), minlength=2 * width)
    assert stats.chisquare(seen, chances / chances.sum() * MANY).pvalue > 1e-13


@pytest.mark.parametrize("name", sorted(DRAW))
@pytest.mark.parametrize("size", [Fraction(3), Fraction(1000, 3)], ids=str)
def test_the_law_does_not_depend_on_where_the_cells_end(name: str, size: Fraction, monkeypatch: pytest.MonkeyPatch):
    """With cells that end early every tenth draw comes from beyond them."""
    monkeypatch.setattr(strips, "REACH", 2)
    vectors.tabulate.cache_clear()
    draws, law = DRAW[name](scale_of(name, size), 20_000), Law(name, scale_of(name, size))
    vectors.tabulate.cache_clear()
    assert misfit(draws, lambda x: float(law.below_or_at(x)), float(size), cells=200) < 1
    for t in (int(2 * size), int(3 * size), int(4 * size)):
        assert not surprising(sum(x >= t for x in draws), len(draws), float(law.above(t)))
        assert not surprising(sum(x <= -t for x in draws), len(draws), float(law.above(t)))


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
@pytest.mark.parametrize(
    "size", [Fraction(10**4), Fraction(10**9), Fraction(10**12), Fraction(10**12 * 997 + 1, 991)], ids=str
)
def test_large_scales(name: str, size: Fraction):
    draws = DRAW[name](scale_of(name, size), MANY // 4)
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
        for n in (17, 255, 256, 1000, 65_537):
            assert len(draw(Fraction(3), n)) == n
