"""A law of noise cut into strips: what a long vector is drawn from, and every decision about it in exact integers.

Theory. Cut the integers into cells of m = 2**b neighbours: cell c holds c*m ... c*m + m - 1. Within a cell the weight
w(x) = exp(-exponent(|x|)) lies between that of its inner end, nearest to 0, and that of its outer end. Cover the law by
strips, each a rectangle under or across the curve:

    sure      of cell c: height w(outer), so m * w(outer) of mass; every point of it lies under the curve
    doubtful  of cell c: from w(outer) up to w(inner); a point of it may lie above the curve
    beyond    the cells from ``cells`` on, one strip a side, under a geometric series that stays above the curve

Take a point that is uniform in all strips together: choose a strip by its mass, then a column x of the cell uniformly
(the low b bits of x are random bits). If the point lies above the curve start again, else x is drawn: uniform
points under the curve have columns distributed as w. As m is about a hundredth of the scale, nearly all mass is sure.

Choosing a strip compares a uniform real U with ``thresholds``, the running sums of masses over their total. Let the
exponent rise by d from the inner end of a cell to a column, and by D to the outer end: a point of the doubtful strip in
that column lies above the curve when a uniform real V is less than (1 - exp(-d)) / (1 - exp(-D)). These bounds are
irrational, but 62 bits of U or 53 of V nearly always decide; ``vectors`` does that. What they leave open is decided
here: more bits of the same number, more places of the bound, until the two differ. docs/proofs/noise-source.md has
the argument and the bounds on errors.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate, islice

from discreet.mechanisms.coins import below, exp_coin, runs
from discreet.mechanisms.exponential import exp_minus
from discreet.mechanisms.law import Law
from discreet.mechanisms.search import least

__all__ = ["Strips", "cut", "thresholds"]

REACH = 18
"""Cells end where the exponent passes this: what lies beyond has a chance of under 2e-8."""

FINENESS = 6
"""A cell is between 2**-(FINENESS + 1) and 2**-FINENESS of the scale wide, but holds one integer at least."""

_GUARD = 48
_MORE = 64
"""Bits that are revealed at a time when those before did not decide."""


@dataclass(frozen=True, slots=True)
class Strips:
    """``cells`` cells of 2**bits integers on either side: those from 0 up, and those from -1 down.

    Strips are numbered: sure ones from the lowest cell up, doubtful ones likewise, then beyond to the right and left.
    """

    law: Law
    bits: int
    cells: int

    @property
    def width(self) -> int:
        return 1 << self.bits

    def choose(self, u: int, places: int, source: Iterator[int]) -> int:
        """The strip of the uniform real U whose first ``places`` bits are u."""
        while True:
            bounds = thresholds(self, places)
            passed, perhaps = bisect_right(bounds, u - 1), bisect_right(bounds, u + 1)
            if passed == perhaps:
                return passed
            u, places = _longer(u, source), places + _MORE

    def is_above(self, x: int, v: int, places: int, source: Iterator[int]) -> bool:
        """Whether a point of a doubtful strip at x is above the curve, by the V whose first ``places`` bits are v."""
        part, whole = self.drops(x)
        while True:
            unit = places + _GUARD
            risen, to_the_end = ((1 << unit) - exp_minus(drop, unit) for drop in (part, whole))
            bound = (risen << places) // to_the_end
            if abs(v - bound) > 1:
                return v < bound
            v, places = _longer(v, source), places + _MORE

    def drops(self, x: int) -> tuple[Fraction, Fraction]:
        """How far the exponent rises from the inner end of the cell of x to x, and to the outer end."""
        low = x % self.width
        depth = self.width - 1 - low if x < 0 else low
        start = abs(x) - depth
        inner, here, outer = (self.law.exponent(start + d) for d in (0, depth, self.width - 1))
        return here - inner, outer - inner

    def beyond(self, negative: bool, source: Iterator[int]) -> int | None:
        """An x from the strip beyond the cells of one side; None where its point lies above the curve."""
        start = self.cells * self.width + negative
        rate = self.width * self.law.slope(start)
        steps = runs(rate, source)
        size = start + steps * self.width + below(self.width, source)
        rest = self.law.exponent(size) - self.law.exponent(start) - steps * rate
        if not exp_coin(rest.numerator, rest.denominator, source):
            return None
        return -size if negative else size


def cut(law: Law) -> Strips:
    bits = max(0, law.size.bit_length() - 1 - FINENESS)
    return Strips(law, bits, least(lambda n: n > 0 and law.exponent(n << bits) >= REACH, 1))


@lru_cache(maxsize=8)
def thresholds(strips: Strips, places: int) -> list[int]:
    """The upper ends of all strips but the last, each within 1 of 2**places times its exact value."""
    masses = _masses(strips, places + _GUARD)
    total = sum(masses)
    return [((reached << (places + 1)) + total) // (2 * total) for reached in accumulate(masses[:-1])]


def _masses(strips: Strips, places: int) -> list[int]:
    """The mass of every strip in its order, divided by the width, counted in 2**-places."""
    width = strips.width
    weights = {start: _weights(strips, start, places) for start in {0, width - 1, 1, width}}
    inner = [*weights[1][-2::-1], *weights[0][:-1]]
    outer = [*weights[width][-2::-1], *weights[width - 1][:-1]]
    doubtful = [max(0, high - low) for high, low in zip(inner, outer, strict=True)]
    return [*outer, *doubtful, *(_mass_beyond(strips, weights[side][-1], side, places) for side in (0, 1))]


def _weights(strips: Strips, start: int, places: int) -> list[int]:
    """The weights at start, start + m, start + 2m, ...: both the steps and the steps of the steps are products."""
    law, width = strips.law, strips.width
    weight = exp_minus(law.exponent(start), places)
    step = exp_minus(law.exponent(start + width) - law.exponent(start), places)
    bend = exp_minus(2 * law.square * width * width, places)
    found = [weight]
    for _ in range(strips.cells):
        weight, step = weight * step >> places, step * bend >> places
        found.append(weight)
    return found


def _mass_beyond(strips: Strips, weight: int, side: int, places: int) -> int:
    rate = strips.width * strips.law.slope(strips.cells * strips.width + side)
    return (weight << places) // ((1 << places) - exp_minus(rate, places))


def _longer(number: int, source: Iterator[int]) -> int:
    return number << _MORE | int.from_bytes(islice(source, _MORE // 8), "big")
