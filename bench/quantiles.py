"""Many quantiles of one column at one price: together, one by one, by the joint exponential mechanism, and by OpenDP.

Errors are in rows: by how many the rank of what was told misses the one that was asked for, on average over quantiles
and rounds; and half of the rows that lie between the ends of a 95 % interval.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import fmean, median

import numpy as np
import opendp.prelude as dp
from numpy.typing import NDArray

from bench.table import show
from discreet.mechanisms.pickers import pickers, weight
from discreet.mechanisms.scores import Rows
from discreet.plan.scalar import Literal
from discreet.plan.types import Type
from discreet.privacy.bounded import Histogram, Pick

ROWS, CELLS = 10_000, 10_000
RHO = Fraction(1, 8)
"""That of epsilon 0.5."""

ROUNDS = 20
SETS = {
    "quartiles": [Fraction(n, 4) for n in range(1, 4)],
    "0.5, 0.9, 0.95, 0.99": [Fraction(n, 100) for n in (50, 90, 95, 99)],
    "deciles": [Fraction(n, 10) for n in range(1, 10)],
    "0.05, 0.1, … 0.95": [Fraction(n, 20) for n in range(1, 20)],
    "percentiles": [Fraction(n, 100) for n in range(1, 100)],
}
MOST_JOINT, MOST_OPENDP = 9, 19
"""The joint mechanism compares all pairs of cells for each quantile; OpenDP takes a tenth of a second for each."""

HEAD = [
    "quantiles",
    "one by one",
    "together",
    "joint",
    "OpenDP one by one",
    "OpenDP tree",
    "± one by one",
    "± together",
]

Draw = Callable[[], Sequence[int]]
Real = NDArray[np.float64]


@dataclass(frozen=True)
class Column:
    """What people spent: the cell of each row, and how many rows lie below each edge."""

    cells: list[int]
    below: Real

    @classmethod
    def drawn(cls) -> Column:
        spent = np.random.default_rng(7).lognormal(0, 0.7, ROWS) * CELLS / 6
        cells = np.clip(spent, 0, CELLS - 1).astype(int)
        sums = np.cumsum(np.bincount(cells, minlength=CELLS))
        return cls(cells.tolist(), np.concatenate([[0.0], sums.astype(float)]))

    def error(self, low: int, high: int, share: Fraction) -> tuple[float, float]:
        """How far these cells reach below the rank and above it."""
        wanted = float(share) * ROWS
        return float(wanted - self.below[low]), float(self.below[high + 1] - wanted)

    def missed(self, cell: int, share: Fraction) -> float:
        return max(0.0, *(-each for each in self.error(cell, cell, share)))


def main() -> None:
    dp.enable_features("contrib")
    column = Column.drawn()
    title = f"Rows by which quantiles miss: {ROWS:,} rows in {CELLS:,} cells, epsilon 0.5 for all of them"
    show(title, HEAD, [_row(name, shares, column) for name, shares in SETS.items()])


def _row(name: str, shares: list[Fraction], column: Column) -> list[str]:
    apart, together = (_ours(shares, column, alone) for alone in (True, False))
    ways = ((_joint, MOST_JOINT), (_opendp_each, MOST_OPENDP), (_opendp_tree, CELLS))
    others = [
        f"{_missed(way(shares, column), shares, column):.1f}" if len(shares) <= most else "" for way, most in ways
    ]
    return [name, f"{apart[0]:.1f}", f"{together[0]:.1f}", *others, f"{apart[1]:.0f}", f"{together[1]:.0f}"]


def _ours(shares: Sequence[Fraction], column: Column, alone: bool) -> tuple[float, float]:
    """The mean error, and the median half width in rows."""
    rows = Rows.of(Counter(column.cells).items())
    picks = [Pick(Histogram(Literal(0, Type.INTEGER), CELLS, 1), share) for share in shares]
    sets = [[pick] for pick in picks] if alone else [picks]
    made = [made for some in sets for made in pickers(some, RHO / len(sets) / weight(some), "zcdp")]
    missed, widths = list[float](), list[float]()
    for _ in range(ROUNDS):
        for cell, share in zip([cell for picker in made for cell in picker.pick(rows)], shares, strict=True):
            missed.append(column.missed(cell.value, share))
            widths.append(sum(column.error(cell.low, cell.high, share)) / 2)
    return fmean(missed), median(widths)


def _missed(draw: Draw, shares: Sequence[Fraction], column: Column) -> float:
    rounds = ((cell, share) for _ in range(ROUNDS) for cell, share in zip(draw(), shares, strict=True))
    return fmean(column.missed(int(cell), share) for cell, share in rounds)


def _joint(shares: Sequence[Fraction], column: Column) -> Draw:
    """Gillenwater, Joseph and Kulesza: all cells at once, by how many rows lie between them; in floats, to compare.

    A row changes the count of one gap by one and what is wanted of all of them by their shares, so that the sum of
    the absolute differences moves by 2 (1 - the least share) at most, in either direction.
    """
    gaps = np.diff([0.0, *map(float, shares), 1.0])
    rate = np.sqrt(8 * float(RHO)) / (4 * (1 - gaps.min()))
    edges = column.below[1:]
    forward = [-rate * np.abs(edges - gaps[0] * ROWS)]
    for gap in gaps[1:-1]:
        forward.append(_onward(forward[-1], edges, gap * ROWS, rate))
    last = forward[-1] - rate * np.abs(ROWS - edges - gaps[-1] * ROWS)
    random = np.random.default_rng(3)

    def draw() -> list[int]:
        found = [_drawn(last, random)]
        for before, gap in zip(forward[-2::-1], gaps[-2:0:-1], strict=True):
            at = found[-1]
            found.append(_drawn((before - rate * np.abs(edges[at] - edges - gap * ROWS))[: at + 1], random))
        return found[::-1]

    return draw


def _onward(before: Real, edges: Real, wanted: float, rate: float) -> Real:
    """The logarithm of all weights that lead to each cell, from any that is not above it."""
    found = np.empty_like(before)
    for cell in range(len(edges)):
        each = before[: cell + 1] - rate * np.abs(edges[cell] - edges[: cell + 1] - wanted)
        found[cell] = each.max() + np.log(np.exp(each - each.max()).sum())
    return found


def _drawn(weights: Real, random: np.random.Generator) -> int:
    return int(np.argmax(weights + random.gumbel(size=len(weights))))


def _opendp_each(shares: Sequence[Fraction], column: Column) -> Draw:
    """Their quantile, at an equal part of the price."""
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.symmetric_distance()
    cells, law, each = list(range(CELLS)), dp.zero_concentrated_divergence(), float(RHO / len(shares))

    def at(share: Fraction) -> dp.Measurement:
        def make(scale: float) -> dp.Measurement:
            return dp.m.make_private_quantile(*space, law, cells, float(share), scale)

        return dp.binary_search_chain(make, d_in=1, d_out=each, T=float)

    quantiles = [at(share) for share in shares]
    return lambda: [quantile(column.cells) for quantile in quantiles]


def _opendp_tree(shares: Sequence[Fraction], column: Column) -> Draw:
    """Their tree of noisy counts, made consistent: all quantiles are read off it, however many there are."""
    counts, branches = np.diff(column.below).astype(int).tolist(), dp.t.choose_branching_factor(size_guess=CELLS)
    tree = dp.t.make_b_ary_tree(dp.vector_domain(dp.atom_domain(T=int)), dp.l2_distance(T=int), CELLS, branches)
    consistent = dp.t.make_consistent_b_ary_tree(branches)
    release = dp.binary_search_chain(lambda scale: tree >> dp.m.then_gaussian(scale), d_in=1, d_out=float(RHO), T=float)

    def draw() -> list[int]:
        sums = np.cumsum(consistent(release(counts))[:CELLS])
        reached = np.maximum.accumulate(sums)
        return [min(CELLS - 1, int(np.searchsorted(reached, float(share) * sums[-1]))) for share in shares]

    return draw
