"""A SELECT of rows that are to be published with randomised answers: what a row shows becomes the key of a count.

A condition is TRUE or FALSE of everybody: who is not there does not satisfy it either. So it gets no third value,
unless the policy declares those of its column.
"""

from __future__ import annotations

from sqlglot import exp

from discreet.plan.nodes import Aggregate, Aggregation, Named, Project
from discreet.plan.scalar import Case, ColumnRef, Literal, Scalar
from discreet.plan.types import Type
from discreet.policy.catalogue import Catalogue
from discreet.policy.names import fold
from discreet.sql.refusals import only, refuse
from discreet.sql.relations import Scope, lower_relations
from discreet.sql.scalars import lower_scalar

__all__ = ["asks_for_rows", "lower_rows"]

COUNT = "rows~"
"""No column has this name."""


def asks_for_rows(select: exp.Select) -> bool:
    return not select.args.get("group") and not select.args.get("distinct") and not select.find(exp.AggFunc)


def lower_rows(select: exp.Select, catalogue: Catalogue, names: list[str]) -> Project:
    """``names`` are those of the entries of the SELECT list."""
    only(select, "expressions", "from_", "joins", "where")
    scope = Scope(catalogue)
    relation = lower_relations(select, scope)
    values = [_answer(node.unalias(), scope) for node in select.expressions]
    keys = tuple(Named(name, value) for name, value in zip(names, values, strict=True))
    shown = tuple(Named(key.name, ColumnRef("", key.name, key.value.type)) for key in keys)
    return Project(Aggregate(relation, keys, (Aggregation(COUNT, "count", None),)), shown)


def _answer(node: exp.Expr, scope: Scope) -> Scalar:
    if isinstance(node, exp.Star) or (isinstance(node, exp.Column) and isinstance(node.this, exp.Star)):
        refuse(node, "not-publishable", "* would publish whatever the table holds", "name the columns")
    value = lower_scalar(node, scope.resolve)
    if isinstance(value, Literal):
        refuse(node, "not-publishable", "a constant says nothing of anybody", "name a column or a condition")
    if value.type is Type.OTHER:
        refuse(node, "type-mismatch", "values of this type are not published", "CAST(… AS TEXT)")
    if value.type is not Type.BOOLEAN or (isinstance(value, ColumnRef) and _declared(value, scope)):
        return value
    return Case(((value, Literal(True, Type.BOOLEAN)),), Literal(False, Type.BOOLEAN), Type.BOOLEAN)


def _declared(column: ColumnRef, scope: Scope) -> bool:
    _, table = scope.tables[fold(column.source)]
    return table.columns[fold(column.name)].public_keys
