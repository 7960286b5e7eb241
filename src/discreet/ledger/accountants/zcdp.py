"""Approximate zero-concentrated differential privacy: the currency is rho, and delta beside it.

docs/proofs/zcdp-filter.md proves that spending may be chosen adaptively, query by query, as long
as the sums stay within the capacity that was fixed before the first query.
"""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import TYPE_CHECKING

from discreet.ledger.accountants.protocol import add_up, check_budget, unknown_event
from discreet.ledger.events import (
    Charge,
    Event,
    ExponentialChoice,
    GaussianNoise,
    KeyThreshold,
    LaplaceNoise,
    PermuteAndFlipChoice,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["ZCDP", "Zcdp"]

DIGITS = 60
MARGIN = Decimal("1e-40")
"""Far more than sixty-digit arithmetic can lose, far less than one grain of the ledger."""


class Zcdp:
    """Prices by Renyi divergence of every order at once; see the proof note."""

    name = "zcdp"

    def capacity(self, epsilon: Fraction, delta: Fraction, keys_delta: Fraction) -> Charge:
        check_budget(epsilon, delta, keys_delta)
        if delta == keys_delta:
            raise ValueError(
                "zcdp accounting needs a delta above zero that is not all set aside for private keys: "
                'raise delta, or use accounting = "pure"'
            )
        return Charge(_rho(epsilon, delta - keys_delta), keys_delta)

    def keys_share(self, delta: Fraction) -> Fraction:
        """Half: the other half is what rho is converted at."""
        return delta / 2

    def charge(self, events: Sequence[Event]) -> Charge:
        return add_up(events, _cost)

    def price(self, epsilon: Fraction) -> Fraction:
        return epsilon**2 / 2

    def epsilon(self, amount: Fraction) -> float:
        return math.isqrt(math.floor(2 * max(amount, Fraction(0)) * 10**24)) / 10**12

    def guarantee(self, spent: Charge, delta: Fraction) -> float:
        left = delta - spent.delta
        if spent.amount <= 0 and left >= 0:
            return 0.0
        if left <= 0:
            return math.inf
        rho, log_delta = float(spent.amount), _log(left)
        found = _best(lambda t: -_epsilon_at(rho, log_delta, t))
        return max(0.0, _epsilon_at(rho, log_delta, found)) * (1 + 1e-9)


ZCDP = Zcdp()


def _cost(event: Event) -> Charge:
    match event:
        case GaussianNoise(ratio_squared):
            return Charge(ratio_squared / 2)
        case LaplaceNoise(ratio) | PermuteAndFlipChoice(ratio):
            # Bun and Steinke 2016: epsilon-DP is epsilon**2/2-zCDP. It is also epsilon-zCDP, since
            # no Renyi divergence exceeds the largest, epsilon, and the order is above one.
            return Charge(min(ratio**2 / 2, ratio)) if ratio > 0 else Charge(ratio)
        case ExponentialChoice(ratio):
            # Its log-ratios lie in an interval of this length, which says more than that none exceeds it.
            return Charge(min(ratio**2 / 8, ratio)) if ratio > 0 else Charge(ratio)
        case KeyThreshold(delta):
            return Charge(Fraction(0), delta)
        case _:
            raise unknown_event("zcdp", event)


def _rho(epsilon: Fraction, delta: Fraction) -> Fraction:
    """The most rho whose conversion at delta stays within epsilon, rounded down.

    Every order is sound, so the order is searched for in floats and only then used, once, exactly.
    """
    approximate, log_delta = float(epsilon), _log(delta)
    order = _best(lambda t: _rho_at(approximate, log_delta, t))
    with localcontext() as context:
        context.prec = DIGITS
        excess = Decimal(math.exp(order))  # alpha - 1
        alpha = excess + 1
        conversion = (_decimal(delta) * excess).ln() - alpha * (excess / alpha).ln()
        rho = (_decimal(epsilon) + conversion / excess) / alpha
        return max(Fraction(0), Fraction(rho - MARGIN))


def _rho_at(epsilon: float, log_delta: float, t: float) -> float:
    return (epsilon + _conversion(log_delta, t)) / (1 + math.exp(t))


def _epsilon_at(rho: float, log_delta: float, t: float) -> float:
    return (1 + math.exp(t)) * rho - _conversion(log_delta, t)


def _conversion(log_delta: float, t: float) -> float:
    """(log(delta (alpha-1)) - alpha log(1 - 1/alpha)) / (alpha-1) at alpha = 1 + e**t."""
    excess = math.exp(t)
    return (log_delta + t + (1 + excess) * math.log1p(math.exp(-t))) / excess


def _best(value: Callable[[float], float]) -> float:
    """Where value is (nearly) largest over -20 <= t <= 45: a coarse grid, then finer ones."""
    low, high = -20.0, 45.0
    best = low
    while high - low > 1e-9:
        step = (high - low) / 64
        best = max((low + step * i for i in range(65)), key=value)
        low, high = best - step, best + step
    return best


def _log(value: Fraction) -> float:
    return math.log(value.numerator) - math.log(value.denominator)


def _decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)
