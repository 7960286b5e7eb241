"""Scalar expressions of the parser's tree, lowered one node type at a time.

``resolve`` is asked first about every node: below the aggregate it knows the columns of tables,
above it the released columns. What neither it nor a table here knows is refused by name.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, InvalidOperation

from sqlglot import exp

from discreet.plan.scalar import Call, Case, Literal, Op, Scalar
from discreet.plan.types import Type
from discreet.sql.growth import check_growth
from discreet.sql.refusals import only, refuse, span, written
from discreet.sql.typing import alike, as_boolean, as_number, as_temporal, as_text, temporal_literal, unify

__all__ = ["Resolve", "lower_scalar"]

Resolve = Callable[[exp.Expr], Scalar | None]


def lower_scalar(node: exp.Expr, resolve: Resolve) -> Scalar:
    known = resolve(node)
    if known is not None:
        return known
    rule = _RULES.get(type(node))
    if rule is None:
        return _unknown(node)
    value = rule(node, resolve)
    if node.args.get("negate"):
        return Call(Op.NOT, (as_boolean(node, value),), Type.BOOLEAN, span(node))
    # What can only be NULL is written so: as a call it would have a type of its own, and could fail beside others.
    return Literal(None, Type.NULL, span(node)) if value.type is Type.NULL else value


FORMS: dict[type[exp.Expr], tuple[str, str]] = {
    exp.Window: ("a window function", "group instead: a window would show something of every row"),
    exp.Interval: ("INTERVAL", "compare with a date that is written out"),
    exp.Placeholder: ("a parameter", "write the value into the statement"),
    exp.Parameter: ("a parameter", "write the value into the statement"),
    exp.Bracket: ("an element of a list", "docs/sql.md lists the types"),
    exp.Array: ("a list", "docs/sql.md lists the types"),
    exp.Struct: ("a struct", "docs/sql.md lists the types"),
    exp.Dot: ("a field of a struct", "docs/sql.md lists the types"),
    exp.Tuple: ("a tuple", "compare one column at a time"),
    exp.CurrentDate: ("CURRENT_DATE", "write the date: an answer may not depend on when it is asked"),
    exp.CurrentTimestamp: ("CURRENT_TIMESTAMP", "write the time: an answer may not depend on when it is asked"),
    exp.GroupingSets: ("GROUPING SETS", "ask once for each set"),
    exp.Rollup: ("ROLLUP", "ask once for each set of keys"),
    exp.Cube: ("CUBE", "ask once for each set of keys"),
    exp.Columns: ("COLUMNS", "name the column"),
}
"""Forms that the parser reads and we refuse: what to call them, and what to do instead."""


def _unknown(node: exp.Expr) -> Scalar:
    if isinstance(node, exp.Column):
        refuse(node, "unknown-column", f"there is no column {node.sql()} here")
    if isinstance(node, exp.AggFunc):
        refuse(node, "nested-aggregate", f"{written(node)} cannot stand here", "aggregates stand alone in SELECT")
    if isinstance(node, exp.Anonymous):
        refuse(node, "unknown-function", f"the function {node.name} is not known", "docs/sql.md lists the functions")
    if isinstance(node, exp.Query | exp.Subquery | exp.Exists):
        refuse(node, "unsupported", "subqueries are not supported", "join the table, or ask two questions")
    name, hint = FORMS.get(type(node), (written(node), "docs/sql.md lists what can be asked"))
    return refuse(node, "unsupported", f"{name} is not supported", hint)


def _literal(node: exp.Expr, _: Resolve) -> Scalar:
    text = str(node.this)
    if node.is_string:
        return Literal(text, Type.TEXT, span(node))
    if text.isascii() and text.isdigit() and len(text) <= 300:
        return Literal(int(text), Type.INTEGER, span(node))
    try:
        value = Decimal(text)
    except InvalidOperation:
        return refuse(node, "bad-literal", f"{text!r} is not a number")
    if not value.is_finite() or abs(value.adjusted()) > 300:
        refuse(node, "bad-literal", f"{text} is out of range", "numbers lie between 1e-300 and 1e300")
    return Literal(value, Type.FLOAT if "e" in text.lower() else Type.DECIMAL, span(node))


def _boolean(node: exp.Expr, _: Resolve) -> Scalar:
    return Literal(bool(node.this), Type.BOOLEAN, span(node))


def _null(node: exp.Expr, _: Resolve) -> Scalar:
    return Literal(None, Type.NULL, span(node))


def _paren(node: exp.Expr, resolve: Resolve) -> Scalar:
    return lower_scalar(node.this, resolve)


def _logic(op: Op) -> _Rule:
    """A chain of AND, or of OR, as one operation of many arguments: people write hundreds of them in a row."""

    def rule(node: exp.Expr, resolve: Resolve) -> Scalar:
        only(node, "this", "expression")
        sides = tuple(as_boolean(side, lower_scalar(side, resolve)) for side in node.flatten())
        return Call(op, sides, Type.BOOLEAN, span(node))

    return rule


def _not(node: exp.Expr, resolve: Resolve) -> Scalar:
    only(node, "this")
    return Call(Op.NOT, (as_boolean(node.this, lower_scalar(node.this, resolve)),), Type.BOOLEAN, span(node))


def _compare(op: Op) -> _Rule:
    def rule(node: exp.Expr, resolve: Resolve) -> Scalar:
        only(node, "this", "expression")
        sides = lower_scalar(node.this, resolve), lower_scalar(node.expression, resolve)
        return Call(op, alike(node, *sides), Type.BOOLEAN, span(node))

    return rule


def _between(node: exp.Expr, resolve: Resolve) -> Scalar:
    only(node, "this", "low", "high", "negate")
    value = lower_scalar(node.this, resolve)
    above = Call(Op.GE, alike(node, value, lower_scalar(node.args["low"], resolve)), Type.BOOLEAN, span(node))
    below = Call(Op.LE, alike(node, value, lower_scalar(node.args["high"], resolve)), Type.BOOLEAN, span(node))
    return Call(Op.AND, (above, below), Type.BOOLEAN, span(node))


def _in(node: exp.Expr, resolve: Resolve) -> Scalar:
    if node.args.get("query"):
        refuse(node, "unsupported", "IN with a subquery is not supported", "join the table, or list the values")
    only(node, "this", "expressions", "negate")
    if not node.expressions:
        refuse(node, "unsupported", "IN takes a list of values", "write IN (1, 2)")
    value = lower_scalar(node.this, resolve)
    pairs = [alike(item, value, lower_scalar(item, resolve)) for item in node.expressions]
    if value.type is not Type.NULL and len({left for left, _ in pairs}) == 1:
        return Call(Op.IN, (pairs[0][0], *(item for _, item in pairs)), Type.BOOLEAN, span(node))
    # The value is compared with each item in another type, so one list of them would cast, and could fail on a row.
    return Call(Op.OR, tuple(Call(Op.EQ, pair, Type.BOOLEAN) for pair in pairs), Type.BOOLEAN, span(node))


def _like(op: Op) -> _Rule:
    def rule(node: exp.Expr, resolve: Resolve) -> Scalar:
        only(node, "this", "expression", "negate")
        pattern = lower_scalar(node.expression, resolve)
        if not (isinstance(pattern, Literal) and isinstance(pattern.value, str)):
            refuse(node.expression, "not-constant", "the pattern of LIKE must be a text", "write LIKE 'a%'")
        return Call(op, (as_text(node.this, lower_scalar(node.this, resolve)), pattern), Type.BOOLEAN, span(node))

    return rule


def _is(node: exp.Expr, resolve: Resolve) -> Scalar:
    """IS NULL, IS TRUE, IS FALSE: never NULL themselves."""
    only(node, "this", "expression", "negate")
    value = lower_scalar(node.this, resolve)
    if isinstance(node.expression, exp.Null):
        return Call(Op.IS_NULL, (value,), Type.BOOLEAN, span(node))
    wanted = lower_scalar(node.expression, resolve)
    if not isinstance(wanted, Literal) or wanted.type is not Type.BOOLEAN:
        refuse(node.expression, "unsupported", "IS takes NULL, TRUE or FALSE")
    same = Call(Op.EQ, alike(node, value, wanted), Type.BOOLEAN)
    return Call(Op.COALESCE, (same, Literal(False, Type.BOOLEAN)), Type.BOOLEAN, span(node))


def _distinct_from(op: Op) -> _Rule:
    """IS [NOT] DISTINCT FROM, spelt out: equal, or both NULL."""

    def rule(node: exp.Expr, resolve: Resolve) -> Scalar:
        only(node, "this", "expression")
        left, right = alike(node, lower_scalar(node.this, resolve), lower_scalar(node.expression, resolve))
        null = Call(
            Op.AND, (Call(Op.IS_NULL, (left,), Type.BOOLEAN), Call(Op.IS_NULL, (right,), Type.BOOLEAN)), Type.BOOLEAN
        )
        same = Call(Op.COALESCE, (Call(Op.EQ, (left, right), Type.BOOLEAN), null), Type.BOOLEAN, span(node))
        return same if op is Op.EQ else Call(Op.NOT, (same,), Type.BOOLEAN, span(node))

    return rule


def _arithmetic(op: Op) -> _Rule:
    def rule(node: exp.Expr, resolve: Resolve) -> Scalar:
        only(node, "this", "expression", "typed", "safe")
        sides = [as_number(side, lower_scalar(side, resolve)) for side in (node.this, node.expression)]
        whole = all(side.type in (Type.INTEGER, Type.NULL) for side in sides)
        if op is Op.INTDIV and not whole:
            hint = "write x / y, or FLOOR(x / y)"
            refuse(node, "type-mismatch", "whole division is of whole numbers", hint)
        chosen = Op.INTDIV if op is Op.DIV and node.args.get("typed") and whole else op
        type_ = Type.FLOAT if chosen is Op.DIV else unify(node, *sides)
        return Call(chosen, tuple(sides), type_, span(node))

    return rule


def _number(op: Op, type_: Type | None = None) -> _Rule:
    """A function of one number; it keeps the argument's type unless it says otherwise."""

    def rule(node: exp.Expr, resolve: Resolve) -> Scalar:
        only(node, "this")
        value = as_number(node.this, lower_scalar(node.this, resolve))
        return Call(op, (value,), type_ or value.type, span(node))

    return rule


def _negative(node: exp.Expr, resolve: Resolve) -> Scalar:
    only(node, "this")
    value = as_number(node.this, lower_scalar(node.this, resolve))
    if isinstance(value, Literal) and isinstance(value.value, int | Decimal):
        return Literal(-value.value, value.type, span(node))
    return Call(Op.NEG, (value,), value.type, span(node))


def _round(node: exp.Expr, resolve: Resolve) -> Scalar:
    only(node, "this", "decimals", "casts_non_integer_decimals")
    value = as_number(node.this, lower_scalar(node.this, resolve))
    digits = _constant(node.args["decimals"], resolve) if node.args.get("decimals") else Literal(0, Type.INTEGER)
    if not isinstance(digits.value, int) or abs(digits.value) > 15:
        refuse(node, "bad-literal", "ROUND takes -15 to 15 digits")
    return Call(Op.ROUND, (value, digits), value.type, span(node))


def _constant(node: exp.Expr, resolve: Resolve) -> Literal:
    value = lower_scalar(node, resolve)
    if isinstance(value, Literal) and isinstance(value.value, int) and not isinstance(value.value, bool):
        return value
    return refuse(node, "not-constant", "a whole number written out is needed here")


def _choice(op: Op) -> _Rule:
    """GREATEST, LEAST and COALESCE: many arguments of one type."""

    def rule(node: exp.Expr, resolve: Resolve) -> Scalar:
        only(node, "this", "expressions", "ignore_nulls", "is_nvl", "is_null")
        values = [lower_scalar(item, resolve) for item in (node.this, *node.expressions)]
        type_ = unify(node, *values)
        if op is not Op.COALESCE and not (type_.numeric or type_ is Type.NULL):
            refuse(node, "type-mismatch", f"{op.value.upper()} takes numbers, not {type_.value}", "use CASE")
        return Call(op, tuple(values), type_, span(node))

    return rule


def _nullif(node: exp.Expr, resolve: Resolve) -> Scalar:
    only(node, "this", "expression")
    left = lower_scalar(node.this, resolve)
    return Call(Op.NULLIF, alike(node, left, lower_scalar(node.expression, resolve)), left.type, span(node))


def _case(node: exp.Expr, resolve: Resolve) -> Scalar:
    only(node, "this", "ifs", "default")
    subject = lower_scalar(node.this, resolve) if node.this else None
    branches: list[tuple[Scalar, Scalar]] = []
    for branch in node.args["ifs"]:
        test = lower_scalar(branch.this, resolve)
        if subject is not None:
            test = Call(Op.EQ, alike(branch.this, subject, test), Type.BOOLEAN, span(branch))
        branches.append((as_boolean(branch.this, test), lower_scalar(branch.args["true"], resolve)))
    return _cases(node, branches, node.args.get("default"), resolve)


def _if(node: exp.Expr, resolve: Resolve) -> Scalar:
    only(node, "this", "true", "false")
    test = as_boolean(node.this, lower_scalar(node.this, resolve))
    return _cases(node, [(test, lower_scalar(node.args["true"], resolve))], node.args.get("false"), resolve)


def _cases(node: exp.Expr, branches: list[tuple[Scalar, Scalar]], default: exp.Expr | None, resolve: Resolve) -> Scalar:
    last = lower_scalar(default, resolve) if default else None
    type_ = unify(node, *(value for _, value in branches), *([last] if last else []))
    return Case(tuple(branches), last, type_, span(node))


def _text(op: Op, type_: Type = Type.TEXT, *others: str) -> _Rule:
    """A function of texts: ``this``, then the named further arguments."""

    def rule(node: exp.Expr, resolve: Resolve) -> Scalar:
        only(node, "this", *others, "safe", "encoding", "binary")
        given = [node.this, *(node.args[name] for name in others if node.args.get(name))]
        return Call(op, tuple(as_text(item, lower_scalar(item, resolve)) for item in given), type_, span(node))

    return rule


def _concat(node: exp.Expr, resolve: Resolve) -> Scalar:
    """CONCAT skips NULLs, ``||`` does not."""
    only(node, "this", "expression", "expressions", "safe", "coalesce")
    items = node.expressions or [node.this, node.expression]
    values = [as_text(item, lower_scalar(item, resolve)) for item in items]
    if node.args.get("coalesce"):
        empty = Literal("", Type.TEXT)
        values = [Call(Op.COALESCE, (value, empty), Type.TEXT) for value in values]
    text = Call(Op.CONCAT, tuple(values), Type.TEXT, span(node))
    check_growth(node, text)
    return text


def _replace(node: exp.Expr, resolve: Resolve) -> Scalar:
    """REPLACE of written texts: how much it may grow its subject is known from them."""
    only(node, "this", "expression", "replacement")
    old, new = (lower_scalar(node.args[name], resolve) for name in ("expression", "replacement"))
    subject = as_text(node.this, lower_scalar(node.this, resolve))
    if not all(isinstance(each, Literal) and each.type in (Type.TEXT, Type.NULL) for each in (old, new)):
        refuse(node, "not-constant", "REPLACE takes two texts that are written out", "write REPLACE(x, 'a', 'b')")
    value = Call(Op.REPLACE, (subject, old, new), Type.TEXT, span(node))
    check_growth(node, value)
    return value


def _trim(node: exp.Expr, resolve: Resolve) -> Scalar:
    only(node, "this", "position")
    ops = {"LEADING": Op.LTRIM, "TRAILING": Op.RTRIM}
    op = ops.get(str(node.args.get("position") or "").upper(), Op.TRIM)
    return Call(op, (as_text(node.this, lower_scalar(node.this, resolve)),), Type.TEXT, span(node))


def _slice(op: Op, *others: str) -> _Rule:
    """SUBSTRING, LEFT, RIGHT: a text and whole numbers that are written out."""

    def rule(node: exp.Expr, resolve: Resolve) -> Scalar:
        only(node, "this", *others)
        numbers = [_constant(node.args[name], resolve) for name in others if node.args.get(name)]
        if any(not 0 <= int(str(number.value)) <= 1_000_000 for number in numbers):
            refuse(node, "bad-literal", f"{op.value.upper()} takes whole numbers from 0 to 1000000")
        return Call(op, (as_text(node.this, lower_scalar(node.this, resolve)), *numbers), Type.TEXT, span(node))

    return rule


def _part(op: Op) -> _Rule:
    def rule(node: exp.Expr, resolve: Resolve) -> Scalar:
        only(node, "this")
        return Call(op, (as_temporal(node.this, lower_scalar(node.this, resolve)),), Type.INTEGER, span(node))

    return rule


PARTS = {
    "YEAR": Op.YEAR, "QUARTER": Op.QUARTER, "MONTH": Op.MONTH, "WEEK": Op.WEEK, "DAY": Op.DAY,
    "DOW": Op.DAY_OF_WEEK, "DAYOFWEEK": Op.DAY_OF_WEEK, "DOY": Op.DAY_OF_YEAR, "DAYOFYEAR": Op.DAY_OF_YEAR,
    "HOUR": Op.HOUR, "MINUTE": Op.MINUTE, "SECOND": Op.SECOND,
}  # fmt: skip


def _extract(node: exp.Expr, resolve: Resolve) -> Scalar:
    only(node, "this", "expression")
    op = PARTS.get(node.this.name.upper())
    if op is None:
        known = ", ".join(PARTS)
        refuse(node, "unsupported", f"EXTRACT({node.this.name}) is not supported", f"known parts: {known}")
    value = as_temporal(node.expression, lower_scalar(node.expression, resolve))
    return Call(op, (value,), Type.INTEGER, span(node))


TRUNCATIONS = ("YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND")


def _date_trunc(node: exp.Expr, resolve: Resolve) -> Scalar:
    only(node, "this", "unit", "input_type_preserved")
    unit = node.args["unit"].name.upper()
    if unit not in TRUNCATIONS:
        refuse(node, "unsupported", f"DATE_TRUNC to {unit} is not supported", f"known units: {', '.join(TRUNCATIONS)}")
    value = as_temporal(node.this, lower_scalar(node.this, resolve))
    return Call(Op.DATE_TRUNC, (Literal(unit.lower(), Type.TEXT), value), value.type, span(node))


_Type = exp.DataType.Type
CASTS = {
    Op.TO_INTEGER: (Type.INTEGER, exp.DataType.INTEGER_TYPES),
    Op.TO_FLOAT: (Type.FLOAT, {*exp.DataType.REAL_TYPES, _Type.DECIMAL}),
    Op.TO_TEXT: (Type.TEXT, exp.DataType.TEXT_TYPES),
    Op.TO_DATE: (Type.DATE, {_Type.DATE}),
    Op.TO_TIMESTAMP: (Type.TIMESTAMP, {_Type.TIMESTAMP, _Type.DATETIME, _Type.TIMESTAMPNTZ}),
    Op.TO_BOOLEAN: (Type.BOOLEAN, {_Type.BOOLEAN}),
}


def _cast(node: exp.Expr, resolve: Resolve) -> Scalar:
    """CAST in its total form: what cannot be converted is NULL, as TRY_CAST has it."""
    only(node, "this", "to", "safe", "requires_string")
    wanted = node.args["to"].this
    value = lower_scalar(node.this, resolve)
    for op, (type_, names) in CASTS.items():
        if wanted in names:
            if isinstance(value, Literal) and isinstance(value.value, str) and type_.temporal:
                return temporal_literal(node, value.value, type_)
            return value if value.type is type_ else Call(op, (value,), type_, span(node))
    return refuse(
        node, "unsupported", f"CAST to {node.args['to'].sql()} is not supported", "see docs/sql.md for the types"
    )


_Rule = Callable[[exp.Expr, Resolve], Scalar]

_RULES: dict[type[exp.Expr], _Rule] = {
    exp.Literal: _literal,
    exp.Boolean: _boolean,
    exp.Null: _null,
    exp.Paren: _paren,
    exp.And: _logic(Op.AND),
    exp.Or: _logic(Op.OR),
    exp.Not: _not,
    exp.EQ: _compare(Op.EQ),
    exp.NEQ: _compare(Op.NE),
    exp.LT: _compare(Op.LT),
    exp.LTE: _compare(Op.LE),
    exp.GT: _compare(Op.GT),
    exp.GTE: _compare(Op.GE),
    exp.NullSafeEQ: _distinct_from(Op.EQ),
    exp.NullSafeNEQ: _distinct_from(Op.NE),
    exp.Between: _between,
    exp.In: _in,
    exp.Like: _like(Op.LIKE),
    exp.ILike: _like(Op.ILIKE),
    exp.Is: _is,
    exp.Add: _arithmetic(Op.ADD),
    exp.Sub: _arithmetic(Op.SUB),
    exp.Mul: _arithmetic(Op.MUL),
    exp.Div: _arithmetic(Op.DIV),
    exp.IntDiv: _arithmetic(Op.INTDIV),
    exp.Mod: _arithmetic(Op.MOD),
    exp.Neg: _negative,
    exp.Abs: _number(Op.ABS),
    exp.Floor: _number(Op.FLOOR, Type.INTEGER),
    exp.Ceil: _number(Op.CEIL, Type.INTEGER),
    exp.Sign: _number(Op.SIGN, Type.INTEGER),
    exp.Sqrt: _number(Op.SQRT, Type.FLOAT),
    exp.Round: _round,
    exp.Greatest: _choice(Op.GREATEST),
    exp.Least: _choice(Op.LEAST),
    exp.Coalesce: _choice(Op.COALESCE),
    exp.Nullif: _nullif,
    exp.Case: _case,
    exp.If: _if,
    exp.Lower: _text(Op.LOWER),
    exp.Upper: _text(Op.UPPER),
    exp.Length: _text(Op.LENGTH, Type.INTEGER),
    exp.Replace: _replace,
    exp.StartsWith: _text(Op.STARTS_WITH, Type.BOOLEAN, "expression"),
    exp.Contains: _text(Op.CONTAINS, Type.BOOLEAN, "expression"),
    exp.DPipe: _concat,
    exp.Concat: _concat,
    exp.Trim: _trim,
    exp.Substring: _slice(Op.SUBSTRING, "start", "length"),
    exp.Left: _slice(Op.LEFT, "expression"),
    exp.Right: _slice(Op.RIGHT, "expression"),
    exp.Extract: _extract,
    exp.Year: _part(Op.YEAR),
    exp.Quarter: _part(Op.QUARTER),
    exp.Month: _part(Op.MONTH),
    exp.Week: _part(Op.WEEK),
    exp.Day: _part(Op.DAY),
    exp.DayOfMonth: _part(Op.DAY),
    exp.DayOfWeek: _part(Op.DAY_OF_WEEK),
    exp.DayOfYear: _part(Op.DAY_OF_YEAR),
    exp.Hour: _part(Op.HOUR),
    exp.Minute: _part(Op.MINUTE),
    exp.Second: _part(Op.SECOND),
    exp.TimestampTrunc: _date_trunc,
    exp.DateTrunc: _date_trunc,
    exp.Cast: _cast,
    exp.TryCast: _cast,
}
