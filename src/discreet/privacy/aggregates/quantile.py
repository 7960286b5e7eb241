"""MEDIAN, PERCENTILE, QUANTILE, MIN and MAX: a value of the column's grid, at a rank.

A released value is one that rows may have: a cell of the declared range, chosen by how its rank differs from the one
that was asked for. PERCENTILE_CONT and PERCENTILE_DISC mean the same here, since the difference is below the noise.
MIN and MAX are told with care: as the least value that some row does not exceed, and the greatest that some row
reaches, each with 95 % certainty, since nothing private can be said of a single outermost row.

A list of shares is one answer, a list of values, and costs what the same quantiles cost as columns of their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from discreet.plan.nodes import Aggregation
from discreet.plan.types import Type, Value
from discreet.privacy.aggregates.cells import Cells
from discreet.privacy.bounded import Noisy, Pick
from discreet.privacy.unit import Unit

__all__ = ["Quantile", "Quantiles", "quantile", "quantiles"]


@dataclass(frozen=True, slots=True)
class Quantile:
    name: str
    role: str
    pick: Pick
    cells: Cells

    @property
    def parts(self) -> Mapping[str, Pick]:
        return {self.role: self.pick}

    @property
    def type(self) -> Type:
        return self.cells.type

    def value(self, noisy: Sequence[Noisy]) -> Value:
        return self.cells.value(noisy[0].value)

    def interval(self, noisy: Sequence[Noisy]) -> tuple[Value, Value]:
        return self.cells.low(noisy[0].low), self.cells.high(noisy[0].high)


@dataclass(frozen=True, slots=True)
class Quantiles:
    """A list of them, in the order in which they were asked for."""

    name: str
    picks: tuple[Pick, ...]
    cells: Cells
    type = Type.LIST

    @property
    def parts(self) -> Mapping[str, Pick]:
        return {f"quantile {n}: {float(pick.share or 0):g}": pick for n, pick in enumerate(self.picks, 1)}

    @property
    def element(self) -> Type:
        return self.cells.type

    def value(self, noisy: Sequence[Noisy]) -> list[Value]:
        return [self.cells.value(each.value) for each in noisy]

    def interval(self, noisy: Sequence[Noisy]) -> tuple[list[Value], list[Value]]:
        return [self.cells.low(each.low) for each in noisy], [self.cells.high(each.high) for each in noisy]


def quantile(aggregation: Aggregation, unit: Unit) -> Quantile:
    argument, share = aggregation.argument, aggregation.share
    assert argument is not None
    assert share is not None
    cells = Cells.of(argument, unit)
    pick = Pick(cells.histogram(argument, unit), share, aggregation.span)
    return Quantile(aggregation.name, aggregation.function, pick, cells)


def quantiles(aggregation: Aggregation, unit: Unit) -> Quantiles:
    argument = aggregation.argument
    assert argument is not None
    cells = Cells.of(argument, unit)
    histogram = cells.histogram(argument, unit)
    picks = tuple(Pick(histogram, share, aggregation.span) for share in aggregation.shares)
    return Quantiles(aggregation.name, picks, cells)
