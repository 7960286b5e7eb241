"""Pure differential privacy: the currency is epsilon itself, and sums are plain sums.

docs/proofs/pure-filter.md proves that spending may be chosen adaptively. Delta is spent by the
release of private keys, and by mechanisms that need some, alone: without them a dataset stays at delta zero.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from discreet.ledger.accountants.protocol import add_up, check_budget, unknown_event
from discreet.ledger.events import (
    AboveThreshold,
    Charge,
    Event,
    ExponentialChoice,
    KeyThreshold,
    LaplaceNoise,
    PermuteAndFlipChoice,
    RandomisedAnswer,
    SharpenedLaplace,
    SmoothNoise,
    StabilityThreshold,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["PURE", "Pure"]


class Pure:
    """Prices by the largest ratio of densities; Gaussian noise has none, and is refused."""

    name = currency = "pure"

    def capacity(self, epsilon: Fraction, delta: Fraction, keys_delta: Fraction) -> Charge:
        check_budget(epsilon, delta, keys_delta)
        return Charge(epsilon, keys_delta)

    def keys_share(self, delta: Fraction) -> Fraction:
        """All of it: pure epsilon needs none."""
        return delta

    def at_once(self, left: Fraction, cap: Fraction) -> Fraction:
        del cap
        return left

    def charge(self, events: Sequence[Event]) -> Charge:
        return add_up(events, _cost)

    def price(self, epsilon: Fraction) -> Fraction:
        return epsilon

    def epsilon(self, amount: Fraction) -> float:
        return math.floor(max(amount, Fraction(0)) * 10**12) / 10**12

    def guarantee(self, spent: Charge, delta: Fraction) -> float:
        return math.ceil(spent.amount * 10**12) / 10**12 if spent.delta <= delta else math.inf


PURE = Pure()


def _cost(event: Event) -> Charge:
    match event:
        case LaplaceNoise(ratio) | ExponentialChoice(ratio) | PermuteAndFlipChoice(ratio) | RandomisedAnswer(ratio):
            return Charge(ratio)
        case SharpenedLaplace(ratio):
            return Charge(ratio)
        case AboveThreshold(threshold, answers):
            return Charge(threshold + answers)
        case KeyThreshold(delta) | StabilityThreshold(delta):
            return Charge(Fraction(0), delta)
        case SmoothNoise(ratio, delta, groups):
            return Charge(groups * ratio, groups * delta)
        case _:
            raise unknown_event("pure", event)
