"""Quantiles of one column, picked together: what one pick has found out serves the others.

Theory. A tree (``forks``) finds a cell for every share, and counts up to it. Beside every cell, on either side, a
further edge is chosen some rows away, and counted. It is an end of the interval where that count says, but for a part
of ``MISS``, that a quantile lies on the near side: C(k) <= s N for the edge k of a lower end. Where it does not say so,
the edges of other shares are asked, with a noisy count of all rows to tell how many lie between; then the range ends.

The rows between two cells are parted in the middle between the cells, so that a row is counted beside one of them only:
both sides of all cells cost what one does. Intervals rest on counts alone, not on how near the picks are. That what is
looked for lies far enough away matters for their width only. docs/proofs/quantiles.md has the argument.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil
from typing import NamedTuple, Self

from discreet.ledger.events import Event
from discreet.mechanisms import Choice, Mechanism
from discreet.mechanisms.forks import Fork, Level, Mark, Tree, counted
from discreet.mechanisms.perturb import perturb
from discreet.mechanisms.picks import MISS, Chosen, Sharpness
from discreet.mechanisms.scores import RankScores, Rows
from discreet.mechanisms.sums import mixed_width
from discreet.privacy.bounded import Pick

__all__ = ["Together"]


class Division(NamedTuple):
    """What of the price goes where, in 32 parts."""

    picks: int
    ranks: int
    """To the counts up to the cells."""
    sides: int
    side_ranks: int
    whole: int
    """To the count of all rows, for which one quantile alone has no use."""


ALONE, SEVERAL = Division(16, 4, 8, 4, 0), Division(16, 8, 4, 3, 1)

SPARE = 5
"""How often the distance at which a chance falls to 1/e an edge is looked for further away than a count needs it."""

NEARBY = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)
"""Which other shares are asked for an end of an interval: so many places away."""

BELOW, ABOVE = 1, -1

Noises = tuple[tuple[float, Mechanism], ...]


@dataclass(frozen=True, slots=True)
class Side:
    """How an edge is found some rows away from another, and counted."""

    choice: Choice
    noise: Mechanism

    def below(self, rows: Rows, mark: Mark, floor: int, away: int) -> Mark:
        """The edge before a cell, of those from ``floor`` on."""
        target = rows.before(mark.edge) + round(mark.short) - away
        cell = self.choice.choose(RankScores(rows, floor, mark.edge - 1, target))
        (between,) = perturb(self.noise, [rows.before(mark.edge) - rows.before(cell)])
        return Mark(cell, mark.short + between)

    def above(self, rows: Rows, mark: Mark, ceiling: int, away: int) -> Mark:
        """The edge behind a cell, of those before ``ceiling``."""
        target = rows.before(mark.edge) + round(mark.short) + away
        cell = self.choice.choose(RankScores(rows, mark.edge - 1, ceiling - 1, target))
        (between,) = perturb(self.noise, [rows.through(cell) - rows.before(mark.edge)])
        return Mark(cell + 1, mark.short - between)


@dataclass(frozen=True, slots=True)
class Beside:
    """The edges beside a cell; none below where the pick before is of the same cell, and has looked there already."""

    below: Mark | None
    above: Mark


class Test(NamedTuple):
    """A mark shows that a quantile lies on the near side of it where it says so by ``width`` rows."""

    mark: Mark
    between: Fraction
    """The share of all rows that lies between the wanted share and that of the mark."""
    width: float


@dataclass(frozen=True)
class Together:
    """Quantiles at shares between 0 and 1, in their order; their places in the tree begin at 1."""

    picks: tuple[Pick, ...]
    tree: Tree
    side: Side
    whole: Mechanism | None

    @classmethod
    def of(cls, picks: Sequence[Pick], amount: Fraction, accounting: str, choices: tuple[type[Choice], ...]) -> Self:
        """The sharpest picks at this price in all groups together."""
        ordered = sorted((_share(pick), place) for place, pick in enumerate(picks))
        rows, levels, parts = picks[0].histogram.rows, len(picks).bit_length(), SEVERAL if len(picks) > 1 else ALONE
        each = amount / 32
        level = Level(rows, each * parts.picks / levels, each * parts.ranks / levels, accounting, choices)
        beside = Level(rows, each * parts.sides, each * parts.side_ranks, accounting, choices)
        return cls(
            tuple(picks[place] for _, place in ordered),
            Tree.of([Fraction(0), *(share for share, _ in ordered), Fraction(1)], levels, level),
            Side(beside.choice(1), beside.noise(1)),
            counted(rows, each * parts.whole, accounting) if parts.whole else None,
        )

    @property
    def name(self) -> str:
        return self.side.choice.name

    @property
    def events(self) -> tuple[Event, ...]:
        counts = () if self.whole is None else (self.whole.event,)
        return (*self.tree.events, self.side.choice.event, self.side.noise.event, *counts)

    @property
    def sharpness(self) -> tuple[Sharpness, ...]:
        return self._sharpness

    @cached_property
    def _sharpness(self) -> tuple[Sharpness, ...]:
        """A cell is off by what its pick is and the counts above it are, or else by what a cell above it is."""
        told = {0: 0, len(self.picks) + 1: 0}
        scales: dict[int, float] = {}
        for fork in self.tree.forks:
            told[fork.here] = max(self._off(fork), told[fork.low], told[fork.high])
            scales[fork.here] = 1 / (float(fork.choice.rate) * fork.part.denominator)
        return tuple(Sharpness(scales[place], told[place]) for place in range(1, len(self.picks) + 1))

    def _off(self, fork: Fork) -> int:
        miss = MISS / self.tree.levels
        above = self.tree.terms(self.tree.inherited(fork, self.tree.errors))
        if not above:
            return ceil(Fraction(fork.choice.slack(self._cells, miss), fork.part.denominator))
        return ceil(fork.choice.slack(self._cells, miss / 2) / fork.part.denominator + mixed_width(above, miss / 4))

    def pick(self, rows: Rows) -> tuple[Chosen, ...]:
        marks, places = self.tree.marks(rows, self._cells), range(1, len(self.picks) + 1)
        beside = {place: self._beside(rows, place, marks) for place in places}
        fewest = self._fewest(rows)
        return tuple(self._chosen(place, marks, beside, fewest) for place in places)

    def _beside(self, rows: Rows, place: int, marks: Mapping[int, Mark]) -> Beside:
        """Of what lies between two cells each has the half that is nearer."""
        before, mark, after = (marks[place + away] for away in (-1, 0, 1))
        floor = (before.edge + mark.edge) // 2 if place > 1 else 0
        ceiling = (mark.edge + after.edge) // 2 if place < len(self.picks) else self._cells
        below = self.side.below(rows, mark, floor, self._away(place)) if floor < mark.edge else None
        return Beside(below, self.side.above(rows, mark, ceiling, self._away(place)))

    def _away(self, place: int) -> int:
        """So many rows that a count shows them, though it falls short and the cell that is picked lies too near."""
        draw = (1.0, self.side.noise)
        shown = mixed_width((*self.tree.terms(self.tree.errors[place]), draw), MISS / 5)
        return ceil(shown + mixed_width((draw,), MISS / 10) + SPARE / float(self.side.choice.rate))

    def _fewest(self, rows: Rows) -> int:
        """There are at least so many rows, but for a fifth of ``MISS``."""
        if self.whole is None:
            return 0
        (noisy,) = perturb(self.whole, [rows.number])
        return max(0, noisy - ceil(mixed_width(((1.0, self.whole),), MISS / 5)))

    def _chosen(self, place: int, marks: Mapping[int, Mark], beside: Mapping[int, Beside], fewest: int) -> Chosen:
        owner = next(each for each in range(place, 0, -1) if beside[each].below is not None)
        below, above = beside[owner].below, beside[place].above
        assert below is not None
        value = marks[place].edge - 1
        low = _shown(self._tests(place, owner, below, marks, BELOW), BELOW, fewest)
        high = _shown(self._tests(place, place, above, marks, ABOVE), ABOVE, fewest)
        return Chosen(
            0 if low is None else min(value, low.edge),
            value,
            self._cells - 1 if high is None else max(value, high.edge - 1),
        )

    def _tests(self, place: int, owner: int, side: Mark, marks: Mapping[int, Mark], way: int) -> Iterator[Test]:
        """The edge beside, then those of other shares, near ones first; the n-th errs with 1 / n(n+1) of the whole."""
        others = [place - way * away for away in NEARBY if 0 < place - way * away <= len(self.picks)]
        whole = 2 * MISS / 5 if self.whole else MISS / 2
        misses = [whole / (n * (n + 1)) for n in range(1, len(others) + 1)] + [whole / (len(others) + 1)]
        yield self._test(side, place, owner, ((1.0, self.side.noise),), misses[0])
        for other, miss in zip(others, misses[1:], strict=True):
            yield self._test(marks[other], place, other, (), miss)

    def _test(self, mark: Mark, place: int, other: int, more: Noises, miss: float) -> Test:
        between = abs(self.tree.shares[place] - self.tree.shares[other])
        return Test(mark, between, mixed_width((*self.tree.terms(self.tree.errors[other]), *more), miss))

    @property
    def _cells(self) -> int:
        return self.picks[0].histogram.cells


def _shown(tests: Iterator[Test], way: int, fewest: int) -> Mark | None:
    """The nearest mark that shows it."""
    return next((mark for mark, between, width in tests if way * mark.short + between * fewest >= width), None)


def _share(pick: Pick) -> Fraction:
    assert pick.share is not None
    return pick.share
