"""An exact answer where it is stable: a quantile, or a mode, that no few units could make another.

Theory. The margin is the least number of units that have to come or go until the answer is another one; a unit changes
it by one at most. Where the answer differs between neighbours the margin is 1 on both sides, and then the answer is
shown with a chance of at most delta in all groups together, since a noisy margin has to reach a threshold
(``threshold``). Where it does not differ, the noise on the margin is all there is to tell. Silence is an answer, too,
and has its price. docs/proofs/stability.md has the argument.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from discreet.ledger.events import Event, StabilityThreshold
from discreet.mechanisms import Mechanism
from discreet.mechanisms.jumps import quantile, rows_until_other
from discreet.mechanisms.perturb import perturb
from discreet.mechanisms.picks import Chosen, Steps
from discreet.mechanisms.scores import Rows
from discreet.mechanisms.terms import Terms, inner_share
from discreet.mechanisms.threshold import threshold
from discreet.privacy.bounded import Pick

__all__ = ["MarginTest", "Stable", "stable"]


@dataclass(frozen=True, slots=True)
class MarginTest:
    """Whether a number of units, which each unit changes by one in each of its groups, is safely above 1."""

    noise: Mechanism
    threshold: int
    delta: Fraction

    @classmethod
    def calibrate(cls, terms: Terms, amount: Fraction, delta: Fraction) -> MarginTest:
        noise = terms.noise(1, amount)
        return cls(noise, threshold(noise, terms.groups, delta), delta)

    @property
    def events(self) -> tuple[Event, ...]:
        return self.noise.event, StabilityThreshold(self.delta)

    def passes(self, margin: int) -> bool:
        return perturb(self.noise, [margin])[0] >= self.threshold


def stable(pick: Pick, terms: Terms) -> Stable:
    if pick.share is not None:
        inner_share(pick, "stable")
    return Stable(pick, MarginTest.calibrate(terms, terms.amount, terms.need_delta("stable", pick)))


@dataclass(frozen=True, slots=True)
class Stable:
    wanted: Pick
    test: MarginTest

    @property
    def name(self) -> str:
        return "stable"

    @property
    def picks(self) -> tuple[Pick, ...]:
        return (self.wanted,)

    @property
    def events(self) -> tuple[Event, ...]:
        return self.test.events

    @property
    def sharpness(self) -> tuple[Steps, ...]:
        return (Steps(0, 0.0, 0, self.test.threshold),)

    def pick(self, rows: Rows) -> tuple[Chosen | None, ...]:
        cell, margin = self.answer(rows)
        return (Chosen(cell, cell, cell) if margin is None or self.test.passes(margin) else None,)

    def answer(self, rows: Rows) -> tuple[int, int | None]:
        """The exact answer, and the units that have to come or go until it is another; None: there is no other."""
        last, share = self.wanted.histogram.cells - 1, self.wanted.share
        if share is None:
            cell, away = fullest(rows, last)
        else:
            cell, away = quantile(rows, share), rows_until_other(rows, last, share)
        return cell, None if away is None else -(-away // self.wanted.histogram.rows)


def fullest(rows: Rows, last: int) -> tuple[int, int | None]:
    """The cell with the most rows, the first of several, and how many rows must come or go until it is another."""
    counts = rows.counts
    here = min(counts, key=lambda cell: (-counts[cell], cell), default=0)
    most = counts.get(here, 0)
    empty = next(cell for cell in range(last + 2) if cell != here and not counts.get(cell))
    rivals = {**counts, **({empty: 0} if empty <= last else {})}
    away = [most - count + (here < cell) for cell, count in rivals.items() if cell != here]
    return here, min(away, default=None)
