"""MODE(x): the most frequent of the values that a column may have, by its range or by its declared values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from discreet.errors import Refused
from discreet.plan.nodes import Aggregation
from discreet.plan.scalar import Call, Case, ColumnRef, Literal, Op, Scalar
from discreet.plan.types import Type, Value
from discreet.privacy.aggregates.quantile import MOST_CELLS
from discreet.privacy.bounded import Histogram, Noisy, Pick
from discreet.privacy.grids import Grid
from discreet.privacy.keys import outcomes
from discreet.privacy.unit import Unit

__all__ = ["Mode", "mode"]


@dataclass(frozen=True, slots=True)
class Mode:
    """``values`` has what each cell stands for, or the grid does."""

    name: str
    pick: Pick
    type: Type
    values: tuple[Value, ...] = ()
    grid: Grid | None = None

    @property
    def parts(self) -> Mapping[str, Pick]:
        return {"mode": self.pick}

    def value(self, noisy: Sequence[Noisy]) -> Value:
        cell = int(noisy[0].value)
        if self.grid is None:
            return self.values[cell]
        found = (self.grid.low + cell) * self.grid.step
        return int(found) if self.type is Type.INTEGER else float(found)

    def interval(self, noisy: Sequence[Noisy]) -> None:
        """How much more frequent it is than the others is not known."""


def mode(aggregation: Aggregation, unit: Unit) -> Mode:
    argument = aggregation.argument
    assert argument is not None
    values = _values(argument, unit)
    if values:
        histogram = Histogram(_place_among(argument, values), len(values), unit.rows, awaits=unit.awaited_rows)
        return Mode(aggregation.name, Pick(histogram, None, aggregation.span), argument.type, values)
    if not argument.type.numeric:
        raise Refused(
            "unbounded-expression",
            "MODE needs the values that are possible, and these are not declared",
            "the owner can declare values = […]; or group by it, and order by COUNT(*) DESC LIMIT 1",
            aggregation.span,
        )
    grid = unit.grid_of(argument)
    if grid.awaits:
        raise Refused(
            "unbounded-expression",
            "MODE needs the values that are possible, and their range is to be chosen from the data",
            "the owner can declare values = […] or a range; or bound it here: LEAST(GREATEST(…, 0), 100)",
            aggregation.span,
        )
    if grid.cells > MOST_CELLS:
        raise Refused(
            "too-many-values",
            f"MODE would choose among {grid.cells} values, so that hardly one is met twice",
            f"round it to fewer than {MOST_CELLS}: MODE(ROUND(…, 0))",
            aggregation.span,
        )
    whole = argument.type is Type.INTEGER and grid.step.denominator == 1
    kind = Type.INTEGER if whole else Type.FLOAT
    pick = Pick(unit.histogram_of(argument, grid), None, aggregation.span)
    return Mode(aggregation.name, pick, kind, grid=grid)


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
