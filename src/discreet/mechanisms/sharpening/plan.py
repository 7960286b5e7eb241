"""From a goal and the most that may be paid to a program whose numbers are made sharper until they meet the goal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from discreet.errors import Refused
from discreet.ledger.accountants import accountant
from discreet.mechanisms import MECHANISMS, Mechanism
from discreet.mechanisms.cheapest import cheapest
from discreet.mechanisms.choose import KeyRule, assemble, noise_for
from discreet.mechanisms.goal import Goal
from discreet.mechanisms.method import Method
from discreet.mechanisms.program import Program
from discreet.mechanisms.sharpening import STEPS
from discreet.mechanisms.sharpening.climb import Climb, alone, together
from discreet.mechanisms.sharpening.steps import Steps
from discreet.privacy.bounded import Bounded, Output, Part

__all__ = ["is_calculable", "parts_of", "sharpen", "stopped"]


@dataclass(frozen=True, slots=True)
class Family:
    """Outputs that share parts, and those parts."""

    parts: tuple[Part, ...]
    outputs: tuple[Output, ...]

    def is_calculable(self, goal: Goal) -> bool:
        """Whether noise alone decides how sharp its numbers are: they are single parts, and the goal is absolute."""
        return not goal.share and len(self.parts) == 1


def is_calculable(bounded: Bounded, goal: Goal) -> bool:
    return all(family.is_calculable(goal) for family in _families(bounded))


def sharpen(
    bounded: Bounded, goal: Goal, most: Fraction, accounting: str, keys: KeyRule | None, method: Method
) -> Program:
    """The program as it stands at its last steps: that is the most that it may cost.

    What can be calculated is; what is left of ``most`` is shared evenly by the parts that climb, and the selection of
    private keys.
    """
    families = list(_families(bounded))
    noises = {
        family.parts[0]: cheapest(family.parts[0], goal.least, accounting, method)
        for family in families
        if family.is_calculable(goal)
    }
    climbing = [family for family in families if not family.is_calculable(goal)]
    _check_keys(bounded, climbing)
    each = _share(bounded, climbing, noises, most, accounting)
    climbs: list[Climb] = []
    for family in climbing:
        laws, climb = _climb(family, goal, each, accounting, method)
        climbs.append(climb)
        noises |= dict(zip(family.parts, laws, strict=True))
    if bounded.units_part is not None and bounded.units_part not in noises:
        noises[bounded.units_part] = noise_for(bounded.units_part, each, accounting, method)
    return assemble(bounded, tuple(noises[part] for part in bounded.parts), (), accounting, keys, tuple(climbs))


def stopped(program: Program, steps: Sequence[int], accounting: str, keys: KeyRule | None) -> Program:
    """The program as it was when its climbs ended at these steps: its noise, and what it cost."""
    if not program.climbs:
        return program
    ends = {part: step for climb, step in zip(program.climbs, steps, strict=True) for part in climb.parts}
    pairs = zip(program.bounded.parts, program.noises, strict=True)
    noises = tuple(noise.at(ends[part]) if isinstance(noise, Steps) else noise for part, noise in pairs)
    return assemble(program.bounded, noises, program.pickers, accounting, keys, program.climbs)


def _families(bounded: Bounded) -> Iterator[Family]:
    """Outputs that share a part belong together, as AVG and the COUNT beside it may."""
    left = list(bounded.outputs)
    while left:
        parts, outputs = dict.fromkeys(parts_of(left[0])), [left.pop(0)]
        while met := [output for output in left if not parts.keys().isdisjoint(parts_of(output))]:
            parts |= dict.fromkeys(part for output in met for part in parts_of(output))
            outputs += met
            left = [output for output in left if output not in met]
        yield Family(tuple(parts), tuple(outputs))


def parts_of(output: Output) -> list[Part]:
    """What is noised of an output."""
    return [part for part in output.parts.values() if isinstance(part, Part)]


def _check_keys(bounded: Bounded, climbing: Sequence[Family]) -> None:
    if any(bounded.units_part in family.parts for family in climbing):
        hint = "name an epsilon or an absolute accuracy, or group by declared keys"
        message = "the count of units decides which private keys are shown, so it cannot be made sharper afterwards"
        raise Refused("accuracy-unknown", message, hint)


def _share(
    bounded: Bounded,
    climbing: Sequence[Family],
    noises: dict[Part, Mechanism],
    most: Fraction,
    accounting: str,
) -> Fraction:
    """What each part that climbs may use, and the selection of private keys beside them."""
    known = accountant(accounting).charge([noise.event for noise in noises.values()]).amount
    if known >= most:
        cost, named = (accountant(accounting).epsilon(amount) for amount in (known, most))
        message = (
            f"the numbers whose price is known cost epsilon {cost:.4g} alone, and at most {named:.4g} is to be paid"
        )
        raise Refused("accuracy-unreachable", message, "pay more, or ask for less accuracy")
    sharers = [part for family in climbing for part in family.parts]
    if bounded.units_part is not None and bounded.units_part not in noises:
        sharers.append(bounded.units_part)
    return (most - known) / max(1, sum(1 for part in sharers if part.l1))


def _climb(
    family: Family, goal: Goal, each: Fraction, accounting: str, method: Method
) -> tuple[tuple[Steps, ...], Climb]:
    kind = STEPS[accounting]
    if method.name in MECHANISMS and method.name != kind.family:
        message = f"under {accounting} accounting numbers are made sharper with {kind.family} noise"
        raise Refused("wrong-mechanism", message, "name none")
    laws = tuple(kind.calibrate(part.l1, part.l2_squared, each, accounting) for part in family.parts)
    if len(family.parts) == 1:
        law, climb = alone(laws[0], family.parts[0], family.outputs, goal)
        return (law,), climb
    return laws, together(laws, family.parts, family.outputs, goal)
