"""Nodes of the syntax tree, made directly: the library's own builders copy and parse what they are given.

That is ten times the work, and a question is printed on every query's path.
"""

from __future__ import annotations

from sqlglot import exp

__all__ = [
    "alias",
    "all_of",
    "cast",
    "column",
    "decimal",
    "name",
    "number",
    "parens",
    "select",
    "subquery",
    "text",
    "try_cast",
]


def name(text: str) -> exp.Identifier:
    return exp.Identifier(this=text, quoted=True)


def column(source: str, text: str) -> exp.Column:
    return exp.Column(this=name(text), table=name(source)) if source else exp.Column(this=name(text))


def number(value: float) -> exp.Literal:
    return exp.Literal(this=str(value), is_string=False)


def text(value: str) -> exp.Literal:
    return exp.Literal(this=value, is_string=True)


def parens(tree: exp.Expr) -> exp.Paren:
    return exp.Paren(this=tree)


def cast(tree: exp.Expr, type_: str) -> exp.Cast:
    return exp.Cast(this=tree, to=_type(type_))


def try_cast(tree: exp.Expr, type_: str) -> exp.TryCast:
    return exp.TryCast(this=tree, to=_type(type_), safe=True)


def decimal(value: str, scale: int) -> exp.TryCast:
    """A number of at most 38 digits, this many of them after the point; NULL where it has more."""
    digits = [exp.DataTypeParam(this=number(each)) for each in (38, scale)]
    to = exp.DataType(this=exp.DataType.Type.DECIMAL, expressions=digits)
    return exp.TryCast(this=text(value), to=to, safe=True)


def _type(type_: str) -> exp.DataType:
    return exp.DataType(this=exp.DataType.Type[type_])


def alias(tree: exp.Expr, as_name: str) -> exp.Alias:
    return exp.Alias(this=tree, alias=name(as_name))


def all_of(conditions: list[exp.Expr]) -> exp.Expr:
    first, *rest = conditions
    for condition in rest:
        first = exp.And(this=first, expression=condition)
    return first


def select(expressions: list[exp.Expr], source: exp.Expr | None, where: list[exp.Expr] | None = None) -> exp.Select:
    tree = exp.Select(expressions=expressions)
    if source is not None:
        tree.set("from_", exp.From(this=source))
    if where:
        tree.set("where", exp.Where(this=all_of(where)))
    return tree


def subquery(tree: exp.Query, as_name: str) -> exp.Subquery:
    return exp.Subquery(this=tree, alias=exp.TableAlias(this=name(as_name)))
