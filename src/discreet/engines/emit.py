"""The shape of the emitted SQL: rows, truncations, groups.

    SELECT k0, COUNT(*) …                          one exact integer a part and group
    FROM (SELECT *, ROW_NUMBER() OVER (…) …) …     a layer for each level, and none where none is needed
    FROM (SELECT unit, keys, inputs FROM … WHERE …)  one row a joined row, each with its unit

Subqueries rather than CTEs, since an engine may materialise a CTE, and a table of rows is large. The
unit is put into every window's partition here, in one place.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import reduce
from typing import assert_never

from sqlglot import exp

from discreet.engines.scalars import SQL_TYPES, column, emit, literal
from discreet.plan.nodes import Filter, Join, Relation, Scan
from discreet.plan.scalar import Call, Op, Scalar
from discreet.plan.types import Type
from discreet.privacy.bounded import Bounded, DomainQuery, KeyFilter, Kind, Level, Part, Source

__all__ = ["Words", "domain_sql", "fan_out_sql", "question_sql"]

UNIT = "u"


@dataclass(frozen=True, slots=True)
class Words:
    """What differs between engines in the shape itself."""

    table: Callable[[str], exp.Expr]
    """A table of the policy as this engine finds it."""
    keyed_hash: Callable[[list[exp.Expr]], exp.Expr]
    """Pseudo-random order of rows under the secret of the query."""


@dataclass
class _Columns:
    """What the innermost SELECT shows, each expression once."""

    shown: dict[exp.Expr, str] = field(default_factory=dict[exp.Expr, str])

    def show(self, tree: exp.Expr, name: str) -> exp.Expr:
        return column("", self.shown.setdefault(tree, name))

    def aliased(self) -> list[exp.Expr]:
        return [exp.alias_(tree, name, quoted=True) for tree, name in self.shown.items()]


def question_sql(bounded: Bounded, words: Words) -> exp.Select:
    columns = _Columns()
    keys = [columns.show(emit(key.value), key.name) for key in bounded.keys]
    unit = columns.show(emit(bounded.unit), UNIT) if bounded.unit else None
    windows = [_window(level, n, unit, columns, words) for n, level in enumerate(bounded.levels)]
    numbers = [_number(part, n, unit, columns) for n, part in enumerate(bounded.parts)]
    rows = _rows(bounded, words, columns)
    for n, (level, window) in enumerate(zip(bounded.levels, windows, strict=True)):
        rows = _kept(rows, level, window, f"r{n}")
    return _grouped(rows, keys, numbers)


def _rows(bounded: Bounded, words: Words, columns: _Columns) -> exp.Select:
    source, conditions = _relation(bounded.relation, words)
    if bounded.unit:
        conditions.append(_not_null(emit(bounded.unit)))
    conditions += [_key_filter(each, words) for each in bounded.key_filters]
    shown = columns.aliased() or [exp.alias_(exp.Literal.number(1), "one", quoted=True)]
    return _where(source.select(*shown), conditions)


def _where(select: exp.Select, conditions: list[exp.Expr]) -> exp.Select:
    return select.where(_all(conditions)) if conditions else select


def _all(conditions: list[exp.Expr]) -> exp.Expr:
    first, *rest = conditions
    for condition in rest:
        first = exp.And(this=first, expression=condition)
    return first


def _not_null(tree: exp.Expr) -> exp.Expr:
    return exp.Not(this=exp.Is(this=tree, expression=exp.Null()))


def _relation(relation: Relation, words: Words) -> tuple[exp.Select, list[exp.Expr]]:
    """FROM and JOINs as a SELECT without columns, and the conditions of WHERE."""
    match relation:
        case Scan(table=table, alias=alias):
            return exp.Select().from_(_aliased(words.table(table), alias)), []
        case Filter(input=inner, predicate=predicate):
            select, conditions = _relation(inner, words)
            return select, [*conditions, emit(predicate)]
        case Join(left=left, right=Scan(table=table, alias=alias), kind=kind, on=on):
            select, conditions = _relation(left, words)
            tied = _all([emit(condition) for condition in on]) if on else exp.true()
            return select.join(_aliased(words.table(table), alias), on=tied, join_type=kind), conditions
        case Join():
            raise AssertionError("the right side of a join is a table")
        case _:
            assert_never(relation)


def _aliased(table: exp.Expr, alias: str) -> exp.Expr:
    return exp.alias_(table, alias, quoted=True, table=True)


def _key_filter(each: KeyFilter, words: Words) -> exp.Expr:
    place = emit(each.column)
    if each.listed:
        return exp.In(this=place, expressions=[literal(value) for value in each.values])
    table, name = (str(part) for part in each.values)
    listed = exp.Select(expressions=[column("", name)]).from_(words.table(table))
    return exp.In(this=place, query=exp.Subquery(this=listed))


def _window(level: Level, n: int, unit: exp.Expr | None, columns: _Columns, words: Words) -> exp.Window:
    """The rank that decides what is kept: within the unit, by keyed hash, never by value."""
    assert unit is not None
    shown = [emit(scalar) for scalar in level.identity]
    order = [columns.show(words.keyed_hash(shown), f"h{n}")]
    if level.distinct:
        order += [columns.show(tree, f"i{n}_{place}") for place, tree in enumerate(shown)]
    within = [columns.show(emit(scalar), f"w{n}_{place}") for place, scalar in enumerate(level.partition)]
    return exp.Window(
        this=exp.Anonymous(this="DENSE_RANK" if level.distinct else "ROW_NUMBER"),
        partition_by=[unit.copy(), *within],
        order=exp.Order(expressions=[exp.Ordered(this=tree, nulls_first=False) for tree in order]),
    )


def _kept(rows: exp.Select, level: Level, window: exp.Window, rank: str) -> exp.Select:
    ranked = exp.Select(expressions=[exp.Star(), exp.alias_(window, rank, quoted=True)]).from_(rows.subquery("rows"))
    limit = exp.LTE(this=column("", rank), expression=exp.Literal.number(level.limit))
    return exp.Select(expressions=[exp.Star()]).from_(ranked.subquery("ranked")).where(limit)


def _number(part: Part, n: int, unit: exp.Expr | None, columns: _Columns) -> exp.Expr:
    match part.kind:
        case Kind.SUM:
            assert part.value is not None
            total = exp.Sum(this=columns.show(emit(part.value), f"v{n}"))
            number = exp.Coalesce(this=total, expressions=[exp.Literal.number(0)])
        case Kind.UNITS if unit is not None:
            value = columns.show(emit(part.value), f"v{n}") if part.value is not None else None
            counted = _when(value, unit.copy()) if value else unit.copy()
            number = exp.Count(this=exp.Distinct(expressions=[counted]))
        case Kind.ROWS | Kind.UNITS:
            number = exp.Count(this=_counted(part.value, n, columns))
        case _:
            assert_never(part.kind)
    return exp.alias_(number, f"p{n}", quoted=True)


def _counted(condition: Scalar | None, n: int, columns: _Columns) -> exp.Expr:
    """What COUNT is given: everything, a column that must not be NULL, or one for each row that satisfies."""
    match condition:
        case None:
            return exp.Star()
        case Call(op=Op.NOT, args=(Call(op=Op.IS_NULL, args=(value,)),)):
            return columns.show(emit(value), f"v{n}")
        case _:
            return _when(columns.show(emit(condition), f"v{n}"), exp.Literal.number(1))


def _when(condition: exp.Expr, then: exp.Expr | None) -> exp.Expr:
    return exp.Case(ifs=[exp.If(this=condition, true=then)])


def _grouped(rows: exp.Select, keys: list[exp.Expr], numbers: list[exp.Expr]) -> exp.Select:
    select = exp.Select(expressions=[*(key.copy() for key in keys), *numbers]).from_(rows.subquery("rows"))
    return select.group_by(*(key.copy() for key in keys)) if keys else select


def domain_sql(query: DomainQuery, words: Words) -> exp.Select:
    """Every group, from public relations, in the order of its keys."""
    keys = [exp.alias_(emit(key), f"k{n}", quoted=True) for n, key in enumerate(query.keys)]
    first, *rest = [_source(source, words) for source in query.sources]
    select = exp.Select(expressions=keys).from_(first)
    for source in rest:
        select = select.join(source, join_type="cross")
    select = _where(select, [emit(condition) for condition in query.conditions]).distinct()
    return select.order_by(*(column("", f"k{n}") for n in range(len(keys))))


def _source(source: Source, words: Words) -> exp.Expr:
    names = [name for name, _ in source.columns]
    if source.table is None:
        (name, type_), *_ = source.columns
        rows = [
            exp.Select(expressions=[exp.alias_(_typed(literal(v), type_), name, quoted=True)]) for v in source.values
        ]
        return reduce(_union, rows).subquery(exp.to_identifier(source.alias, quoted=True))
    select = exp.Select(expressions=[column("", name) for name in names]).from_(words.table(source.table)).distinct()
    if source.optional:
        nulls = exp.Select(expressions=[exp.alias_(exp.Null(), name, quoted=True) for name in names])
        return _union(select, nulls).subquery(exp.to_identifier(source.alias, quoted=True))
    return select.subquery(exp.to_identifier(source.alias, quoted=True))


def _union(left: exp.Query, right: exp.Query) -> exp.Query:
    return exp.Union(this=left, expression=right, distinct=False)


def _typed(tree: exp.Expr, type_: Type) -> exp.Expr:
    name = SQL_TYPES.get(type_)
    return exp.cast(tree, name) if name else tree


def fan_out_sql(table: str, columns: tuple[str, ...], words: Words) -> exp.Select:
    """The most rows of a public table that share values of the columns; a NULL never matches."""
    count = exp.alias_(exp.Count(this=exp.Star()), "n", quoted=True)
    groups = exp.Select(expressions=[count]).from_(words.table(table))
    groups = _where(groups, [_not_null(column("", name)) for name in columns])
    groups = groups.group_by(*(column("", name) for name in columns))
    most = exp.Coalesce(this=exp.Max(this=column("", "n")), expressions=[exp.Literal.number(0)])
    return exp.Select(expressions=[most]).from_(groups.subquery("groups"))
