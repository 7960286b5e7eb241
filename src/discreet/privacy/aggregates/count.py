"""COUNT(*) and COUNT(x): rows, or rows whose ``x`` is not NULL."""

from __future__ import annotations

from discreet.plan.nodes import Aggregation
from discreet.plan.scalar import Call, Op
from discreet.plan.types import Type
from discreet.privacy.aggregates.single import Single
from discreet.privacy.unit import Unit

__all__ = ["count"]


def count(aggregation: Aggregation, unit: Unit) -> Single:
    condition = None
    if aggregation.argument is not None:
        null = Call(Op.IS_NULL, (aggregation.argument,), Type.BOOLEAN)
        condition = Call(Op.NOT, (null,), Type.BOOLEAN)
    return Single(aggregation.name, "count", unit.rows_where(condition))
