"""exp(-g) for a rational g, in integers, to as many binary places as are asked for."""

from __future__ import annotations

from fractions import Fraction

__all__ = ["exp_minus"]


def exp_minus(exponent: Fraction, places: int) -> int:
    """An integer within 1 of 2**places * exp(-exponent), for exponent >= 0 and places >= 1.

    With g < places, g / 2**k is at most 1/2 for a k of at most the length of ``places`` plus 1. The alternating series
    at g / 2**k is off by less than 4 units for each of its terms, of which there are fewer than ``unit``; each of
    the k squarings doubles the error and adds 2. The guard places hold 2**18 times all of that.
    """
    if exponent >= places:
        return 0
    halvings = int(exponent).bit_length() + 1
    guard = 2 * places.bit_length() + 24
    unit = places + guard
    x = (exponent.numerator << unit) // (exponent.denominator << halvings)
    result = _series(x, unit)
    for _ in range(halvings):
        result = result * result >> unit
    return (result + (1 << (guard - 1))) >> guard


def _series(x: int, unit: int) -> int:
    """1 - x + x**2 / 2 - x**3 / 6 + ... where x is at most 1/2 and all numbers are counted in 2**-unit."""
    term = total = 1 << unit
    n = 0
    while term:
        n += 1
        term = (term * x >> unit) // n
        total += -term if n % 2 else term
    return total
