"""What noise may be put on, and calibrated from: whole numbers and exact prices, nothing else.

Integer noise on a fractional value, or a float that crept in, would void the proofs without any sign (Mironov 2012).
A complaint names no value: the value may be private.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["check_movement", "check_price", "check_whole"]


def check_whole(values: Iterable[object]) -> None:
    """Only Python integers: no float (not even 2.0), no truth value, no Decimal, nothing of numpy."""
    if not set(map(type, values)) <= {int}:
        raise TypeError("integer noise takes whole numbers of the grid only")


def check_movement(l1: int, l2_squared: int) -> None:
    """The two norms of the same movement: both whole, none negative, and nought together or not at all."""
    check_whole((l1, l2_squared))
    if l1 < 0 or l2_squared < 0 or (l1 == 0) != (l2_squared == 0):
        raise ValueError("sensitivities are whole numbers from 0, and 0 together or not at all")


def check_price(amount: Fraction) -> None:
    """An exact price above nothing."""
    if type(amount) is not Fraction:
        raise TypeError("a price is an exact Fraction")
    if amount <= 0:
        raise ValueError("a price is above 0")
