"""One SELECT: what is grouped and counted, and how the released rows are chosen and ordered."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from itertools import count
from typing import NoReturn, TypeGuard

from sqlglot import exp

from discreet.plan.nodes import Aggregate, Aggregation, Having, Limit, Named, Ordering, Plan, Project, Relation, Sort
from discreet.plan.scalar import Call, ColumnRef, Literal, Op, Scalar
from discreet.plan.types import Type
from discreet.policy.catalogue import Catalogue
from discreet.policy.names import fold
from discreet.sql.aggregates import KNOWN, Lowered, lower_aggregate
from discreet.sql.refusals import only, refuse, span, written
from discreet.sql.relations import Scope, lower_relations
from discreet.sql.scalars import lower_scalar
from discreet.sql.typing import as_boolean

__all__ = ["lower"]

AGGREGATES = (exp.AggFunc, exp.Filter, exp.WithinGroup)
INTERVALS = {"dp_interval_low": Op.INTERVAL_LOW, "dp_interval_high": Op.INTERVAL_HIGH}


def lower(select: exp.Select, catalogue: Catalogue) -> Plan:
    only(select, "expressions", "from_", "joins", "where", "group", "having", "order", "limit", "offset", "distinct")
    _refuse_forms(select)
    scope = Scope(catalogue)
    relation = lower_relations(select, scope)
    return _Released(select, scope, _named_items(select)).plan(relation)


def _refuse_forms(select: exp.Select) -> None:
    """What the parser wraps around an aggregate or puts into the list: named here, before its parts are looked at."""
    for node in select.find_all(exp.Window, exp.IgnoreNulls, exp.RespectNulls):
        if isinstance(node, exp.Window):
            hint = "group instead: a window would show something of every row"
            refuse(node, "unsupported", "window functions are not supported", hint)
        refuse(node, "unsupported", f"the aggregate {written(node.this)} is not supported", KNOWN)
    for node in select.expressions:
        if isinstance(node.unalias(), exp.Query | exp.Subquery):
            refuse(node, "unsupported", "subqueries are not supported", "ask two questions")


@dataclass
class _Item:
    """One entry of the SELECT list, with the name that it will have."""

    node: exp.Expr
    name: str
    alias: str


@dataclass
class _Released:
    """The columns that exist above the aggregate, gathered while the clauses are read."""

    select: exp.Select
    scope: Scope
    items: list[_Item]
    keys: list[Named] = field(default_factory=list[Named])
    aggregations: list[Aggregation] = field(default_factory=list[Aggregation])
    outputs: dict[str, ColumnRef] = field(default_factory=dict[str, ColumnRef])

    def plan(self, relation: Relation) -> Plan:
        self._group()
        columns = tuple(Named(item.name, self._item(item)) for item in self.items)
        having, orderings = self._having(), self._orderings(columns)
        if not self.keys and not self.aggregations:
            refuse(self.select, "raw-rows", "rows are never shown", "aggregate: COUNT(*), SUM(x), AVG(x)")
        plan: Plan = Aggregate(relation, tuple(self.keys), tuple(self.aggregations))
        plan = Having(plan, having) if having else plan
        plan = Sort(plan, orderings) if orderings else plan
        limit, offset = _count(self.select, "limit"), _count(self.select, "offset")
        plan = Limit(plan, limit, offset or 0) if limit is not None or offset else plan
        return Project(plan, columns)

    def _group(self) -> None:
        group = self.select.args.get("group")
        nodes = self._group_nodes(group) if group else self._distinct_nodes()
        for node in nodes:
            value = lower_scalar(node, self.scope.resolve)
            if isinstance(value, Literal):
                refuse(node, "unsupported", "grouping by a constant is not supported", "leave it out of GROUP BY")
            if value.type is Type.OTHER:
                refuse(node, "type-mismatch", "values of this type are no group keys", "CAST(… AS TEXT)")
            if all(value != key.value for key in self.keys):
                self.keys.append(Named(self._key_name(node, value), value))

    def _group_nodes(self, group: exp.Group) -> list[exp.Expr]:
        if group.args.get("all"):
            return [item.node for item in self.items if not _aggregate_in(item.node)]
        only(group, "expressions")
        return [self._behind(node) for node in group.expressions]

    def _distinct_nodes(self) -> list[exp.Expr]:
        """SELECT DISTINCT of plain columns is a question for the groups alone."""
        distinct = self.select.args.get("distinct")
        if not distinct:
            return []
        if distinct.args.get("on") or any(_aggregate_in(item.node) for item in self.items):
            refuse(distinct, "unsupported", "DISTINCT is not supported here", "use GROUP BY")
        return [item.node for item in self.items]

    def _behind(self, node: exp.Expr) -> exp.Expr:
        """``GROUP BY 1`` and ``GROUP BY alias`` mean an entry of the SELECT list."""
        if isinstance(node, exp.Literal) and not node.is_string:
            return self._at(node).node
        if isinstance(node, exp.Column) and not node.table and not self._is_column(node):
            for item in self.items:
                if fold(item.alias) == fold(node.name):
                    return item.node
        return node

    def _at(self, node: exp.Literal) -> _Item:
        """The entry at a written position."""
        text = str(node.this)
        if not text.isdigit() or not 1 <= int(text) <= len(self.items):
            hint = f"it has {len(self.items)} entries"
            refuse(node, "bad-literal", f"position {text} is not in the SELECT list", hint)
        return self.items[int(text) - 1]

    def _is_column(self, node: exp.Column) -> bool:
        return fold(node.name) in self.scope.merged or any(
            table.column(node.name) for _, table in self.scope.tables.values()
        )

    def _key_name(self, node: exp.Expr, value: Scalar) -> str:
        for item in self.items:
            if not _aggregate_in(item.node) and lower_scalar(item.node, self._key_or_column) == value:
                return item.name
        return self._free(node.output_name or node.sql())

    def _free(self, name: str) -> str:
        """A name for something that is not shown, beside those that are."""
        taken = {fold(item.name) for item in self.items}
        taken |= {fold(each.name) for each in (*self.keys, *self.aggregations)}
        return next(free for n in count() if fold(free := f"{name}{'~' * n}") not in taken)

    def _key_or_column(self, node: exp.Expr) -> Scalar | None:
        """For comparing a SELECT entry with a key: an interval of the release is no key."""
        if _is_interval(node):
            return Literal(node.sql(), Type.NULL)
        return self.scope.resolve(node)

    def _item(self, item: _Item) -> Scalar:
        value = self._released(item.node, item.name)
        if value is None:
            self._refuse_item(item.node)
        if isinstance(value, ColumnRef):
            self.outputs.setdefault(fold(item.name), value)
        return value

    def _refuse_item(self, node: exp.Expr) -> NoReturn:
        if _aggregate_in(node):
            hint = "select the aggregates themselves, and calculate with the result"
            refuse(node, "unsupported", f"{node.sql()} calculates with aggregates", hint)
        refuse(node, "not-grouped", f"{node.sql()} is neither an aggregate nor a group key", "add it to GROUP BY")

    def _released(self, node: exp.Expr, name: str | None = None) -> Scalar | None:
        """A released column that is this very expression: an interval, an aggregate, a key."""
        node = node.unnest()
        if _is_interval(node):
            return self._interval(node)
        if isinstance(node, AGGREGATES):
            return self._aggregate(node, name)
        if not _aggregate_in(node):
            return self._key(node)
        return None

    def _key(self, node: exp.Expr) -> ColumnRef | None:
        if not self.keys:
            self._refuse_rows(node)
        value = lower_scalar(node, self.scope.resolve)
        found = next((key for key in self.keys if key.value == value), None)
        return ColumnRef("", found.name, value.type, span(node)) if found else None

    def _refuse_rows(self, node: exp.Expr) -> None:
        """Without groups there is no column to show, except a constant, which is refused as no group key."""
        aggregate = "aggregate: COUNT(*), SUM(x), AVG(x)"
        if isinstance(node, exp.Star):
            refuse(node, "raw-rows", "rows are never shown, so * has no meaning here", aggregate)
        if not isinstance(lower_scalar(node, self.scope.resolve), Literal):
            hint = "add GROUP BY" if self.select.find(exp.AggFunc) else aggregate
            refuse(node, "raw-rows", "a column of rows is never shown", hint)

    def _aggregate(self, node: exp.Expr, name: str | None) -> ColumnRef:
        asked = lower_aggregate(node, self.scope)
        for known in self.aggregations:
            if _asked_of(known) == _asked_of(asked) and name in (None, known.name):
                return ColumnRef("", known.name, asked.type, span(node))
        name = name or self._free("hidden")
        self.aggregations.append(Aggregation(name, *_asked_of(asked), span(node)))
        return ColumnRef("", name, asked.type, span(node))

    def _interval(self, node: exp.Anonymous) -> Scalar:
        inner = node.expressions[0] if len(node.expressions) == 1 else None
        column = None if inner is None else self._above(inner)
        if not isinstance(column, ColumnRef) or all(column.name != known.name for known in self.aggregations):
            refuse(
                node,
                "bad-interval",
                f"{node.name} takes one released number",
                "name an aggregate's alias: DP_INTERVAL_LOW(n)",
            )
        type_ = column.type if column.type.temporal or column.type is Type.LIST else Type.FLOAT
        return Call(INTERVALS[fold(node.name)], (column,), type_, span(node))

    def _above(self, node: exp.Expr) -> Scalar | None:
        """Resolve a node of HAVING or ORDER BY: an alias first, as every database has it, then a released column."""
        if isinstance(node, exp.Column) and not node.table and fold(node.name) in self.outputs:
            return self.outputs[fold(node.name)]
        if isinstance(node, AGGREGATES) or _is_interval(node):
            return self._released(node)
        if isinstance(node, exp.Column):
            found = self._key(node) if self.keys else None
            if found is None:
                refuse(
                    node,
                    "not-released",
                    f"{node.sql()} is not a released column",
                    "use a group key, an aggregate or an alias",
                )
            return found
        if self.keys and not _aggregate_in(node) and node.find(exp.Column) and not self._names_output(node):
            return self._key(node)
        return None

    def _names_output(self, node: exp.Expr) -> bool:
        return any(not column.table and fold(column.name) in self.outputs for column in node.find_all(exp.Column))

    def _having(self) -> Scalar | None:
        having = self.select.args.get("having")
        return as_boolean(having.this, lower_scalar(having.this, self._above)) if having else None

    def _orderings(self, columns: tuple[Named, ...]) -> tuple[Ordering, ...]:
        order = self.select.args.get("order")
        if order is None:
            return ()
        only(order, "expressions")
        return tuple(self._ordering(node, columns) for node in order.expressions)

    def _ordering(self, node: exp.Ordered, columns: tuple[Named, ...]) -> Ordering:
        only(node, "this", "desc", "nulls_first")
        if isinstance(node.this, exp.Var):
            refuse(node.this, "unsupported", f"ORDER BY {node.this.name} is not supported", "name the columns")
        if isinstance(node.this, exp.Literal) and not node.this.is_string:
            value = columns[self.items.index(self._at(node.this))].value
        else:
            value = lower_scalar(node.this, self._above)
        return Ordering(value, bool(node.args.get("desc")), bool(node.args.get("nulls_first")))


def _asked_of(each: Aggregation | Lowered) -> tuple[str, Scalar | None, Fraction | None, tuple[Fraction, ...]]:
    return each.function, each.argument, each.share, each.shares


def _named_items(select: exp.Select) -> list[_Item]:
    """Two entries of one name would be one column in a table: the second gets a number."""
    items: list[_Item] = []
    for node in select.expressions:
        inner = node.this if isinstance(node, exp.Alias) else node
        wanted = node.alias or _default_name(inner)
        taken = {fold(item.name) for item in items}
        name = next(free for n in count() if fold(free := f"{wanted}_{n}" if n else wanted) not in taken)
        items.append(_Item(inner, name, node.alias))
    return items


def _default_name(node: exp.Expr) -> str:
    if isinstance(node, exp.Count) and isinstance(node.this, exp.Star):
        return "count_star()"
    return node.output_name or (node.sql() if not isinstance(node, exp.Func) else _lower_call(node))


def _lower_call(node: exp.Func) -> str:
    head, paren, rest = node.sql().partition("(")
    return f"{head.lower()}{paren}{rest}"


def _is_interval(node: exp.Expr) -> TypeGuard[exp.Anonymous]:
    return isinstance(node, exp.Anonymous) and fold(node.name) in INTERVALS


def _aggregate_in(node: exp.Expr) -> bool:
    return node.find(exp.AggFunc) is not None


def _count(select: exp.Select, clause: str) -> int | None:
    """LIMIT and OFFSET: whole numbers written out."""
    node = select.args.get(clause)
    if node is None:
        return None
    only(node, "expression", "count", "direction", "limit_options")
    options = node.args.get("limit_options")
    if options and (options.args.get("percent") or options.args.get("with_ties")):
        refuse(node, "unsupported", "PERCENT and WITH TIES are not supported", "write LIMIT n")
    number = node.args.get("expression") or node.args.get("count")
    text = number.name if isinstance(number, exp.Literal) and not number.is_string else ""
    if not text.isdigit():
        refuse(node, "not-constant", f"{clause.upper()} takes a whole number", f"write {clause.upper()} 10")
    return int(text)
