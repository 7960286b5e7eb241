"""The chance that a coarser Laplace release is the sharper one as it is, to as many binary places as are asked for."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from discreet.mechanisms.exponential import exp_minus

__all__ = ["Staying"]

_GUARD = 16


@dataclass(frozen=True, slots=True)
class Staying:
    """With x = exp(-1/coarse), y = exp(-1/sharp): y (1 - x)**2 / (x (1 - y)**2)."""

    coarse: Fraction
    sharp: Fraction

    def bounds(self, places: int) -> tuple[int, int]:
        """Whole numbers around 2**places times the chance, some units apart at most.

        1 - x is about 1/coarse, so as many more places keep its relative error down.
        """
        unit = places + _GUARD + 2 * ceil(self.coarse).bit_length()
        one = 1 << unit
        fall = exp_minus(1 / self.sharp - 1 / self.coarse, unit)
        x, y = exp_minus(1 / self.coarse, unit), exp_minus(1 / self.sharp, unit)
        low = Fraction((fall - 1) * (one - x - 1) ** 2, one * (one - y + 1) ** 2)
        high = Fraction((fall + 1) * (one - x + 1) ** 2, one * (one - y - 1) ** 2)
        return int(low * 2**places), int(high * 2**places) + 1
