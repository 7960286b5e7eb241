"""Cauchy noise on a smooth bound: the only one that needs no delta, with heavy tails."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Self

from discreet.ledger.events import SmoothNoise
from discreet.mechanisms import noise_source
from discreet.mechanisms.exponential import exp_minus
from discreet.mechanisms.ratios import under_cauchy
from discreet.mechanisms.rounding import sqrt_down

__all__ = ["SmoothCauchy"]

PLACES = 256
FADING = Fraction(7, 10)
"""Of epsilon: rows that lie evenly get the least noise near one over the root of two."""


@dataclass(frozen=True, slots=True)
class SmoothCauchy:
    """A density proportional to 1 / (1 + z**2), z counted in ``1 / strength`` of the bound.

    Of two such laws the densities differ by a factor of at most e**d with cosh(d) = 1 + (shift**2 + (a - b)**2) / 2ab,
    where a and b are their scales. Here a = S / strength, b = a * e**t with t <= ``rate``, and shift <= S, so that

        cosh(d) <= cosh(t) + strength**2 * e**-t / 2,

    which is convex in t: it stays within cosh(epsilon) where it does for t = 0 and for t = ``rate``.
    """

    name: ClassVar[str] = "smooth-cauchy"
    tail_95: ClassVar[float] = 12.7062
    strength: Fraction
    rate: Fraction
    event: SmoothNoise

    @classmethod
    def calibrate(cls, epsilon: Fraction, delta: Fraction | None, groups: int) -> Self:
        del delta
        rate = FADING * epsilon
        return cls(
            sqrt_down(min(_room(epsilon, Fraction(0)), _room(epsilon, rate))),
            rate,
            SmoothNoise(epsilon, Fraction(0), Fraction(groups)),
        )

    def steps(self, bound: Fraction, most: int) -> int:
        return noise_source.rounded_real(bound / self.strength, under_cauchy, most)


def _room(epsilon: Fraction, t: Fraction) -> Fraction:
    """No more than 2 e**t (cosh(epsilon) - cosh(t)), which is (e**(epsilon + t) - 1) (1 - e**(t - epsilon))."""
    unit = 1 << PLACES
    far, near = exp_minus(epsilon + t, PLACES) + 1, exp_minus(epsilon - t, PLACES) + 1
    return Fraction(unit - far, far) * Fraction(unit - near, unit)
