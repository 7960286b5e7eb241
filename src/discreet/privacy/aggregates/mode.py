"""MODE(x): the most frequent of the values that a column may have, by its range or by its declared values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from discreet.errors import Refused
from discreet.plan.nodes import Aggregation
from discreet.plan.scalar import Call, Case, ColumnRef, Literal, Op, Scalar
from discreet.plan.types import Type, Value
from discreet.privacy.aggregates.cells import MOST_CELLS, Cells
from discreet.privacy.bounded import Histogram, Noisy, Pick
from discreet.privacy.grids import grid_for
from discreet.privacy.keys import outcomes
from discreet.privacy.unit import Unit

__all__ = ["Mode", "mode"]


@dataclass(frozen=True, slots=True)
class Mode:
    """``values`` has what each cell stands for, or ``cells`` does."""

    name: str
    pick: Pick
    type: Type
    values: tuple[Value, ...] = ()
    cells: Cells | None = None

    @property
    def parts(self) -> Mapping[str, Pick]:
        return {"mode": self.pick}

    def value(self, noisy: Sequence[Noisy]) -> Value:
        cell = noisy[0].value
        return self.values[int(cell)] if self.cells is None else self.cells.value(cell)

    def interval(self, noisy: Sequence[Noisy]) -> None:
        """How much more frequent it is than the others is not known."""


def mode(aggregation: Aggregation, unit: Unit) -> Mode:
    argument = aggregation.argument
    assert argument is not None
    values = _values(argument, unit)
    if values:
        histogram = Histogram(_place_among(argument, values), len(values), unit.rows)
        return Mode(aggregation.name, Pick(histogram, None, aggregation.span), argument.type, values)
    if not (argument.type.numeric or argument.type.temporal):
        raise Refused(
            "unbounded-expression",
            "MODE needs the values that are possible, and these are not declared",
            "the owner can declare values = […]; or group by it, and order by COUNT(*) DESC LIMIT 1",
            aggregation.span,
        )
    cells = Cells.of(argument, unit)
    if cells.apart:
        fewer = "DATE_TRUNC('day', …)" if argument.type.temporal else "ROUND(…, 0)"
        many = grid_for(argument, unit.declared).cells
        raise Refused(
            "too-many-values",
            f"MODE would choose among {many} values, so that hardly one is met twice",
            f"round it to fewer than {MOST_CELLS}: MODE({fewer})",
            aggregation.span,
        )
    pick = Pick(cells.histogram(argument, unit), None, aggregation.span)
    return Mode(aggregation.name, pick, cells.type, cells=cells)


def _values(argument: Scalar, unit: Unit) -> tuple[Value, ...]:
    declared = unit.declared(argument).values if isinstance(argument, ColumnRef) else None
    found = declared or outcomes(argument) or ()
    return tuple(value for value in found if value is not None)


def _place_among(argument: Scalar, values: tuple[Value, ...]) -> Scalar:
    """The number of a value in the list; NULL for any other."""
    branches = tuple(
        (Call(Op.EQ, (argument, Literal(value, argument.type)), Type.BOOLEAN), Literal(place, Type.INTEGER))
        for place, value in enumerate(values)
    )
    return Case(branches, None, Type.INTEGER)
