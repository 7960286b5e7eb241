"""MEDIAN, PERCENTILE, QUANTILE, MIN and MAX: a value of the column's grid, at a rank.

A released value is one that rows may have: a cell of the declared range, chosen by how its rank differs from the one
that was asked for. PERCENTILE_CONT and PERCENTILE_DISC mean the same here, since the difference is below the noise.
MIN and MAX are told with care: as the least value that some row does not exceed, and the greatest that some row
reaches, each with 95 % certainty, since nothing private can be said of a single outermost row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from discreet.plan.nodes import Aggregation
from discreet.plan.types import Type
from discreet.privacy.bounded import Noisy, Pick
from discreet.privacy.grids import Grid, coarser
from discreet.privacy.unit import Unit

__all__ = ["Quantile", "quantile"]

MOST_CELLS = 1 << 16
"""A finer grid is made coarser until it has no more cells: what a choice costs grows with their logarithm."""


@dataclass(frozen=True, slots=True)
class Quantile:
    name: str
    role: str
    pick: Pick
    grid: Grid
    ends: tuple[Fraction, Fraction]
    """Of the range, in the units of the column: a coarse cell may reach beyond them."""
    apart: Fraction
    """How far a row may be from the middle of its cell."""
    type: Type

    @property
    def parts(self) -> Mapping[str, Pick]:
        return {self.role: self.pick}

    def value(self, noisy: Sequence[Noisy]) -> int | float:
        found = self._of(noisy[0].value, Fraction(0))
        return int(found) if self.type is Type.INTEGER else float(found)

    def interval(self, noisy: Sequence[Noisy]) -> tuple[float, float]:
        return float(self._of(noisy[0].low, -self.apart)), float(self._of(noisy[0].high, self.apart))

    def _of(self, cell: Fraction, beside: Fraction) -> Fraction:
        low, high = self.ends
        return min(max((self.grid.low + cell) * self.grid.step + beside, low), high)


def quantile(aggregation: Aggregation, unit: Unit) -> Quantile:
    argument, share = aggregation.argument, aggregation.share
    assert argument is not None
    assert share is not None
    fine = unit.grid_of(argument, about_centre=True)
    grid = coarser(fine, MOST_CELLS)
    return Quantile(
        aggregation.name,
        aggregation.function,
        Pick(unit.histogram_of(argument, grid), share, aggregation.span),
        grid,
        (fine.low * fine.step, fine.high * fine.step),
        Fraction(0) if grid == fine else grid.step / 2,
        Type.INTEGER if argument.type is Type.INTEGER and grid.step.denominator == 1 else Type.FLOAT,
    )
