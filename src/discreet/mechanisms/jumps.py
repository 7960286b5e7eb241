"""How far one unit could move a quantile, and how many rows away that is: what smooth bounds and tests are made of.

Theory. At the share p/m, h(v) = m * (rows up to cell v) - p * (all rows), and the quantile is the least cell with
h >= 0. One row that comes or goes moves h by p, or by m - p, in every cell; the larger of the two is ``step``. A unit
of r rows can therefore take the quantile from a cell L (or below) to a cell H (or above), or back, exactly where

    h(L) >= 0 and h(H - 1) < r * step,  or  h(L) >= -r * step and h(H - 1) < 0,

but for fewer than r rows in all, where this says a little more than what is so. How many rows must come or go until
such a *jump* from L to H is there? Those strictly between have to go, since each keeps the two apart; beyond that,
rows may come behind H, or before L, whichever moves h further. With i rows gone between and d come beyond, for
p >= m - p:

    h(L) >= low - (i - d) * p  and  h(H - 1) <= high + i * (m - p) + d * p,

so that a jump has the least i + d for which both hold. For p < m - p all is seen in a mirror. As i + d is a shortest
path in a grid that every row moves by one step, it changes by at most one with each row, whatever the data are.
docs/proofs/smooth-sensitivity.md proves all of this.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from discreet.mechanisms.envelope import Envelope, Line
from discreet.mechanisms.fading import PLACES, Fading
from discreet.mechanisms.scores import Rows

__all__ = ["quantile", "rows_until_jump", "rows_until_other", "smooth_sensitivity"]

SPARE = 128
"""A smooth bound is raised by one part in 2**SPARE, past all that was rounded on the way, by one in 2**200 at most."""


def quantile(rows: Rows, share: Fraction) -> int:
    """The least cell with so many rows up to it; 0 where there are none."""
    if not rows.number:
        return 0
    return rows.cells[bisect_left(rows.sums, ceil(share * rows.number)) - 1]


def rows_until_other(rows: Rows, last: int, share: Fraction) -> int | None:
    """How many rows must come or go until the quantile is another cell; None: there is no other."""
    p, m = share.numerator, share.denominator
    step, here = max(p, m - p), quantile(rows, share)
    below, through = (m * n - p * rows.number for n in (rows.before(here), rows.through(here)))
    found = [-(below // step)] if here else []
    return min([*found, through // step + 1] if here < last else found, default=None)


def smooth_sensitivity(rows: Rows, last: int, share: Fraction, unit: int, weights: Fading) -> Fraction:
    """The largest jump times the weight of the rows that it is away; no less, and more by 2**-127 of itself at most.

    What is farther away than ``weights.far`` counts as the whole range, 0 to ``last``, at the weight of ``far``.
    """
    best = last * weights.at(weights.far)
    for jumps in _jumps(rows, last, share, unit):
        best = jumps.heaviest(weights, best)
    return Fraction(best + (best >> SPARE) + 1, 1 << PLACES)


def rows_until_jump(rows: Rows, last: int, share: Fraction, unit: int, length: int) -> int | None:
    """How many rows must come or go until a unit could move the quantile by more than ``length`` cells; None: never."""
    if length >= last:
        return None
    return min(jumps.nearest(length) for jumps in _jumps(rows, last, share, unit))


def _jumps(rows: Rows, last: int, share: Fraction, unit: int) -> list[Jumps]:
    """Both kinds of jump, in a mirror where that makes p the larger step."""
    p, m = share.numerator, share.denominator
    if 2 * p >= m:
        return [Jumps(rows, last, p, m, 0, unit * p - 1), Jumps(rows, last, p, m, -unit * p, -1)]
    mirror, p = _mirrored(rows, last), m - p
    return [Jumps(mirror, last, p, m, 1 - unit * p, 0), Jumps(mirror, last, p, m, 1, unit * p)]


def _mirrored(rows: Rows, last: int) -> Rows:
    number = rows.number
    return Rows(tuple(last - cell for cell in reversed(rows.cells)), tuple(number - n for n in reversed(rows.sums)))


@dataclass(frozen=True, slots=True)
class Jumps:
    """Jumps of one kind at a share p/m >= 1/2. ``e`` is i - d, and ``r`` the rows before H."""

    rows: Rows
    last: int
    p: int
    m: int
    low: int
    high: int

    def heaviest(self, weights: Fading, best: int) -> int:
        """The largest length times weight, or ``best`` if that is larger."""
        tried: list[int] = []
        for e in sorted(self._turns(), key=abs):
            weight = weights.at(abs(e))
            if self.last * weight <= best:
                break
            tried.append(e)
            best = max(best, (self._right(self._first(e)) - self._left(e)) * weight)
        return best if 2 * self.p == self.m else self._mixed(tried, weights, best)

    def _mixed(self, tried: list[int], weights: Fading, best: int) -> int:
        """Rows both gone and come: with one e the jumps begin at a first H, and each row further costs two."""
        ends = [r for r in self._ends() if self.last * weights.at(self._come(r)) > best]
        right = [self._right(r) for r in ends]
        envelope, waiting = Envelope(right), sorted(tried, key=self._first, reverse=True)
        for place, r in enumerate(ends):
            while waiting and self._first(waiting[-1]) <= r:
                e = waiting.pop()
                envelope.add(Line(weights.at(self._cost(e, self._gone(0)) + weights.far), self._left(e), e))
            line = envelope.at(place)
            if line is not None:
                best = max(best, (right[place] - line.zero) * weights.at(self._cost(line.name, r)))
        return best

    def nearest(self, length: int) -> int:
        """The fewest rows until there is a jump of more than ``length`` cells, which is less than the range."""
        starts = (left for left in (0, *self.rows.cells) if left + length < self.last)
        return min(self._fewest(left, left + length + 1) for left in starts)

    def _fewest(self, left: int, right: int) -> int:
        """Rows until there is a jump between these cells: one more gone than L asks for may save two that come."""
        e, r = self._turn(left), self.rows.before(right)
        return min(each + 2 * max(0, -each, r - self._gone(each)) for each in {e, e + 1, max(e, -self._come(r))})

    def _turns(self) -> set[int]:
        """The e at which an end of a jump moves to another cell."""
        lefts = [self._turn(left) for left in (0, *self.rows.cells)]
        ends = list(self._ends())
        gone = [max(0, -((self.rows.number * self.p + self.high - self.m * r) // (self.m - self.p))) for r in ends]
        return {*lefts, *(e + 1 for e in lefts), *(-self._come(r) for r in ends), *gone}

    def _ends(self) -> Iterator[int]:
        """The rows before each H to which a jump may go."""
        yield from self.rows.sums

    def _turn(self, left: int) -> int:
        """The least e with which L may lie here."""
        return -((self.m * self.rows.through(left) - self.p * self.rows.number - self.low) // self.p)

    def _left(self, e: int) -> int:
        """The least cell where L may lie."""
        rows = -((e * self.p - self.low - self.p * self.rows.number) // self.m)
        if rows <= 0:
            return 0
        return self.rows.cells[bisect_left(self.rows.sums, rows) - 1] if rows <= self.rows.number else self.last

    def _right(self, r: int) -> int:
        """The greatest cell with no more than r rows before it."""
        if r < 0:
            return 0
        return self.rows.cells[bisect_right(self.rows.sums, r) - 1] if r < self.rows.number else self.last

    def _gone(self, e: int) -> int:
        """How many rows may lie before H where none came: e of them gone from between."""
        return (self.p * self.rows.number + self.high + e * (self.m - self.p)) // self.m

    def _first(self, e: int) -> int:
        """The rows before the first H of this e: where e is below 0, as many came."""
        return self._gone(e) + max(0, -e)

    def _cost(self, e: int, r: int) -> int:
        """I + d, where r rows may lie before H."""
        return e + 2 * (r - self._gone(e))

    def _come(self, r: int) -> int:
        """How many rows must come for that, if none goes."""
        return max(0, -((self.p * self.rows.number + self.high - self.m * r) // self.p))
