"""A quantile with noise in proportion to a smooth bound on what a unit can move, and an interval by its rank.

Theory. S bounds how far a unit can move the quantile of these rows, and no unit changes ln(S) by more than a rate
(``jumps``). Noise of scale S / strength is private for the laws of ``SMOOTH``, with the strength and the rate that each
is calibrated to. S itself is private and is never shown, so the interval is made without it: two cells are picked, of
which one, but for a chance of ``MISS / 2``, has too few rows below it to lie above the quantile, and one too many up to
it to lie below. They are paid for like any pick, and the noised number is moved between them: that cuts its tails off.

Which of the laws is the least noise depends on the data. What is taken is the one that is the sharpest where rows lie
evenly around the quantile: there S is in proportion to 1 / rate. docs/proofs/smooth-sensitivity.md has the argument.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from discreet.ledger.events import Event
from discreet.mechanisms import Admissible, Choice
from discreet.mechanisms.fading import fading
from discreet.mechanisms.jumps import quantile, smooth_sensitivity
from discreet.mechanisms.picks import MISS, Chosen, Sharpness
from discreet.mechanisms.scores import RankScores, Rows
from discreet.mechanisms.sharpest import sharpest_choice
from discreet.mechanisms.terms import Terms, inner_share
from discreet.privacy.bounded import Pick

__all__ = ["Smooth", "smooth"]

SLACK = Fraction(1, 2**120)
"""A bound is computed to within one part in 2**127 of itself: its rate is that much, and more, below the law's."""


def smooth(pick: Pick, terms: Terms, laws: Sequence[type[Admissible]]) -> Smooth:
    """Half of the price for the number, half for the interval."""
    share = inner_share(pick, "smooth sensitivity")
    epsilon = terms.epsilon(terms.amount / 2)
    delta = None if terms.delta is None else terms.delta / terms.groups
    possible = [law.calibrate(epsilon, delta, terms.groups) for law in laws]
    found = [noise for noise in possible if noise is not None]
    if not found:
        terms.need_delta(laws[0].name, pick)
    noise = min(found, key=lambda each: each.tail_95 / float(each.strength * each.rate))
    moved = 2 * pick.histogram.rows * max(share.numerator, share.denominator - share.numerator)
    return Smooth(pick, share, noise, sharpest_choice(moved, terms.amount / 4, terms.accounting))


@dataclass(frozen=True, slots=True)
class Smooth:
    wanted: Pick
    share: Fraction
    noise: Admissible
    sides: Choice

    @property
    def name(self) -> str:
        return self.noise.name

    @property
    def picks(self) -> tuple[Pick, ...]:
        return (self.wanted,)

    @property
    def events(self) -> tuple[Event, ...]:
        return self.noise.event, self.sides.event, self.sides.event

    @property
    def sharpness(self) -> tuple[Sharpness, ...]:
        """The scale is counted in S, which is private."""
        return (Sharpness(1 / float(self.noise.strength), None),)

    def pick(self, rows: Rows) -> tuple[Chosen, ...]:
        last = self.wanted.histogram.cells - 1
        noised = quantile(rows, self.share) + self.noise.steps(self.bound(rows), last)
        low, high = sorted((self._beside(rows, -1), self._beside(rows, 1)))
        return (Chosen(low, min(max(noised, low), high), high),)

    def bound(self, rows: Rows) -> Fraction:
        """S: it is private."""
        last, unit = self.wanted.histogram.cells - 1, self.wanted.histogram.rows
        return smooth_sensitivity(rows, last, self.share, unit, fading((self.noise.rate - SLACK) / unit))

    def _beside(self, rows: Rows, side: int) -> int:
        """A cell that is, but for a chance of ``MISS / 2``, on this side of the quantile, or an end of the range."""
        last, m = self.wanted.histogram.cells - 1, self.share.denominator
        away = self.sides.slack(last + 1, MISS / 2)
        return self.sides.choose(RankScores(rows, 0, last, self.share.numerator * rows.number + side * away, m))
