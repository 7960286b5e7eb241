"""exp(-rate * n) for whole n, raised: what a thing weighs that is n steps away.

Theory. A smooth bound may use any weights that fall by a factor of at most exp(rate) from one n to the next. These are
exp(-rate * n) itself in units of 2**-PLACES, raised by less than 256 of them, up to the n where the exponent reaches
128. Half way there, at ``far``, a weight still has 2**226 units and is exact to within one part in 2**218.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import floor

from discreet.mechanisms.exponential import exp_minus

__all__ = ["PLACES", "Fading", "fading"]

PLACES = 320
FAR = 64
RAISED = 128
"""Fewer than 64 factors, each off by a unit at most and cut off once."""


@dataclass(frozen=True, slots=True)
class Fading:
    """``powers[k]`` is exp(-rate * 2**k)."""

    powers: tuple[int, ...]
    far: int

    def at(self, n: int) -> int:
        rest, weight, k = min(n, 2 * self.far), 1 << PLACES, 0
        while rest:
            if rest & 1:
                weight = weight * self.powers[k] >> PLACES
            rest, k = rest >> 1, k + 1
        return weight + RAISED


@lru_cache(maxsize=256)
def fading(rate: Fraction) -> Fading:
    far = floor(FAR / rate)
    return Fading(tuple(exp_minus(rate * 2**k, PLACES) for k in range((2 * far).bit_length())), far)
