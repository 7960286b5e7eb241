"""What an aggregate is told about the unit, and the three primitive parts with their sensitivities."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from discreet.plan.scalar import ColumnRef, Scalar
from discreet.privacy.bounded import Histogram, Kind, Part
from discreet.privacy.grids import Grid, on_grid
from discreet.privacy.ranges import Declared

__all__ = ["Unit"]


@dataclass(frozen=True, slots=True)
class Unit:
    """What the facts say: columns that hold the unit, most rows and groups of one unit, declared ranges."""

    columns: tuple[ColumnRef, ...]
    rows: int
    groups: int
    declared: Declared

    def rows_where(self, condition: Scalar | None) -> Part:
        """Theorem: a unit adds at most ``rows`` ones, at worst all in one group, so L1 = L2 = rows."""
        return Part(Kind.ROWS, condition, Fraction(1), self.rows, self.rows**2)

    def units_where(self, condition: Scalar | None) -> Part:
        """Theorem: a unit adds at most one in each of ``groups`` groups, so L1 = groups, L2 = sqrt(groups)."""
        return Part(Kind.UNITS, condition, Fraction(1), self.groups, self.groups)

    def sum_of(self, argument: Scalar, grid: Grid, centre: int = 0) -> Part:
        """Theorem: a unit adds at most ``rows`` integers of size at most B, at worst all in one group."""
        size = max(abs(grid.low - centre), abs(grid.high - centre))
        moved = self.rows * size
        return Part(Kind.SUM, on_grid(argument, grid, centre, self.declared), grid.step, moved, moved**2)

    def histogram_of(self, argument: Scalar, grid: Grid) -> Histogram:
        """Theorem: a unit adds at most ``rows`` ones to the cells of all groups together."""
        return Histogram(on_grid(argument, grid, grid.low, self.declared), grid.cells, self.rows, grid.step)
