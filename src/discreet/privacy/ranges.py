"""Interval arithmetic: between which numbers a scalar lies, whatever the rows hold.

A range is a pair of exact ends, either of which may be missing. It is sound for values computed in
floating point because the emitted SQL clamps once more at the end (``Op.GRID``); a range that is a
little off costs accuracy, never privacy.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import ceil, floor, isqrt
from typing import assert_never

from discreet.plan.moments import DAY, UNITS, seconds
from discreet.plan.scalar import Call, Case, ColumnRef, Literal, Op, Scalar
from discreet.plan.types import Type
from discreet.policy.catalogue import KnownColumn

__all__ = ["Declared", "Range", "number", "range_of"]

Declared = Callable[[ColumnRef], KnownColumn]


@dataclass(frozen=True, slots=True)
class Range:
    """``low <= x <= high``; an end that is None is unknown."""

    low: Fraction | None = None
    high: Fraction | None = None

    @property
    def ends(self) -> tuple[Fraction, Fraction] | None:
        return None if self.low is None or self.high is None else (self.low, self.high)


UNKNOWN = Range()


def number(scalar: Scalar | None) -> Fraction | None:
    """The value of a literal number, and the seconds of a date or time."""
    match scalar:
        case Literal(value=dt.date() as value, type=type_) if type_.temporal:
            return seconds(value)
        case Literal(value=value, type=type_) if type_.numeric and value is not None:
            return Fraction(str(value))
        case _:
            return None


def exactly(value: Fraction | int) -> Range:
    return Range(Fraction(value), Fraction(value))


def hull(ranges: list[Range]) -> Range:
    """The least range that holds all of them."""
    lows, highs = [r.low for r in ranges], [r.high for r in ranges]
    known_lows, known_highs = [x for x in lows if x is not None], [x for x in highs if x is not None]
    low = min(known_lows) if known_lows and len(known_lows) == len(lows) else None
    high = max(known_highs) if known_highs and len(known_highs) == len(highs) else None
    return Range(low, high)


def range_of(scalar: Scalar, declared: Declared) -> Range:
    match scalar:
        case Literal():
            value = number(scalar)
            return UNKNOWN if value is None else exactly(value)
        case ColumnRef():
            bounds = declared(scalar).range
            return Range(*bounds) if bounds else UNKNOWN
        case Case(branches=branches, default=default):
            values = [value for _, value in branches] + ([default] if default else [])
            return hull([range_of(value, declared) for value in values if not _null(value)])
        case Call():
            return _call(scalar, declared)
        case _:
            assert_never(scalar)


def _null(scalar: Scalar) -> bool:
    return isinstance(scalar, Literal) and scalar.value is None


def _call(call: Call, declared: Declared) -> Range:
    if call.op in FIXED:
        return FIXED[call.op]
    if call.op not in RULES or not (call.type.numeric or call.type.temporal):
        return UNKNOWN
    return RULES[call.op](call, [range_of(arg, declared) for arg in call.args])


def _negate(_: Call, args: list[Range]) -> Range:
    low, high = args[0].low, args[0].high
    return Range(None if high is None else -high, None if low is None else -low)


def _add(_: Call, args: list[Range]) -> Range:
    def total(a: Fraction | None, b: Fraction | None) -> Fraction | None:
        return None if a is None or b is None else a + b

    return Range(total(args[0].low, args[1].low), total(args[0].high, args[1].high))


def _subtract(call: Call, args: list[Range]) -> Range:
    return _add(call, [args[0], _negate(call, [args[1]])])


def _multiply(_: Call, args: list[Range]) -> Range:
    left, right = args[0].ends, args[1].ends
    if left is None or right is None:
        return UNKNOWN
    corners = [a * b for a, b in product(left, right)]
    return Range(min(corners), max(corners))


def _divide(call: Call, args: list[Range]) -> Range:
    """Division by zero is NULL, but next to zero it is anything: only a divisor of one sign is bounded."""
    divisor = args[1].ends
    if divisor is None or divisor[0] <= 0 <= divisor[1]:
        return UNKNOWN
    quotient = _multiply(call, [args[0], Range(1 / divisor[1], 1 / divisor[0])])
    ends = quotient.ends
    if call.op is Op.INTDIV and ends is not None:
        return Range(Fraction(floor(ends[0])), Fraction(ceil(ends[1])))
    return quotient


def _modulo(_: Call, args: list[Range]) -> Range:
    """The sign is the dividend's, the size is below the divisor's."""
    ends = args[1].ends
    if ends is None:
        return UNKNOWN
    size = max(abs(end) for end in ends)
    low = Fraction(0) if args[0].low is not None and args[0].low >= 0 else -size
    high = Fraction(0) if args[0].high is not None and args[0].high <= 0 else size
    return Range(low, high)


def _absolute(_: Call, args: list[Range]) -> Range:
    ends = args[0].ends
    if ends is None:
        return Range(Fraction(0), None)
    low = Fraction(0) if ends[0] <= 0 <= ends[1] else min(map(abs, ends))
    return Range(low, max(map(abs, ends)))


def _round(call: Call, args: list[Range]) -> Range:
    """Outward to the digit, so that it holds for every way of rounding halves."""
    digits = number(call.args[1]) if len(call.args) > 1 else Fraction(0)
    unit = Fraction(10) ** -int(digits or 0)
    low = None if args[0].low is None else floor(args[0].low / unit) * unit
    high = None if args[0].high is None else ceil(args[0].high / unit) * unit
    return Range(low, high)


def _root(_: Call, args: list[Range]) -> Range:
    """The root of what is not negative (NULL otherwise), rounded outward."""
    high = args[0].high
    if high is None:
        return Range(Fraction(0), None)
    scaled = max(high, Fraction(0)) * 10**12
    return Range(Fraction(0), Fraction(isqrt(ceil(scaled)) + 1, 10**6))


def _greatest(call: Call, args: list[Range]) -> Range:
    """NULL arguments are skipped, so only an argument that is never NULL holds the result up."""
    certain = [r.low for r, arg in zip(args, call.args, strict=True) if isinstance(arg, Literal) and r.low is not None]
    whole = hull(args)
    return Range(max(certain) if certain else whole.low, whole.high)


def _least(call: Call, args: list[Range]) -> Range:
    certain = [
        r.high for r, arg in zip(args, call.args, strict=True) if isinstance(arg, Literal) and r.high is not None
    ]
    whole = hull(args)
    return Range(whole.low, min(certain) if certain else whole.high)


def _hull(call: Call, args: list[Range]) -> Range:
    return hull([r for r, arg in zip(args, call.args, strict=True) if not _null(arg)])


def _first(_: Call, args: list[Range]) -> Range:
    return args[0]


def _truncated(call: Call, args: list[Range]) -> Range:
    """Down to the beginning of a second, a day, a year …: by as much as the longest of them has."""
    unit = call.args[0]
    longest = UNITS[unit.value] if isinstance(unit, Literal) and isinstance(unit.value, str) else UNITS["year"]
    low = args[1].low
    return Range(None if low is None else low - longest, args[1].high)


def _to_moment(call: Call, args: list[Range]) -> Range:
    """A time becomes the date that it is in, a date the time at which it begins; a text may be any."""
    if not call.args[0].type.temporal:
        return UNKNOWN
    low = args[0].low
    return Range(None if low is None else floor(low / DAY) * Fraction(DAY), args[0].high)


def _to_number(call: Call, args: list[Range]) -> Range:
    if call.args[0].type is Type.BOOLEAN:
        return Range(Fraction(0), Fraction(1))
    if not call.args[0].type.numeric:
        return UNKNOWN
    return _round(Call(Op.ROUND, call.args, call.type), args) if call.op is Op.TO_INTEGER else args[0]


def _between(low: int, high: int | None) -> Range:
    return Range(Fraction(low), None if high is None else Fraction(high))


FIXED = {
    Op.QUARTER: _between(1, 4),
    Op.MONTH: _between(1, 12),
    Op.WEEK: _between(1, 53),
    Op.DAY: _between(1, 31),
    Op.DAY_OF_WEEK: _between(0, 6),
    Op.DAY_OF_YEAR: _between(1, 366),
    Op.HOUR: _between(0, 23),
    Op.MINUTE: _between(0, 59),
    Op.SECOND: _between(0, 60),
    Op.SIGN: _between(-1, 1),
    Op.LENGTH: _between(0, None),
}
"""Ranges that hold whatever the argument is."""

RULES: dict[Op, Callable[[Call, list[Range]], Range]] = {
    Op.NEG: _negate,
    Op.ADD: _add,
    Op.SUB: _subtract,
    Op.MUL: _multiply,
    Op.DIV: _divide,
    Op.INTDIV: _divide,
    Op.MOD: _modulo,
    Op.ABS: _absolute,
    Op.ROUND: _round,
    Op.FLOOR: _round,
    Op.CEIL: _round,
    Op.SQRT: _root,
    Op.GREATEST: _greatest,
    Op.LEAST: _least,
    Op.COALESCE: _hull,
    Op.NULLIF: _first,
    Op.DATE_TRUNC: _truncated,
    Op.TO_DATE: _to_moment,
    Op.TO_TIMESTAMP: _to_moment,
    Op.TO_INTEGER: _to_number,
    Op.TO_FLOAT: _to_number,
}
"""Ranges that follow from the arguments'; an operation that is in neither table is unknown."""
