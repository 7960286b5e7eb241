"""VARIANCE and STDDEV: T / N - (S / N)**2, with S and T the sums of ``x - centre`` and of its square, N the count.

Sum and count are those of AVG, so that both asked together pay for them once. The squares are summed about the
middle of what they can be, as values are for AVG. Everything is arithmetic on released parts; where N cannot be told
from zero, or from one for the sample's variance, the answer is said to be too noisy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import sqrt

from discreet.accounting.slots import printed_variance_bound
from discreet.plan.nodes import Aggregation
from discreet.plan.scalar import Call, Literal, Op, Scalar
from discreet.plan.types import Type
from discreet.privacy.aggregates.avg import Average, average
from discreet.privacy.bounded import Noisy, Part
from discreet.privacy.grids import Grid, squares_of
from discreet.privacy.unit import Unit

__all__ = ["Variance", "variance"]


@dataclass(frozen=True, slots=True)
class Variance:
    """``sample`` divides by N - 1; ``root`` is the standard deviation."""

    name: str
    average: Average
    squares: Part
    middle: Fraction
    """What was taken off each square."""
    largest: Fraction
    sample: bool
    root: bool

    @property
    def parts(self) -> Mapping[str, Part]:
        return {**self.average.parts, "squares": self.squares}

    @property
    def type(self) -> Type:
        return Type.FLOAT

    def value(self, noisy: Sequence[Noisy]) -> float | None:
        total, number, squares = noisy
        if number.value - number.half_width <= self._least:
            return None
        found = self.middle + squares.value / number.value - (total.value / number.value) ** 2
        return self._told(found, number.value)

    def interval(self, noisy: Sequence[Noisy]) -> tuple[float, float] | None:
        """Theorem: when all three are in their intervals, so are T / N and S / N in the hulls of their corners."""
        total, number, squares = noisy
        if number.value - number.half_width <= self._least:
            return None
        numbers = (number.low, number.high)
        second = [self.middle + t / n for t, n in product((squares.low, squares.high), numbers)]
        first = [s / n for s, n in product((total.low, total.high), numbers)]
        steepest = max(abs(first_moment) for first_moment in first)
        flattest = 0 if min(first) <= 0 <= max(first) else min(abs(first_moment) for first_moment in first)
        low, high = min(second) - steepest**2, max(second) - flattest**2
        return self._told(low, number.high), self._told(high, number.low)

    @property
    def guaranteed(self) -> bool:
        """The printed guarantee is of the population's variance alone."""
        return not (self.sample or self.root)

    def printed(self, values: Sequence[float], deviations: Sequence[float], miss: float) -> float | None:
        (total, number, squares), (off_total, off_number, off_squares) = values, deviations
        # The middle that was taken off the squares is no error, and is added to their sum again.
        whole = squares + float(self.middle) * number
        return printed_variance_bound(number, off_number, total, off_total, whole, off_squares, miss * 2 / 3)

    @property
    def _least(self) -> int:
        return 1 if self.sample else 0

    def _told(self, found: Fraction, number: Fraction) -> float:
        held = min(max(found, Fraction(0)), self.largest)
        scaled = float(held * number / (number - 1) if self.sample else held)
        return sqrt(scaled) if self.root else scaled


def variance(*, sample: bool, root: bool) -> Callable[[Aggregation, Unit], Variance]:
    def of(aggregation: Aggregation, unit: Unit) -> Variance:
        argument = aggregation.argument
        assert argument is not None
        grid = unit.grid_of(argument, about_centre=True)
        squared = squares_of(grid)
        squares = unit.sum_of(_squared(argument, grid), squared, squared.centre)
        middle, largest = squared.centre * squared.step, squared.high * squared.step
        return Variance(aggregation.name, average(aggregation, unit), squares, middle, largest, sample, root)

    return of


def _squared(argument: Scalar, grid: Grid) -> Scalar:
    """The square of the distance from the centre of the grid."""
    centre = grid.centre * grid.step
    middle = Literal(int(centre) if centre.denominator == 1 else float(centre), Type.DECIMAL)
    apart = Call(Op.SUB, (argument, middle), Type.FLOAT)
    return Call(Op.MUL, (apart, apart), Type.FLOAT)
