"""Approximate zero-concentrated differential privacy: the currency is rho, and delta beside it.

docs/proofs/zcdp-filter.md proves that spending may be chosen adaptively, query by query, as long
as the sums stay within the capacity that was fixed before the first query.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from discreet.accounting.concentrated import epsilon_of, response_rho, rho_of
from discreet.ledger.accountants.protocol import add_up, check_budget, unknown_event
from discreet.ledger.events import (
    AboveThreshold,
    Charge,
    Event,
    ExponentialChoice,
    GaussianNoise,
    KeyThreshold,
    LaplaceNoise,
    PermuteAndFlipChoice,
    RandomisedAnswer,
    SharpenedGaussian,
    SmoothNoise,
    StabilityThreshold,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["ZCDP", "Zcdp"]


class Zcdp:
    """Prices by Renyi divergence of every order at once; see the proof note."""

    name = currency = "zcdp"

    def capacity(self, epsilon: Fraction, delta: Fraction, keys_delta: Fraction) -> Charge:
        check_budget(epsilon, delta, keys_delta)
        if delta == keys_delta:
            raise ValueError(
                "zcdp accounting needs a delta above zero that is not all set aside for private keys: "
                'raise delta, or use accounting = "pure"'
            )
        return Charge(rho_of(epsilon, delta - keys_delta), keys_delta)

    def keys_share(self, delta: Fraction) -> Fraction:
        """Half: the other half is what rho is converted at."""
        return delta / 2

    def at_once(self, left: Fraction, cap: Fraction) -> Fraction:
        del cap
        return left

    def charge(self, events: Sequence[Event]) -> Charge:
        return add_up(events, _cost)

    def price(self, epsilon: Fraction) -> Fraction:
        return epsilon**2 / 2

    def epsilon(self, amount: Fraction) -> float:
        return math.isqrt(math.floor(2 * max(amount, Fraction(0)) * 10**24)) / 10**12

    def guarantee(self, spent: Charge, delta: Fraction) -> float:
        return epsilon_of(float(spent.amount), delta - spent.delta)


ZCDP = Zcdp()


def _cost(event: Event) -> Charge:
    match event:
        case GaussianNoise(ratio_squared) | SharpenedGaussian(ratio_squared):
            return Charge(ratio_squared / 2)
        case LaplaceNoise(ratio) | PermuteAndFlipChoice(ratio):
            # Bun and Steinke 2016: epsilon-DP is epsilon**2/2-zCDP. It is also epsilon-zCDP, since
            # no Renyi divergence exceeds the largest, epsilon, and the order is above one.
            return Charge(min(ratio**2 / 2, ratio)) if ratio > 0 else Charge(ratio)
        case ExponentialChoice(ratio):
            # Its log-ratios lie in an interval of this length, which says more than that none exceeds it.
            return Charge(min(ratio**2 / 8, ratio)) if ratio > 0 else Charge(ratio)
        case RandomisedAnswer(ratio):
            return Charge(response_rho(ratio)) if ratio > 0 else Charge(ratio)
        case AboveThreshold(threshold, answers):
            # One unit more or less: log-ratios from -answers to threshold + answers (docs/proofs/sparse-vector.md).
            return Charge(min((threshold + 2 * answers) ** 2 / 8, threshold + answers))
        case KeyThreshold(delta) | StabilityThreshold(delta):
            return Charge(Fraction(0), delta)
        case SmoothNoise(ratio, delta, groups):
            # (epsilon, delta)-DP is delta-approximately epsilon**2/2-zCDP, and epsilon-zCDP as above.
            return Charge(groups * min(ratio**2 / 2, ratio), groups * delta)
        case _:
            raise unknown_event("zcdp", event)
