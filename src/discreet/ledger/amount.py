"""Amounts that cannot drift: whole grains of 1e-30 in the store, and one door for prices.

What is spent is rounded up to a grain and what may be spent is rounded down, so that the store
never grants more than the exact fractions would. Grains are written as decimal text of fixed
width: text of one width compares as the numbers do, so the store's own constraints hold the cap.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from discreet.errors import LedgerError, Refused

__all__ = [
    "WIDTH",
    "capped",
    "debit",
    "fraction",
    "parse_accuracy",
    "parse_delta",
    "parse_price",
    "parse_proposal",
    "read",
    "write",
]

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
    return _within(value, LEAST, MOST, EPSILON)


def parse_delta(value: object) -> Fraction:
    """The delta of one selection of private keys."""
    return _within(value, Fraction(1, 10**30), Fraction(1, 2), DELTA)


def parse_accuracy(value: object) -> Fraction:
    """A wanted half width, or what it is a share of."""
    return _within(value, Fraction(1, 10**30), Fraction(10**30), ACCURACY)


def parse_proposal(value: object) -> Fraction:
    """What is proposed as the most that a unit can move, in the units of the column."""
    return _within(value, Fraction(1, 10**30), Fraction(10**30), PROPOSAL)


@dataclass(frozen=True, slots=True)
class _Door:
    """How a number that is refused is spoken of."""

    code: str
    what: str
    hint: str

    def refuse(self, why: str) -> Refused:
        return Refused(self.code, f"this is not a usable {self.what}: {why}", self.hint)


EPSILON = _Door("bad-price", "epsilon", "give a number from 1e-9 to 10000, such as 0.5")
DELTA = _Door("bad-price", "delta", "give a number from 1e-30 to 0.5, such as 1e-8")
ACCURACY = _Door("bad-price", "accuracy", "give a number above zero, such as 100")
PROPOSAL = _Door("bad-price", "proposal", "give a number above zero, in the units of the column, such as 2.5")


def _within(value: object, least: Fraction, most: Fraction, door: _Door) -> Fraction:
    number = _number(value, door)
    if not least <= number <= most:
        raise door.refuse("it is out of range")
    return Fraction(number)


def _number(value: object, door: _Door) -> Fraction | Decimal | int:
    match value:
        case bool():
            raise door.refuse("true and false are not numbers")
        case int() | Fraction():
            return value
        case Decimal():
            return _finite(value, door)
        case float():
            # The shortest text that reads back as this float is what the caller wrote.
            return _finite(Decimal(float.__repr__(value)), door)
        case str() if len(value) <= 64 and PLAIN.fullmatch(value.strip()):
            return Decimal(value.strip())
        case _:
            raise door.refuse(f"a {type(value).__name__} of this form is not read")


def _finite(value: Decimal, door: _Door) -> Decimal:
    if not value.is_finite():
        raise door.refuse("it is not finite")
    return value
