"""Numbers rounded against the analyst: a chance never comes out too small, a price never too large."""

from __future__ import annotations

from fractions import Fraction
from math import isqrt

__all__ = ["LEAST_CHANCE", "sqrt_down", "upward"]

LEAST_CHANCE = 1e-300
"""Chances below this are not told apart: floats end near here."""

_MARGIN = 1e-10
_DIGITS = 40


def upward(chance: float) -> float:
    """A chance computed in floats, raised past every rounding on its way.

    The exponents in use stay under 750 and carry three roundings, which moves a result by under 1e-12 of itself;
    sums of at most some thousand positive terms and a last-place error of exp or erfc add less. The margin is a
    hundred times that.
    """
    return max(chance * (1 + _MARGIN), LEAST_CHANCE)


def sqrt_down(value: Fraction) -> Fraction:
    """The root where it is rational, else a rational just under it with a modest power of two below."""
    p, q = value.numerator, value.denominator
    if isqrt(p) ** 2 == p and isqrt(q) ** 2 == q:
        return Fraction(isqrt(p), isqrt(q))
    bits = _DIGITS + max(0, q.bit_length() - p.bit_length()) // 2
    return Fraction(isqrt((p << 2 * bits) // q), 1 << bits)
