"""Refusals that point into the analyst's text."""

from __future__ import annotations

from typing import Any, NoReturn

from sqlglot import exp

from discreet.errors import Refused, Span

__all__ = ["only", "refuse", "span"]


def span(node: exp.Expr) -> Span | None:
    """Where a node begins: its own token, else the leftmost token below it."""
    places = [place for place in map(_place, node.walk()) if place]
    return Span(*min(places)) if places else None


def _place(node: exp.Expr) -> tuple[int, int] | None:
    meta: dict[str, Any] = node.meta
    if "line" not in meta:
        return None
    return meta["line"], meta["col"] - (meta["end"] - meta["start"])


def refuse(node: exp.Expr, code: str, message: str, hint: str = "") -> NoReturn:
    raise Refused(code, message, hint, span(node))


def only(node: exp.Expr, *known: str) -> None:
    """Refuse a node that carries anything besides what its lowering reads."""
    for name, value in node.args.items():
        if value and name not in known:
            what = name.strip("_").replace("_", " ").upper()
            where = value if isinstance(value, exp.Expr) else node
            refuse(
                where,
                "unsupported",
                f"{what} is not supported in {node.key.upper()}",
                "docs/sql.md lists what can be asked",
            )
