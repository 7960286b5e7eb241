"""The cheapest way to a goal, and the best goal that an amount reaches.

Where noise alone decides, this is a calculation: each part gets the least amount at which it meets the goal for
itself; together they cost the sum, and no other split of a price meets it for less. Else it is reached step by step
(``sharpening``), and what is known beforehand is the most that it may cost.
"""

from __future__ import annotations

from fractions import Fraction

from discreet.errors import Refused
from discreet.ledger.accountants import accountant
from discreet.mechanisms.cheapest import cheapest
from discreet.mechanisms.choose import SHARPEST, KeyRule, assemble, choose, noise_for
from discreet.mechanisms.goal import Goal
from discreet.mechanisms.method import Method, check_method
from discreet.mechanisms.program import Program
from discreet.mechanisms.sharpening.climb import Alone
from discreet.mechanisms.sharpening.plan import is_calculable, parts_of, sharpen
from discreet.mechanisms.sharpest import CONFIDENCE
from discreet.privacy.bounded import Bounded, Part

__all__ = ["aim", "reach"]

HALVINGS = 12
"""How often an interval is halved, to tell how sharp an answer could be had."""


def aim(
    bounded: Bounded, goal: Goal, most: Fraction | None, accounting: str, keys: KeyRule | None, method: Method
) -> Program:
    """The cheapest program whose every number meets the goal at 95 %, for an amount of ``most`` at most."""
    check_method(method, bounded)
    _check_numbers(bounded)
    if not is_calculable(bounded, goal):
        assert most is not None
        return sharpen(bounded, goal, most, accounting, keys, method)
    program = _meeting(bounded, goal.least, accounting, keys, method)
    if most is not None and program.charge.amount > most:
        cost, named = (accountant(accounting).epsilon(amount) for amount in (program.charge.amount, most))
        message = f"{goal} at 95 % costs epsilon {cost:.4g}, and at most {named:.4g} is to be paid"
        best = reach(bounded, goal, most, accounting, keys, method)
        raise Refused("accuracy-unreachable", message, f"epsilon {named:.4g} reaches {best}")
    return program


def reach(
    bounded: Bounded, goal: Goal, amount: Fraction, accounting: str, keys: KeyRule | None, method: Method = SHARPEST
) -> str:
    """The best that an amount reaches for every number, in words."""
    if is_calculable(bounded, goal):
        return f"±{float(_sharpest(bounded, amount, accounting, keys, method)):.4g} at 95 %"
    try:
        climbs = sharpen(bounded, goal, amount, accounting, keys, method).climbs
    except Refused:
        return ""
    least = [climb.needs[-1] * climb.part.grid for climb in climbs if isinstance(climb, Alone)]
    return f"{Goal(Fraction(0), goal.share)} of numbers from {float(max(least)):.4g} on" if least and max(least) else ""


def _sharpest(bounded: Bounded, amount: Fraction, accounting: str, keys: KeyRule | None, method: Method) -> Fraction:
    even = choose(bounded, amount, accounting, keys, method)
    met = max((even.half_width(part, CONFIDENCE) for part in _asked(bounded)), default=Fraction(0))
    missed = Fraction(0)
    for _ in range(HALVINGS):
        middle = (met + missed) / 2
        try:
            meets = _meeting(bounded, middle, accounting, keys, method).charge.amount <= amount
        except Refused:
            meets = False
        met, missed = (middle, missed) if meets else (met, middle)
    return met


def _check_numbers(bounded: Bounded) -> None:
    if bounded.histograms:
        names = [output.name for output in bounded.outputs if len(parts_of(output)) < len(output.parts)]
        raise Refused(
            "accuracy-unknown",
            f"how sharp {names[0]!r} is depends on how dense values lie, so no price can promise it",
            "name an epsilon; counts, sums, averages and variances can be asked for with an accuracy",
        )
    if bounded.keys and not bounded.outputs:
        hint = "name an epsilon, or ask for a number of each group"
        raise Refused("accuracy-unknown", "the question has no number that could be sharp", hint)


def _meeting(bounded: Bounded, target: Fraction, accounting: str, keys: KeyRule | None, method: Method) -> Program:
    """What only decides which private keys are shown is as dear as the dearest number."""
    noises = {part: cheapest(part, target, accounting, method) for part in _asked(bounded)}
    dearest = max((accountant(accounting).charge([noise.event]).amount for noise in noises.values()), default=None)
    for part in bounded.parts:
        if part not in noises and dearest:
            noises[part] = noise_for(part, dearest, accounting, method)
    return assemble(bounded, tuple(noises[part] for part in bounded.parts), (), accounting, keys)


def _asked(bounded: Bounded) -> list[Part]:
    return list(dict.fromkeys(part for output in bounded.outputs for part in parts_of(output)))
