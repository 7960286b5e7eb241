"""The questions that a watch takes: one count, of rows or of units, that another unit never lowers."""

from __future__ import annotations

from discreet.errors import Refused
from discreet.plan.nodes import Aggregate, Project, aggregate_of
from discreet.plan.scalar import ColumnRef
from discreet.privacy.aggregates.single import Single
from discreet.privacy.bounded import Bounded, Kind, Part

__all__ = ["counted"]

HINT = "ask for one COUNT(*), COUNT(x) or COUNT(DISTINCT unit), with WHERE or FILTER for what counts"


def counted(bounded: Bounded) -> Part:
    """The one part of a question for a single count.

    Theorem: a unit that is added adds its own kept rows to the relation, or itself to the units, and takes nothing
    away: the count rises by 0 to ``l1`` (docs/proofs/bounding.md, steps 2 and 5).
    """
    asked = aggregate_of(bounded.plan)
    if asked.keys:
        raise Refused("not-a-count", "a watch takes single numbers, not groups", HINT, asked.keys[0].value.span)
    match bounded.outputs:
        case (Single(part=Part(kind=Kind.ROWS | Kind.UNITS) as part),) if _alone(bounded):
            return _declared(part)
        case _:
            spans = [aggregation.span for aggregation in asked.aggregations]
            message = "a watch takes questions for one count alone"
            raise Refused("not-a-count", message, HINT, spans[0] if spans else None)


def _declared(part: Part) -> Part:
    if part.awaits:
        message = "how many rows of a unit count is chosen for each question, and a watch compares counts of one kind"
        raise Refused("bound-not-declared", message, "count units, or ask the owner to declare rows_per_unit")
    return part


def _alone(bounded: Bounded) -> bool:
    """Nothing stands above the aggregate but its one column."""
    match bounded.plan:
        case Project(input=Aggregate(), columns=(column,)):
            return isinstance(column.value, ColumnRef)
        case _:
            return False
