"""What the cells of a histogram stand for: values of the column, and the ends of what a coarse cell holds."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Self

from discreet.plan.moments import date_after, date_before, time_at
from discreet.plan.scalar import Scalar
from discreet.plan.types import Type, Value
from discreet.privacy.bounded import Histogram
from discreet.privacy.grids import Grid, coarser, grid_for
from discreet.privacy.unit import Unit

__all__ = ["MOST_CELLS", "Cells"]

MOST_CELLS = 1 << 16
"""A finer grid is made coarser until it has no more cells: what a choice costs grows with their logarithm."""


@dataclass(frozen=True, slots=True)
class Cells:
    grid: Grid
    ends: tuple[Fraction, Fraction]
    """Of the range, in the units of the column: a coarse cell may reach beyond them."""
    apart: Fraction
    """How far a row may be from the middle of its cell."""
    type: Type

    @classmethod
    def of(cls, argument: Scalar, unit: Unit) -> Self:
        fine = grid_for(argument, unit.declared, about_centre=True)
        grid = coarser(fine, MOST_CELLS)
        return cls(
            grid,
            (fine.low * fine.step, fine.high * fine.step),
            Fraction(0) if grid == fine else grid.step / 2,
            _type_on(grid, argument.type),
        )

    def histogram(self, argument: Scalar, unit: Unit) -> Histogram:
        return unit.histogram_of(argument, self.grid)

    def value(self, cell: Fraction) -> Value:
        found = self._at(cell, Fraction(0))
        return int(found) if self.type is Type.INTEGER else self._told(found, up=False)

    def low(self, cell: Fraction) -> Value:
        return self._told(self._at(cell, -self.apart), up=False)

    def high(self, cell: Fraction) -> Value:
        return self._told(self._at(cell, self.apart), up=True)

    def _at(self, cell: Fraction, beside: Fraction) -> Fraction:
        low, high = self.ends
        return min(max((self.grid.low + cell) * self.grid.step + beside, low), high)

    def _told(self, found: Fraction, up: bool) -> Value:
        match self.type:
            case Type.DATE:
                return date_after(found) if up else date_before(found)
            case Type.TIMESTAMP:
                return time_at(found)
            case _:
                return float(found)


def _type_on(grid: Grid, type_: Type) -> Type:
    """Whole numbers stay whole on a grid of whole numbers; whatever else is a number is told as a double."""
    if type_.temporal:
        return type_
    return Type.INTEGER if type_ is Type.INTEGER and grid.step.denominator == 1 else Type.FLOAT
