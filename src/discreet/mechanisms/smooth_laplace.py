"""Laplace noise on a smooth bound: light tails, at the price of a delta."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import exp, expm1
from typing import ClassVar, Self

from discreet.ledger.events import SmoothNoise
from discreet.mechanisms import noise_source
from discreet.mechanisms.exponential import exp_minus
from discreet.mechanisms.ratios import under_laplace
from discreet.mechanisms.search import least

__all__ = ["SmoothLaplace", "smooth_laplace_delta"]

PLACES = 256
FINENESS = 1 << 16
STEEPEST = Fraction(8)


@dataclass(frozen=True, slots=True)
class SmoothLaplace:
    """A density proportional to exp(-|z|), z counted in ``1 / strength`` of the bound.

    Between such laws with scales a and a * e**-t, a shift of at most s = strength times the smaller scale, the loss
    passes epsilon in the tails alone, with an excess of

        (1 - e**-t) / 2 * (e**-x + e**-y),  x and y = (epsilon + t -+ s) / (e**t - 1),

    which rises in s and t. With the scales the other way round the loss is at most t + s.
    """

    name: ClassVar[str] = "smooth-laplace"
    tail_95: ClassVar[float] = 2.9958
    strength: Fraction
    rate: Fraction
    event: SmoothNoise

    @classmethod
    def calibrate(cls, epsilon: Fraction, delta: Fraction | None, groups: int) -> Self | None:
        """Half of epsilon for the shift, and the largest rate that keeps delta."""
        if delta is None:
            return None
        unit = min(epsilon / 2, STEEPEST) / FINENESS
        first_bad = least(lambda k: k > FINENESS or (k > 0 and not _keeps(epsilon, k * unit, delta)), FINENESS // 8)
        return cls(epsilon / 2, (first_bad - 1) * unit, SmoothNoise(epsilon, delta, Fraction(groups)))

    def steps(self, bound: Fraction, most: int) -> int:
        return noise_source.rounded_real(bound / self.strength, under_laplace, most)


def _keeps(epsilon: Fraction, t: Fraction, delta: Fraction) -> bool:
    """Whether the excess is at most delta, with every number in it rounded against that."""
    unit = 1 << PLACES
    fall = exp_minus(t, PLACES) - 1
    rise = Fraction(unit, fall) - 1
    tails = sum(exp_minus((epsilon + t + side * epsilon / 2) / rise, PLACES) + 1 for side in (-1, 1))
    return (unit - fall) * tails <= 2 * delta * unit**2


def smooth_laplace_delta(epsilon: float, strength: float, rate: float) -> float:
    """The exact delta, to compare with printed tables."""
    tails = [exp(-(epsilon + rate + side * strength) / expm1(rate)) for side in (-1, 1)]
    return -expm1(-rate) / 2 * sum(tails)
