"""The laws of noise as one family: an integer x has a chance proportional to exp(-linear * |x| - square * x**2)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

__all__ = ["Law"]


@dataclass(frozen=True, slots=True)
class Law:
    """A convex exponent in |x|; ``size`` is the whole part of the scale at which it falls."""

    linear: Fraction
    square: Fraction
    size: int

    @classmethod
    def laplace(cls, scale: Fraction) -> Law:
        return cls(1 / scale, Fraction(0), int(scale))

    @classmethod
    def gaussian(cls, sigma_squared: Fraction) -> Law:
        return cls(Fraction(0), 1 / (2 * sigma_squared), isqrt(int(sigma_squared)))

    def exponent(self, x: int) -> Fraction:
        """For x >= 0."""
        return x * (self.linear + x * self.square)

    def slope(self, x: int) -> Fraction:
        """The derivative of the exponent, for x >= 0."""
        return self.linear + 2 * x * self.square
