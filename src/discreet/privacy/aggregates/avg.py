"""AVG(x) = centre + S / N, with S the sum of ``x - centre`` and N the count of numbers.

Taking the middle of the range off first halves the sensitivity of the sum, and makes the error
small where the average is near the middle. Both parts are released; the quotient is arithmetic on
released numbers. Where N cannot be told from zero the quotient means nothing, and is said to be
too noisy instead of being printed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from discreet.accounting.slots import printed_mean_bound
from discreet.plan.nodes import Aggregation
from discreet.plan.scalar import Call, Op, Scalar
from discreet.plan.types import Type
from discreet.privacy.bounded import Noisy, Part
from discreet.privacy.unit import Unit

__all__ = ["Average", "average"]


@dataclass(frozen=True, slots=True)
class Average:
    name: str
    sum: Part
    count: Part
    centre: Fraction
    low: Fraction
    high: Fraction

    @property
    def parts(self) -> Mapping[str, Part]:
        return {"sum": self.sum, "count": self.count}

    @property
    def type(self) -> Type:
        return Type.FLOAT

    def value(self, noisy: Sequence[Noisy]) -> float | None:
        total, number = noisy
        if number.value <= number.half_width:
            return None
        return float(self._within(self.centre + total.value / number.value))

    def interval(self, noisy: Sequence[Noisy]) -> tuple[float, float] | None:
        """Theorem: when S and N are both in their intervals, so is the average in the hull of the corners."""
        total, number = noisy
        if number.value <= number.half_width:
            return None
        ends = product((total.low, total.high), (number.low, number.high))
        corners = [self.centre + s / n for s, n in ends]
        return float(self._within(min(corners))), float(self._within(max(corners)))

    @property
    def guaranteed(self) -> bool:
        return True

    def printed(self, values: Sequence[float], deviations: Sequence[float], miss: float) -> float | None:
        """The printed guarantee: how far the quotient may be off; the middle of the range is not part of it."""
        (total, number), (off_total, off_number) = values, deviations
        return printed_mean_bound(number, off_number, total, off_total, miss)

    def _within(self, x: Fraction) -> Fraction:
        return min(max(x, self.low), self.high)


def average(aggregation: Aggregation, unit: Unit) -> Average:
    argument = aggregation.argument
    assert argument is not None
    grid = unit.grid_of(argument, about_centre=True)
    total = unit.sum_of(argument, grid, grid.centre)
    ends = (grid.low * grid.step, grid.high * grid.step)
    return Average(
        aggregation.name, total, unit.rows_where(_is_number(argument, total)), grid.centre * grid.step, *ends
    )


def _is_number(argument: Scalar, total: Part) -> Scalar:
    """The rows that the sum counts: for exact types those that are not NULL, for floats NaN falls away too."""
    whole = argument.type in (Type.INTEGER, Type.DECIMAL) or total.value is None
    null = Call(Op.IS_NULL, (argument if whole or total.value is None else total.value,), Type.BOOLEAN)
    return Call(Op.NOT, (null,), Type.BOOLEAN)
