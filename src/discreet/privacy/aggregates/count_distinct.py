"""COUNT(DISTINCT unit): how many people, devices or companies there are."""

from __future__ import annotations

from discreet.errors import Refused
from discreet.plan.nodes import Aggregation
from discreet.plan.scalar import Case, ColumnRef, Scalar
from discreet.plan.types import Type
from discreet.privacy.aggregates.single import Single
from discreet.privacy.unit import Unit

__all__ = ["count_distinct"]


def count_distinct(aggregation: Aggregation, unit: Unit) -> Single:
    """``COUNT(DISTINCT CASE WHEN c THEN unit END)``, which FILTER also becomes, counts units with a row where c."""
    argument, condition = _conditional(aggregation.argument)
    if argument not in unit.columns:
        known = (
            " or ".join(f"{ref.source}.{ref.name}" for ref in unit.columns) or "nothing here, since each row is a unit"
        )
        raise Refused(
            "unsupported",
            "COUNT(DISTINCT …) counts privacy units only",
            f"count the unit: {known}",
            aggregation.span,
        )
    return Single(aggregation.name, "count_distinct", unit.units_where(condition))


def _conditional(argument: Scalar | None) -> tuple[Scalar | None, Scalar | None]:
    match argument:
        case Case(branches=((condition, ColumnRef() as column),), default=None) if condition.type is Type.BOOLEAN:
            return column, condition
        case _:
            return argument, None
