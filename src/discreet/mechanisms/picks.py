"""Cells picked from a histogram, each with an interval: here extremes and modes; ``together`` has quantiles.

Theory. An extreme is picked once: the cell with so many rows on its far side that, but for ``MISS``, one is there. Of
the most frequent value it is not known how much more frequent it is than others. Over groups prices do not add up,
since a row is in one group: docs/proofs/quantiles.md has the argument.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple, Protocol

from discreet.ledger.events import Event
from discreet.mechanisms import Choice
from discreet.mechanisms.scores import CountScores, RankScores, Rows
from discreet.privacy.bounded import Pick

__all__ = ["MISS", "Chosen", "Fullest", "Outermost", "Picker", "Sharpness", "Steps", "in_order"]

MISS = 0.05
"""The chance that an interval is wrong: it has to be fixed before the cells are picked."""


class Chosen(NamedTuple):
    """A cell, and the cells between which the true one lies."""

    low: int
    value: int
    high: int

    def told_as(self, value: int) -> Chosen:
        """Another cell in place of this one; what is known of the true one stays known."""
        return Chosen(min(self.low, value), value, max(self.high, value))


def in_order(shares: Sequence[Fraction], chosen: Sequence[Chosen | None]) -> list[Chosen | None]:
    """No quantile above one at a greater share: the cells change places where they are not in order."""
    told = {place: each for place, each in enumerate(chosen) if each is not None}
    places, cells = sorted(told, key=lambda place: shares[place]), sorted(each.value for each in told.values())
    moved = {place: told[place].told_as(cell) for place, cell in zip(places, cells, strict=True)}
    return [moved.get(place) for place in range(len(chosen))]


class Sharpness(NamedTuple):
    """How near a picked cell is to what was wanted, counted in rows."""

    scale: float
    """The rows over which a chance falls to 1/e."""
    rank_error: int | None
    """By how many rows the rank of the picked cell is off, but for a chance of ``MISS``; None where data decide it."""


class Steps(NamedTuple):
    """The noise of a number, counted in cells, that is told where a test allows it."""

    moved: int
    """How far a unit moves it in each of its groups."""
    scale: float
    half_width: int
    """What the noise stays within, but for a chance of ``MISS``."""
    threshold: int
    """From which noisy number of units the test allows it."""


class Picker(Protocol):
    """How picks from one histogram are made in every group, and what that costs."""

    @property
    def name(self) -> str: ...
    @property
    def picks(self) -> tuple[Pick, ...]:
        """What it picks: one, or several that are made together."""
        ...

    @property
    def events(self) -> tuple[Event, ...]: ...
    @property
    def sharpness(self) -> tuple[Sharpness | Steps, ...]:
        """Of each pick."""
        ...

    def pick(self, rows: Rows) -> tuple[Chosen | None, ...]:
        """A cell for each pick, freshly drawn from the rows of one group; None where there is to be no answer."""
        ...


@dataclass(frozen=True, slots=True)
class Outermost:
    """The least cell that some row does not exceed (share 0), or the greatest that some row reaches (share 1)."""

    wanted: Pick
    choice: Choice

    @property
    def name(self) -> str:
        return self.choice.name

    @property
    def picks(self) -> tuple[Pick, ...]:
        return (self.wanted,)

    @property
    def events(self) -> tuple[Event, ...]:
        return (self.choice.event,)

    @property
    def sharpness(self) -> tuple[Sharpness, ...]:
        return (Sharpness(1 / float(self.choice.rate), 2 * self._beyond),)

    @property
    def _beyond(self) -> int:
        return self.choice.slack(self.wanted.histogram.cells, MISS)

    def pick(self, rows: Rows) -> tuple[Chosen, ...]:
        last = self.wanted.histogram.cells - 1
        if self.wanted.share == 0:
            value = self.choice.choose(RankScores(rows, 0, last, self._beyond))
            return (Chosen(0, value, value),)
        value = self.choice.choose(RankScores(rows, 0, last, rows.number - self._beyond))
        return (Chosen(value, value, last),)


@dataclass(frozen=True, slots=True)
class Fullest:
    """The cell with the most rows: a row makes one cell fuller, and no other less full."""

    wanted: Pick
    choice: Choice

    @property
    def name(self) -> str:
        return self.choice.name

    @property
    def picks(self) -> tuple[Pick, ...]:
        return (self.wanted,)

    @property
    def events(self) -> tuple[Event, ...]:
        return (self.choice.event,)

    @property
    def sharpness(self) -> tuple[Sharpness, ...]:
        return (Sharpness(1 / float(self.choice.rate), self.choice.slack(self.wanted.histogram.cells, MISS)),)

    def pick(self, rows: Rows) -> tuple[Chosen, ...]:
        value = self.choice.choose(CountScores(rows.counts, self.wanted.histogram.cells - 1))
        return (Chosen(value, value, value),)
