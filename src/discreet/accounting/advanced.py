"""Advanced composition (Dwork, Rothblum, Vadhan 2010), for queries that need not be alike."""

from __future__ import annotations

from collections.abc import Sequence
from math import expm1, fsum, inf, log, sqrt

from discreet.accounting.query import Query, check_delta

__all__ = ["advanced"]


def advanced(queries: Sequence[Query], delta: float) -> float:
    """sqrt(2 ln(1/d') sum eps_i**2) + sum eps_i (e**eps_i - 1), with d' what ``delta`` leaves beside sum delta_i."""
    check_delta(delta)
    spare = delta - fsum(query.delta for query in queries)
    if spare <= 0 or any(query.epsilon > 700 for query in queries):
        return inf
    spread = fsum(query.epsilon**2 for query in queries)
    drift = fsum(query.epsilon * expm1(query.epsilon) for query in queries)
    return sqrt(2 * log(1 / spare) * spread) + drift
