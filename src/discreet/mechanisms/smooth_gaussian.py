"""Gaussian noise on a smooth bound: the lightest tails, and the dearest."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import log
from typing import ClassVar, Self

from discreet.ledger.events import SmoothNoise
from discreet.mechanisms import noise_source
from discreet.mechanisms.exponential import exp_minus
from discreet.mechanisms.ratios import under_gaussian
from discreet.mechanisms.rounding import sqrt_down
from discreet.mechanisms.search import least

__all__ = ["SmoothGaussian"]

PLACES = 256
FINENESS = 1 << 16
STEEPEST = Fraction(8)


@dataclass(frozen=True, slots=True)
class SmoothGaussian:
    """A density proportional to exp(-z**2 / 2), z counted in ``1 / strength`` of the bound.

    But for a chance of e**-L, which is at most delta, |z| stays within w, the root of 2L. Between such laws, with
    scales apart by e**t and a shift of at most s = strength times the smaller one, the loss is there no more than

        L * (e**2t - 1) - t + w * s * e**t + s**2 / 2,

    whichever of the two is the wider, where L >= 1.
    """

    name: ClassVar[str] = "smooth-gaussian"
    tail_95: ClassVar[float] = 1.95997
    strength: Fraction
    rate: Fraction
    event: SmoothNoise

    @classmethod
    def calibrate(cls, epsilon: Fraction, delta: Fraction | None, groups: int) -> Self | None:
        """The largest strength and rate that stay within epsilon, half of it for each."""
        if delta is None:
            return None
        tail = _tail(delta)
        root = 2 * tail / sqrt_down(2 * tail)
        strength, rate = epsilon / (2 * root), min(epsilon / (4 * tail), STEEPEST)

        def passes(k: int) -> bool:
            share = Fraction(k, FINENESS)
            return _loss(tail, root, share * strength, share * rate) > epsilon

        share = Fraction(least(passes, FINENESS) - 1, FINENESS)
        return cls(share * strength, share * rate, SmoothNoise(epsilon, delta, Fraction(groups)))

    def steps(self, bound: Fraction, most: int) -> int:
        return noise_source.rounded_real(bound / self.strength, under_gaussian, most)


def _tail(delta: Fraction) -> Fraction:
    """An L >= 1, hardly more than ln(1 / delta), with e**-L <= delta."""
    unit = 1 << PLACES
    near = int(-log(delta) * FINENESS)
    found = least(lambda k: k >= FINENESS and exp_minus(Fraction(k, FINENESS), PLACES) + 1 <= delta * unit, near)
    return Fraction(found, FINENESS)


def _loss(tail: Fraction, root: Fraction, strength: Fraction, rate: Fraction) -> Fraction:
    """The largest loss where |z| is at most ``root``, rounded up."""
    rise = Fraction(1 << PLACES, exp_minus(rate, PLACES) - 1)
    return tail * (rise**2 - 1) - rate + root * strength * rise + strength**2 / 2
