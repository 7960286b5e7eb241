"""Numbers that are made sharper together until all of them meet a goal: the rule, in terms of released numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Protocol

from discreet.mechanisms.goal import Goal
from discreet.mechanisms.sharpening.levels import apart
from discreet.mechanisms.sharpening.looks import CONFIDENCE, Looks, needed, tail_for
from discreet.mechanisms.sharpening.steps import Steps
from discreet.privacy.bounded import Noisy, Output, Part

__all__ = ["Alone", "Climb", "Together", "alone", "together"]


FAR, SPARE = Fraction(10**6), 0.75
"""A size at which the grid does not matter, and a share of its tail: the widths of that say which steps do."""


class Climb(Protocol):
    """Every group of an answer climbs together; it ends at the first step at which all of them meet the goal, or at the
    last."""

    @property
    def parts(self) -> tuple[Part, ...]: ...
    @property
    def outputs(self) -> tuple[Output, ...]: ...
    @property
    def goal(self) -> Goal: ...
    @property
    def steps(self) -> int: ...

    def met(self, output: Output, step: int, numbers: Sequence[int]) -> bool:
        """Whether a number of one group is sharp enough at a step; ``numbers`` are its released parts."""
        ...


@dataclass(frozen=True, slots=True)
class Alone:
    """One part that is read off as it is; ``needs`` has the size that is sharp enough at each step, in grid steps."""

    part: Part
    outputs: tuple[Output, ...]
    goal: Goal
    needs: tuple[int, ...]

    @property
    def parts(self) -> tuple[Part, ...]:
        return (self.part,)

    @property
    def steps(self) -> int:
        return len(self.needs)

    def met(self, output: Output, step: int, numbers: Sequence[int]) -> bool:
        del output
        return abs(numbers[0]) >= self.needs[step]


@dataclass(frozen=True, slots=True)
class Together:
    """Parts that numbers are combined of, such as averages; ``widths`` by output, by part and by step."""

    parts: tuple[Part, ...]
    outputs: tuple[Output, ...]
    goal: Goal
    widths: tuple[tuple[tuple[int, ...], ...], ...]

    @property
    def steps(self) -> int:
        return len(self.widths[0][0])

    def met(self, output: Output, step: int, numbers: Sequence[int]) -> bool:
        released = dict(zip(self.parts, numbers, strict=True))
        pairs = zip(output.parts.values(), self.widths[self.outputs.index(output)], strict=True)
        noisy = [_noisy(part, released[part], widths[step]) for part, widths in pairs if isinstance(part, Part)]
        value, ends = output.value(noisy), output.interval(noisy)
        if not isinstance(value, int | float) or ends is None:
            return False
        return self.goal.met(value, max(ends[1] - value, value - ends[0]))


def _noisy(part: Part, number: int, width: int) -> Noisy:
    value, half = number * part.grid, width * part.grid
    return Noisy(value, value - half, value + half)


def alone(law: Steps, part: Part, outputs: Sequence[Output], goal: Goal) -> tuple[Steps, Alone]:
    """Steps that do not help are left out, and those beyond the one where any number is sharp enough."""
    tail = SPARE * tail_for(replace(law, size=FAR, ratio=Fraction(1), looks=Looks(goal.share)).at(0), CONFIDENCE)
    levels = apart(law.levels, [law.width(scale, tail) for scale in law.scales]) if law.size else law.levels[-1:]
    looks = Looks(goal.share, goal.least / part.grid)
    law = replace(law, levels=levels, step=len(levels) - 1, looks=looks)
    needs = _needs(law)
    enough = needs.index(0) if 0 in needs else law.step
    if enough < law.step:
        law = law.cut(enough)
        needs = _needs(law)
    return law, Alone(part, tuple(outputs), goal, needs)


def _needs(law: Steps) -> tuple[int, ...]:
    return tuple(needed(law, tail_for(law.at(0), CONFIDENCE))) if law.size else (0,)


def together(laws: Sequence[Steps], parts: Sequence[Part], outputs: Sequence[Output], goal: Goal) -> Together:
    """All parts take the same steps; one that cannot move has the same number at each."""
    steps = max(len(law.levels) for law in laws)
    of = dict(zip(parts, laws, strict=True))
    widths = tuple(
        tuple(_widths(of[part], steps, len(output.parts)) for part in output.parts.values() if isinstance(part, Part))
        for output in outputs
    )
    return Together(tuple(parts), tuple(outputs), goal, widths)


def _widths(law: Steps, steps: int, shared: int) -> tuple[int, ...]:
    """Half widths at each step; the chance of being wrong is shared among the parts of a number."""
    confidence = 1 - (1 - CONFIDENCE) / shared
    if not law.size:
        return (0,) * steps
    return tuple(law.at(step).half_width(confidence) for step in range(steps))
