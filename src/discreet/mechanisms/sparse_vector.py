"""The sparse vector technique: counts compared with a threshold, where only what is above uses anything up.

Theory. All is counted in units of what one unit can move: a count q that moves by at most D stands at
k = floor((q - N - 1) / D), and k moves by at most 1, upwards if a unit is added. The threshold has one noise r, drawn
once and kept; each comparison a fresh one n; it says "above" where k + n >= r, which without noise is q > N. After so
many aboves the stream ends. docs/proofs/sparse-vector.md proves what that costs, and why the constants are these.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import exp, expm1, log
from typing import ClassVar, Self

from discreet.accounting.gaussian_dp import pure_below
from discreet.ledger.events import AboveThreshold
from discreet.mechanisms import noise_source
from discreet.mechanisms.exactness import check_price, check_whole
from discreet.mechanisms.rounding import sqrt_down, upward
from discreet.mechanisms.search import least

__all__ = ["SparseVector", "is_above"]

_PLACES = 20
"""Of the cube root that a price is split by: any split is sound, and this one is the best to six digits."""

_APART = 1e-5
"""Rates closer than this count as one."""


@dataclass(frozen=True, slots=True)
class SparseVector:
    """The noise of a stream of comparisons that says "above" at most ``answers`` times."""

    name: ClassVar[str] = "sparse vector"
    answers: int
    event: AboveThreshold

    @classmethod
    def calibrate(cls, answers: int, amount: Fraction, accounting: str) -> Self:
        """The least noise that is charged at most ``amount``: of the two ways to be charged, the better one."""
        check_whole((answers,))
        check_price(amount)
        if answers < 1:
            raise ValueError("a stream has at least one answer")
        ways = (cls(answers, event) for event in _events(answers, amount, accounting))
        return min(ways, key=lambda way: way.variance)

    @property
    def threshold_scale(self) -> Fraction:
        """Of the noise that is kept, in units of what one unit moves."""
        return 1 / self.event.threshold

    @property
    def comparison_scale(self) -> Fraction:
        """Of the noise that is fresh."""
        return self.answers / self.event.answers

    @property
    def variance(self) -> Fraction:
        """Half of that of both noises together, were they continuous."""
        return self.threshold_scale**2 + self.comparison_scale**2

    def draw_threshold(self) -> int:
        """The one noise of a stream."""
        return noise_source.discrete_laplace(self.threshold_scale, 1)[0]

    def draw_comparison(self) -> int:
        """A fresh noise."""
        return noise_source.discrete_laplace(self.comparison_scale, 1)[0]

    def margin(self, moved: int, confidence: float) -> int:
        """The least m for which a count of N + m or more is said to be above, one of N - m or less not to be."""
        if not 0 < confidence < 1:
            raise ValueError("a confidence lies between 0 and 1")
        return moved * (_reach(self.threshold_scale, self.comparison_scale, confidence) - 1) + 1

    def upper_tail(self, t: int) -> float:
        """At least P(r - n >= t), and hardly more."""
        return _upper_tail(self.threshold_scale, self.comparison_scale, t)


def is_above(count: int, above: int, moved: int, threshold_noise: int, noise: int) -> bool:
    """Whether a count that one unit moves by at most ``moved`` is said to be above."""
    check_whole((count, above, moved, threshold_noise, noise))
    return (count - above - 1) // moved + noise >= threshold_noise


def _events(answers: int, amount: Fraction, accounting: str) -> list[AboveThreshold]:
    """Events that are charged ``amount``, or just less, with the split that leaves the least variance."""
    together = _split(amount, answers, 1)  # t + a
    match accounting:
        case "pure":
            return [together]
        case "zcdp":
            return [together, _split(sqrt_down(8 * amount), answers, 2)]
        case "gdp":
            return [_split(2 * pure_below(amount), answers, 2)]
        case _:
            raise ValueError(f"no rule that calibrates a stream of comparisons under {accounting!r} accounting")


def _split(total: Fraction, answers: int, weight: int) -> AboveThreshold:
    """The threshold t and the answers a with t + weight * a = total that make 1/t**2 + (answers/a)**2 least.

    There a / t is the cube root of answers**2 / weight.
    """
    ratio = _cube_root(Fraction(answers**2, weight))
    threshold = total / (1 + weight * ratio)
    return AboveThreshold(threshold, (total - threshold) / weight)


def _cube_root(value: Fraction) -> Fraction:
    """To ``_PLACES`` binary places."""
    scaled = (value.numerator << 3 * _PLACES) // value.denominator
    return Fraction(least(lambda root: (root + 1) ** 3 > scaled, 1 << _PLACES), 1 << _PLACES)


@lru_cache(maxsize=256)
def _reach(kept: Fraction, fresh: Fraction, confidence: float) -> int:
    """The least w with P(r - n >= w) at most what the confidence leaves; that is 1 at the least."""
    miss = 1 - confidence
    return least(lambda w: _upper_tail(kept, fresh, w) <= miss, int(-log(miss) * max(kept, fresh)) + 1)


def _upper_tail(kept: Fraction, fresh: Fraction, t: int) -> float:
    """P(r - n >= t) for discrete Laplace r and n of these scales: two geometric series, or one where they agree."""
    if t <= 0:
        return 1.0
    slow, fast = sorted(float(1 / scale) for scale in (kept, fresh))
    if fast - slow < _APART * fast:
        return upward(_alike(slow, t))
    p, q, apart = exp(-slow), exp(-fast), exp(slow - fast)
    wide = expm1(-fast) ** 2 * exp(-slow * t) / (1 + p)
    narrow = expm1(-slow) ** 2 * exp(-fast * t) / (1 + q) * apart
    return upward((wide - narrow) / (expm1(slow - fast) * expm1(-slow - fast)))


def _alike(rate: float, t: int) -> float:
    p, rest = exp(-rate), -expm1(-rate)
    return (rest / (1 + p)) ** 2 * exp(-rate * t) / rest * (t + 1 + 2 * p * p / (rest * (1 + p)) + p / rest)
