"""How far each cell of a histogram is from what is wanted, in whole numbers: the scores that a choice is made by.

Cells are integers from ``first`` to ``last``; all but those that hold rows lie in runs of equal distance, so a column
of a million values is told by its rows alone. The distance of a cell moves by at most ``scale`` for each row that is
added or removed; 0 is as good as it can be, and some cell has it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import NamedTuple, Protocol

__all__ = ["BeyondScores", "CountScores", "RankScores", "Rows", "Run", "Scores"]


class Run(NamedTuple):
    """Neighbouring cells of one distance."""

    start: int
    length: int
    distance: int


class Scores(Protocol):
    @property
    def first(self) -> int: ...
    @property
    def last(self) -> int: ...

    def near(self, limit: int) -> list[Run]:
        """Every cell with a distance below the limit, and perhaps others."""
        ...

    def distance(self, cell: int) -> int: ...


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of a histogram in the order of their cells; ``sums[i]`` of them lie before ``cells[i]``."""

    cells: tuple[int, ...]
    sums: tuple[int, ...]

    @classmethod
    def of(cls, counts: Iterable[tuple[int, int]]) -> Rows:
        found = sorted(pair for pair in counts if pair[1])
        return cls(tuple(cell for cell, _ in found), (0, *accumulate(count for _, count in found)))

    @property
    def number(self) -> int:
        return self.sums[-1]

    @property
    def counts(self) -> dict[int, int]:
        return dict(zip(self.cells, (b - a for a, b in pairwise(self.sums)), strict=True))

    def before(self, cell: int) -> int:
        return self.sums[bisect_left(self.cells, cell)]

    def through(self, cell: int) -> int:
        return self.sums[bisect_right(self.cells, cell)]


@dataclass(frozen=True, slots=True)
class RankScores:
    """The distance of a cell from a rank: how many rows too many lie before it, or too few up to its end.

    ``target`` and distances are counted in parts of a row, ``scale`` to each. Nothing can be asked beyond the first and
    the last cell: it costs them nothing that too few rows lie on their far side. So some cell always has distance 0.
    """

    rows: Rows
    first: int
    last: int
    target: int
    scale: int = 1

    def distance(self, cell: int) -> int:
        over = 0 if cell == self.first else self.rows.before(cell) * self.scale - self.target
        under = 0 if cell == self.last else self.target - self.rows.through(cell) * self.scale
        return max(0, over, under)

    def near(self, limit: int) -> list[Run]:
        """Distances fall up to the rank and rise behind it, so those below the limit stand together."""
        sums = self.rows.sums
        low = max(0, bisect_right(sums, (self.target - limit) // self.scale) - 1)
        high = bisect_left(sums, -((-self.target - limit) // self.scale))
        found = [run for place in range(low, min(high, len(sums))) for run in self._runs_from(place)]
        return [*found, *(Run(cell, 1, self.distance(cell)) for cell in {self.first, self.last})]

    def _runs_from(self, place: int) -> Iterator[Run]:
        """The empty cells before the rows of a place, and the cell that holds them."""
        cells, end = self.rows.cells, len(self.rows.cells)
        yield from self._run(
            cells[place - 1] + 1 if place else self.first, cells[place] if place < end else self.last + 1
        )
        if place < end:
            yield from self._run(cells[place], cells[place] + 1)

    def _run(self, start: int, stop: int) -> Iterator[Run]:
        """What lies between the first and the last cell, which stand for themselves."""
        start, stop = max(start, self.first + 1), min(stop, self.last)
        if start < stop:
            yield Run(start, stop - start, self.distance(start))


@dataclass(frozen=True, slots=True)
class CountScores:
    """The distance of a cell from the fullest one: how many rows fewer it has."""

    counts: Mapping[int, int]
    last: int
    first: int = 0

    @property
    def most(self) -> int:
        return max(self.counts.values(), default=0)

    def distance(self, cell: int) -> int:
        return self.most - self.counts.get(cell, 0)

    def near(self, limit: int) -> list[Run]:
        most = self.most
        found = [Run(cell, 1, most - count) for cell, count in self.counts.items() if most - count < limit]
        return [*found, *self._empty(most)] if most < limit else found

    def _empty(self, distance: int) -> Iterator[Run]:
        start = self.first
        for cell in (*sorted(self.counts), self.last + 1):
            if start < cell:
                yield Run(start, cell - start, distance)
            start = cell + 1


@dataclass(frozen=True, slots=True)
class BeyondScores:
    """The distance of a candidate for a bound: how much lies beyond it, more than may be spared, and how large it is.

    ``beyond`` is told for candidates in ascending order. What is counted moves all of these numbers one way, by one
    at most, so that no two distances move apart by more than ``scale``. Of the least distance all are counted from.
    """

    beyond: tuple[int, ...]
    spared: int
    steepness: int
    """Each candidate is so much farther than the one before, whatever lies beyond."""
    scale: int = 1
    first: int = 0

    @property
    def last(self) -> int:
        return len(self.beyond) - 1

    def near(self, limit: int) -> list[Run]:
        distances = map(self.distance, range(self.last + 1))
        return [Run(cell, 1, distance) for cell, distance in enumerate(distances) if distance < limit]

    def distance(self, cell: int) -> int:
        return self._above(cell) - min(map(self._above, range(self.last + 1)))

    def _above(self, cell: int) -> int:
        return self.scale * max(0, self.beyond[cell] - self.spared) + self.steepness * cell
