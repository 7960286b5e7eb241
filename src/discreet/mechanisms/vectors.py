"""Long vectors of noise: the choices of ``strips`` made for many draws at once.

Theory. Every choice compares a uniform real with a bound. A few bits of the number mostly decide:

- 16 bits look a strip up in a table of 65,536 places. A place names a sure strip only where every number that begins
  with these bits lies in that strip, for certain, the thresholds being known to within 1 in 2**62;
- where they do not, 46 bits more are compared with the thresholds;
- whether a point of a doubtful strip lies above the curve is computed in floats, with sums and products alone (which
  IEEE 754 rounds correctly, so that no library's exp is believed), to within 2**-48; 53 bits of V are compared with it.

Whatever a bound on errors leaves undecided is handed, with the bits so far, to ``strips``, which decides it exactly: a
filter and then an exact predicate, as in computational geometry. So a result is always that of exact arithmetic on
the random bits, and floats only save time. What is drawn beyond the cells is a Python integer, so nothing overflows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.mechanisms.law import Law
from discreet.mechanisms.strips import Strips, cut, thresholds

__all__ = ["Randomness", "draw"]

_AT_ONCE = 1 << 16
"""Draws that are made together: the arrays stay in a processor's cache."""

_FIRST, _PLACES, _COIN_PLACES = 16, 62, 53

_BAND = 1
"""How far a threshold may be from its exact value, in 2**-62."""

_COIN_BAND = 2.0**-46
"""Four times the error of the computed bound, of the bits not seen and of the comparison."""

_DOUBTFUL, _BEYOND = 1, 2
"""Kinds of strips, in the order of their numbers; 0 are the sure ones."""

_OPEN = np.int16(np.iinfo(np.int16).max)
"""In the table: sixteen bits do not decide."""

_TERMS = 12
"""Of a series at 1/8 or less: those left out are below 2**-68 of the sum."""

Whole = NDArray[np.int64]
Real = NDArray[np.float64]


class Randomness(NamedTuple):
    """Uniform bytes in blocks, and an endless stream of them for the rare exact decisions."""

    block: Callable[[int], bytes]
    stream: Iterator[int]


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """A number is past threshold j for certain from ``past[j]`` on, and perhaps from ``near[j]`` on.

    ``near`` has one threshold more, which no number reaches.
    """

    strips: Strips
    past: Whole
    near: Whole
    by_first_bits: NDArray[np.int16]


def draw(law: Law, n: int, randomness: Randomness) -> list[int]:
    """``n`` independent integers. Rejected candidates are left out, and as many more drawn as are then missing."""
    table = tabulate(law)
    found: list[int] = []
    while len(found) < n:
        found += _candidates(table, min(_AT_ONCE, n - len(found)), randomness)
    return found


@lru_cache(maxsize=64)
def tabulate(law: Law) -> Table:
    strips = cut(law)
    bounds = np.array(thresholds(strips, _PLACES), dtype=np.int64)
    past, near = bounds + _BAND, np.append(bounds - _BAND, np.iinfo(np.int64).max)
    lowest = np.arange(1 << _FIRST, dtype=np.int64) << (_PLACES - _FIRST)
    highest = lowest + ((1 << (_PLACES - _FIRST)) - 1)
    strip = past.searchsorted(lowest, "right")
    decided = (strip == near.searchsorted(highest, "right")) & (strip < 2 * strips.cells)
    return Table(strips, past, near, np.where(decided, strip - strips.cells, _OPEN).astype(np.int16))


def _candidates(table: Table, n: int, randomness: Randomness) -> list[int]:
    """What is accepted among ``n`` candidates, in their order."""
    strips = table.strips
    first = np.frombuffer(randomness.block(2 * n), "<u2")
    cells = table.by_first_bits.take(first).astype(np.int64)
    still_open = np.flatnonzero(cells == _OPEN)
    kinds, numbers = np.divmod(_strips_of(table, first[still_open], randomness), 2 * strips.cells)
    cells[still_open] = numbers - strips.cells
    values = (cells << strips.bits) + _uniform(strips.bits, n, randomness)
    doubtful = still_open[kinds == _DOUBTFUL]
    rejected = doubtful[_above(strips, values[doubtful], randomness)]
    sides = zip(still_open[kinds == _BEYOND].tolist(), numbers[kinds == _BEYOND].tolist(), strict=True)
    far = {place: strips.beyond(side == 1, randomness.stream) for place, side in sides}
    return _kept(values, rejected, far)


def _kept(values: Whole, rejected: Whole, far: dict[int, int | None]) -> list[int]:
    """The values without the rejected ones; those from beyond the cells are put in as Python integers."""
    keep = np.ones(values.size, dtype=np.bool_)
    keep[rejected] = False
    keep[[place for place, value in far.items() if value is None]] = False
    kept = values[keep].tolist()
    for place, value in far.items():
        if value is not None:
            kept[np.count_nonzero(keep[:place])] = value
    return kept


def _strips_of(table: Table, first: NDArray[np.uint16], randomness: Randomness) -> Whole:
    """The strips of numbers of which sixteen bits are known."""
    more = _PLACES - _FIRST
    numbers = (first.astype(np.int64) << more) + _uniform(more, first.size, randomness)
    strip = table.past.searchsorted(numbers, "right")
    for place in np.flatnonzero(table.near.take(strip) <= numbers).tolist():
        strip[place] = table.strips.choose(int(numbers[place]), _PLACES, randomness.stream)
    return strip


def _above(strips: Strips, values: Whole, randomness: Randomness) -> NDArray[np.bool_]:
    """Which of these columns of doubtful strips were met above the curve."""
    v = _uniform(_COIN_PLACES, values.size, randomness)
    real, bound = v * 2.0**-_COIN_PLACES, _bound(strips, values)
    above = real < bound
    for place in np.flatnonzero(np.abs(real - bound) <= _COIN_BAND).tolist():
        above[place] = strips.is_above(int(values[place]), int(v[place]), _COIN_PLACES, randomness.stream)
    return above


def _bound(strips: Strips, values: Whole) -> Real:
    """(1 - exp(-d)) / (1 - exp(-D)) to within 2**-48, by correctly rounded operations alone."""
    last = strips.width - 1
    negative = values < 0
    depth = np.where(negative, last - (values & last), values & last)
    start = np.abs(values) - depth
    return _risen(strips, start, depth) / _risen(strips, start, np.full_like(start, last))


def _risen(strips: Strips, start: Whole, depth: Whole) -> Real:
    """1 - exp(-d) where d is the drop of the exponent from ``start`` to ``start + depth``, which is at most 1/8."""
    width = strips.width
    linear, square = float(strips.law.linear * width), float(strips.law.square * width * width)
    part = depth / width
    drop = part * (linear + square * (2 * (start / width) + part))
    series = np.ones_like(drop)
    for n in range(_TERMS, 1, -1):
        series = 1 - drop * series / n
    return drop * series


def _uniform(bits: int, n: int, randomness: Randomness) -> Whole:
    """Integers of so many random bits, 0 to 62."""
    if bits == 0:
        return np.zeros(n, np.int64)
    size = 2 if bits <= 16 else 4 if bits <= 32 else 8
    return (np.frombuffer(randomness.block(size * n), f"<u{size}") >> (8 * size - bits)).astype(np.int64)
