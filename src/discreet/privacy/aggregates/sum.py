"""SUM(x) over the declared range of ``x``, on its grid."""

from __future__ import annotations

from discreet.plan.nodes import Aggregation
from discreet.privacy.aggregates.single import Single
from discreet.privacy.unit import Unit

__all__ = ["total"]


def total(aggregation: Aggregation, unit: Unit) -> Single:
    assert aggregation.argument is not None
    grid = unit.grid_of(aggregation.argument)
    return Single(aggregation.name, "sum", unit.sum_of(aggregation.argument, grid))
