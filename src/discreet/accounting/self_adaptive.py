"""The least of three bounds, for queries that need not be alike (Kairouz, Oh, Viswanath 2015, theorem 3.5).

Basic composition; a bound by the mean and the variance of the loss; and the same with a delta that grows with the
number of queries, which is sharper when the total is large. The theorem is for any sequence, so equal queries are only
a case of it. All prices are fixed beforehand, in spite of the name under which it is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import e, fsum, inf, log, sqrt

from discreet.accounting.query import Query, spare_delta

__all__ = ["self_adaptive"]


def self_adaptive(queries: Sequence[Query], delta: float) -> float:
    """The epsilon at ``delta`` = 1 - prod(1 - delta_i) (1 - d'), with the d' that this leaves."""
    spare = spare_delta(queries, delta)
    total = fsum(query.epsilon for query in queries)
    if spare < 0:
        return inf
    if spare == 0:
        return total
    drift = fsum(query.drift for query in queries)
    spread = fsum(query.epsilon**2 for query in queries)
    by_variance = drift + sqrt(2 * spread * log(1 / spare))
    by_growth = drift + sqrt(2 * spread * log(e + sqrt(spread) / spare))
    return min(total, by_variance, by_growth)
