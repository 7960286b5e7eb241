"""At one price, the mechanism that is the sharpest of those that are allowed."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from discreet.mechanisms import CHOICES, MECHANISMS, Choice, Mechanism

__all__ = ["CONFIDENCE", "EVERY_CHOICE", "half_width", "sharpest_choice", "sharpest_noise"]

CONFIDENCE = 0.95
"""At one price the law with the smaller half width at this confidence is the better one."""

EVERY_LAW, EVERY_CHOICE = tuple(MECHANISMS.values()), tuple(CHOICES.values())

Laws = tuple[type[Mechanism], ...]


@lru_cache(maxsize=1024)
def sharpest_noise(
    l1: int, l2_squared: int, amount: Fraction, accounting: str, laws: Laws = EVERY_LAW
) -> Mechanism | None:
    """None where the accounting has no price for any of them."""
    possible = [law.calibrate(l1, l2_squared, amount, accounting) for law in laws]
    return min((noise for noise in possible if noise), key=lambda noise: half_width(noise, CONFIDENCE), default=None)


def sharpest_choice(
    moved: int, amount: Fraction, accounting: str, choices: Sequence[type[Choice]] = EVERY_CHOICE
) -> Choice:
    """The choice whose chances fall fastest; at equal rates the first of the registry, which is never worse."""
    possible = [choice.calibrate(moved, amount, accounting) for choice in choices]
    return max(possible, key=lambda choice: choice.rate)


@lru_cache(maxsize=4096)
def half_width(noise: Mechanism, confidence: float) -> int:
    """A sum over tails, which many groups and many questions share."""
    return noise.half_width(confidence)
