"""Gaussian noise, exactly: k answers of deviations sigma_i are one answer of precision sum 1 / sigma_i**2.

The curve of one answer is that of Balle and Wang (2018). What is drawn in the product is discrete, and not exactly
this: at sigma 1 its delta is 2.1 times the continuous one's, at sigma 20 1.004 times. So this is a calculator; no
guarantee rests on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import fsum, inf, sqrt

from discreet.accounting.formulas import falling_root, gaussian_delta, gaussian_sigma
from discreet.accounting.query import Query, check_delta

__all__ = ["gaussian", "sigma_of"]


def gaussian(queries: Sequence[Query], delta: float) -> float:
    """The epsilon at ``delta`` of Gaussian noises, each just strong enough for its query's (epsilon, delta)."""
    check_delta(delta)
    if any(query.delta == 0 for query in queries):
        return inf
    sigma = 1 / sqrt(fsum(1 / sigma_of(query) ** 2 for query in queries))
    if gaussian_delta(sigma, 0) <= delta:
        return 0.0
    high = 1.0
    while gaussian_delta(sigma, high) > delta:
        high *= 2
    return falling_root(lambda epsilon: gaussian_delta(sigma, epsilon) - delta, 0, high)


@lru_cache(maxsize=1024)
def sigma_of(query: Query) -> float:
    """The least deviation at which noise on a number that moves by one is private enough for the query."""
    if not (query.epsilon > 0 and query.delta > 0):
        raise ValueError("Gaussian noise needs an epsilon and a delta above 0 for each query")
    return gaussian_sigma(query.epsilon, query.delta)
