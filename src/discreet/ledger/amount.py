"""Amounts that cannot drift: whole grains of 1e-30 in the store, and one door for prices.

What is spent is rounded up to a grain and what may be spent is rounded down, so that the store
never grants more than the exact fractions would. Grains are written as decimal text of fixed
width: text of one width compares as the numbers do, so the store's own constraints hold the cap.
"""

from __future__ import annotations

import math
import re
from decimal import Decimal
from fractions import Fraction

from discreet.errors import LedgerError, Refused

__all__ = ["WIDTH", "capped", "debit", "fraction", "parse_price", "read", "write"]

GRAINS = 10**30
WIDTH = 48
LEAST, MOST = Fraction(1, 10**9), Fraction(10**4)
PLAIN = re.compile(r"\+?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?", re.ASCII)


def debit(value: Fraction) -> int:
    """The grains to charge: rounded up."""
    if value < 0:
        raise LedgerError("bad-charge", "a charge is never negative")
    return math.ceil(value * GRAINS)


def capped(value: Fraction) -> int:
    """The grains of a cap: rounded down."""
    if value < 0:
        raise LedgerError("bad-charge", "a cap is never negative")
    return math.floor(value * GRAINS)


def write(grains: int) -> str:
    """Text of fixed width, which compares as the number does."""
    text = f"{grains:0{WIDTH}d}"
    if grains < 0 or len(text) > WIDTH:
        raise LedgerError("bad-charge", "the amount does not fit into the ledger")
    return text


def read(text: str) -> int:
    return int(text)


def fraction(grains: int) -> Fraction:
    return Fraction(grains, GRAINS)


def parse_price(value: object) -> Fraction:
    """An epsilon as a caller gave it, exactly: 0.1 is one tenth, not the nearest binary fraction."""
    number = _number(value)
    if not LEAST <= number <= MOST:
        raise _bad_price("it is out of range")
    return Fraction(number)


def _number(value: object) -> Fraction | Decimal | int:
    match value:
        case bool():
            raise _bad_price("true and false are not numbers")
        case int() | Fraction():
            return value
        case Decimal():
            return _finite(value)
        case float():
            # The shortest text that reads back as this float is what the caller wrote.
            return _finite(Decimal(float.__repr__(value)))
        case str() if len(value) <= 64 and PLAIN.fullmatch(value.strip()):
            return Decimal(value.strip())
        case _:
            raise _bad_price(f"a {type(value).__name__} of this form is not read")


def _finite(value: Decimal) -> Decimal:
    if not value.is_finite():
        raise _bad_price("it is not finite")
    return value


def _bad_price(why: str) -> Refused:
    return Refused(
        "bad-price",
        f"this price is not a usable epsilon: {why}",
        "give a number from 1e-9 to 10000, such as 0.5",
    )
