"""How wide intervals must be where the released numbers themselves decide at which step it stops.

Theory. At a fixed step a tail of (1 - confidence) / 2 to each side would do. Here the step is chosen by looking at the
numbers, so that an interval must hold wherever that leads. Two theorems (docs/proofs/stopping.md) bound the chance of a
miss when all widths are those of one tail:

- whatever the rule: a miss at some step is a first one. It is at the first step, or the noise leaves its width between
  one step and the next.
- for the rule "stop when the width is at most a share of the number": steps that stop far too early need an error of
  many widths, and a step that would go on for too long an error of one. What is left are the few steps about the one
  where the number is sharp enough, and one more.

``tail_for`` is the largest tail for which the better of the two is at most what the confidence leaves.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from math import ceil, exp, fsum, inf, log
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from discreet.mechanisms.sharpening.steps import Steps

__all__ = ["ANY_STEP", "CONFIDENCE", "Looks", "needed", "tail_for"]

CONFIDENCE = 0.95
"""The half widths that decide are those of this confidence."""

HALVINGS = 10
"""How often the range of possible tails is halved, on a logarithmic scale."""

NEGLIGIBLE = 1e-9
"""Chances below this are bounded together."""


@dataclass(frozen=True, slots=True)
class Looks:
    """The rule: a number is sharp enough where its width is at most ``share`` of it, or at most ``least`` grid steps.

    Without a share there is no such rule, and it may stop at any step.
    """

    share: Fraction = Fraction(0)
    least: Fraction = Fraction(0)


ANY_STEP = Looks()


def needed(law: Steps, tail: float) -> list[int]:
    """For each step the least size of a number that is sharp enough there: 0 where any number is."""
    widths = [law.width(scale, tail) for scale in law.scales]
    return [0 if width <= law.looks.least else ceil(width / law.looks.share) for width in widths]


@lru_cache(maxsize=512)
def tail_for(law: Steps, confidence: float) -> float:
    """The tail of one side at which widths hold together with at least this confidence."""
    miss = 1 - confidence
    low, high = miss / (2 * len(law.levels)), miss / 2
    stop = None if confidence == CONFIDENCE or not law.looks.share else needed(law, tail_for(law, CONFIDENCE))
    for _ in range(HALVINGS):
        middle = exp((log(low) + log(high)) / 2)
        low, high = (middle, high) if _missed(law, middle, stop) <= miss else (low, middle)
    return low


def _missed(law: Steps, tail: float, stop: list[int] | None) -> float:
    """The chance that the interval at the last step misses is at most this."""
    entering = law.entering(tail)
    at_any = min(2 * tail * len(law.levels), 2 * (tail + sum(entering)))
    if not law.looks.share or at_any <= 3 * tail:
        return at_any
    return min(at_any, _missed_by_rule(law, tail, stop or needed(law, tail), entering))


def _missed_by_rule(law: Steps, tail: float, stop: list[int], entering: list[float]) -> float:
    """A tail for the steps about the right one, two for the step where it stops at the latest, and what stops far too
    early: for the worst exact value.

    Steps count up to the one where any number is sharp enough. The exact value is at least ``stop - width`` of the step
    ``first``, and less than that of the step before it.
    """
    widths = [law.width(scale, tail) for scale in law.scales]
    exceeded = [law.above(scale, width + 1) for scale, width in zip(law.scales, widths, strict=True)]
    latest = list(accumulate(reversed(exceeded), max))[::-1]
    steps = next((step for step, size in enumerate(stop) if not size), len(stop) - 1)
    scales, stop = law.scales[:steps], stop[:steps]
    rises = list(accumulate(entering))
    farthest = min((size / scale for size, scale in zip(stop, scales, strict=True)), default=0.0)
    worst = 0.0
    for first in range(steps + 1):
        top = stop[first - 1] - widths[first - 1] if first else 0
        low = stop[first] - widths[first] if first < steps else inf
        live = max((step for step in range(first, steps) if stop[step] + widths[step] > low), default=first - 1)
        about = rises[live] - rises[max(first - 1, 0)] if live >= first else 0.0
        early = _early(law, scales[: max(first - 1, 0)], stop, top - 1, farthest)
        worst = max(worst, about + early + 2 * latest[first])
    wrong = fsum(law.above(scale, size) for scale, size in zip(scales, stop, strict=True))
    return tail + worst + wrong


def _early(law: Steps, scales: list[float], stop: list[int], top: int, farthest: float) -> float:
    """The chance that one of these steps stops at an exact value of at most ``top``.

    From the last to the first. When the error that is needed, counted in scales, is far out for one of them, it is at
    least as far out for all before it: ``stop`` is at least ``farthest`` scales, and ``top`` fewer of a larger scale.
    """
    found = 0.0
    for step in range(len(scales) - 1, -1, -1):
        rest = (step + 1) * law.above(scales[step], max(1, int(farthest * scales[step] - top)))
        if rest < NEGLIGIBLE:
            return found + rest
        found += law.above(scales[step], stop[step] - top)
    return found
