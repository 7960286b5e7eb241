"""The least integer from which a condition holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["least"]


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
