"""Edges between cells, found one between others as in a search tree, each with the rank that it has.

Theory. N rows lie in cells; C(k) of them below the edge k, where cell k begins. For a share s the tree finds a cell v
with C(v) <= s N <= C(v + 1), as near as it can, and tells of the edge k = v + 1 by how many rows it falls short: an
estimate of s N - C(k). The range's ends are the edges of the shares 0 and 1, and fall short by nothing.

Between the edges of two shares there are M = C(high) - C(low) rows. What both fall short by, taken along the way from
one share to the other, says which rank among those M rows the share in between has; a noisy count up to the cell that
is picked says by how much that was missed. So neither a poor pick nor many rows in one cell do harm to what is found
further down, and the error of what is told is a sum of draws of noise whose weights are known beforehand.

A row lies between two edges only: a level of the tree, at all its forks and in all groups, costs what one fork costs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple, Self

from discreet.ledger.events import Event
from discreet.mechanisms import Choice, Mechanism
from discreet.mechanisms.perturb import perturb
from discreet.mechanisms.scores import RankScores, Rows
from discreet.mechanisms.sharpest import sharpest_choice, sharpest_noise

__all__ = ["Fork", "Level", "Mark", "Tree", "counted"]


class Mark(NamedTuple):
    """An edge, and by how many rows those below it fall short of its share."""

    edge: int
    short: Fraction


@dataclass(frozen=True, slots=True)
class Level:
    """What is paid for at once, by rows of which each is at one fork only: a pick and a count at every fork.

    ``reach`` is how many parts of a row one row moves a count by, at most; distances move apart by twice that.
    """

    rows: int
    for_pick: Fraction
    for_count: Fraction
    accounting: str
    choices: tuple[type[Choice], ...]

    def choice(self, reach: int) -> Choice:
        return sharpest_choice(2 * reach * self.rows, self.for_pick, self.accounting, self.choices)

    def noise(self, reach: int) -> Mechanism:
        """Of one law whatever the reach is, so that all forks have one event."""
        moved, law = reach * self.rows, type(counted(self.rows, self.for_count, self.accounting))
        noise = law.calibrate(moved, moved**2, self.for_count, self.accounting)
        assert noise is not None
        return noise


def counted(rows: int, amount: Fraction, accounting: str) -> Mechanism:
    """Noise for one count of rows, of which a unit has so many."""
    noise = sharpest_noise(rows, rows**2, amount, accounting)
    assert noise is not None
    return noise


@dataclass(frozen=True, slots=True)
class Fork:
    """How a share is found between two others, ``low`` and ``high``: ``part`` of the way from one to the other."""

    low: int
    here: int
    high: int
    part: Fraction
    choice: Choice
    noise: Mechanism

    def mark(self, rows: Rows, low: Mark, high: Mark) -> Mark:
        parts, start = self.part.denominator, rows.before(low.edge)
        wanted = self.part.numerator * (rows.before(high.edge) - start)
        expected = (1 - self.part) * low.short + self.part * high.short
        target = parts * start + wanted + round(parts * expected)
        cell = self.choice.choose(RankScores(rows, max(0, low.edge - 1), high.edge - 1, target, parts))
        (short,) = perturb(self.noise, [wanted - parts * (rows.through(cell) - start)])
        return Mark(cell + 1, expected + Fraction(short, parts))


@dataclass(frozen=True)
class Tree:
    """Shares in their order, the first of them 0 and the last 1, and the forks at which the others are found."""

    shares: tuple[Fraction, ...]
    levels: int
    forks: tuple[Fork, ...]

    @classmethod
    def of(cls, shares: Sequence[Fraction], levels: int, level: Level) -> Self:
        found = tuple(shares)
        return cls(found, levels, tuple(_forks(found, 0, len(found) - 1, levels, level)))

    @property
    def events(self) -> tuple[Event, ...]:
        root = self.forks[0]
        return (root.choice.event, root.noise.event) * self.levels

    def marks(self, rows: Rows, cells: int) -> Mapping[int, Mark]:
        """By the place of the share."""
        found = {0: Mark(0, Fraction(0)), len(self.shares) - 1: Mark(cells, Fraction(0))}
        for fork in self.forks:
            found[fork.here] = fork.mark(rows, found[fork.low], found[fork.high])
        return found

    @cached_property
    def errors(self) -> Mapping[int, Mapping[int, float]]:
        """Of what each mark tells: how often the draw at every fork is in it."""
        found: dict[int, dict[int, float]] = {0: {}, len(self.shares) - 1: {}}
        for fork in self.forks:
            found[fork.here] = {**self.inherited(fork, found), fork.here: 1 / fork.part.denominator}
        return found

    @staticmethod
    def inherited(fork: Fork, errors: Mapping[int, Mapping[int, float]]) -> dict[int, float]:
        """The error of the rank that is looked for at a fork."""
        low, high, part = errors[fork.low], errors[fork.high], float(fork.part)
        return {place: (1 - part) * low.get(place, 0.0) + part * high.get(place, 0.0) for place in {*low, *high}}

    def terms(self, weights: Mapping[int, float]) -> tuple[tuple[float, Mechanism], ...]:
        """A sum of draws with the noise that each of them is drawn from."""
        return tuple((weight, self._noises[place]) for place, weight in weights.items())

    @cached_property
    def _noises(self) -> Mapping[int, Mechanism]:
        return {fork.here: fork.noise for fork in self.forks}


def _forks(shares: tuple[Fraction, ...], low: int, high: int, levels: int, level: Level) -> Iterator[Fork]:
    """Above before below: the share in the middle is found first, if what is left on both sides fits in the levels."""
    if high - low < 2:
        return
    most, middle = 1 << (levels - 1), (shares[low] + shares[high]) / 2
    fits = (place for place in range(low + 1, high) if place - low <= most and high - place <= most)
    here = min(fits, key=lambda place: abs(shares[place] - middle))
    part = (shares[here] - shares[low]) / (shares[high] - shares[low])
    reach = max(part.numerator, part.denominator - part.numerator)
    yield Fork(low, here, high, part, level.choice(reach), level.noise(reach))
    yield from _forks(shares, low, here, levels - 1, level)
    yield from _forks(shares, here, high, levels - 1, level)
