"""An answer that is one noisy part, read off as it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from discreet.plan.types import Type
from discreet.privacy.bounded import Noisy, Part

__all__ = ["Single"]


@dataclass(frozen=True, slots=True)
class Single:
    name: str
    role: str
    part: Part

    @property
    def parts(self) -> Mapping[str, Part]:
        return {self.role: self.part}

    @property
    def type(self) -> Type:
        return Type.INTEGER if self.part.grid.denominator == 1 else Type.FLOAT

    def value(self, noisy: Sequence[Noisy]) -> int | float:
        """An integer when the grid is one: counts and sums of integers stay integers."""
        exact = noisy[0].value
        return int(exact) if self.type is Type.INTEGER else float(exact)

    def interval(self, noisy: Sequence[Noisy]) -> tuple[float, float]:
        return float(noisy[0].low), float(noisy[0].high)
