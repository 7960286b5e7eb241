"""Discrete Laplace noise: the cheapest where one unit moves few cells, and the only one under pure accounting."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import exp
from typing import ClassVar, Self

from discreet.accounting.formulas import laplace_accuracy
from discreet.accounting.gaussian_dp import pure_below
from discreet.ledger.events import LaplaceNoise
from discreet.mechanisms import noise_source
from discreet.mechanisms.exactness import check_movement, check_price
from discreet.mechanisms.rounding import sqrt_down, upward
from discreet.mechanisms.search import least

__all__ = ["Laplace"]


@dataclass(frozen=True, slots=True)
class Laplace:
    """Noise x with a chance proportional to exp(-|x| / scale), in grid steps.

    A scale of 0 says that nothing can move: there is no noise then.
    """

    name: ClassVar[str] = "laplace"
    scale: Fraction
    event: LaplaceNoise

    def __post_init__(self) -> None:
        if self.scale < 0 or self.event.ratio < 0 or (self.scale == 0) != (self.event.ratio == 0):
            raise ValueError("noise may be left out only where nothing can move")

    @classmethod
    def calibrate(cls, l1: int, l2_squared: int, amount: Fraction, accounting: str) -> Self | None:
        """The least noise on a vector of L1 sensitivity ``l1`` that is charged at most ``amount``."""
        check_movement(l1, l2_squared)
        check_price(amount)
        if l1 == 0:
            return cls(Fraction(0), LaplaceNoise(Fraction(0)))
        ratio = _largest_ratio(amount, accounting)
        return cls(l1 / ratio, LaplaceNoise(ratio))

    @property
    def spread(self) -> float:
        """The scale b, in grid steps."""
        return float(self.scale)

    def half_width(self, confidence: float) -> int:
        """The least w for which the noise stays within -w..w with at least this chance."""
        if not 0 < confidence < 1:
            raise ValueError("a confidence lies between 0 and 1")
        miss = 1 - confidence
        return least(lambda w: 2 * self.upper_tail(w + 1) <= miss, int(laplace_accuracy(self.spread, miss)))

    def upper_tail(self, t: int) -> float:
        """At least P(noise >= t); for t >= 1 this is exp(-t/b) / (1 + exp(-1/b)), for t <= 0 simply 1."""
        if t <= 0:
            return 1.0
        if self.scale == 0:
            return 0.0
        p, q = self.scale.numerator, self.scale.denominator
        return upward(exp(-(t * q / p)) / (1 + exp(-(q / p))))

    def draw(self, n: int) -> list[int]:
        """``n`` fresh independent draws."""
        return noise_source.discrete_laplace(self.scale, n) if self.scale else [0] * n


def _largest_ratio(amount: Fraction, accounting: str) -> Fraction:
    """The largest r = l1 / scale that is charged at most ``amount``: pure charges r, zCDP min(r**2 / 2, r)."""
    match accounting:
        case "pure":
            return amount
        case "zcdp":
            return amount if amount >= 2 else sqrt_down(2 * amount)
        case "gdp":
            return pure_below(amount)
        case _:
            raise ValueError(f"no rule that calibrates Laplace noise under {accounting!r} accounting")
