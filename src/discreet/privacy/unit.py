"""What an aggregate is told about the unit, and the three primitive parts with their sensitivities."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from discreet.plan.scalar import ColumnRef, Scalar
from discreet.privacy.bounded import Histogram, Kind, Part
from discreet.privacy.grids import Grid, grid_for, on_grid
from discreet.privacy.ladders import COUNTS, is_undecided, outermost, range_ladder, total_ladder
from discreet.privacy.probe import NOTHING, Found, GroupsOfUnit, Ladder, RangeOf, RowsOfUnit, Total, Wanted
from discreet.privacy.ranges import Declared

__all__ = ["Unit"]


@dataclass(frozen=True, slots=True)
class Unit:
    """What the facts say: columns that hold the unit, most rows and groups of one unit, declared ranges.

    ``rows`` or ``groups`` that await something are the most that may be found. Where ``by_total``, what has no declared
    bound is held by a unit's total in a group in place of row by row; ``counted`` says that its rows have a bound.
    """

    columns: tuple[ColumnRef, ...]
    rows: int
    groups: int
    declared: Declared
    found: Found = NOTHING
    awaited_rows: tuple[Wanted, ...] = ()
    awaited_groups: tuple[Wanted, ...] = ()
    by_total: bool = False
    counted: bool = True

    def rows_where(self, condition: Scalar | None) -> Part:
        """Theorem: a unit adds at most ``rows`` ones, at worst all in one group, so L1 = L2 = rows."""
        if not self.counted:
            return self._held(Kind.ROWS, condition, COUNTS)
        return Part(Kind.ROWS, condition, Fraction(1), self.rows, self.rows**2, awaits=self.awaited_rows)

    def units_where(self, condition: Scalar | None) -> Part:
        """Theorem: a unit adds at most one in each of ``groups`` groups, so L1 = groups, L2 = sqrt(groups)."""
        return Part(Kind.UNITS, condition, Fraction(1), self.groups, self.groups, awaits=self.awaited_groups)

    def sum_of(self, argument: Scalar, grid: Grid, centre: int = 0) -> Part:
        """Theorem: a unit adds at most ``rows`` integers of size at most B, at worst all in one group."""
        value = self._on_grid(argument, grid, centre)
        size = max(abs(grid.low - centre), abs(grid.high - centre))
        if size and self.by_total and (grid.awaits or not self.counted):
            return self._held(Kind.SUM, value, total_ladder(grid), signed=grid.low < 0)
        moved = self.rows * size
        return Part(Kind.SUM, value, grid.step, moved, moved**2, awaits=(*self.awaited_rows, *grid.awaits))

    def _held(self, kind: Kind, value: Scalar | None, ladder: Ladder, *, signed: bool = False) -> Part:
        """Theorem: a unit adds at most C in each of ``groups`` groups, so L1 = groups * C, L2 = sqrt(groups) * C."""
        total = Total(kind, value)
        ends = self.found.of(total)
        most = (ends or ladder.widest)[1]
        awaits = () if ends else (Wanted(total, ladder),)
        l1 = self.groups * most
        held = (-most if signed else 0, most)
        return Part(kind, value, ladder.step, l1, l1 * most, held, (*self.awaited_groups, *awaits))

    def histogram_of(self, argument: Scalar, grid: Grid) -> Histogram:
        """Theorem: a unit adds at most ``rows`` ones to the cells of all groups together."""
        awaits = (*self.awaited_rows, *grid.awaits)
        return Histogram(self._on_grid(argument, grid, grid.low), grid.cells, self.rows, grid.step, awaits=awaits)

    def counts_for(self, wanted: Wanted) -> Histogram:
        """What a bound is chosen from. Theorem: rows are counted as above; of units, each adds one to one cell."""
        edges = wanted.ladder.edges
        match wanted.subject:
            case RangeOf(argument):
                grid = Grid(wanted.ladder.step, *wanted.ladder.widest)
                return Histogram(self._on_grid(argument, grid, 0), len(edges) + 1, self.rows, edges=edges)
            case RowsOfUnit():
                return Histogram(Total(Kind.ROWS, None), len(edges) + 1, 1, edges=edges)
            case GroupsOfUnit():
                return Histogram(Total(Kind.UNITS, None), len(edges) + 1, 1, edges=edges)
            case Total():
                return Histogram(wanted.subject, len(edges) + 1, 1, edges=edges)

    def grid_of(self, argument: Scalar, *, about_centre: bool = False) -> Grid:
        """The grid of an argument: by its declared ranges, as it was chosen, or as wide as it may be chosen."""
        if not is_undecided(argument, self.declared):
            return grid_for(argument, self.declared, about_centre)
        ladder = range_ladder(argument, self.declared)
        ends = self.found.of(RangeOf(argument))
        low, high = ends or ladder.widest
        return Grid(ladder.step, low, high, () if ends else (Wanted(RangeOf(argument), ladder),))

    def _on_grid(self, argument: Scalar, grid: Grid, centre: int) -> Scalar:
        return on_grid(argument, grid, centre, outermost(self.declared))
