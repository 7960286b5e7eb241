"""Guarantees across units: a group of them, and parts of the data that share none."""

from __future__ import annotations

from collections.abc import Sequence
from math import expm1, inf

from discreet.accounting.query import Query

__all__ = ["group", "parallel"]


def group(query: Query, size: int) -> Query | None:
    """For g units together (g eps, delta (e**(g eps) - 1) / (e**eps - 1)); None where that says nothing.

    A c-stable step before a query makes a group of c of each unit.
    """
    if size < 1:
        raise ValueError(f"a group has at least one unit, not {size}")
    epsilon = size * query.epsilon
    if not query.delta:
        return Query(epsilon)
    delta = query.delta * (_growth(query.epsilon, size) if epsilon < 700 else inf)
    return Query(epsilon, delta) if delta < 1 else None


def _growth(epsilon: float, size: int) -> float:
    return expm1(size * epsilon) / expm1(epsilon) if epsilon else float(size)


def parallel(queries: Sequence[Query]) -> Query:
    """The largest of them: only for parts that are fixed before the first query, each unit lying in one of them."""
    return Query(max(query.epsilon for query in queries), max(query.delta for query in queries))
