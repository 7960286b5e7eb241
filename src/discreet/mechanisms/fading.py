"""exp(-rate * n) for whole n: what a thing weighs that is n steps away.

Theory. Weights are counted in units of 2**-PLACES, and each is off by less than 128 of them, up to the n where the
exponent reaches 128. Half way there, at ``far``, a weight still has 2**226 units, so it is exact to within one part in
2**218. Who needs a bound raises what was made of weights by more than that.
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


@dataclass(frozen=True, slots=True)
class Fading:
    """``powers[k]`` is exp(-rate * 2**k), off by a unit at most."""

    powers: tuple[int, ...]
    far: int

    def at(self, n: int) -> int:
        """Each of fewer than 64 factors adds its own error, and a cut."""
        rest, weight, k = min(n, 2 * self.far), 1 << PLACES, 0
        while rest:
            if rest & 1:
                weight = weight * self.powers[k] >> PLACES
            rest, k = rest >> 1, k + 1
        return weight


@lru_cache(maxsize=256)
def fading(rate: Fraction) -> Fading:
    far = floor(FAR / rate)
    return Fading(tuple(exp_minus(rate * 2**k, PLACES) for k in range((2 * far).bit_length())), far)
