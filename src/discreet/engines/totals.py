"""The layer between rows and groups in which a unit has one row a group, with its totals there.

    SELECT k0, SUM(LEAST(t0, 8)) AS p0 … GROUP BY k0              an answer: totals held between ends, and added up
    FROM (SELECT u, k0, COUNT(*) AS t0 … GROUP BY u, k0) …

    SELECT HISTOGRAM(CASE WHEN s0 <= 1 THEN 0 …) AS q0            a probe: how many units have each size, which is the
    FROM (SELECT u, MAX(t0) AS s0 FROM (…) GROUP BY u) …          largest of a unit's totals, or how many it has

Totals are sums of integers, exact in a type that is wide enough for any number of rows.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from discreet.engines import tree
from discreet.privacy.bounded import Kind, Part
from discreet.privacy.probe import Ends

__all__ = ["added", "among", "sizes", "totals"]


def totals(rows: exp.Select, keys: Sequence[exp.Expr], kinds: Sequence[Kind], values: Sequence[exp.Expr]) -> exp.Select:
    """One row for each unit and group; ``values`` are what is summed, or what COUNT is given."""
    found = [tree.alias(each, f"t{n}") for n, each in enumerate(map(_total, kinds, values))]
    return _grouped([*(key.copy() for key in keys), *found], tree.subquery(rows, "rows"), keys)


def _total(kind: Kind, value: exp.Expr) -> exp.Expr:
    if kind is Kind.SUM:
        return exp.Coalesce(this=exp.Sum(this=value), expressions=[tree.number(0)])
    return exp.Count(this=value)


def _grouped(shown: list[exp.Expr], source: exp.Expr, keys: Sequence[exp.Expr]) -> exp.Select:
    grouped = tree.select(shown, source)
    grouped.set("group", exp.Group(expressions=[key.copy() for key in keys]))
    return grouped


def added(part: Part, n: int) -> exp.Expr:
    """Totals of all units: each held between its ends; or how many units have one."""
    found = tree.column("", f"t{n}")
    if part.kind is Kind.UNITS:
        some = exp.GT(this=found, expression=tree.number(0))
        return exp.Count(this=exp.Case(ifs=[exp.If(this=some, true=tree.number(1))]))
    total = exp.Sum(this=found if part.held is None else _held(found, part.held))
    return exp.Coalesce(this=total, expressions=[tree.number(0)])


def _held(found: exp.Expr, ends: Ends) -> exp.Expr:
    """A total is never NULL."""
    low, high = map(tree.number, ends)
    above = exp.Greatest(this=found, expressions=[low], ignore_nulls=True)
    return exp.Least(this=above, expressions=[high], ignore_nulls=True)


def sizes(layer: exp.Select, unit: exp.Expr, kinds: Sequence[Kind]) -> exp.Select:
    """One row for each unit."""
    found: list[exp.Expr] = [tree.alias(_size(kind, n), f"s{n}") for n, kind in enumerate(kinds)]
    return _grouped(found, tree.subquery(layer, "totals"), [unit])


def _size(kind: Kind, n: int) -> exp.Expr:
    found = tree.column("", f"t{n}")
    match kind:
        case Kind.SUM:
            return exp.Max(this=exp.Abs(this=found))
        case Kind.ROWS:
            return exp.Max(this=found)
        case Kind.UNITS:
            return exp.Count(this=exp.Star())


def among(value: exp.Expr, edges: Sequence[int]) -> exp.Expr:
    """How many of the edges lie below an integer, by comparisons alone; NULL for NULL."""
    known = exp.Not(this=exp.Is(this=value, expression=exp.Null()))
    return exp.Case(ifs=[exp.If(this=known, true=_halved(value, edges, 0, len(edges)))])


def _halved(value: exp.Expr, edges: Sequence[int], first: int, last: int) -> exp.Expr:
    if first == last:
        return tree.number(first)
    middle = (first + last) // 2
    not_above = exp.LTE(this=value.copy(), expression=tree.number(edges[middle]))
    low, high = _halved(value, edges, first, middle), _halved(value, edges, middle + 1, last)
    return exp.Case(ifs=[exp.If(this=not_above, true=low)], default=high)
