"""Gaussian differential privacy: the currency is precision, which adds up and is converted once, exactly.

docs/proofs/gdp-filter.md proves that spending may be chosen adaptively, and that nothing is lost by it for normal
noise. Three ways to set prices share it: ``gdp`` lets each question name its own; ``slots`` gives a fixed number of
equal ones (the query-budget protocol); ``decaying`` a part of what is left.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from discreet.accounting.gaussian_dp import capacity, epsilon_above, of_pure
from discreet.ledger import amount
from discreet.ledger.accountants.protocol import add_up, check_budget, unknown_event
from discreet.ledger.events import (
    AboveThreshold,
    Charge,
    Event,
    ExponentialChoice,
    FineGaussianNoise,
    KeyThreshold,
    LaplaceNoise,
    PermuteAndFlipChoice,
    RandomisedAnswer,
    SharpenedFineGaussian,
    SmoothNoise,
    StabilityThreshold,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["DECAYING", "GDP", "SLOTS", "Gdp"]


class Gdp:
    """Prices by the precision of normal noise that tells no less."""

    currency = "gdp"

    def __init__(self, name: str) -> None:
        self.name = name

    def capacity(self, epsilon: Fraction, delta: Fraction, keys_delta: Fraction) -> Charge:
        check_budget(epsilon, delta, keys_delta)
        precision = capacity(epsilon, delta - keys_delta)
        if not precision:
            raise ValueError(
                f"{self.name} accounting needs a delta above zero that is not all set aside for private keys, "
                'and a larger one the larger epsilon is: raise delta, lower epsilon, or use accounting = "pure"'
            )
        return Charge(precision, keys_delta)

    def keys_share(self, delta: Fraction) -> Fraction:
        """Half: the other half is what precision is converted at."""
        return delta / 2

    def at_once(self, left: Fraction, cap: Fraction) -> Fraction:
        del cap
        return left

    def charge(self, events: Sequence[Event]) -> Charge:
        return add_up(events, self._cost)

    def price(self, epsilon: Fraction) -> Fraction:
        """As under zCDP, where rho is half of the precision: the same epsilon buys the same noise."""
        return epsilon**2

    def epsilon(self, amount: Fraction) -> float:
        return math.isqrt(math.floor(max(amount, Fraction(0)) * 10**24)) / 10**12

    def guarantee(self, spent: Charge, delta: Fraction) -> float:
        return epsilon_above(float(spent.amount), float(delta - spent.delta))

    def _cost(self, event: Event) -> Charge:
        match event:
            case FineGaussianNoise(ratio_squared) | SharpenedFineGaussian(ratio_squared):
                return Charge(ratio_squared)
            case LaplaceNoise(ratio) | PermuteAndFlipChoice(ratio) | RandomisedAnswer(ratio):
                return Charge(of_pure(ratio) if ratio > 0 else ratio)
            case ExponentialChoice(ratio):
                # Log-ratios in an interval of this length are worst where it lies about zero.
                return Charge(of_pure(ratio / 2) if ratio > 0 else ratio)
            case AboveThreshold(threshold, answers):
                # The coin that a watch is made of has log-ratios in an interval of twice this length.
                return Charge(of_pure(threshold / 2 + answers))
            case KeyThreshold(delta) | StabilityThreshold(delta):
                return Charge(Fraction(0), delta)
            case SmoothNoise(ratio, delta, groups):
                return Charge(groups * (of_pure(ratio) if ratio > 0 else ratio), groups * delta)
            case _:
                raise unknown_event(self.name, event)


class Decaying(Gdp):
    """After i - 1 questions B / i is left of a budget B, and the next takes B / (i (i + 1)) of it.

    Told by what is left, R, that is R**2 / (B + R). The ledger holds every question to it, since two that are asked at
    once would have seen the same price, and could empty the budget between them.
    """

    def at_once(self, left: Fraction, cap: Fraction) -> Fraction:
        return amount.fraction(amount.capped(left**2 / (cap + left))) if left else left


GDP, SLOTS, DECAYING = Gdp("gdp"), Gdp("slots"), Decaying("decaying")
