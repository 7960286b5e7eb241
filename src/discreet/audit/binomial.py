"""Bounds on a chance from counting: one-sided, exact at any size (Clopper and Pearson 1934)."""

from __future__ import annotations

from math import exp, fsum, lgamma, log

__all__ = ["at_least", "at_most"]

_HALVINGS = 60


def at_least(seen: int, trials: int, doubt: float) -> float:
    """A bound that the chance of the event is above, but for a chance of ``doubt``: where P(count >= seen) is that."""
    if not 0 <= seen <= trials or not 0 < doubt < 1:
        raise ValueError("an event is seen from 0 to all times, and a doubt lies between 0 and 1")
    if seen == 0:
        return 0.0
    low, high = 0.0, seen / trials
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if _tail(seen, trials, middle) > doubt else (middle, high)
    return low


def at_most(seen: int, trials: int, doubt: float) -> float:
    """A bound that the chance of the event is below, but for a chance of ``doubt``: the other event's, turned round."""
    return 1 - at_least(trials - seen, trials, doubt)


def _tail(seen: int, trials: int, chance: float) -> float:
    """P(count >= seen) among independent trials, 0 < chance < 1."""
    yes, no = log(chance), log(1 - chance)
    whole = lgamma(trials + 1)
    return fsum(
        exp(whole - lgamma(count + 1) - lgamma(trials - count + 1) + count * yes + (trials - count) * no)
        for count in range(seen, trials + 1)
    )
