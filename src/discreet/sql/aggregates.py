"""Aggregates as they are written: function, argument and type of each."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

from sqlglot import exp

from discreet.plan.scalar import Case, Literal, Scalar
from discreet.plan.types import Type
from discreet.sql.refusals import only, refuse, span, written
from discreet.sql.relations import Scope
from discreet.sql.scalars import lower_scalar
from discreet.sql.typing import as_boolean, as_number

__all__ = ["KNOWN", "Lowered", "lower_aggregate"]


@dataclass(frozen=True, slots=True)
class Lowered:
    """What is asked of which argument, and the type of the answer; ``share`` is that of a quantile, or ``shares``."""

    function: str
    argument: Scalar | None
    type: Type
    share: Fraction | None = None
    shares: tuple[Fraction, ...] = ()


MOST_SHARES = 999
"""Of a list of quantiles."""

KNOWN = "docs/sql.md lists the aggregates that are"


def lower_aggregate(node: exp.Expr, scope: Scope) -> Lowered:
    rule = _RULES.get(type(node))
    if rule is None:
        refuse(node, "unsupported", f"the aggregate {written(node)} is not supported", KNOWN)
    return rule(node, scope)


def _filtered(node: exp.Expr, scope: Scope) -> Lowered:
    """``f(x) FILTER (WHERE c)`` is ``f(CASE WHEN c THEN x END)``."""
    only(node, "this", "expression")
    inner = lower_aggregate(node.this, scope)
    where = node.expression.this
    test = as_boolean(where, lower_scalar(where, scope.resolve))
    kept = inner.argument if inner.argument is not None else Literal(1, Type.INTEGER)
    return replace(inner, argument=Case(((test, kept),), None, kept.type, span(node)))


def _count_if(node: exp.Expr, scope: Scope) -> Lowered:
    only(node, "this")
    test = as_boolean(node.this, lower_scalar(node.this, scope.resolve))
    return Lowered("count", Case(((test, Literal(1, Type.INTEGER)),), None, Type.INTEGER), Type.INTEGER)


def _count(node: exp.Expr, scope: Scope) -> Lowered:
    only(node, "this", "big_int")
    if isinstance(node.this, exp.Star) or node.this is None:
        return Lowered("count", None, Type.INTEGER)
    if isinstance(node.this, exp.Distinct):
        only(node.this, "expressions")
        if len(node.this.expressions) != 1:
            refuse(node, "unsupported", "COUNT(DISTINCT a, b) is not supported", "count one column")
        return Lowered("count_distinct", lower_scalar(node.this.expressions[0], scope.resolve), Type.INTEGER)
    argument = lower_scalar(node.this, scope.resolve)
    constant = isinstance(argument, Literal) and argument.value is not None
    return Lowered("count", None if constant else argument, Type.INTEGER)


def _sum(node: exp.Expr, scope: Scope) -> Lowered:
    only(node, "this")
    _refuse_distinct(node, "a distinct sum depends on who else has the same value")
    argument = _number(node.this, scope)
    return Lowered("sum", argument, argument.type)


def _average(node: exp.Expr, scope: Scope) -> Lowered:
    only(node, "this")
    _refuse_distinct(node, "a distinct average depends on who else has the same value")
    return Lowered("avg", _number(node.this, scope), Type.FLOAT)


def _spread(function: str) -> _Rule:
    def rule(node: exp.Expr, scope: Scope) -> Lowered:
        only(node, "this")
        _refuse_distinct(node, "the spread of distinct values depends on who else has the same value")
        return Lowered(function, _number(node.this, scope), Type.FLOAT)

    return rule


def _extreme(function: str, share: int) -> _Rule:
    def rule(node: exp.Expr, scope: Scope) -> Lowered:
        only(node, "this")
        argument = _ordered(node.this.expressions[0] if isinstance(node.this, exp.Distinct) else node.this, scope)
        return Lowered(function, argument, argument.type, Fraction(share))

    return rule


def _median(node: exp.Expr, scope: Scope) -> Lowered:
    only(node, "this")
    _refuse_distinct(node, "the median of distinct values depends on who else has the same value")
    argument = _ordered(node.this, scope)
    return Lowered("median", argument, _between(argument), Fraction(1, 2))


def _quantile(name: str) -> _Rule:
    """``QUANTILE(x, 0.9)`` and its kin; the share stands in the argument that the parser calls ``name``."""

    def rule(node: exp.Expr, scope: Scope) -> Lowered:
        only(node, "this", name)
        if not node.args.get(name):
            hint = "write PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY x), or QUANTILE_CONT(x, 0.9)"
            refuse(node, "syntax", f"{written(node)} needs a share and what it is a share of", hint)
        _refuse_distinct(node, "a quantile of distinct values depends on who else has the same value")
        return _quantile_of(node, _ordered(node.this, scope), node.args[name])

    return rule


def _within_group(node: exp.Expr, scope: Scope) -> Lowered:
    """``PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY x)``, and ``MODE() WITHIN GROUP (ORDER BY x)``."""
    only(node, "this", "expression")
    inner, ordered = node.this, node.expression.expressions
    if not isinstance(inner, exp.PercentileCont | exp.PercentileDisc | exp.Mode):
        refuse(node, "unsupported", f"the aggregate {written(inner)} is not supported", KNOWN)
    if len(ordered) != 1:
        refuse(node, "unsupported", "WITHIN GROUP takes one expression to order by", "ask once for each")
    if isinstance(inner, exp.Mode):
        return _mode_of(ordered[0].this, scope)
    only(inner, "this")
    return _quantile_of(inner, _ordered(ordered[0].this, scope), inner.this, bool(ordered[0].args.get("desc")))


def _mode(node: exp.Expr, scope: Scope) -> Lowered:
    only(node, "this")
    if node.this is None:
        refuse(node, "syntax", "MODE() needs WITHIN GROUP (ORDER BY x)", "or write MODE(x)")
    return _mode_of(node.this, scope)


def _mode_of(node: exp.Expr, scope: Scope) -> Lowered:
    argument = lower_scalar(node, scope.resolve)
    return Lowered("mode", argument, argument.type)


def _quantile_of(node: exp.Expr, argument: Scalar, share: exp.Expr, from_above: bool = False) -> Lowered:
    """At one share, or at each of a list of them: then the answer is a list too."""
    if isinstance(share, exp.Array):
        shares = tuple(_share(each) for each in share.expressions)
        if not 0 < len(shares) <= MOST_SHARES:
            refuse(share, "bad-literal", f"a list of {len(shares)} shares", f"write 1 to {MOST_SHARES} of them")
        told = tuple(1 - each for each in shares) if from_above else shares
        return Lowered("quantiles", argument, Type.LIST, shares=told)
    one = _share(share)
    of_rows = isinstance(node, exp.PercentileDisc | exp.Quantile | exp.ApproxQuantile)
    return Lowered(
        "quantile", argument, argument.type if of_rows else _between(argument), 1 - one if from_above else one
    )


def _between(argument: Scalar) -> Type:
    """What lies between two values: of numbers a double."""
    return argument.type if argument.type.temporal else Type.FLOAT


def _share(node: exp.Expr) -> Fraction:
    """A written share of the rows: from 0 to 1, in few digits."""
    negative = isinstance(node, exp.Neg)
    text = node.name if isinstance(node, exp.Literal) and not node.is_string else ""
    if not re.fullmatch(r"[0-9]{0,9}\.?[0-9]{0,9}", text) or not text.strip(".") or negative:
        refuse(node, "not-constant", "a quantile takes a written share of the rows", "for example 0.5")
    share = Fraction(text)
    if not 0 <= share <= 1:
        refuse(node, "bad-literal", f"{text} is not a share of the rows", "write a number from 0 to 1, such as 0.9")
    return share


def _ordered(node: exp.Expr, scope: Scope) -> Scalar:
    """A number, a date or a time."""
    value = lower_scalar(node, scope.resolve)
    return value if value.type.temporal else as_number(node, value)


def _number(node: exp.Expr, scope: Scope) -> Scalar:
    return as_number(node, lower_scalar(node, scope.resolve))


def _refuse_distinct(node: exp.Expr, why: str) -> None:
    if isinstance(node.this, exp.Distinct):
        refuse(node, "unsupported", f"{written(node)}(DISTINCT …) is not supported", why)


_Rule = Callable[[exp.Expr, Scope], Lowered]

_RULES: dict[type[exp.Expr], _Rule] = {
    exp.ApproxQuantile: _quantile("quantile"),
    exp.Avg: _average,
    exp.Count: _count,
    exp.CountIf: _count_if,
    exp.Filter: _filtered,
    exp.Max: _extreme("max", 1),
    exp.Median: _median,
    exp.Min: _extreme("min", 0),
    exp.Mode: _mode,
    exp.PercentileCont: _quantile("expression"),
    exp.PercentileDisc: _quantile("expression"),
    exp.Quantile: _quantile("quantile"),
    exp.Stddev: _spread("stddev_samp"),
    exp.StddevPop: _spread("stddev_pop"),
    exp.StddevSamp: _spread("stddev_samp"),
    exp.Sum: _sum,
    exp.Variance: _spread("var_samp"),
    exp.VariancePop: _spread("var_pop"),
    exp.WithinGroup: _within_group,
}
