"""The cheapest price that meets a wanted half width: a calculation, since noise does not depend on the data."""

from __future__ import annotations

from fractions import Fraction

from discreet.errors import Refused
from discreet.ledger.accountants import accountant
from discreet.mechanisms.choose import CONFIDENCE, SHARPEST, KeyRule, choose
from discreet.mechanisms.method import Method
from discreet.privacy.bounded import Bounded, Output, Part

__all__ = ["price_for"]

CHEAPEST, DEAREST = Fraction(1, 10**9), Fraction(100)
FINENESS = Fraction(1, 1000)
"""Prices are looked for to this relative step."""


def price_for(
    bounded: Bounded, target: Fraction, accounting: str, keys: KeyRule | None, method: Method = SHARPEST
) -> Fraction:
    """The least epsilon at which every released number has a half width of at most ``target`` at 95 %."""
    for output in bounded.outputs:
        if len(_numbers(output)) != 1:
            raise Refused(
                "accuracy-unknown",
                f"how sharp {output.name!r} is depends on the data, so no price can promise it",
                "name an epsilon; SUM and COUNT can be asked for with an accuracy",
            )
    low, high = CHEAPEST, DEAREST
    if _meets(bounded, low, target, accounting, keys, method):
        return low
    if not _meets(bounded, high, target, accounting, keys, method):
        raise Refused("accuracy-unreachable", "no price up to epsilon 100 is that sharp", "ask for less accuracy")
    while high - low > high * FINENESS:
        middle = (low + high) / 2
        low, high = (low, middle) if _meets(bounded, middle, target, accounting, keys, method) else (middle, high)
    return high.limit_denominator(10**9) + Fraction(1, 10**9)


def _meets(
    bounded: Bounded, epsilon: Fraction, target: Fraction, accounting: str, keys: KeyRule | None, method: Method
) -> bool:
    program = choose(bounded, accountant(accounting).price(epsilon), accounting, keys, method)
    asked = {part for output in bounded.outputs for part in _numbers(output)}
    return all(program.half_width(part, CONFIDENCE) <= target for part in asked)


def _numbers(output: Output) -> list[Part]:
    return [part for part in output.parts.values() if isinstance(part, Part)]
