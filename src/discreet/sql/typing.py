"""What may meet what: implicit conversions that cannot fail, and a refusal for all others."""

from __future__ import annotations

import datetime as dt

from sqlglot import exp

from discreet.plan.scalar import Call, Literal, Op, Scalar
from discreet.plan.types import Type
from discreet.sql.refusals import refuse, span

__all__ = ["alike", "as_boolean", "as_number", "as_temporal", "as_text", "temporal_literal", "unify"]


def as_boolean(node: exp.Expr, value: Scalar) -> Scalar:
    if value.type in (Type.BOOLEAN, Type.NULL):
        return value
    return refuse(
        node, "type-mismatch", f"a condition is needed here, not {value.type.value}", "compare it with something"
    )


def as_number(node: exp.Expr, value: Scalar) -> Scalar:
    if value.type.numeric or value.type is Type.NULL:
        return value
    hints = {Type.TEXT: "CAST(… AS DOUBLE) if it holds one", Type.BOOLEAN: "CAST(… AS INTEGER) makes it 0 or 1"}
    hint = hints.get(value.type, "dates are compared, not calculated with; EXTRACT gives a part as a number")
    return refuse(node, "type-mismatch", f"a number is needed here, not {value.type.value}", hint)


def as_text(node: exp.Expr, value: Scalar) -> Scalar:
    if value.type in (Type.TEXT, Type.NULL):
        return value
    return Call(Op.TO_TEXT, (value,), Type.TEXT, span(node))


def as_temporal(node: exp.Expr, value: Scalar) -> Scalar:
    """A date or time; text is read as a timestamp, and text that is none becomes NULL."""
    if value.type.temporal or value.type is Type.NULL:
        return value
    if isinstance(value, Literal) and isinstance(value.value, str):
        return temporal_literal(node, value.value, Type.TIMESTAMP)
    if value.type is Type.TEXT:
        return Call(Op.TO_TIMESTAMP, (value,), Type.TIMESTAMP, span(node))
    return refuse(node, "type-mismatch", f"a date or timestamp is needed here, not {value.type.value}")


def temporal_literal(node: exp.Expr, text: str, wanted: Type) -> Literal:
    try:
        value = dt.date.fromisoformat(text) if wanted is Type.DATE else dt.datetime.fromisoformat(text)
    except ValueError:
        refuse(
            node,
            "bad-literal",
            f"{text!r} is not a {wanted.value}",
            "write it as '2026-01-31' or '2026-01-31 12:00:00'",
        )
    if isinstance(value, dt.datetime) and value.tzinfo:
        refuse(
            node,
            "bad-literal",
            "time zones are not supported in timestamps",
            "write it without one, in the data's zone",
        )
    return Literal(value, wanted, span(node))


def alike(node: exp.Expr, left: Scalar, right: Scalar) -> tuple[Scalar, Scalar]:
    """Two values that can be compared without a cast that might fail."""
    if Type.NULL in (left.type, right.type):
        return left, right
    if left.type.numeric and right.type.numeric:
        return left, right
    if left.type.temporal or right.type.temporal:
        return _temporal_pair(node, left, right)
    if left.type is right.type:
        return left, right
    if {left.type, right.type} == {Type.TEXT, Type.OTHER}:
        return as_text(node, left), as_text(node, right)
    hint = "CAST one side to the type of the other"
    return refuse(node, "type-mismatch", f"{left.type.value} cannot be compared with {right.type.value}", hint)


def _temporal_pair(node: exp.Expr, left: Scalar, right: Scalar) -> tuple[Scalar, Scalar]:
    def fit(value: Scalar, other: Scalar) -> Scalar:
        if isinstance(value, Literal) and isinstance(value.value, str):
            plain_date = other.type is Type.DATE and len(value.value) <= len("2026-01-31")
            return temporal_literal(node, value.value, Type.DATE if plain_date else Type.TIMESTAMP)
        if value.type.temporal:
            return value
        return refuse(node, "type-mismatch", f"{value.type.value} cannot be compared with {other.type.value}")

    return fit(left, right), fit(right, left)


def unify(node: exp.Expr, *values: Scalar) -> Type:
    """The type that the branches of a CASE or the arguments of COALESCE have in common."""
    types = {value.type for value in values} - {Type.NULL}
    if not types:
        return Type.NULL
    if all(type_.numeric for type_ in types):
        return next(t for t in (Type.FLOAT, Type.DECIMAL, Type.INTEGER) if t in types)
    if types == {Type.DATE, Type.TIMESTAMP}:
        return Type.TIMESTAMP
    if types == {Type.OTHER} and len({value for value in values if value.type is Type.OTHER}) > 1:
        hint = "CAST(… AS TEXT) each of them"
        refuse(node, "type-mismatch", "columns of types that are not read here do not mix", hint)
    if len(types) == 1:
        return types.pop()
    found = " and ".join(sorted(type_.value for type_ in types))
    return refuse(node, "type-mismatch", f"{found} do not mix here", "CAST them to one type")
