"""Randomised response: each row tells one of a few answers, the right one more often than any wrong one.

With K answers the right one is told with the chance ``right`` = 1 / (1 + (K - 1) exp(-ratio)), each wrong one with
``wrong`` = exp(-ratio) * right. Where T of ``rows`` rows have their right answer in a set of s answers, those that are
seen to answer in it are T (right - wrong) + rows s wrong on average. So

    (seen - rows s wrong) / (right - wrong)

is T on average. For K = 2 and one row it is 1/2 + (Y - 1/2) / (2p - 1) with p = exp(ratio) / (1 + exp(ratio)).
"""

from __future__ import annotations

import cmath
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, exp, expm1, floor, log, sqrt
from typing import ClassVar, Self

from discreet.ledger.events import RandomisedAnswer
from discreet.mechanisms import noise_source
from discreet.mechanisms.exactness import check_price
from discreet.mechanisms.rounding import LEAST_CHANCE
from discreet.mechanisms.search import least
from discreet.mechanisms.sums import FADED, FINEST, LOST, Sum

__all__ = ["RandomisedResponse"]


@dataclass(frozen=True, slots=True)
class RandomisedResponse:
    """One of ``answers`` answers; the right one has odds of exp(ratio) against each other one."""

    name: ClassVar[str] = "randomised-response"
    answers: int
    event: RandomisedAnswer

    def __post_init__(self) -> None:
        if self.answers < 2:
            raise ValueError("an answer is hidden among two at least")
        check_price(self.event.ratio)

    @classmethod
    def at(cls, epsilon: Fraction, answers: int) -> Self:
        return cls(answers, RandomisedAnswer(epsilon))

    @property
    def right(self) -> float:
        """The chance of the right answer."""
        return 1 / (1 + (self.answers - 1) * exp(-self.event.ratio))

    @property
    def wrong(self) -> float:
        """The chance of each wrong answer."""
        return self.right * exp(-self.event.ratio)

    @property
    def gap(self) -> float:
        """How much likelier an answer is where it is right: right - wrong."""
        return -self.right * expm1(-self.event.ratio)

    def shifts(self, rows: int) -> list[int]:
        """By how much each row's answer is shifted, modulo ``answers``."""
        return noise_source.answer_shifts(self.event.ratio, self.answers, rows)

    def estimate(self, seen: int, rows: int, within: int) -> float:
        """How many of ``rows`` rows should answer within ``within`` answers, where ``seen`` of them do."""
        return (seen - rows * within * self.wrong) / self.gap

    def interval(self, seen: int, rows: int, within: int, confidence: float) -> tuple[int, int]:
        """Every number of rows that ``seen`` does not speak against: exact at any size, after Clopper and Pearson.

        The right number is left out with a chance of at most half of what the confidence leaves, on each side.
        """
        if 1 - confidence < FINEST:
            middle, half = self.estimate(seen, rows, within), self.half_width(rows, confidence)
            return min(rows, max(0, floor(middle - half))), max(0, min(rows, ceil(middle + half)))
        return _interval(self, seen, rows, within, (1 - confidence) / 2)

    def half_width(self, squares: float, confidence: float) -> float:
        """A width that an estimate keeps, by Hoeffding's inequality.

        ``squares`` adds up, over the rows, the square of how far apart the things are that a row may count for.
        """
        return sqrt(log(2 / max(1 - confidence, LEAST_CHANCE)) / 2 * squares) / self.gap


@lru_cache(maxsize=4096)
def _interval(law: RandomisedResponse, seen: int, rows: int, within: int, miss: float) -> tuple[int, int]:
    near = min(rows, max(0, round(law.estimate(seen, rows, within))))

    def enough(right: int) -> bool:
        """So many or more rows answer so."""
        return right >= rows or (right >= 0 and _seen(law, right, rows, within).above(seen) + LOST > miss)

    def too_many(right: int) -> bool:
        return right > rows or (right >= 0 and 1 - _seen(law, right, rows, within).above(seen + 1) + LOST <= miss)

    low = least(enough, near)
    return low, max(low, least(too_many, near) - 1)


def _seen(law: RandomisedResponse, right: int, rows: int, within: int) -> Sum:
    """How many rows answer within a set of answers that is right for so many of them: a sum of two binomials."""
    ours, others = law.right + (within - 1) * law.wrong, within * law.wrong

    def wave(t: float) -> complex:
        step = cmath.exp(1j * t) - 1
        return cmath.exp(right * cmath.log(1 + ours * step) + (rows - right) * cmath.log(1 + others * step))

    reach = ceil(sqrt(rows * log(2 / FADED) / 2))
    return Sum.of(wave, right * ours + (rows - right) * others, reach)
