"""From answers to what they prove: how much a question gives away at the least."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import exp, inf, log, log1p, sqrt
from typing import Literal

from discreet.audit.binomial import at_least, at_most

__all__ = ["Accounting", "Finding", "audit", "proven_epsilon"]

Accounting = Literal["zcdp", "pure"]

ORDERS = (1.01, 1.05, 1.1, 1.2, 1.35, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0, 6.0, 8.0, 12.0)
THRESHOLDS = 200


@dataclass(frozen=True, slots=True)
class Finding:
    """What was paid for and what was proved, both as the epsilon of a question's price."""

    claimed: float
    proven: float
    event: str
    asked: int
    """Answers that were taken from each of the two databases."""
    doubt: float
    """The chance that ``proven`` is more than is true."""

    @property
    def sound(self) -> bool:
        return self.proven <= self.claimed


@dataclass(frozen=True, slots=True)
class Event:
    """The answer is above the threshold, or at most it."""

    threshold: float
    above: bool

    def count(self, answers: Sequence[float]) -> int:
        return sum((answer > self.threshold) is self.above for answer in answers)

    def __str__(self) -> str:
        return f"answer {'>' if self.above else '<='} {self.threshold:g}"


def audit(
    ours: Sequence[float], theirs: Sequence[float], claimed: float, accounting: Accounting, doubt: float = 1e-6
) -> Finding:
    """``ours`` and ``theirs``: independent answers of two databases, as many of each.

    The event is chosen on one half of them and counted on the other.
    """
    half = len(ours) // 2
    event, turned = _telling(ours[:half], theirs[:half], accounting, doubt)
    often, seldom = (theirs, ours) if turned else (ours, theirs)
    p = at_least(event.count(often[half:]), len(often) - half, doubt / 2)
    q = at_most(event.count(seldom[half:]), len(seldom) - half, doubt / 2)
    return Finding(claimed, proven_epsilon(p, q, accounting), str(event), len(ours), doubt)


def _telling(
    ours: Sequence[float], theirs: Sequence[float], accounting: Accounting, doubt: float
) -> tuple[Event, bool]:
    """The event that would prove most, were these the answers to prove it with; and whether it is rather theirs."""
    choices = [
        (Event(threshold, above), turned)
        for threshold in _thresholds([*ours, *theirs])
        for above in (True, False)
        for turned in (True, False)
    ]

    def promise(choice: tuple[Event, bool]) -> float:
        often, seldom = (theirs, ours) if choice[1] else (ours, theirs)
        return _promise(choice[0].count(often), choice[0].count(seldom), len(ours), accounting, doubt)

    return max(choices, key=promise)


def _thresholds(answers: Sequence[float]) -> list[float]:
    """Points between different answers, evenly through the ranks."""
    values = sorted(set(answers))
    between = [(low + high) / 2 for low, high in pairwise(values)] or values
    return between[:: max(1, len(between) // THRESHOLDS)]


def _promise(often: int, seldom: int, trials: int, accounting: Accounting, doubt: float) -> float:
    """What counts like these would prove, by normal margins: quick, and only for choosing."""

    def margin(chance: float) -> float:
        return sqrt(2 * log(2 / doubt) * max(chance * (1 - chance), 1 / trials) / trials)

    p, q = often / trials, seldom / trials
    return proven_epsilon(max(p - margin(p), 0), min(q + margin(q), 1), accounting)


def proven_epsilon(p: float, q: float, accounting: Accounting) -> float:
    """The least price at which an event may have a chance of ``p`` or more here, and ``q`` or less there."""
    if p <= q:
        return 0.0
    if q <= 0:
        return inf
    if accounting == "pure":
        return log(p / q)
    return sqrt(2 * max(_divergence(p, q, order) / order for order in ORDERS))


def _divergence(p: float, q: float, order: float) -> float:
    """The Renyi divergence of a coin of chance p from one of chance q; it grows with p and falls with q (p > q)."""
    if p >= 1:
        return -log(q)
    heads = order * log(p) + (1 - order) * log(q)
    tails = order * log1p(-p) + (1 - order) * log1p(-q)
    most = max(heads, tails)
    return (most + log(exp(heads - most) + exp(tails - most))) / (order - 1)
