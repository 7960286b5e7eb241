"""Gaussian noise that becomes less: a fresh release at each step, and the mean of all so far, weighted by precision.

Precision and price both add up, so that the mean of the releases up to a step costs what one release of its
sharpness would: nothing is lost by coming in steps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise, repeat
from math import erfc, exp, pi, sqrt
from typing import ClassVar, Self

from discreet.accounting.formulas import normal_quantile_above
from discreet.ledger.events import Event, SharpenedFineGaussian, SharpenedGaussian
from discreet.mechanisms import noise_source
from discreet.mechanisms.exactness import check_movement, check_price, check_whole
from discreet.mechanisms.fine_gaussian import FINER, FineGaussian
from discreet.mechanisms.gaussian import Gaussian
from discreet.mechanisms.rounding import upward
from discreet.mechanisms.sharpening.levels import LEVELS, SHARPEST
from discreet.mechanisms.sharpening.steps import Steps

__all__ = ["FineGaussianSteps", "GaussianSteps"]

OFF = 0.5 + 2**-8
"""How far a release may be from normal noise of its variance: 1/2 for its own grid, and a step of the finer grid."""

MARGIN = 1e-9
"""Of a quantile: far more than floats lose on the way to it."""


@dataclass(frozen=True, slots=True)
class GaussianSteps(Steps):
    """``size`` is the variance of the mean at the last step."""

    name: ClassVar[str] = "gaussian-steps"
    family: ClassVar[str] = Gaussian.name
    power: ClassVar[int] = 2
    prices: ClassVar[dict[str, int]] = {"zcdp": 2}
    """By accounting: how much squared ratio an amount of one buys."""
    finer: ClassVar[int] = 8
    """Rounds have their noise on a grid that is finer by so many bits, so that rounding does not add up."""

    @classmethod
    def calibrate(cls, l1: int, l2_squared: int, amount: Fraction, accounting: str) -> Self:
        check_movement(l1, l2_squared)
        check_price(amount)
        if l2_squared == 0:
            return cls(LEVELS, Fraction(0), Fraction(0), len(LEVELS) - 1)
        variance = max(l2_squared / (cls.prices[accounting] * amount), SHARPEST**2)
        return cls(LEVELS, variance, l2_squared / variance, len(LEVELS) - 1)

    def event_of(self, ratio: Fraction) -> Event:
        return SharpenedGaussian(ratio)

    def scale(self, step: int) -> float:
        return sqrt(self.size) * self.levels[-1] / self.levels[step]

    @staticmethod
    def width(scale: float, tail: float) -> int:
        """The quantile of the normal law, and what the release may be off from it."""
        return int(_quantile(tail) * (1 + MARGIN) * scale + OFF)

    @staticmethod
    def above(scale: float, t: int) -> float:
        return upward(erfc((t - OFF) * (1 - MARGIN) / (sqrt(2) * scale)) / 2) if t > OFF else 1.0

    def entering(self, tail: float) -> list[float]:
        """Of two normal numbers with correlation p, the chance that the second alone passes z is at most
        (a / pi) exp(-z**2 / 2) with a = sqrt((1 - p) / (1 + p)): Owen's T bounded by its integrand at 0.

        The last steps may be so far apart that it is less to count how often each width is exceeded.
        """
        z = _quantile(tail) * (1 - MARGIN)
        density = exp(-z * z / 2) / pi
        pairs = pairwise(self.levels)
        found = [0.0, *(upward(sqrt((here - before) / (here + before)) * density) for before, here in pairs)]
        for step in range(len(found) - 1, 0, -1):
            exceeded = self.above(self.scale(step), self.width(self.scale(step), tail) + 1)
            if exceeded > found[step]:
                break
            found[step] = exceeded
        return found

    def releases(self, values: Sequence[int]) -> Iterator[list[int]]:
        check_whole(values)
        if not self.size:
            yield from repeat(list(values), len(self.levels))
            return
        totals, before = [0] * len(values), 0
        for level in self.levels:
            weight, whole = level**2 - before**2, level**2 << self.finer
            noise = self._round(Fraction(weight, self.levels[-1] ** 2), len(values))
            rounds = zip(totals, values, noise, strict=True)
            totals = [total + weight * ((value << self.finer) + each) for total, value, each in rounds]
            yield [(2 * total + whole) // (2 * whole) for total in totals]
            before = level

    def _round(self, share: Fraction, n: int) -> list[int]:
        """Fresh noise of so much of the last step's precision, in fine steps."""
        return noise_source.discrete_gaussian(self.size / share * 4**self.finer, n)


@lru_cache(maxsize=1024)
def _quantile(tail: float) -> float:
    return normal_quantile_above(tail)


@dataclass(frozen=True, slots=True)
class FineGaussianSteps(GaussianSteps):
    """The same on the very fine grid that Gaussian DP needs."""

    name: ClassVar[str] = "fine-gaussian-steps"
    family: ClassVar[str] = FineGaussian.name
    prices: ClassVar[dict[str, int]] = {"gdp": 1}
    finer: ClassVar[int] = FINER

    def event_of(self, ratio: Fraction) -> Event:
        return SharpenedFineGaussian(ratio)
