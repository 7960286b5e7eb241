"""FROM, JOIN and WHERE: the private side of the statement."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NoReturn

from sqlglot import exp

from discreet.plan.nodes import Filter, Join, Relation, Scan, scans
from discreet.plan.scalar import Call, ColumnRef, Op, Scalar, columns, conjuncts
from discreet.plan.types import Type
from discreet.policy.catalogue import Catalogue, KnownTable
from discreet.policy.names import did_you_mean, fold
from discreet.sql.refusals import only, refuse, span
from discreet.sql.scalars import lower_scalar
from discreet.sql.typing import alike, as_boolean

__all__ = ["Scope", "lower_relations"]

MOST_TABLES = 32


@dataclass
class Scope:
    """The tables in view, by folded alias, and the columns that USING has merged."""

    catalogue: Catalogue
    tables: dict[str, tuple[str, KnownTable]] = field(default_factory=dict[str, tuple[str, KnownTable]])
    merged: dict[str, ColumnRef] = field(default_factory=dict[str, ColumnRef])

    def add(self, node: exp.Table) -> Scan:
        table = self._known(node)
        alias = fold(node.alias or node.name)
        if alias in self.tables:
            refuse(node, "duplicate-alias", f"{alias!r} names two tables", "give each an alias of its own")
        self.tables[alias] = (alias, table)
        return Scan(table.name, alias, span(node))

    def _known(self, node: exp.Table) -> KnownTable:
        only(node, "this", "db", "alias")
        if not isinstance(node.this, exp.Identifier):
            refuse(node, "unsupported", "table functions are not supported", "name a table of the policy")
        alias = node.args.get("alias")
        if alias:
            only(alias, "this")
        schema = fold(node.db)
        name = node.name if schema in ("", "main", "public") else f"{node.db}.{node.name}"
        table = self.catalogue.table(name) or self.catalogue.table(f"{node.db}.{node.name}")
        if table is None:
            hint = did_you_mean(name, [known.name for known in self.catalogue.tables.values()])
            refuse(node, "unknown-table", f"there is no table {name!r}", hint)
        return table

    def resolve(self, node: exp.Expr) -> Scalar | None:
        """A column of the tables in view; None for anything that is not a column."""
        if not isinstance(node, exp.Column):
            return None
        only(node, "this", "table")
        if isinstance(node.this, exp.Star):
            refuse(
                node,
                "raw-rows",
                "rows are never shown, so * has no meaning here",
                "aggregate: COUNT(*), SUM(x), AVG(x)",
            )
        return self._qualified(node) if node.table else self._bare(node)

    def _qualified(self, node: exp.Column) -> ColumnRef:
        if fold(node.table) not in self.tables:
            hint = did_you_mean(node.table, [alias for alias, _ in self.tables.values()])
            refuse(node, "unknown-table", f"there is no table {node.table!r} in this FROM", hint)
        alias, table = self.tables[fold(node.table)]
        found = _column(alias, table, node.name, node)
        if found is None:
            hint = did_you_mean(node.name, [column.name for column in table.columns.values()])
            refuse(node, "unknown-column", f"{table.name!r} has no column {node.name!r}", hint)
        return found

    def _bare(self, node: exp.Column) -> ColumnRef:
        merged = self.merged.get(fold(node.name))
        if merged is not None:
            return ColumnRef(merged.source, merged.name, merged.type, span(node))
        found = [ref for alias, table in self.tables.values() if (ref := _column(alias, table, node.name, node))]
        if len(found) > 1:
            places = " and ".join(f"{ref.source}.{ref.name}" for ref in found)
            refuse(node, "ambiguous-column", f"{node.name!r} is in more than one table", f"write {places}")
        return found[0] if found else self._missing(node)

    def _missing(self, node: exp.Column) -> NoReturn:
        names = {column.name for _, table in self.tables.values() for column in table.columns.values()}
        hint = did_you_mean(node.name, sorted(names))
        refuse(node, "unknown-column", f"there is no column {node.name!r} here", hint)


def _column(alias: str, table: KnownTable, name: str, node: exp.Expr | None) -> ColumnRef | None:
    column = table.column(name)
    return ColumnRef(alias, column.name, column.type, span(node) if node else None) if column else None


def lower_relations(select: exp.Select, scope: Scope) -> Relation:
    start = select.args.get("from_")
    if start is None:
        refuse(select, "no-table", "the statement has no FROM", "name a table of the policy")
    relation: Relation = scope.add(_table(start.this))
    joins: list[exp.Join] = select.args.get("joins") or []
    if len(joins) >= MOST_TABLES:
        hint = "ask in several questions"
        refuse(joins[MOST_TABLES - 1], "too-long", f"at most {MOST_TABLES} tables are joined", hint)
    for join in joins:
        relation = _join(relation, join, scope)
    where = select.args.get("where")
    if where is None:
        return relation
    predicate = as_boolean(where.this, lower_scalar(where.this, scope.resolve))
    return _filtered(relation, tuple(conjuncts(predicate)))


def _table(node: exp.Expr) -> exp.Table:
    if isinstance(node, exp.Table):
        return node
    return refuse(node, "unsupported", "subqueries in FROM are not supported", "name the table and filter it in WHERE")


def _join(left: Relation, node: exp.Join, scope: Scope) -> Join:
    only(node, "this", "side", "kind", "on", "using", "method")
    kind = " ".join(str(node.args.get(name) or "").upper() for name in ("method", "side", "kind")).strip()
    if kind not in ("", "INNER", "CROSS", "LEFT", "LEFT OUTER"):
        refuse(node, "unsupported", f"{kind} JOIN is not supported", "use INNER JOIN … ON or LEFT JOIN … ON")
    before = tuple(scope.tables)
    right = scope.add(_table(node.this))
    if node.args.get("using"):
        on = tuple(_using(name, before, right, scope) for name in node.args["using"])
    elif node.args.get("on"):
        on = tuple(conjuncts(as_boolean(node.args["on"], lower_scalar(node.args["on"], scope.resolve))))
    else:
        on = ()
    return Join(left, right, "left" if kind.startswith("LEFT") else "inner", on, span(node))


def _using(name: exp.Expr, before: tuple[str, ...], right: Scan, scope: Scope) -> Scalar:
    theirs = _column(right.alias, scope.tables[fold(right.alias)][1], name.name, name)
    merged = scope.merged.get(fold(name.name))
    left = [ref for alias in before if (ref := _column(*scope.tables[alias], name.name, name))]
    if theirs is None or not left:
        refuse(name, "unknown-column", f"USING({name.name}) needs the column on both sides")
    if merged is None and len(left) > 1:
        places = " or ".join(f"{ref.source}.{ref.name}" for ref in left)
        refuse(name, "ambiguous-column", f"USING({name.name}) could mean {places}", "write the condition with ON")
    ours = merged or left[0]
    scope.merged[fold(name.name)] = ours
    return Call(Op.EQ, alike(name, ours, theirs), Type.BOOLEAN, span(name))


def _filtered(relation: Relation, conditions: tuple[Scalar, ...]) -> Relation:
    """WHERE, with the equalities that tie tables of an inner join moved to where they tie them.

    ``FROM a, b WHERE a.x = b.x`` and ``a JOIN b ON a.x = b.x`` are one question.
    """
    relation, rest = _tied(relation, conditions)
    if not rest:
        return relation
    return Filter(relation, rest[0] if len(rest) == 1 else Call(Op.AND, rest, Type.BOOLEAN))


def _tied(relation: Relation, conditions: tuple[Scalar, ...]) -> tuple[Relation, tuple[Scalar, ...]]:
    if not isinstance(relation, Join):
        return relation, conditions
    left, rest = _tied(relation.left, conditions)
    if relation.kind != "inner" or not isinstance(relation.right, Scan):
        return Join(left, relation.right, relation.kind, relation.on, relation.span), rest
    inside = {*(scan.alias for scan in scans(left)), relation.right.alias}
    tying = [c for c in rest if _ties(c, relation.right.alias, inside)]
    kept = tuple(c for c in rest if c not in tying)
    return Join(left, relation.right, "inner", (*relation.on, *tying), relation.span), kept


def _ties(condition: Scalar, alias: str, inside: set[str]) -> bool:
    if not (isinstance(condition, Call) and condition.op is Op.EQ):
        return False
    sources = {column.source for column in columns(condition)}
    return alias in sources and len(sources) > 1 and sources <= inside
