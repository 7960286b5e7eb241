"""Rows of a publication, listed: they are released numbers, so they may be seen.

Each row is a group of its own, told apart by a hidden column; the column of a histogram that counts is what COUNT(*)
gives for that group, and so it has an interval. All else is plain SQL on public values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeGuard

from sqlglot import exp

from discreet.plan.nodes import Named
from discreet.plan.scalar import ColumnRef
from discreet.plan.types import Type
from discreet.policy.catalogue import PLACE, KnownTable
from discreet.policy.names import fold
from discreet.sql.refusals import only, refuse
from discreet.sql.relations import Scope

__all__ = ["Listing", "listing_of"]


@dataclass(frozen=True, slots=True)
class Listing:
    """The publication whose rows are asked for."""

    alias: str
    table: KnownTable

    @property
    def columns(self) -> list[exp.Expr]:
        """All but the one that counts."""
        return [_column(column.name) for column in self.table.columns.values() if column.name != self.table.counted]

    @property
    def row(self) -> Named:
        """The key that no two rows share."""
        return Named(PLACE, ColumnRef(self.alias, PLACE, Type.INTEGER))

    def counts(self, node: exp.Expr) -> TypeGuard[exp.Column]:
        """Whether a node is the column that counts."""
        return (
            isinstance(node, exp.Column)
            and self.table.counted is not None
            and fold(node.name) == fold(self.table.counted)
            and fold(node.table) in ("", self.alias)
        )

    def written_out(self, node: exp.Expr) -> list[exp.Expr]:
        """``*`` as the columns that it stands for."""
        star = node.this if isinstance(node, exp.Column) and fold(node.table) == self.alias else node
        if not isinstance(star, exp.Star):
            return [node]
        only(star)
        return [_column(column.name) for column in self.table.columns.values()]


def listing_of(select: exp.Select, scope: Scope) -> Listing | None:
    """The listing that a SELECT without groups and aggregates is, where it is from a publication."""
    published = [(alias, table) for alias, table in scope.tables.values() if table.published]
    grouped = any(select.args.get(clause) for clause in ("group", "having", "distinct"))
    if not published or grouped or select.find(exp.AggFunc):
        return None
    if len(scope.tables) > 1:
        hint = "aggregate, or list the publication alone"
        refuse(select, "unsupported", "rows of a publication are listed by themselves", hint)
    listing = Listing(*published[0])
    select.set("expressions", [column for node in select.expressions for column in listing.written_out(node)])
    return listing


def _column(name: str) -> exp.Expr:
    return exp.Column(this=exp.Identifier(this=name, quoted=True))
