"""How long a text may become: if it could fill the memory, failing would tell how long one row's text is."""

from __future__ import annotations

from sqlglot import exp

from discreet.plan.scalar import Call, Case, Literal, Op, Scalar
from discreet.plan.types import Type
from discreet.sql.refusals import refuse

__all__ = ["check_growth"]

MOST = 100
"""Texts of which one may be made."""

LONG = 1000
"""Characters of a written text that count as one text."""


def check_growth(node: exp.Expr, value: Scalar) -> None:
    if texts(value) > MOST:
        hint = "put fewer together, or replace by less"
        refuse(node, "too-long", f"this would make one text of more than {MOST}", hint)


def texts(value: Scalar) -> int:
    """As many times as long as the longest text of a row, at most."""
    match value:
        case Literal():
            return 1 + len(str(value.value)) // LONG
        case Call(op=Op.CONCAT, args=args):
            return sum(map(texts, args))
        case Call(op=Op.REPLACE, args=(subject, Literal(value=old), Literal(value=new))):
            return texts(subject) * max(1, -(-len(str(new)) // max(1, len(str(old)))))
        case Call(args=args):
            return max((texts(arg) for arg in args if arg.type is Type.TEXT), default=1)
        case Case(branches=branches, default=default):
            return max(map(texts, [result for _, result in branches] + ([default] if default else [])))
        case _:
            return 1
