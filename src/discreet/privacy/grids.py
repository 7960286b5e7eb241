"""On which grid a scalar lies, so that its sum is a sum of integers, and the clamp onto that grid.

A declared step is carried through the arithmetic: a column of cents times three lies on three
cents. Where no step is known (a float column, a division) the plan picks one, a power of two
that is fine against the bound, so that rounding to it is lost in the noise.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from math import ceil, floor, gcd, log2
from typing import assert_never

from discreet.errors import Refused
from discreet.plan.moments import DAY, UNITS
from discreet.plan.scalar import Call, Case, ColumnRef, Literal, Op, Scalar
from discreet.plan.types import Type
from discreet.privacy.ranges import Declared, number, range_of

__all__ = ["Grid", "clamped", "coarser", "grid_for", "on_grid", "squares_of"]

FINE_BITS = 24
"""A picked grid has about this many bits between zero and the bound."""

WIDEST = 2**52
"""Grid steps in a bound: exact in a double, and with 2**63 rows far inside a 128-bit sum."""

LARGEST = Fraction(10) ** 300
"""The ends and the step of a grid are doubles in the emitted SQL, with room to spare."""


@dataclass(frozen=True, slots=True)
class Grid:
    """Integers ``low`` to ``high`` in steps of ``step``."""

    step: Fraction
    low: int
    high: int

    @property
    def centre(self) -> int:
        return (self.low + self.high) // 2

    @property
    def cells(self) -> int:
        return self.high - self.low + 1


def grid_for(argument: Scalar, declared: Declared, about_centre: bool = False) -> Grid:
    """The grid of a bounded argument; an unbounded one is refused, never guessed.

    What is added up about the centre has noise as small as the range is narrow, however far from zero it lies.
    """
    ends = range_of(argument, declared).ends
    if ends is None:
        raise _unbounded(argument, declared)
    step = step_of(argument, declared)
    size = max(map(abs, ends))
    if size > LARGEST or 0 < size < 1 / LARGEST:
        hint = "multiply the result instead"
        raise Refused(
            "unbounded-expression", "the bound of the expression is beyond what a double holds", hint, argument.span
        )
    if not step or size / step > WIDEST:
        step = _picked((ends[1] - ends[0]) / 2 if about_centre else size, size)
    return Grid(step, floor(ends[0] / step), ceil(ends[1] / step))


def coarser(grid: Grid, most: int) -> Grid:
    """The same range in at most so many steps, each of them a whole number of the old ones."""
    if grid.cells <= most:
        return grid
    width = -(-(grid.high - grid.low) // (most - 2))
    return Grid(grid.step * width, grid.low // width, -(-grid.high // width))


def squares_of(grid: Grid) -> Grid:
    """The grid of squared distances from the centre of a grid."""
    furthest = max(grid.high - grid.centre, grid.centre - grid.low) * grid.step
    step = grid.step**2
    if furthest**2 / step > WIDEST:
        step = _picked(furthest**2, furthest**2)
    return Grid(step, 0, ceil(furthest**2 / step))


def _picked(moved: Fraction, size: Fraction) -> Fraction:
    """Fine against what a row moves, and no finer than a double tells numbers of this size apart."""
    if size == 0:
        return Fraction(1)
    coarsest = Fraction(2) ** (ceil(log2(moved)) - FINE_BITS) if moved else Fraction(0)
    return max(coarsest, Fraction(2) ** ceil(log2(size / WIDEST)))


def _unbounded(argument: Scalar, declared: Declared) -> Refused:
    for column in _value_columns(argument):
        if (column.type.numeric or column.type.temporal) and declared(column).range is None:
            here = f"; or bound it here: LEAST(GREATEST({column.name}, 0), 100)" if column.type.numeric else ""
            ends = "low, high" if column.type.numeric else "2020-01-01, 2029-12-31"
            return Refused(
                "unbounded-column",
                f"the column {column.name!r} has no declared range, so one row could move the answer by anything",
                f"the owner can declare columns.{column.name} = {{ range = [{ends}] }}{here}",
                column.span,
            )
    return Refused(
        "unbounded-expression",
        "the expression has no bound that follows from the declared ranges",
        "bound it: LEAST(GREATEST(…, low), high)",
        argument.span,
    )


def step_of(scalar: Scalar, declared: Declared) -> Fraction | None:
    """A step of which every value of the scalar is a multiple; None where there is none to know."""
    match scalar:
        case Literal():
            value = number(scalar)
            return None if value is None else abs(value)
        case ColumnRef():
            return declared(scalar).step
        case Case(branches=branches, default=default):
            values = [value for _, value in branches] + ([default] if default else [])
            return _common([step_of(v, declared) for v in values if v.type is not Type.NULL])
        case Call():
            return _call_step(scalar, declared)
        case _:
            assert_never(scalar)


def _call_step(call: Call, declared: Declared) -> Fraction | None:
    if call.op in MOMENTS:
        return _moment_step(call)
    if call.op is Op.ROUND:
        return Fraction(10) ** -int(number(call.args[1]) or 0)
    if call.op is Op.MUL:
        steps = [step_of(arg, declared) for arg in call.args]
        return None if steps[0] is None or steps[1] is None else steps[0] * steps[1]
    if call.op in KEEPING:
        return _common([step_of(arg, declared) for arg in call.args if arg.type is not Type.NULL])
    return Fraction(1) if call.type is Type.INTEGER and call.op is not Op.MOD else None


KEEPING = {Op.NEG, Op.ADD, Op.SUB, Op.ABS, Op.COALESCE, Op.NULLIF, Op.GREATEST, Op.LEAST, Op.MOD}
"""Operations whose result is an integer combination of their arguments."""


MOMENTS = {Op.DATE_TRUNC, Op.TO_DATE, Op.TO_TIMESTAMP}


def _moment_step(call: Call) -> Fraction:
    """Days for dates, seconds for times; minutes, hours and days where a time is cut off to them."""
    unit = call.args[0].value if call.op is Op.DATE_TRUNC and isinstance(call.args[0], Literal) else "second"
    finest = UNITS[unit] if isinstance(unit, str) else 1
    return Fraction(DAY if call.type is Type.DATE else min(finest, DAY))


def _common(steps: list[Fraction | None]) -> Fraction | None:
    """The greatest common step; zero is on every grid."""
    known = [step for step in steps if step is not None]
    if len(known) < len(steps):
        return None
    return reduce(_gcd, [step for step in known if step], Fraction(0)) or Fraction(1)


def _gcd(a: Fraction, b: Fraction) -> Fraction:
    return Fraction(gcd(a.numerator * b.denominator, b.numerator * a.denominator), a.denominator * b.denominator)


def clamped(scalar: Scalar, declared: Declared) -> Scalar:
    """The same expression with every declared column held in its range, so that arithmetic cannot run away.

    Conditions keep the raw values: ``CASE WHEN amount > 1000 …`` asks about what is in the row.
    """
    match scalar:
        case ColumnRef(type=type_) if type_.numeric and (bounds := declared(scalar).range):
            ends = tuple(Literal(end, Type.DECIMAL) for end in map(_plain, bounds))
            return Call(Op.CLAMP, (scalar, *ends), type_)
        case Case(branches=branches, default=default, type=type_):
            arms = tuple((test, clamped(value, declared)) for test, value in branches)
            return Case(arms, clamped(default, declared) if default else None, type_)
        case Call(op=op, args=args, type=type_) if type_.numeric and op is not Op.NULLIF:
            return Call(op, tuple(clamped(arg, declared) for arg in args), type_)
        case _:
            return scalar


def _plain(value: Fraction) -> int | float:
    return int(value) if value.denominator == 1 else float(value)


def on_grid(argument: Scalar, grid: Grid, centre: int, declared: Declared) -> Scalar:
    """The integer that one row adds: clamped, counted in steps, less ``centre``; NULL where there is no number."""
    step = Literal(float(grid.step) if grid.step.denominator != 1 else int(grid.step), Type.DECIMAL)
    ends = (Literal(grid.low, Type.INTEGER), Literal(grid.high, Type.INTEGER), Literal(centre, Type.INTEGER))
    value = argument if isinstance(argument, ColumnRef) else clamped(argument, declared)
    value = Call(Op.SINCE_1970, (value,), Type.FLOAT) if value.type.temporal else value
    return Call(Op.GRID, (value, step, *ends), Type.INTEGER)


def _value_columns(scalar: Scalar) -> list[ColumnRef]:
    """The columns whose values reach the result: those of conditions do not."""
    match scalar:
        case ColumnRef():
            return [scalar]
        case Case(branches=branches, default=default):
            values = [value for _, value in branches] + ([default] if default else [])
            return [column for value in values for column in _value_columns(value)]
        case Call(args=args):
            return [column for arg in args for column in _value_columns(arg)]
        case _:
            return []
