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


def normal_above(z: Decimal) -> Decimal:
    """P(N > z) for z >= 0: half less the series of the integral from 0, with digits to spare for what cancels."""
    with localcontext() as context:
        context.prec = 2 * DIGITS + int(z * z)
        term = total = z
        n = 0
        while term > Decimal(10) ** -context.prec:
            n += 1
            term = term * z * z / (2 * n + 1)
            total += term
        return Decimal("0.5") - total * (-z * z / 2).exp() / (2 * PI).sqrt()


PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211706798")


@dataclass(frozen=True)
class RoundedNormal:
    """A normal number, rounded: what Gaussian noise on a fine grid is within a hair of."""

    sigma_squared: Fraction

    def above(self, t: int) -> Decimal:
        """P(X >= t) for t >= 1; half for 0 and below, where no test looks."""
        with localcontext() as context:
            context.prec = 2 * DIGITS
            beyond = decimal(max(Fraction(2 * t - 1, 2), Fraction(0))) / decimal(self.sigma_squared).sqrt()
            return normal_above(beyond)

    def inside(self, width: int) -> Decimal:
        return 1 - 2 * self.above(width + 1)

    def chance(self, x: int) -> Decimal:
        return self.inside(0) if x == 0 else self.above(abs(x)) - self.above(abs(x) + 1)


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
