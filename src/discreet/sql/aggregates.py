"""COUNT, SUM and AVG as they are written: function, argument and type of each."""

from __future__ import annotations

from sqlglot import exp

from discreet.plan.scalar import Case, Literal, Scalar
from discreet.plan.types import Type
from discreet.sql.refusals import only, refuse, span, written
from discreet.sql.relations import Scope
from discreet.sql.scalars import lower_scalar
from discreet.sql.typing import as_boolean, as_number

__all__ = ["lower_aggregate"]


def lower_aggregate(node: exp.Expr, scope: Scope) -> tuple[str, Scalar | None, Type]:
    """Function, argument and type of one aggregate."""
    if not isinstance(node, exp.Filter | exp.CountIf | exp.Count | exp.Sum | exp.Avg):
        refuse(node, "unsupported", f"the aggregate {written(node)} is not supported", "COUNT, SUM and AVG are")
    only(node, "this", "expression", "big_int", "expressions")
    if isinstance(node, exp.Filter):
        return _filtered(node, scope)
    if isinstance(node, exp.CountIf):
        test = as_boolean(node.this, lower_scalar(node.this, scope.resolve))
        return "count", Case(((test, Literal(1, Type.INTEGER)),), None, Type.INTEGER), Type.INTEGER
    if isinstance(node, exp.Count):
        return _count_of(node, scope)
    return _numeric(node, scope)


def _count_of(node: exp.Count, scope: Scope) -> tuple[str, Scalar | None, Type]:
    if isinstance(node.this, exp.Star) or node.this is None:
        return "count", None, Type.INTEGER
    if isinstance(node.this, exp.Distinct):
        only(node.this, "expressions")
        if len(node.this.expressions) != 1:
            refuse(node, "unsupported", "COUNT(DISTINCT a, b) is not supported", "count one column")
        return "count_distinct", lower_scalar(node.this.expressions[0], scope.resolve), Type.INTEGER
    argument = lower_scalar(node.this, scope.resolve)
    constant = isinstance(argument, Literal) and argument.value is not None
    return "count", None if constant else argument, Type.INTEGER


def _numeric(node: exp.Sum | exp.Avg, scope: Scope) -> tuple[str, Scalar | None, Type]:
    if isinstance(node.this, exp.Distinct):
        hint = "a distinct sum depends on who else has the same value"
        refuse(node, "unsupported", f"{node.sql_name()}(DISTINCT …) is not supported", hint)
    argument = as_number(node.this, lower_scalar(node.this, scope.resolve))
    return ("sum", argument, argument.type) if isinstance(node, exp.Sum) else ("avg", argument, Type.FLOAT)


def _filtered(node: exp.Filter, scope: Scope) -> tuple[str, Scalar | None, Type]:
    """``f(x) FILTER (WHERE c)`` is ``f(CASE WHEN c THEN x END)``."""
    function, argument, type_ = lower_aggregate(node.this, scope)
    where = node.expression.this
    test = as_boolean(where, lower_scalar(where, scope.resolve))
    kept = argument if argument is not None else Literal(1, Type.INTEGER)
    return function, Case(((test, kept),), None, kept.type, span(node)), type_
