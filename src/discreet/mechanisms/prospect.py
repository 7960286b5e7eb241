"""What numbers that are made sharper until they meet a goal may cost, told beforehand: it depends on their size."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from discreet.ledger.accountants import accountant
from discreet.mechanisms.cost import Cost, cost_of
from discreet.mechanisms.program import Program
from discreet.mechanisms.sharpening.climb import Alone, Climb
from discreet.mechanisms.sharpening.looks import CONFIDENCE
from discreet.mechanisms.sharpening.steps import Steps

__all__ = ["Prospect", "Stop", "prospects"]


@dataclass(frozen=True, slots=True)
class Stop:
    """A step at which it may end. Where a number is combined of several parts, how sharp it is depends on the data."""

    cost: Cost
    half_width_95: float | None
    enough_from: float | None
    """The size from which a number is sharp enough."""

    def to_dict(self) -> dict[str, Any]:
        return {
            "cost": self.cost.to_dict(),
            "half_width_95": self.half_width_95,
            "enough_from": self.enough_from,
        }


@dataclass(frozen=True, slots=True)
class Prospect:
    """Columns that are made sharper together, and some of the steps: each halves the noise of the one before."""

    columns: tuple[str, ...]
    goal: str
    stops: tuple[Stop, ...]

    def to_dict(self) -> dict[str, Any]:
        return {"columns": list(self.columns), "goal": self.goal, "stops": [stop.to_dict() for stop in self.stops]}


def prospects(program: Program, accounting: str) -> tuple[Prospect, ...]:
    return tuple(_prospect(climb, program.laws_of(climb), accounting) for climb in program.climbs)


def _prospect(climb: Climb, laws: list[Steps], accounting: str) -> Prospect:
    stops = tuple(_stop(climb, laws, step, accounting) for step in _halving(laws[0].levels[: climb.steps]))
    return Prospect(tuple(output.name for output in climb.outputs), str(climb.goal), stops)


def _halving(levels: tuple[int, ...]) -> Iterator[int]:
    """The first step, those that halve the noise of the one before, and the last."""
    before = 0
    for step, level in enumerate(levels):
        if level >= 2 * before or step == len(levels) - 1:
            yield step
            before = level


def _stop(climb: Climb, laws: list[Steps], step: int, accounting: str) -> Stop:
    charge = accountant(accounting).charge([law.at(step).event for law in laws])
    if not isinstance(climb, Alone):
        return Stop(cost_of(charge, accounting), None, None)
    grid = climb.part.grid
    width, enough = laws[0].at(step).half_width(CONFIDENCE) * grid, climb.needs[step] * grid
    return Stop(cost_of(charge, accounting), float(width), float(enough))
