"""Refusals that point into the analyst's text."""

from __future__ import annotations

from typing import Any, NoReturn

from sqlglot import exp

from discreet.errors import Refused, Span

__all__ = ["only", "refuse", "span", "written"]

CLAUSES = {
    "with_": "WITH",
    "locks": "FOR UPDATE",
    "laterals": "LATERAL",
    "grouping_sets": "GROUPING SETS",
}
"""Clauses whose name in the parser is not the one that people write."""


def span(node: exp.Expr) -> Span | None:
    """Where a node begins: its own token, else the leftmost token below it, else what it stands in."""
    places = [place for place in map(_place, node.walk()) if place]
    if places:
        return Span(*min(places))
    return span(node.parent) if isinstance(node.parent, exp.Expr) else None


def _place(node: exp.Expr) -> tuple[int, int] | None:
    meta: dict[str, Any] = node.meta
    if "line" not in meta:
        return None
    return meta["line"], meta["col"] - (meta["end"] - meta["start"])


def written(node: exp.Expr) -> str:
    """What the analyst calls a function: the parser knows many names for one, and would answer with its own."""
    text, meta = node.root().meta.get("text"), node.meta
    if isinstance(text, str) and "start" in meta:
        return text[meta["start"] : meta["end"] + 1].upper()
    return node.sql_name() if isinstance(node, exp.Func) else node.key.upper()


def refuse(node: exp.Expr, code: str, message: str, hint: str = "") -> NoReturn:
    raise Refused(code, message, hint, span(node))


def only(node: exp.Expr, *known: str) -> None:
    """Refuse a node that carries anything besides what its lowering reads."""
    for name, value in node.args.items():
        if value and name not in known:
            what = CLAUSES.get(name, name.strip("_").replace("_", " ").upper())
            where = value if isinstance(value, exp.Expr) else node
            refuse(
                where,
                "unsupported",
                f"{what} is not supported in {node.key.upper()}",
                "docs/sql.md lists what can be asked",
            )
