"""The chance of every word of a stream of comparisons, computed and not sampled.

Given the threshold's noise the words of a stream are independent, so its chance is a sum over that noise of products.
The laws of noise are those of ``laws``, written down a second time; what is compared with what is asked of the product.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product
from math import log

import numpy as np

from discreet.mechanisms.sparse_vector import is_above
from noise.laws import Law

FAR, COUNTS = 40, 100
"""Scales beyond the counts in use: noise that is further away has a chance below 1e-17 of that of what is nearer."""

Words = tuple[bool, ...]


@dataclass(frozen=True)
class Stream:
    """Counts that one unit moves by at most ``moved``, against a threshold, with noise of these scales."""

    above: int
    moved: int
    threshold_scale: Fraction
    comparison_scale: Fraction

    @property
    def reach(self) -> range:
        far = COUNTS + int(FAR * max(self.threshold_scale, self.comparison_scale))
        return range(-far, far + 1)

    def chance(self, counts: Sequence[int], words: Words) -> float:
        kept = chances(self.threshold_scale, self.reach)
        for count, word in zip(counts, words, strict=True):
            kept = kept * tails(self.comparison_scale, self.reach, least(self, count))[word]
        return float(kept.sum())


@cache
def least(stream: Stream, count: int) -> int:
    """The least fresh noise that makes this count "above" where the threshold has none."""

    def says(threshold_noise: int, noise: int) -> bool:
        return is_above(count, stream.above, stream.moved, threshold_noise, noise)

    found = next(noise for noise in stream.reach if says(0, noise))
    assert all(says(z, found + z) and not says(z, found + z - 1) for z in (-3, 1, 4))
    return found


@cache
def chances(scale: Fraction, reach: range) -> np.ndarray:
    law = Law("laplace", scale)
    return np.array([float(law.chance(z)) for z in reach])


@cache
def tails(scale: Fraction, reach: range, least: int) -> tuple[np.ndarray, np.ndarray]:
    """The chances that a fresh noise stays below least + z, and that it does not, for each z."""
    law = Law("laplace", scale)
    below = np.array([float(law.below_or_at(least + z - 1)) for z in reach])
    return below, np.array([float(law.below_or_at(-least - z)) for z in reach])


def losses(stream: Stream, ours: Sequence[int], theirs: Sequence[int], answers: int) -> Iterator[float]:
    """The logarithms of how much likelier each stream of words is on the first counts than on the second."""
    for words in product((False, True), repeat=len(ours)):
        if sum(words) <= answers:
            yield log(stream.chance(ours, words) / stream.chance(theirs, words))
