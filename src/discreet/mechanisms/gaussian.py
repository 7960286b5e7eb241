"""Discrete Gaussian noise: the cheapest where one unit moves many cells a little."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import erfc, exp, expm1, sqrt
from typing import ClassVar, Self

from discreet.accounting.formulas import gaussian_accuracy
from discreet.ledger.events import GaussianNoise
from discreet.mechanisms import noise_source
from discreet.mechanisms.exactness import check_movement, check_price
from discreet.mechanisms.rounding import upward
from discreet.mechanisms.search import least

__all__ = ["Gaussian"]

_SUMMED_UP_TO = 400
"""Variances up to this have their tails summed term by term; above it an integral is as close."""


@dataclass(frozen=True, slots=True)
class Gaussian:
    """Noise x with a chance proportional to exp(-x**2 / (2 sigma_squared)), in grid steps.

    A variance of 0 says that nothing can move: there is no noise then.
    """

    name: ClassVar[str] = "gaussian"
    sigma_squared: Fraction
    event: GaussianNoise

    def __post_init__(self) -> None:
        variance, ratio = self.sigma_squared, self.event.ratio_squared
        if variance < 0 or ratio < 0 or (variance == 0) != (ratio == 0):
            raise ValueError("noise may be left out only where nothing can move")

    @classmethod
    def calibrate(cls, l1: int, l2_squared: int, amount: Fraction, accounting: str) -> Self | None:
        """The least noise on a vector of L2 sensitivity sqrt(``l2_squared``) that is charged at most ``amount``."""
        check_movement(l1, l2_squared)
        check_price(amount)
        ratio_squared = _largest_ratio_squared(amount, accounting)
        if ratio_squared is None:
            return None
        if l2_squared == 0:
            return cls(Fraction(0), GaussianNoise(Fraction(0)))
        return cls(l2_squared / ratio_squared, GaussianNoise(ratio_squared))

    @property
    def spread(self) -> float:
        """The parameter sigma, in grid steps."""
        return sqrt(self.sigma_squared)

    def half_width(self, confidence: float) -> int:
        """The least w for which the noise stays within -w..w with at least this chance."""
        if not 0 < confidence < 1:
            raise ValueError("a confidence lies between 0 and 1")
        miss = 1 - confidence
        return least(lambda w: 2 * self.upper_tail(w + 1) <= miss, int(gaussian_accuracy(self.spread, miss)))

    def upper_tail(self, t: int) -> float:
        """At least P(noise >= t); for t <= 0 simply 1."""
        if t <= 0:
            return 1.0
        if self.sigma_squared == 0:
            return 0.0
        if self.sigma_squared <= _SUMMED_UP_TO:
            variance = float(self.sigma_squared)
            return upward(_sum_from(variance, t) / (1 + 2 * _sum_from(variance, 1)))
        return upward(_integral_above(self.sigma_squared, t))

    def draw(self, n: int) -> list[int]:
        """``n`` fresh independent draws."""
        return noise_source.discrete_gaussian(self.sigma_squared, n) if self.sigma_squared else [0] * n


def _largest_ratio_squared(amount: Fraction, accounting: str) -> Fraction | None:
    """The largest l2_squared / sigma_squared that the accounting charges at most ``amount`` for: zCDP halves it."""
    match accounting:
        case "zcdp":
            return 2 * amount
        case "gdp" | "pure":
            return None
        case _:
            raise ValueError(f"no rule that calibrates Gaussian noise under {accounting!r} accounting")


def _sum_from(variance: float, start: int) -> float:
    """The sum of exp(-x**2 / 2 variance) over x >= start >= 1, to within 1e-15 of itself.

    Each term is less than exp(-x / variance) of the one before, so a geometric series bounds what is left out.
    """
    x, total, rest = start, 0.0, 1.0
    while rest > 1e-15 * total:
        term = exp(-(x * x) / (2 * variance))
        total += term
        rest = term / -expm1(-x / variance)
        x += 1
    return total


def _integral_above(sigma_squared: Fraction, t: int) -> float:
    """P(N >= t - 1/2) where the density is convex from there on (t - 1/2 >= sigma), else P(N >= t - 1); N is normal.

    A convex function's value is at most its mean over the unit interval around the point, a falling function's at most
    its mean over the interval before; and the discrete law's constant is at least the normal law's (Poisson summation).
    """
    shift = 0.5 if (2 * t - 1) ** 2 >= 4 * sigma_squared else 1
    return erfc((t - shift) / sqrt(2 * sigma_squared)) / 2
