"""Gaussian noise on the fine grid, rounded, follows the rounded normal law, in short vectors and in long ones."""

from __future__ import annotations

from fractions import Fraction

import pytest
from scipy import stats

from discreet.mechanisms.fine_gaussian import FineGaussian
from noise.harness import misfit


@pytest.mark.parametrize("sigma_squared", [Fraction(1, 5), Fraction(2), Fraction(400, 3), Fraction(10**9)], ids=str)
@pytest.mark.parametrize("n", [200, 100_000])
def test_cells_fit(sigma_squared: Fraction, n: int) -> None:
    noise = FineGaussian.calibrate(1, 1, 1 / sigma_squared, "gdp")
    assert noise is not None
    draws = [x for _ in range(20_000 // n or 1) for x in noise.draw(n)]
    law = stats.norm(scale=noise.spread)
    assert misfit(draws, lambda x: float(law.cdf(x + 0.5)), noise.spread) < 1
