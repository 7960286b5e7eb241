"""Noise for a number of slots that is fixed before the first of them: the query-budget protocol.

The owner grants t basic queries. Each gets Gaussian noise of deviation sigma sqrt(t) times its sensitivity, so that all
t together are one answer of deviation sigma. Two ways to a sigma:

- ``printed_slot_sigma``: (sqrt(L) + sqrt(L + epsilon)) / (sqrt(2) epsilon), L = ln(1 / delta), from one order of Renyi;
- ``slot_sigma``: the least one that is (epsilon, delta)-private (Balle, Wang 2018).
"""

from __future__ import annotations

from math import log, sqrt

from discreet.accounting.gaussian import sigma_of
from discreet.accounting.query import Query, check_delta

__all__ = ["printed_slot_sigma", "slot_sigma"]


def printed_slot_sigma(epsilon: float, delta: float) -> float:
    """The formula as it is printed; it is sound, and about a sixth larger than need be."""
    check_delta(delta)
    spare = log(1 / delta)
    return (sqrt(spare) + sqrt(spare + epsilon)) / (sqrt(2) * epsilon)


def slot_sigma(epsilon: float, delta: float) -> float:
    return sigma_of(Query(epsilon, delta))
