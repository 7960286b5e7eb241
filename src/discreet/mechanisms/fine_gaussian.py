"""Gaussian noise on a grid so fine that its rounding is as good as that of a normal number: what Gaussian DP needs.

Discrete Gaussian noise on the grid itself is not Gaussian-DP: at deviation 1 its delta is 2.14 times the normal law's.
Drawn 2**32 times as fine and rounded, it is within 1 / (23 s**2) of the rounded normal law, where s is its deviation in
fine steps. docs/proofs/fine-gaussian.md shows that all answers of a dataset together lose next to nothing by that,
and the accountant takes it off its delta.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import erfc, sqrt
from typing import ClassVar, Self

from discreet.accounting.formulas import gaussian_accuracy
from discreet.ledger.events import FineGaussianNoise
from discreet.mechanisms import noise_source
from discreet.mechanisms.exactness import check_movement, check_price
from discreet.mechanisms.rounding import upward
from discreet.mechanisms.search import least

__all__ = ["FINER", "FineGaussian"]

FINER = 32
"""Bits of the fine grid below the plan's; the meaning of the event, so it never changes."""


@dataclass(frozen=True, slots=True)
class FineGaussian:
    """Noise of deviation sqrt(sigma_squared) in grid steps; a variance of 0 says that nothing can move."""

    name: ClassVar[str] = "fine-gaussian"
    sigma_squared: Fraction
    event: FineGaussianNoise

    def __post_init__(self) -> None:
        variance, ratio = self.sigma_squared, self.event.ratio_squared
        if variance < 0 or ratio < 0 or (variance == 0) != (ratio == 0):
            raise ValueError("noise may be left out only where nothing can move")

    @classmethod
    def calibrate(cls, l1: int, l2_squared: int, amount: Fraction, accounting: str) -> Self | None:
        """The least noise on a vector of L2 sensitivity sqrt(``l2_squared``) of at most this precision."""
        check_movement(l1, l2_squared)
        check_price(amount)
        match accounting:
            case "gdp" if l2_squared:
                return cls(l2_squared / amount, FineGaussianNoise(amount))
            case "gdp":
                return cls(Fraction(0), FineGaussianNoise(Fraction(0)))
            case "pure" | "zcdp":
                return None
            case _:
                raise ValueError(f"no rule that calibrates fine Gaussian noise under {accounting!r} accounting")

    @property
    def spread(self) -> float:
        """The deviation sigma, in grid steps."""
        return sqrt(self.sigma_squared)

    def half_width(self, confidence: float) -> int:
        """The least w for which the noise stays within -w..w with at least this chance."""
        if not 0 < confidence < 1:
            raise ValueError("a confidence lies between 0 and 1")
        miss = 1 - confidence
        return least(lambda w: 2 * self.upper_tail(w + 1) <= miss, int(gaussian_accuracy(self.spread, miss)))

    def upper_tail(self, t: int) -> float:
        """At least P(noise >= t), which is that of half a step less before rounding; for t <= 0 simply 1.

        The weights fall from 0 on, so a sum of them from y is at most the integral from the fine step before y.
        """
        if t <= 0:
            return 1.0
        if self.sigma_squared == 0:
            return 0.0
        beyond = Fraction(2 * t - 1, 2) - Fraction(1, 1 << FINER)
        return upward(erfc(beyond / sqrt(2 * self.sigma_squared)) / 2)

    def draw(self, n: int) -> list[int]:
        """``n`` fresh independent draws."""
        if not self.sigma_squared:
            return [0] * n
        half = 1 << (FINER - 1)
        fine = noise_source.discrete_gaussian(self.sigma_squared * (1 << 2 * FINER), n)
        return [(each + half) >> FINER for each in fine]
