"""The cheapest noise that keeps a part within a half width: a calculation, since it does not depend on the data."""

from __future__ import annotations

from fractions import Fraction

from discreet.errors import Refused
from discreet.ledger.accountants import accountant
from discreet.mechanisms import Mechanism
from discreet.mechanisms.choose import noise_for
from discreet.mechanisms.method import Method
from discreet.mechanisms.sharpest import CONFIDENCE, half_width
from discreet.privacy.bounded import Part

__all__ = ["cheapest"]

CHEAPEST, DEAREST = Fraction(1, 10**9), Fraction(100)
FINENESS = Fraction(1, 1000)
"""Prices are looked for to this relative step."""


def cheapest(part: Part, target: Fraction, accounting: str, method: Method) -> Mechanism:
    """For a half width of at most ``target`` at 95 %, in the units of the column."""

    def at(epsilon: Fraction) -> Mechanism:
        return noise_for(part, accountant(accounting).price(epsilon), accounting, method)

    def meets(epsilon: Fraction) -> bool:
        return half_width(at(epsilon), CONFIDENCE) * part.grid <= target

    low, high = CHEAPEST, DEAREST
    if meets(low):
        return at(low)
    if not meets(high):
        best = half_width(at(high), CONFIDENCE) * part.grid
        message = f"no price up to epsilon {DEAREST} is that sharp: it reaches ±{float(best):.4g} at 95 %"
        raise Refused("accuracy-unreachable", message, "ask for less accuracy")
    while high - low > high * FINENESS:
        middle = (low + high) / 2
        low, high = (low, middle) if meets(middle) else (middle, high)
    return at(high.limit_denominator(10**9) + Fraction(1, 10**9))
