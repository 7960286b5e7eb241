"""What a watch would cost, and how sure its words would be: made of public things alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from discreet.mechanisms.explanation import Cost
from discreet.mechanisms.sharpest import CONFIDENCE
from discreet.mechanisms.watch_program import WatchProgram

__all__ = ["Counted", "WatchExplanation"]


@dataclass(frozen=True, slots=True)
class Counted:
    """One statement of a watch."""

    statement: str
    moved: int
    """How far one unit can move its count."""
    margin_95: int
    """A count that is so far above the threshold, or so far below, is told right with 95 %."""
    half_width_95: int | None
    """Of the released value, where values are released."""

    @classmethod
    def of(cls, statement: str, moved: int, program: WatchProgram) -> Self:
        blur = program.blur(moved)
        width = None if blur is None else blur.half_width(CONFIDENCE)
        return cls(statement, moved, program.comparison.margin(moved, CONFIDENCE), width)

    def to_dict(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class WatchExplanation:
    """Noise is told in units of what one unit can move."""

    above: int
    answers: int
    release: bool
    threshold_scale: float
    comparison_scale: float
    cost: Cost
    resumed: bool
    """It is open, and paid for, already."""
    statements: tuple[Counted, ...]

    @classmethod
    def of(cls, program: WatchProgram, cost: Cost, statements: tuple[Counted, ...], *, resumed: bool) -> Self:
        return cls(
            above=program.threshold.above,
            answers=program.threshold.answers,
            release=program.threshold.values,
            threshold_scale=float(f"{float(program.comparison.threshold_scale):.12g}"),
            comparison_scale=float(f"{float(program.comparison.comparison_scale):.12g}"),
            cost=cost,
            resumed=resumed,
            statements=statements,
        )

    def to_dict(self) -> dict[str, Any]:
        found = {name: getattr(self, name) for name in self.__slots__}
        return found | {"cost": self.cost.to_dict(), "statements": [each.to_dict() for each in self.statements]}
