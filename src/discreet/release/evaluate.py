"""HAVING, ORDER BY, LIMIT and the SELECT list over released rows: arithmetic on public numbers.

SQL's three-valued logic: NULL is None, an operation on None is None, and AND and OR know when the
other side decides.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from math import ceil, floor, fmod, sqrt
from operator import eq, ge, gt, le, lt, ne
from typing import Any, assert_never

from discreet.errors import Refused
from discreet.plan.nodes import Aggregate, Having, Limit, Ordering, Plan, Project, Sort
from discreet.plan.scalar import Call, Case, ColumnRef, Literal, Op, Scalar, walk
from discreet.plan.types import Type

__all__ = ["Row", "check", "evaluate", "select"]


@dataclass(frozen=True, slots=True)
class Row:
    """One released group: its columns by name, and the 95 % interval of a number when it is asked for."""

    place: int
    values: dict[str, Any]
    interval: Callable[[str, int], tuple[float, float] | None]


def select(plan: Plan, rows: list[Row]) -> list[Row]:
    """The released rows that the clauses above the aggregate leave, in their order."""
    match plan:
        case Aggregate():
            return rows
        case Having(input=inner, predicate=predicate):
            return [row for row in select(inner, rows) if evaluate(predicate, row) is True]
        case Sort(input=inner, orderings=orderings):
            found = select(inner, rows)
            for ordering in reversed(orderings):
                found = _sorted(found, ordering)
            return found
        case Limit(input=inner, count=count, offset=offset):
            return select(inner, rows)[offset : None if count is None else offset + count]
        case Project(input=inner):
            return select(inner, rows)
        case _:
            assert_never(plan)


def _sorted(rows: list[Row], ordering: Ordering) -> list[Row]:
    """Stable, so that orderings apply from the last to the first."""
    keyed = [(evaluate(ordering.value, row), row) for row in rows]
    known = [pair for pair in keyed if pair[0] is not None]
    unknown = [row for value, row in keyed if value is None]
    known.sort(key=lambda pair: pair[0], reverse=ordering.descending)
    ordered = [row for _, row in known]
    return unknown + ordered if ordering.nulls_first else ordered + unknown


def evaluate(scalar: Scalar, row: Row) -> Any:
    match scalar:
        case Literal(value=value):
            return float(value) if scalar.type in (Type.FLOAT, Type.DECIMAL) and value is not None else value  # pyright: ignore[reportArgumentType]
        case ColumnRef(name=name):
            return row.values[name]
        case Case(branches=branches, default=default):
            for test, value in branches:
                if evaluate(test, row) is True:
                    return evaluate(value, row)
            return evaluate(default, row) if default else None
        case Call(op=Op.INTERVAL_LOW | Op.INTERVAL_HIGH, args=(ColumnRef(name=name),)):
            ends = row.interval(name, row.place)
            return None if ends is None else ends[scalar.op is Op.INTERVAL_HIGH]
        case Call():
            return _call(scalar, [evaluate(arg, row) for arg in scalar.args])
        case _:
            assert_never(scalar)


def _call(call: Call, args: list[Any]) -> Any:
    args = _alike(args)
    if call.op in LOGIC:
        return LOGIC[call.op](args)
    if any(arg is None for arg in args):
        return None
    try:
        return UNARY[call.op](args[0]) if call.op in UNARY else BINARY[call.op](args[0], args[1])
    except (ArithmeticError, ValueError):
        return None  # an infinity has no whole part, and a number may be too large: the answer is paid for, and stays


def _alike(args: list[Any]) -> list[Any]:
    """Values that Python would not compare or add: a decimal beside a double, a date beside a time."""
    if any(isinstance(arg, dt.datetime) for arg in args):
        return [dt.datetime(arg.year, arg.month, arg.day) if type(arg) is dt.date else arg for arg in args]
    return [float(arg) if isinstance(arg, Decimal) else arg for arg in args]


def _and(args: list[Any]) -> bool | None:
    return False if False in args else None if None in args else True


def _or(args: list[Any]) -> bool | None:
    return True if True in args else None if None in args else False


def _in(args: list[Any]) -> bool | None:
    value, *items = args
    if value is None:
        return None
    return True if value in [item for item in items if item is not None] else None if None in items else False


def _known(args: list[Any]) -> list[Any]:
    return [arg for arg in args if arg is not None]


def _round(x: float, digits: int) -> float:
    """Halves away from zero, as databases do."""
    unit = Decimal(1).scaleb(-digits)
    rounded = (Decimal(repr(x)) / unit).quantize(Decimal(1), ROUND_HALF_UP) * unit
    return int(rounded) if isinstance(x, int) else float(rounded)


def _like(text: str, pattern: str) -> bool:
    parts = {"%": ".*", "_": "."}
    return re.fullmatch("".join(parts.get(char, re.escape(char)) for char in pattern), text, re.DOTALL) is not None


LOGIC: dict[Op, Callable[[list[Any]], Any]] = {
    Op.AND: _and,
    Op.OR: _or,
    Op.IN: _in,
    Op.IS_NULL: lambda args: args[0] is None,
    Op.COALESCE: lambda args: next(iter(_known(args)), None),
    Op.NULLIF: lambda args: None if args[0] == args[1] else args[0],
    Op.GREATEST: lambda args: max(_known(args), default=None),
    Op.LEAST: lambda args: min(_known(args), default=None),
}
"""Operations that say themselves what NULL means to them."""

UNARY: dict[Op, Callable[[Any], Any]] = {
    Op.NOT: lambda x: not x,
    Op.NEG: lambda x: -x,
    Op.ABS: abs,
    Op.FLOOR: floor,
    Op.CEIL: ceil,
    Op.SIGN: lambda x: (x > 0) - (x < 0),
    Op.SQRT: lambda x: sqrt(x) if x >= 0 else None,
    Op.LOWER: str.lower,
    Op.UPPER: str.upper,
    Op.LENGTH: len,
}

BINARY: dict[Op, Callable[[Any, Any], Any]] = {
    Op.EQ: eq,
    Op.NE: ne,
    Op.LT: lt,
    Op.LE: le,
    Op.GT: gt,
    Op.GE: ge,
    Op.LIKE: _like,
    Op.ILIKE: lambda text, pattern: _like(text.lower(), pattern.lower()),
    Op.ADD: lambda a, b: a + b,
    Op.SUB: lambda a, b: a - b,
    Op.MUL: lambda a, b: a * b,
    Op.DIV: lambda a, b: a / b if b else None,
    Op.MOD: lambda a, b: fmod(a, b) if b else None,
    Op.ROUND: _round,
}

SUPPORTED = {*LOGIC, *UNARY, *BINARY, Op.INTERVAL_LOW, Op.INTERVAL_HIGH}


def check(plan: Plan) -> None:
    """Refuse, before anything is paid, what HAVING or ORDER BY cannot compute."""
    match plan:
        case Aggregate():
            return
        case Having(input=inner, predicate=predicate):
            _check_scalar(predicate)
        case Sort(input=inner, orderings=orderings):
            for ordering in orderings:
                _check_scalar(ordering.value)
        case Limit(input=inner) | Project(input=inner):
            pass
        case _:
            assert_never(plan)
    check(inner)


def _check_scalar(scalar: Scalar) -> None:
    for part in walk(scalar):
        if isinstance(part, Call) and part.op not in SUPPORTED:
            message = f"{part.op.value.upper()} is not supported on released columns"
            raise Refused("unsupported", message, "compute it from the result", part.span)
