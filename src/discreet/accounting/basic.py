"""Basic composition: epsilons add up, and so do deltas."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum

from discreet.accounting.query import Query

__all__ = ["basic"]


def basic(queries: Sequence[Query]) -> Query:
    """The guarantee of all together; it needs no delta of its own, and holds for adaptive choices too."""
    return Query(fsum(query.epsilon for query in queries), min(fsum(query.delta for query in queries), 1 - 2**-53))
