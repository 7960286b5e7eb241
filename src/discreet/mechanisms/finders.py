"""Bounds that nobody declared, chosen from counts in the cells between candidates.

Theory. A bound that is too low cuts off what lies beyond it, which nobody sees in an interval; one that is too high has
needless noise. Of candidates that double, the least one is wanted beyond which no more is left than the noise weighs:
with one step less there would be less noise than is then cut off. A candidate's distance is

    what lies beyond it, as far as it is more than can be spared   +   a fixed amount for each step that it is up.

One row (or unit) more makes every count that it is in larger by one, and none smaller: so no two distances move apart
by more than one, where a score that may move both ways would need two. The fixed amount is such that a needless step
up, which doubles the noise, has a chance of exp(-2). What lies below zero and above it are different rows, so that
choosing both ends costs what one does. docs/proofs/chosen-bounds.md has the argument, and says what is cut off at most.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, log

from discreet.mechanisms import Choice
from discreet.mechanisms.scores import BeyondScores
from discreet.mechanisms.sharpest import sharpest_choice
from discreet.privacy.bounded import Histogram
from discreet.privacy.probe import Ends, Probe, Wanted

__all__ = ["Finder", "Prelude", "finder"]

PARTS = 16
"""Distances are counted in parts of a row or unit."""

STEEPNESS = 2
"""A step up lowers a chance by exp(-STEEPNESS)."""

MISS = 0.05


@dataclass(frozen=True, slots=True)
class Finder:
    """How one bound is found, and what that costs."""

    wanted: Wanted
    choice: Choice
    spared: int

    @property
    def scale(self) -> float:
        """The rows (or units) over which a chance falls to 1/e."""
        return 1 / (float(self.choice.rate) * PARTS)

    @property
    def steepness(self) -> int:
        return ceil(STEEPNESS / self.choice.rate)

    @property
    def beyond(self) -> int:
        """But for a chance of ``MISS``, the most rows (or units) beyond either end, if so few are beyond the last."""
        steps = max(map(len, (self.wanted.ladder.lows, self.wanted.ladder.highs)))
        off = (steps - 1) * self.steepness + log(2 * steps / MISS) / float(self.choice.rate)
        return self.spared + ceil(off / PARTS)

    def find(self, counts: Mapping[int, int]) -> Ends:
        """``counts`` by cells between the edges of the ladder."""
        ladder = self.wanted.ladder
        low, high = ladder.places
        below = [sum(count for cell, count in counts.items() if cell <= edge) for edge in low]
        above = [sum(count for cell, count in counts.items() if cell > edge) for edge in high]
        return -ladder.lows[self._choose(below or [0])], ladder.highs[self._choose(above)]

    def _choose(self, beyond: list[int]) -> int:
        return self.choice.choose(BeyondScores(tuple(beyond), self.spared, self.steepness, PARTS))


@dataclass(frozen=True, slots=True)
class Prelude:
    """A probe, and how what it wants is found: ``finders`` go with the histograms of its question."""

    probe: Probe
    finders: tuple[Finder, ...]


def finder(wanted: Wanted, histogram: Histogram, spared: int, amount: Fraction, accounting: str) -> Finder:
    """The sharpest one at this price, where a unit adds as many rows as the histogram says."""
    return Finder(wanted, sharpest_choice(PARTS * histogram.rows, amount, accounting), spared)
