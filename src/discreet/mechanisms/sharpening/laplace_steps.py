"""Laplace noise that becomes less: each coarser release is the sharper one with more noise on it, or as it is.

So all of them together say what the sharpest of them says, and cost what it costs. They are drawn from the sharpest to
the coarsest, and shown from the coarsest on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, repeat
from math import ceil, exp, expm1, log
from typing import ClassVar, Self

from discreet.ledger.events import Event, SharpenedLaplace
from discreet.mechanisms import noise_source
from discreet.mechanisms.exactness import check_movement, check_price, check_whole
from discreet.mechanisms.rounding import upward
from discreet.mechanisms.sharpening.levels import LEVELS, SHARPEST
from discreet.mechanisms.sharpening.staying import Staying
from discreet.mechanisms.sharpening.steps import Steps

__all__ = ["LaplaceSteps"]

MARGIN = 1e-9
"""More than floats lose on the way, and than ``upward`` adds."""


@dataclass(frozen=True, slots=True)
class LaplaceSteps(Steps):
    """``size`` is the scale at the last step."""

    name: ClassVar[str] = "laplace-steps"
    family: ClassVar[str] = "laplace"
    power: ClassVar[int] = 1

    @classmethod
    def calibrate(cls, l1: int, l2_squared: int, amount: Fraction, accounting: str) -> Self:
        check_movement(l1, l2_squared)
        check_price(amount)
        if accounting != "pure":
            raise ValueError(f"no rule that calibrates Laplace steps under {accounting!r} accounting")
        if l1 == 0:
            return cls(LEVELS, Fraction(0), Fraction(0), len(LEVELS) - 1)
        scale = max(l1 / amount, SHARPEST)
        return cls(LEVELS, scale, l1 / scale, len(LEVELS) - 1)

    def event_of(self, ratio: Fraction) -> Event:
        return SharpenedLaplace(ratio)

    def scale(self, step: int) -> float:
        return float(self._exact(step))

    @staticmethod
    def width(scale: float, tail: float) -> int:
        return max(0, ceil(-log(tail * (1 + exp(-1 / scale))) * (1 + MARGIN) * scale + MARGIN) - 1)

    @staticmethod
    def above(scale: float, t: int) -> float:
        return upward(exp(-t / scale) / (1 + exp(-1 / scale)))

    def entering(self, tail: float) -> list[float]:
        """It lies between the two widths, or beyond both and the coarser release has noise that leads back."""
        found = [0.0]
        for coarse, sharp in pairwise(self.scales):
            here, beyond = (self.above(sharp, self.width(each, tail) + 1) for each in (sharp, coarse))
            stays = exp(1 / coarse - 1 / sharp) * (expm1(-1 / coarse) / expm1(-1 / sharp)) ** 2
            found.append(min(here, here - beyond * (1 - MARGIN) + (1 - stays * (1 - MARGIN)) / 2 * beyond))
        return found

    def releases(self, values: Sequence[int]) -> Iterator[list[int]]:
        check_whole(values)
        if not self.size:
            yield from repeat(list(values), len(self.levels))
            return
        yield from reversed(list(self._from_the_sharpest(values)))

    def _from_the_sharpest(self, values: Sequence[int]) -> Iterator[list[int]]:
        noise = noise_source.discrete_laplace(self.size, len(values))
        released = [value + each for value, each in zip(values, noise, strict=True)]
        yield released
        for step in range(len(self.levels) - 1, 0, -1):
            stays = noise_source.heads(Staying(self._exact(step - 1), self._exact(step)).bounds, len(released))
            more = iter(noise_source.discrete_laplace(self._exact(step - 1), stays.count(False)))
            released = [each if stay else each + next(more) for each, stay in zip(released, stays, strict=True)]
            yield released

    def _exact(self, step: int) -> Fraction:
        return self.size * Fraction(self.levels[-1], self.levels[step])
