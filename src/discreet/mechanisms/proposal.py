"""Propose, test, release: a quantile with noise for a proposed bound, where a test finds that the bound holds by far.

Theory. What is proposed is that no unit moves the quantile of these rows by more than ``bound`` cells. The distance to
rows for which that is wrong, counted in units, changes by one at most with each unit; where it is 0 on both of two
neighbours, the test of a margin of 1 + distance lets the number pass with a chance of at most delta (``stable``). On
all others the number differs by ``bound`` at most, since that holds on one of the two. The proposal is public: what
the analyst names, or the largest whose noise stays within a twentieth of the declared range at 95 %.
docs/proofs/stability.md has the argument.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import floor

from discreet.ledger.events import Event
from discreet.mechanisms import Mechanism
from discreet.mechanisms.jumps import quantile, rows_until_jump
from discreet.mechanisms.perturb import perturb
from discreet.mechanisms.picks import MISS, Chosen, Steps
from discreet.mechanisms.scores import Rows
from discreet.mechanisms.search import least
from discreet.mechanisms.sharpest import half_width
from discreet.mechanisms.stable import MarginTest
from discreet.mechanisms.terms import Terms, inner_share
from discreet.privacy.bounded import Pick

__all__ = ["Proposal", "proposal"]

FAIR = 20
"""The part of the range that the noise of an unasked proposal may cover, on either side."""


def proposal(pick: Pick, terms: Terms) -> Proposal:
    """Half of the price for the test, half for the number."""
    share = inner_share(pick, "ptr")
    test = MarginTest.calibrate(terms, terms.amount / 2, terms.need_delta("ptr", pick))
    bound = _named(pick, terms.proposal) if terms.proposal else _largest(terms, (pick.histogram.cells - 1) // FAIR)
    return Proposal(pick, share, bound, test, terms.noise(bound, terms.amount / 2))


def _named(pick: Pick, proposed: Fraction) -> int:
    """In cells: one at least, and the whole range at most."""
    return min(max(1, floor(proposed / pick.histogram.step)), max(1, pick.histogram.cells - 1))


def _largest(terms: Terms, within: int) -> int:
    """The largest whose noise stays within so many cells, and 1 at least."""

    def passes(bound: int) -> bool:
        return bound > 1 and half_width(terms.noise(bound, terms.amount / 2), 1 - MISS) > within

    return least(passes, max(2, within)) - 1


@dataclass(frozen=True, slots=True)
class Proposal:
    """``bound`` is counted in cells."""

    wanted: Pick
    share: Fraction
    bound: int
    test: MarginTest
    noise: Mechanism

    @property
    def name(self) -> str:
        return "ptr"

    @property
    def picks(self) -> tuple[Pick, ...]:
        return (self.wanted,)

    @property
    def events(self) -> tuple[Event, ...]:
        return *self.test.events, self.noise.event

    @property
    def sharpness(self) -> tuple[Steps, ...]:
        return (Steps(self.bound, self.noise.spread, half_width(self.noise, 1 - MISS), self.test.threshold),)

    def pick(self, rows: Rows) -> tuple[Chosen | None, ...]:
        margin = self.margin(rows)
        if margin is not None and not self.test.passes(margin):
            return (None,)
        (noised,), width = perturb(self.noise, [quantile(rows, self.share)]), half_width(self.noise, 1 - MISS)
        last = self.wanted.histogram.cells - 1
        return (Chosen(*(min(max(cell, 0), last) for cell in (noised - width, noised, noised + width))),)

    def margin(self, rows: Rows) -> int | None:
        """One more than the units that have to come or go until the proposal is wrong; None: it never is."""
        last, unit = self.wanted.histogram.cells - 1, self.wanted.histogram.rows
        away = rows_until_jump(rows, last, self.share, unit, self.bound)
        return None if away is None else 1 - (-away // unit)
