"""Cells picked from a histogram, each with an interval: quantiles, extremes, the most frequent value.

Theory. ``rows`` rows of one unit move a rank by that much at most. A quantile is picked in two steps:

- the cell itself, whose rank is off by less than e rows but for a chance of ``MISS / 3``;
- among the rows below it alone, the cell with e rows and some more between: so few rows lie below that cell that the
  quantile cannot, but for another ``MISS / 3``. Likewise above. A row lies on one side only, so that the two together
  cost what one of them does; together they bound the quantile that the rows really have.

An extreme is picked once: the cell with so many rows on its far side that, but for ``MISS``, one is there. Over groups
prices do not add up either, since a row is in one group: docs/proofs/quantiles.md has the argument.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import NamedTuple, Protocol

from discreet.ledger.events import Event
from discreet.mechanisms import Choice
from discreet.mechanisms.scores import CountScores, RankScores, Rows
from discreet.mechanisms.sharpest import EVERY_CHOICE, sharpest_choice
from discreet.privacy.bounded import Pick

__all__ = ["MISS", "Chosen", "Picker", "Sharpness", "Steps", "picker"]

MISS = 0.05
"""The chance that an interval is wrong: it has to be fixed before the cells are picked."""


class Chosen(NamedTuple):
    """A cell, and the cells between which the true one lies."""

    low: int
    value: int
    high: int


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


def picker(pick: Pick, amount: Fraction, accounting: str, choices: Sequence[type[Choice]] = EVERY_CHOICE) -> Picker:
    """The sharpest way to make a pick at this price in all groups together, by one of these choices."""
    if pick.share is None:
        return Fullest(pick, sharpest_choice(pick.histogram.rows, amount, accounting, choices))
    if pick.share in (0, 1):
        return Outermost(pick, sharpest_choice(2 * pick.histogram.rows, amount, accounting, choices))
    moved = 2 * pick.histogram.rows * max(pick.share.numerator, pick.share.denominator - pick.share.numerator)
    return Inner(
        pick,
        pick.share,
        sharpest_choice(moved, amount / 2, accounting, choices),
        sharpest_choice(2 * pick.histogram.rows, amount / 2, accounting, choices),
    )


@dataclass(frozen=True, slots=True)
class Inner:
    """A quantile at a share between 0 and 1; ranks are counted in parts of a row, by the share's denominator."""

    wanted: Pick
    share: Fraction
    middle: Choice
    sides: Choice

    @property
    def name(self) -> str:
        return self.middle.name

    @property
    def picks(self) -> tuple[Pick, ...]:
        return (self.wanted,)

    @property
    def events(self) -> tuple[Event, ...]:
        return self.middle.event, self.sides.event

    @property
    def sharpness(self) -> tuple[Sharpness, ...]:
        return (Sharpness(1 / (float(self.middle.rate) * self.share.denominator), self._off(MISS)),)

    def _off(self, miss: float) -> int:
        return ceil(Fraction(self.middle.slack(self.wanted.histogram.cells, miss), self.share.denominator))

    def pick(self, rows: Rows) -> tuple[Chosen, ...]:
        last = self.wanted.histogram.cells - 1
        scores = RankScores(rows, 0, last, self.share.numerator * rows.number, self.share.denominator)
        value = self.middle.choose(scores)
        between = self._off(MISS / 3) + 1 + self.sides.slack(last + 1, MISS / 3)
        below, above = rows.between(0, value - 1), rows.between(value + 1, last)
        low = self.sides.choose(RankScores(below, 0, value, below.number - between))
        high = self.sides.choose(RankScores(above, value, last, between))
        return (Chosen(low, value, high),)


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
