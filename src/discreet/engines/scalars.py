"""Scalar expressions as syntax trees, every one of them total: no row can make it fail.

Arithmetic is done in doubles, where nothing overflows into an error; what is declared as a whole
number stays exact, since its range is far below 2**53. Division by zero, roots of negative numbers
and casts that do not fit are NULL. Whole numbers are compared as they are, all else as doubles.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from typing import assert_never

from sqlglot import exp

from discreet.engines.tree import cast, column, number, parens, text, try_cast
from discreet.plan.scalar import Call, Case, ColumnRef, Literal, Op, Scalar, columns
from discreet.plan.types import Type, Value

__all__ = ["RULES", "SQL_TYPES", "emit", "in_calendar", "literal"]

SQL_TYPES = {
    Type.BOOLEAN: "BOOLEAN",
    Type.INTEGER: "BIGINT",
    Type.DECIMAL: "DOUBLE",
    Type.FLOAT: "DOUBLE",
    Type.TEXT: "TEXT",
    Type.DATE: "DATE",
    Type.TIMESTAMP: "TIMESTAMP",
}


WIDEST = 2**127
LONGEST = 1_000_000
"""Characters of a text that is put together with others: a hundred times as many are still a text."""
FIRST, LAST = dt.datetime.min, dt.datetime.max
"""The years 1 to 9999: outside of them functions of dates fail, and neither Python nor Arrow's readers have them."""


def literal(value: Value) -> exp.Expr:
    match value:
        case None:
            return exp.Null()
        case bool():
            return exp.Boolean(this=value)
        case int():
            # Wider than any integer type that is read: an engine may give it a type that a smaller number cannot reach.
            return (
                number(value)
                if abs(value) < WIDEST
                else cast(exp.Literal(this=str(float(value)), is_string=False), "DOUBLE")
            )
        case float() | Decimal():
            return cast(exp.Literal(this=str(value), is_string=False), "DOUBLE")
        case str():
            return text(value)
        case dt.datetime():
            return cast(text(value.isoformat(sep=" ")), "TIMESTAMP")
        case dt.date():
            return cast(text(value.isoformat()), "DATE")


def emit(scalar: Scalar) -> exp.Expr:
    match scalar:
        case ColumnRef(source=source, name=name):
            return column(source, name)
        case Literal(value=value):
            return literal(value)
        case Case(branches=branches, default=default):
            arms = [exp.If(this=emit(test), true=_in_type(value, scalar.type)) for test, value in branches]
            return exp.Case(ifs=arms, default=_in_type(default, scalar.type) if default else None)
        case Call(op=op):
            return RULES[op](scalar)
        case _:
            assert_never(scalar)


def real(scalar: Scalar) -> exp.Expr:
    """The value as a double."""
    tree = emit(scalar)
    match scalar:
        case Call(op=op) if op in DOUBLE:
            return tree
        case Literal(value=float() | Decimal()):
            return tree
        case _:
            return cast(tree, "DOUBLE")


def in_calendar(scalar: Scalar) -> exp.Expr:
    """A date or time of the years 1 to 9999, NULL for any other: infinite, before Christ, or far ahead."""
    value = emit(scalar)
    date = scalar.type is Type.DATE
    ends = [literal(end.date() if date else end) for end in (FIRST, LAST)]
    within = exp.Between(this=value, low=ends[0], high=ends[1])
    return exp.Case(ifs=[exp.If(this=within, true=value.copy())])


def _in_type(scalar: Scalar, type_: Type) -> exp.Expr:
    """A branch of CASE or COALESCE in the type that all have in common, reached without failing."""
    if type_ in (Type.DECIMAL, Type.FLOAT):
        return real(scalar)
    if type_ is Type.TIMESTAMP and scalar.type is Type.DATE:
        return try_cast(emit(scalar), "TIMESTAMP")
    return emit(scalar)


Rule = Callable[[Call], exp.Expr]


def _logic(node: type[exp.Connector]) -> Rule:
    """One chain of many: a tree that is halved at each step, since what prints it is recursive."""

    def halved(trees: list[exp.Expr]) -> exp.Expr:
        middle = len(trees) // 2
        return trees[0] if middle == 0 else node(this=halved(trees[:middle]), expression=halved(trees[middle:]))

    return lambda call: parens(halved([emit(arg) for arg in call.args]))


def _alike(call: Call) -> list[exp.Expr]:
    """The arguments of a comparison in one type that each of them reaches without failing."""
    types = {arg.type for arg in call.args} - {Type.NULL}
    if types == {Type.INTEGER} and not any(isinstance(arg, Call) and arg.op in DOUBLE for arg in call.args):
        return [emit(arg) for arg in call.args]
    if any(type_.numeric for type_ in types):
        return [real(arg) for arg in call.args]
    if types == {Type.DATE, Type.TIMESTAMP}:
        return [try_cast(emit(arg), "TIMESTAMP") for arg in call.args]
    return [emit(arg) for arg in call.args]


def _compare(node: type[exp.Binary]) -> Rule:
    def rule(call: Call) -> exp.Expr:
        left, right = _alike(call)
        return parens(node(this=left, expression=right))

    return rule


def _in(call: Call) -> exp.Expr:
    value, *items = _alike(call)
    return parens(exp.In(this=value, expressions=items))


def _like(node: type[exp.Binary]) -> Rule:
    return lambda call: parens(node(this=emit(call.args[0]), expression=emit(call.args[1])))


def _is_null(call: Call) -> exp.Expr:
    return parens(exp.Is(this=emit(call.args[0]), expression=exp.Null()))


def _not(call: Call) -> exp.Expr:
    return parens(exp.Not(this=emit(call.args[0])))


def _coalesce(call: Call) -> exp.Expr:
    first, *rest = [_in_type(arg, call.type) for arg in call.args]
    return exp.Coalesce(this=first, expressions=rest)


def _nullif(call: Call) -> exp.Expr:
    left, right = _alike(call)
    same = exp.Nullif(this=left, expression=right)
    return try_cast(same, SQL_TYPES[call.type]) if call.type.temporal else same


def _binary(node: type[exp.Binary]) -> Rule:
    return lambda call: parens(node(this=real(call.args[0]), expression=real(call.args[1])))


def _divisor(call: Call) -> exp.Expr:
    return exp.Nullif(this=real(call.args[1]), expression=number(0))


def _divide(call: Call) -> exp.Expr:
    return parens(exp.Div(this=real(call.args[0]), expression=_divisor(call)))


def _int_divide(call: Call) -> exp.Expr:
    return exp.Trunc(this=exp.Div(this=real(call.args[0]), expression=_divisor(call)))


def _modulo(call: Call) -> exp.Expr:
    return parens(exp.Mod(this=real(call.args[0]), expression=_divisor(call)))


def _negate(call: Call) -> exp.Expr:
    return parens(exp.Neg(this=real(call.args[0])))


def _real(node: type[exp.Func]) -> Rule:
    return lambda call: node(this=real(call.args[0]))


def _round(call: Call) -> exp.Expr:
    return exp.Round(this=real(call.args[0]), decimals=emit(call.args[1]))


def _root(call: Call) -> exp.Expr:
    value = real(call.args[0])
    positive = exp.GTE(this=value, expression=number(0))
    return exp.Case(ifs=[exp.If(this=positive, true=exp.Sqrt(this=value.copy()))])


def _text(node: type[exp.Func]) -> Rule:
    return lambda call: node(this=emit(call.args[0]))


def _substring(call: Call) -> exp.Expr:
    this, start, *length = [emit(arg) for arg in call.args]
    return exp.Substring(this=this, start=start, length=length[0] if length else None)


def _trim(position: str | None) -> Rule:
    return lambda call: exp.Trim(this=emit(call.args[0]), position=position)


def _piece(scalar: Scalar) -> exp.Expr:
    """A text that grows: cut where it is so long that what becomes of it could be more than an engine can hold."""
    short = not columns(scalar) or (isinstance(scalar, Call) and scalar.op is Op.TO_TEXT)
    return emit(scalar) if short else exp.Left(this=emit(scalar), expression=number(LONGEST))


def _concat(call: Call) -> exp.Expr:
    tree = _piece(call.args[0])
    for arg in call.args[1:]:
        tree = exp.DPipe(this=tree, expression=_piece(arg))
    return parens(tree)


def _replace(call: Call) -> exp.Expr:
    this, old, new = call.args
    return exp.Replace(this=_piece(this), expression=emit(old), replacement=emit(new))


def _slice(node: type[exp.Expr]) -> Rule:
    return lambda call: node(this=emit(call.args[0]), expression=emit(call.args[1]))


def _extract(part: str) -> Rule:
    return lambda call: exp.Extract(this=exp.var(part), expression=in_calendar(call.args[0]))


def _since_1970(call: Call) -> exp.Expr:
    """Seconds; NULL for what no calendar has."""
    return exp.Extract(this=exp.var("EPOCH"), expression=in_calendar(call.args[0]))


def _date_trunc(call: Call) -> exp.Expr:
    unit, value = call.args
    cut = exp.Anonymous(this="DATE_TRUNC", expressions=[emit(unit), in_calendar(value)])
    return try_cast(cut, SQL_TYPES[call.type])


def _convert(type_: str) -> Rule:
    return lambda call: try_cast(emit(call.args[0]), type_)


def _widest(node: type[exp.Func], first: exp.Expr, *rest: exp.Expr) -> exp.Expr:
    """GREATEST and LEAST, skipping NULLs."""
    return node(this=first, expressions=list(rest), ignore_nulls=True)


def _extreme(node: type[exp.Func]) -> Rule:
    return lambda call: _widest(node, *(real(arg) for arg in call.args))


def _held(value: exp.Expr, low: exp.Expr, high: exp.Expr) -> exp.Expr:
    return _widest(exp.Least, _widest(exp.Greatest, value, low), high)


def _if_finite(value: exp.Expr, then: exp.Expr) -> exp.Expr:
    """NULL, NaN and the infinities are no numbers: they give NULL."""
    return exp.Case(ifs=[exp.If(this=exp.Anonymous(this="ISFINITE", expressions=[value]), true=then)])


def _clamp(call: Call) -> exp.Expr:
    value, low, high = [real(arg) for arg in call.args]
    return _if_finite(value, _held(value.copy(), low, high))


def _grid(call: Call) -> exp.Expr:
    """Count in steps, round, hold between the ends, and only then become an integer: the cast cannot fail."""
    value, step, low, high, centre = call.args
    number = real(value)
    scaled = number.copy()
    if not (isinstance(step, Literal) and step.value == 1):
        scaled = exp.Div(this=scaled, expression=real(step))
    steps = cast(_held(exp.Round(this=scaled), real(low), real(high)), "BIGINT")
    if isinstance(centre, Literal) and centre.value != 0:
        steps = exp.Sub(this=steps, expression=emit(centre))
    return _if_finite(number, steps)


def _released(call: Call) -> exp.Expr:
    raise AssertionError(f"{call.op} belongs to released columns and never reaches an engine")


DOUBLE = {
    Op.NEG, Op.ADD, Op.SUB, Op.MUL, Op.DIV, Op.INTDIV, Op.MOD, Op.ABS, Op.ROUND, Op.FLOOR, Op.CEIL,
    Op.SQRT, Op.SIGN, Op.GREATEST, Op.LEAST, Op.TO_FLOAT, Op.CLAMP,
}  # fmt: skip
"""Operations whose emitted form is a double already."""

RULES: dict[Op, Rule] = {
    Op.AND: _logic(exp.And),
    Op.OR: _logic(exp.Or),
    Op.NOT: _not,
    Op.EQ: _compare(exp.EQ),
    Op.NE: _compare(exp.NEQ),
    Op.LT: _compare(exp.LT),
    Op.LE: _compare(exp.LTE),
    Op.GT: _compare(exp.GT),
    Op.GE: _compare(exp.GTE),
    Op.IN: _in,
    Op.LIKE: _like(exp.Like),
    Op.ILIKE: _like(exp.ILike),
    Op.IS_NULL: _is_null,
    Op.COALESCE: _coalesce,
    Op.NULLIF: _nullif,
    Op.NEG: _negate,
    Op.ADD: _binary(exp.Add),
    Op.SUB: _binary(exp.Sub),
    Op.MUL: _binary(exp.Mul),
    Op.DIV: _divide,
    Op.INTDIV: _int_divide,
    Op.MOD: _modulo,
    Op.ABS: _real(exp.Abs),
    Op.ROUND: _round,
    Op.FLOOR: _real(exp.Floor),
    Op.CEIL: _real(exp.Ceil),
    Op.SIGN: lambda call: cast(exp.Sign(this=real(call.args[0])), "DOUBLE"),
    Op.SQRT: _root,
    Op.GREATEST: _extreme(exp.Greatest),
    Op.LEAST: _extreme(exp.Least),
    Op.LOWER: _text(exp.Lower),
    Op.UPPER: _text(exp.Upper),
    Op.LENGTH: _text(exp.Length),
    Op.TRIM: _trim(None),
    Op.LTRIM: _trim("LEADING"),
    Op.RTRIM: _trim("TRAILING"),
    Op.SUBSTRING: _substring,
    Op.CONCAT: _concat,
    Op.REPLACE: _replace,
    Op.LEFT: _slice(exp.Left),
    Op.RIGHT: _slice(exp.Right),
    Op.STARTS_WITH: _slice(exp.StartsWith),
    Op.CONTAINS: _slice(exp.Contains),
    Op.YEAR: _extract("YEAR"),
    Op.QUARTER: _extract("QUARTER"),
    Op.MONTH: _extract("MONTH"),
    Op.WEEK: _extract("WEEK"),
    Op.DAY: _extract("DAY"),
    Op.DAY_OF_WEEK: _extract("DOW"),
    Op.DAY_OF_YEAR: _extract("DOY"),
    Op.HOUR: _extract("HOUR"),
    Op.MINUTE: _extract("MINUTE"),
    Op.SECOND: _extract("SECOND"),
    Op.DATE_TRUNC: _date_trunc,
    Op.SINCE_1970: _since_1970,
    Op.TO_INTEGER: _convert("BIGINT"),
    Op.TO_FLOAT: _convert("DOUBLE"),
    Op.TO_TEXT: _convert("TEXT"),
    Op.TO_DATE: _convert("DATE"),
    Op.TO_TIMESTAMP: _convert("TIMESTAMP"),
    Op.TO_BOOLEAN: _convert("BOOLEAN"),
    Op.CLAMP: _clamp,
    Op.GRID: _grid,
    Op.INTERVAL_LOW: _released,
    Op.INTERVAL_HIGH: _released,
}
"""Every operation, for engines that speak standard functions; an engine's own file overrides what differs."""
