"""The least integer from which a condition holds, and the end of the fractions for which one does."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from fractions import Fraction

__all__ = ["least", "nearest"]

HALVINGS = 30


def least(holds: Callable[[int], bool], near: int) -> int:
    """The least integer where ``holds`` is true, for a condition that stays true once it is; gallop from ``near``."""
    step = 1
    if holds(near):
        high, low = near, near - 1
        while holds(low):
            high, step = low, 2 * step
            low -= step
    else:
        low, high = near, near + 1
        while not holds(high):
            low, step = high, 2 * step
            high += step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def nearest(holds: Callable[[Fraction], bool], good: Fraction, bad: Fraction) -> Fraction:
    """A number for which ``holds`` is true, close to where it ends, on the way from a good one to a bad one."""
    for _ in range(HALVINGS):
        middle = (good + bad) / 2
        good, bad = (middle, bad) if holds(middle) else (good, middle)
    return good
