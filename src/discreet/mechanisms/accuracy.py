"""The cheapest noise that meets a goal: a calculation, since it does not depend on the data.

Each part gets the least amount at which it meets the goal for itself; together they cost the sum, and no other split
of a price meets the goal for less.
"""

from __future__ import annotations

from fractions import Fraction

from discreet.errors import Refused
from discreet.ledger.accountants import accountant
from discreet.mechanisms import Mechanism
from discreet.mechanisms.choose import SHARPEST, KeyRule, assemble, choose, noise_for
from discreet.mechanisms.goal import Goal
from discreet.mechanisms.method import Method, check_method
from discreet.mechanisms.program import Program
from discreet.mechanisms.sharpest import CONFIDENCE, half_width
from discreet.privacy.bounded import Bounded, Output, Part

__all__ = ["aim", "reach"]

CHEAPEST, DEAREST = Fraction(1, 10**9), Fraction(100)
FINENESS = Fraction(1, 1000)
"""Prices are looked for to this relative step."""

STEPS = 12
"""How often what is left is halved in, to tell how sharp an answer it reaches."""


def aim(
    bounded: Bounded, goal: Goal, most: Fraction | None, accounting: str, keys: KeyRule | None, method: Method
) -> Program:
    """The cheapest program whose every number meets the goal at 95 %, for an amount of ``most`` at most."""
    check_method(method, bounded)
    _check_calculable(bounded)
    program = _meeting(bounded, goal.least, accounting, keys, method)
    if most is not None and program.charge.amount > most:
        cost, named = (accountant(accounting).epsilon(amount) for amount in (program.charge.amount, most))
        message = f"{goal} at 95 % costs epsilon {cost:.4g}, and at most {named:.4g} is to be paid"
        best = reach(bounded, most, accounting, keys, method)
        raise Refused("accuracy-unreachable", message, f"epsilon {named:.4g} reaches {best}")
    return program


def reach(bounded: Bounded, amount: Fraction, accounting: str, keys: KeyRule | None, method: Method = SHARPEST) -> str:
    """The best goal that an amount meets for every number."""
    even = choose(bounded, amount, accounting, keys, method)
    met = max((even.half_width(part, CONFIDENCE) for part in _asked(bounded)), default=Fraction(0))
    missed = Fraction(0)
    for _ in range(STEPS):
        middle = (met + missed) / 2
        try:
            meets = _meeting(bounded, middle, accounting, keys, method).charge.amount <= amount
        except Refused:
            meets = False
        met, missed = (middle, missed) if meets else (met, middle)
    return f"±{float(met):.4g} at 95 %"


def _check_calculable(bounded: Bounded) -> None:
    for output in bounded.outputs:
        if len(_numbers(output)) != 1:
            raise Refused(
                "accuracy-unknown",
                f"how sharp {output.name!r} is depends on the data, so no price can promise it",
                "name an epsilon; SUM and COUNT can be asked for with an accuracy",
            )
    if bounded.awaited:
        message = "how sharp the answer is depends on bounds that are chosen from the data first"
        hint = "name an epsilon; what has declared bounds can be asked for with an accuracy"
        raise Refused("accuracy-unknown", message, hint)
    if bounded.keys and not bounded.outputs:
        hint = "name an epsilon, or ask for a number of each group"
        raise Refused("accuracy-unknown", "the question has no number that could be sharp", hint)


def _meeting(bounded: Bounded, target: Fraction, accounting: str, keys: KeyRule | None, method: Method) -> Program:
    """What only decides which private keys are shown is as dear as the dearest number."""
    noises = {part: _least(part, target, accounting, method) for part in _asked(bounded)}
    dearest = max((accountant(accounting).charge([noise.event]).amount for noise in noises.values()), default=None)
    for part in bounded.parts:
        if part not in noises and dearest:
            noises[part] = noise_for(part, dearest, accounting, method)
    return assemble(bounded, tuple(noises[part] for part in bounded.parts), (), accounting, keys)


def _least(part: Part, target: Fraction, accounting: str, method: Method) -> Mechanism:
    """The cheapest noise that keeps a part within the target."""

    def at(epsilon: Fraction) -> Mechanism:
        return noise_for(part, accountant(accounting).price(epsilon), accounting, method)

    def meets(epsilon: Fraction) -> bool:
        return half_width(at(epsilon), CONFIDENCE) * part.grid <= target

    low, high = CHEAPEST, DEAREST
    if meets(low):
        return at(low)
    if not meets(high):
        best = half_width(at(high), CONFIDENCE) * part.grid
        message = f"no price up to epsilon {DEAREST} is that sharp: it reaches ±{float(best):.4g} at 95 %"
        raise Refused("accuracy-unreachable", message, "ask for less accuracy")
    while high - low > high * FINENESS:
        middle = (low + high) / 2
        low, high = (low, middle) if meets(middle) else (middle, high)
    return at(high.limit_denominator(10**9) + Fraction(1, 10**9))


def _asked(bounded: Bounded) -> list[Part]:
    return list(dict.fromkeys(part for output in bounded.outputs for part in _numbers(output)))


def _numbers(output: Output) -> list[Part]:
    return [part for part in output.parts.values() if isinstance(part, Part)]
