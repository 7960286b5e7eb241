"""The laws of noise written down a second time, from their definition, with sixty decimal digits.

Nothing here is shared with the product: weights are summed until what is left out is below 1e-50 of the sum.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache

DIGITS = 60
SMALL = Decimal("1e-52")


def decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)


def laplace_exponent(scale: Fraction, x: int) -> Fraction:
    return abs(x) / scale


def gaussian_exponent(sigma_squared: Fraction, x: int) -> Fraction:
    return x * x / (2 * sigma_squared)


EXPONENTS: dict[str, Callable[[Fraction, int], Fraction]] = {"gaussian": gaussian_exponent, "laplace": laplace_exponent}


@dataclass(frozen=True)
class Law:
    """The symmetric law in which x has a chance proportional to exp(-exponent(x))."""

    name: str
    parameter: Fraction

    def above(self, t: int) -> Decimal:
        """P(X >= t) for t >= 0."""
        weights, after = tails(self.name, self.parameter)
        if t >= len(weights):
            return Decimal(0)
        return after[t] / (2 * after[1] + 1)

    def inside(self, width: int) -> Decimal:
        """P(-width <= X <= width)."""
        return 1 - 2 * self.above(width + 1)

    def chance(self, x: int) -> Decimal:
        return self.above(abs(x)) - self.above(abs(x) + 1)

    def below_or_at(self, x: int) -> Decimal:
        """P(X <= x)."""
        return 1 - self.above(x + 1) if x >= 0 else self.above(-x)


@cache
def tails(name: str, parameter: Fraction) -> tuple[list[Decimal], list[Decimal]]:
    """The weights of 0, 1, 2, ... and, for each, the sum of it and all after it."""
    with localcontext() as context:
        context.prec = DIGITS
        weights: list[Decimal] = []
        while not weights or weights[-1] > SMALL:
            weights.append((-decimal(EXPONENTS[name](parameter, len(weights)))).exp())
        weights.append(Decimal(0))
        after = list(weights)
        for x in range(len(after) - 2, -1, -1):
            after[x] += after[x + 1]
        return weights, after
