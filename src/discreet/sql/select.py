"""One SELECT: what is grouped and counted, and how the released rows are chosen and ordered."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NoReturn

from sqlglot import exp

from discreet.plan.nodes import Aggregate, Aggregation, Having, Limit, Named, Ordering, Plan, Project, Relation, Sort
from discreet.plan.scalar import Call, Case, ColumnRef, Literal, Op, Scalar
from discreet.plan.types import Type
from discreet.policy.catalogue import Catalogue
from discreet.policy.names import fold
from discreet.sql.refusals import only, refuse, span, written
from discreet.sql.relations import Scope, lower_relations
from discreet.sql.scalars import lower_scalar
from discreet.sql.typing import as_boolean, as_number

__all__ = ["lower"]

INTERVALS = {"dp_interval_low": Op.INTERVAL_LOW, "dp_interval_high": Op.INTERVAL_HIGH}


def lower(select: exp.Select, catalogue: Catalogue) -> Plan:
    only(select, "expressions", "from_", "joins", "where", "group", "having", "order", "limit", "offset", "distinct")
    _refuse_forms(select)
    scope = Scope(catalogue)
    relation = lower_relations(select, scope)
    return _Released(select, scope).plan(relation)


def _refuse_forms(select: exp.Select) -> None:
    """What the parser wraps around an aggregate or puts into the list: named here, before its parts are looked at."""
    for node in select.find_all(exp.Window, exp.WithinGroup, exp.IgnoreNulls, exp.RespectNulls):
        if isinstance(node, exp.Window):
            hint = "group instead: a window would show something of every row"
            refuse(node, "unsupported", "window functions are not supported", hint)
        refuse(node, "unsupported", f"the aggregate {written(node.this)} is not supported", "COUNT, SUM and AVG are")
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
    keys: list[Named] = field(default_factory=list[Named])
    aggregations: list[Aggregation] = field(default_factory=list[Aggregation])
    outputs: dict[str, ColumnRef] = field(default_factory=dict[str, ColumnRef])
    interval_of: dict[str, ColumnRef] = field(default_factory=dict[str, ColumnRef])

    def plan(self, relation: Relation) -> Plan:
        items = _named_items(self.select)
        self._group(items)
        columns = tuple(Named(item.name, self._item(item)) for item in items)
        having, orderings = self._having(), self._orderings(items, columns)
        if not self.keys and not self.aggregations:
            refuse(self.select, "raw-rows", "rows are never shown", "aggregate: COUNT(*), SUM(x), AVG(x)")
        plan: Plan = Aggregate(relation, tuple(self.keys), tuple(self.aggregations))
        plan = Having(plan, having) if having else plan
        plan = Sort(plan, orderings) if orderings else plan
        limit, offset = _count(self.select, "limit"), _count(self.select, "offset")
        plan = Limit(plan, limit, offset or 0) if limit is not None or offset else plan
        return Project(plan, columns)

    def _group(self, items: list[_Item]) -> None:
        group = self.select.args.get("group")
        nodes = self._group_nodes(group, items) if group else self._distinct_nodes(items)
        for node in nodes:
            value = lower_scalar(node, self.scope.resolve)
            if isinstance(value, Literal):
                refuse(node, "unsupported", "grouping by a constant is not supported", "leave it out of GROUP BY")
            if value.type is Type.OTHER:
                refuse(node, "type-mismatch", "values of this type are no group keys", "CAST(… AS TEXT)")
            if all(value != key.value for key in self.keys):
                self.keys.append(Named(self._key_name(node, items, value), value))

    def _group_nodes(self, group: exp.Group, items: list[_Item]) -> list[exp.Expr]:
        if group.args.get("all"):
            return [item.node for item in items if not _aggregate_in(item.node)]
        only(group, "expressions")
        return [self._behind(node, items) for node in group.expressions]

    def _distinct_nodes(self, items: list[_Item]) -> list[exp.Expr]:
        """SELECT DISTINCT of plain columns is a question for the groups alone."""
        distinct = self.select.args.get("distinct")
        if not distinct:
            return []
        if distinct.args.get("on") or any(_aggregate_in(item.node) for item in items):
            refuse(distinct, "unsupported", "DISTINCT is not supported here", "use GROUP BY")
        return [item.node for item in items]

    def _behind(self, node: exp.Expr, items: list[_Item]) -> exp.Expr:
        """``GROUP BY 1`` and ``GROUP BY alias`` mean an entry of the SELECT list."""
        if isinstance(node, exp.Literal) and not node.is_string:
            return _by_position(node, items).node
        if isinstance(node, exp.Column) and not node.table and not self._is_column(node):
            for item in items:
                if fold(item.alias) == fold(node.name):
                    return item.node
        return node

    def _is_column(self, node: exp.Column) -> bool:
        return fold(node.name) in self.scope.merged or any(
            table.column(node.name) for _, table in self.scope.tables.values()
        )

    def _key_name(self, node: exp.Expr, items: list[_Item], value: Scalar) -> str:
        for item in items:
            if not _aggregate_in(item.node) and lower_scalar(item.node, self._key_or_column) == value:
                return item.name
        return node.output_name or node.sql()

    def _key_or_column(self, node: exp.Expr) -> Scalar | None:
        """For comparing a SELECT entry with a key: an interval of the release is no key."""
        if isinstance(node, exp.Anonymous) and fold(node.name) in INTERVALS:
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
        if isinstance(node, exp.Anonymous) and fold(node.name) in INTERVALS:
            return self._interval(node)
        if isinstance(node, exp.AggFunc | exp.Filter):
            return self._aggregate(node, name)
        if not _aggregate_in(node):
            return self._key(node)
        return None

    def _key(self, node: exp.Expr) -> ColumnRef | None:
        if not self.keys:
            if isinstance(node, exp.Star):
                refuse(
                    node, "raw-rows", "rows are never shown, so * has no meaning here", "aggregate: COUNT(*), SUM(x)"
                )
            value = lower_scalar(node, self.scope.resolve)
            hint = (
                "add GROUP BY" if self.aggregations or self.select.find(exp.AggFunc) else "aggregate: COUNT(*), SUM(x)"
            )
            refuse(node, "raw-rows", "a column of rows is never shown", hint) if not isinstance(
                value, Literal
            ) else None
            return None
        value = lower_scalar(node, self.scope.resolve)
        found = next((key for key in self.keys if key.value == value), None)
        return ColumnRef("", found.name, value.type, span(node)) if found else None

    def _aggregate(self, node: exp.Expr, name: str | None) -> ColumnRef:
        function, argument, type_ = _aggregation(node, self.scope)
        for known in self.aggregations:
            if (known.function, known.argument) == (function, argument) and name in (None, known.name):
                return ColumnRef("", known.name, type_, span(node))
        name = name or f"hidden {len(self.aggregations)}"
        self.aggregations.append(Aggregation(name, function, argument, span(node)))
        return ColumnRef("", name, type_, span(node))

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
        return Call(INTERVALS[fold(node.name)], (column,), Type.FLOAT, span(node))

    def _above(self, node: exp.Expr) -> Scalar | None:
        """Resolve a node of HAVING or ORDER BY: an alias first, as every database has it, then a released column."""
        if isinstance(node, exp.Column) and not node.table and fold(node.name) in self.outputs:
            return self.outputs[fold(node.name)]
        if isinstance(node, exp.AggFunc | exp.Filter) or (
            isinstance(node, exp.Anonymous) and fold(node.name) in INTERVALS
        ):
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

    def _orderings(self, items: list[_Item], columns: tuple[Named, ...]) -> tuple[Ordering, ...]:
        order = self.select.args.get("order")
        if order is None:
            return ()
        only(order, "expressions")
        return tuple(self._ordering(node, items, columns) for node in order.expressions)

    def _ordering(self, node: exp.Ordered, items: list[_Item], columns: tuple[Named, ...]) -> Ordering:
        only(node, "this", "desc", "nulls_first")
        if isinstance(node.this, exp.Var):
            refuse(node.this, "unsupported", f"ORDER BY {node.this.name} is not supported", "name the columns")
        if isinstance(node.this, exp.Literal) and not node.this.is_string:
            value = columns[items.index(_by_position(node.this, items))].value
        else:
            value = lower_scalar(node.this, self._above)
        return Ordering(value, bool(node.args.get("desc")), bool(node.args.get("nulls_first")))


def _named_items(select: exp.Select) -> list[_Item]:
    items: list[_Item] = []
    taken: dict[str, int] = {}
    for node in select.expressions:
        inner = node.this if isinstance(node, exp.Alias) else node
        name = node.alias or _default_name(inner)
        seen = taken[fold(name)] = taken.get(fold(name), -1) + 1
        items.append(_Item(inner, f"{name}_{seen}" if seen else name, node.alias))
    return items


def _default_name(node: exp.Expr) -> str:
    if isinstance(node, exp.Count) and isinstance(node.this, exp.Star):
        return "count_star()"
    return node.output_name or (node.sql() if not isinstance(node, exp.Func) else _lower_call(node))


def _lower_call(node: exp.Func) -> str:
    head, paren, rest = node.sql().partition("(")
    return f"{head.lower()}{paren}{rest}"


def _by_position(node: exp.Literal, items: list[_Item]) -> _Item:
    text = str(node.this)
    if not text.isdigit() or not 1 <= int(text) <= len(items):
        refuse(node, "bad-literal", f"position {text} is not in the SELECT list", f"it has {len(items)} entries")
    return items[int(text) - 1]


def _aggregate_in(node: exp.Expr) -> bool:
    return node.find(exp.AggFunc) is not None


def _aggregation(node: exp.Expr, scope: Scope) -> tuple[str, Scalar | None, Type]:
    """Function, argument and type of one aggregate."""
    if not isinstance(node, exp.Filter | exp.CountIf | exp.Count | exp.Sum | exp.Avg):
        refuse(node, "unsupported", f"the aggregate {written(node)} is not supported", "COUNT, SUM and AVG are")
    only(node, "this", "expression", "big_int", "expressions")
    if isinstance(node, exp.Filter):
        return _filtered(node, scope)
    if isinstance(node, exp.CountIf):
        test = as_boolean(node.this, lower_scalar(node.this, scope.resolve))
        return "count", Case(((test, Literal(1, Type.INTEGER)),), None, Type.INTEGER), Type.INTEGER
    if isinstance(node, exp.Count):
        return _count_of(node, scope)
    return _numeric(node, scope)


def _count_of(node: exp.Count, scope: Scope) -> tuple[str, Scalar | None, Type]:
    if isinstance(node.this, exp.Star) or node.this is None:
        return "count", None, Type.INTEGER
    if isinstance(node.this, exp.Distinct):
        only(node.this, "expressions")
        if len(node.this.expressions) != 1:
            refuse(node, "unsupported", "COUNT(DISTINCT a, b) is not supported", "count one column")
        return "count_distinct", lower_scalar(node.this.expressions[0], scope.resolve), Type.INTEGER
    argument = lower_scalar(node.this, scope.resolve)
    constant = isinstance(argument, Literal) and argument.value is not None
    return "count", None if constant else argument, Type.INTEGER


def _numeric(node: exp.Sum | exp.Avg, scope: Scope) -> tuple[str, Scalar | None, Type]:
    if isinstance(node.this, exp.Distinct):
        hint = "a distinct sum depends on who else has the same value"
        refuse(node, "unsupported", f"{node.sql_name()}(DISTINCT …) is not supported", hint)
    argument = as_number(node.this, lower_scalar(node.this, scope.resolve))
    return ("sum", argument, argument.type) if isinstance(node, exp.Sum) else ("avg", argument, Type.FLOAT)


def _filtered(node: exp.Filter, scope: Scope) -> tuple[str, Scalar | None, Type]:
    """``f(x) FILTER (WHERE c)`` is ``f(CASE WHEN c THEN x END)``."""
    function, argument, type_ = _aggregation(node.this, scope)
    where = node.expression.this
    test = as_boolean(where, lower_scalar(where, scope.resolve))
    kept = argument if argument is not None else Literal(1, Type.INTEGER)
    return function, Case(((test, kept),), None, kept.type, span(node)), type_


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
