"""The shape of the emitted SQL: rows, truncations, groups.

    SELECT k0, COUNT(*), HISTOGRAM(c0) …           one exact integer a part and group, one map a histogram
    FROM (SELECT *, ROW_NUMBER() OVER (…) …) …     a layer for each level, and none where none is needed
    FROM (SELECT unit, keys, inputs FROM … WHERE …)  one row a joined row, each with its unit

Subqueries rather than CTEs, since an engine may materialise a CTE, and a table of rows is large. The
unit is put into every window's partition here, in one place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import reduce
from typing import assert_never

from sqlglot import exp

from discreet.engines import tree
from discreet.engines.scalars import SQL_TYPES, emit, in_calendar, literal
from discreet.engines.totals import added, among, sizes, totals
from discreet.plan.nodes import Filter, Join, Relation, Scan
from discreet.plan.scalar import Call, Op, Scalar
from discreet.plan.types import Type, Value
from discreet.privacy.bounded import Bounded, DomainQuery, Histogram, KeyFilter, Kind, Level, Part, Source
from discreet.privacy.probe import Total

__all__ = ["Words", "domain_sql", "fan_out_sql", "question_sql"]

UNIT = "u"


@dataclass(frozen=True, slots=True)
class Words:
    """What differs between engines in the shape itself."""

    table: Callable[[str, str], exp.Expr]
    """A table of the policy as this engine finds it, under an alias."""
    keyed_hash: Callable[[list[exp.Expr]], exp.Expr]
    """Pseudo-random order of rows under the secret of the query."""
    histogram: Callable[[exp.Expr], exp.Expr]
    """An aggregate: how many rows have each value, as a map."""
    in_slice: Callable[[exp.Expr], exp.Expr]
    """Whether a unit belongs to the slice that is run: windows hold all their rows in memory, so units take turns."""


@dataclass
class _Columns:
    """What the innermost SELECT shows, each expression once."""

    shown: dict[exp.Expr, str] = field(default_factory=dict[exp.Expr, str])

    def show(self, shown: exp.Expr, name: str) -> exp.Expr:
        return tree.column("", self.shown.setdefault(shown, name))

    def aliased(self) -> list[exp.Expr]:
        return [tree.alias(shown, as_name) for shown, as_name in self.shown.items()]


def question_sql(bounded: Bounded, words: Words) -> exp.Select:
    columns = _Columns()
    keys = [columns.show(_key(key.value), key.name) for key in bounded.keys]
    unit = columns.show(emit(bounded.unit), UNIT) if bounded.unit else None
    if bounded.by_unit:
        return _by_unit(bounded, keys, unit, columns, words)
    numbers = [_number(part, n, unit, columns) for n, part in enumerate(bounded.parts)]
    numbers += [_histogram(each, n, columns, words) for n, each in enumerate(bounded.histograms)]
    return _grouped(_kept_rows(bounded, unit, columns, words), keys, numbers)


def _by_unit(
    bounded: Bounded, keys: list[exp.Expr], unit: exp.Expr | None, columns: _Columns, words: Words
) -> exp.Select:
    """Rows, a layer of each unit's totals, and what is made of those."""
    assert unit is not None
    within = [columns.show(_key(key.value), key.name) for key in bounded.within]
    wanted = [(part.kind, part.value) for part in bounded.parts]
    wanted += [(each.cell.kind, each.cell.value) for each in bounded.histograms if isinstance(each.cell, Total)]
    kinds = [kind for kind, _ in wanted]
    values = [_given(kind, value, n, columns) for n, (kind, value) in enumerate(wanted)]
    layer = totals(_kept_rows(bounded, unit, columns, words), [unit, *keys, *within], kinds, values)
    if not bounded.histograms:
        sums: list[exp.Expr] = [tree.alias(added(part, n), f"p{n}") for n, part in enumerate(bounded.parts)]
        return _grouped(layer, keys, sums)
    cells = [among(tree.column("", f"s{n}"), each.edges) for n, each in enumerate(bounded.histograms)]
    counted: list[exp.Expr] = [tree.alias(words.histogram(cell), f"q{n}") for n, cell in enumerate(cells)]
    return _grouped(sizes(layer, unit, kinds), keys, counted)


def _kept_rows(bounded: Bounded, unit: exp.Expr | None, columns: _Columns, words: Words) -> exp.Select:
    """The rows that count: joined, filtered, and truncated level by level."""
    used = [tree.column("", name) for name in columns.shown.values() if name != UNIT]
    windows = [_window(level, n, unit, used, columns, words) for n, level in enumerate(bounded.levels)]
    rows = _rows(bounded, words, columns)
    for n, (level, window) in enumerate(zip(bounded.levels, windows, strict=True)):
        rows = _kept(rows, level, window, f"r{n}")
    return rows


def _key(scalar: Scalar) -> exp.Expr:
    """A date that cannot be carried out is no key: its group would be an error as soon as one row is in it."""
    return in_calendar(scalar) if scalar.type.temporal else emit(scalar)


def _rows(bounded: Bounded, words: Words, columns: _Columns) -> exp.Select:
    first, joins, conditions = _relation(bounded.relation, words)
    if bounded.unit:
        conditions.append(_not_null(emit(bounded.unit)))
    if bounded.unit and bounded.levels:
        conditions.append(words.in_slice(emit(bounded.unit)))
    conditions += [_key_filter(each, words) for each in bounded.key_filters]
    shown = columns.aliased() or [tree.alias(tree.number(1), "one")]
    rows = tree.select(shown, first, conditions)
    rows.set("joins", joins)
    return rows


def _not_null(value: exp.Expr) -> exp.Expr:
    return exp.Not(this=exp.Is(this=value, expression=exp.Null()))


def _relation(relation: Relation, words: Words) -> tuple[exp.Expr, list[exp.Join], list[exp.Expr]]:
    """The first table, the joins to it, and the conditions of WHERE."""
    match relation:
        case Scan(table=table, alias=alias):
            return words.table(table, alias), [], []
        case Filter(input=inner, predicate=predicate):
            first, joins, conditions = _relation(inner, words)
            return first, joins, [*conditions, emit(predicate)]
        case Join(left=left, right=Scan(table=table, alias=alias), kind=kind, on=on):
            first, joins, conditions = _relation(left, words)
            tied = tree.all_of([emit(condition) for condition in on]) if on else exp.Boolean(this=True)
            side = {"side": "LEFT"} if kind == "left" else {"kind": "INNER"}
            return first, [*joins, exp.Join(this=words.table(table, alias), on=tied, **side)], conditions
        case Join():
            raise AssertionError("the right side of a join is a table")
        case _:
            assert_never(relation)


def _key_filter(each: KeyFilter, words: Words) -> exp.Expr:
    place = emit(each.column)
    if each.listed:
        return exp.In(this=place, expressions=[literal(value) for value in each.values])
    table, name = (str(part) for part in each.values)
    listed = tree.select([tree.column("", name)], words.table(table, "keys"))
    return exp.In(this=place, query=exp.Subquery(this=listed))


def _window(
    level: Level, n: int, unit: exp.Expr | None, used: Sequence[exp.Expr], columns: _Columns, words: Words
) -> exp.Window:
    """The rank that decides what is kept: within the unit, by keyed hash, never by value.

    Rows of one hash are no rows of one rank: an engine would keep any of them, and others the next time. What the
    question uses of them decides, so that rows which still tie are alike, and it is all one which of them stays.
    """
    assert unit is not None
    shown = [emit(scalar) for scalar in level.identity]
    order = [columns.show(words.keyed_hash(shown), f"h{n}")]
    if level.distinct:
        order += [columns.show(each, f"i{n}_{place}") for place, each in enumerate(shown)]
    else:
        order += [each.copy() for each in used]
    within = [columns.show(emit(scalar), f"w{n}_{place}") for place, scalar in enumerate(level.partition)]
    return exp.Window(
        this=exp.Anonymous(this="DENSE_RANK" if level.distinct else "ROW_NUMBER"),
        partition_by=[unit.copy(), *within],
        order=exp.Order(expressions=[exp.Ordered(this=each, nulls_first=False) for each in order]),
    )


def _kept(rows: exp.Select, level: Level, window: exp.Window, rank: str) -> exp.Select:
    ranked = tree.select([exp.Star(), tree.alias(window, rank)], tree.subquery(rows, "rows"))
    limit = exp.LTE(this=tree.column("", rank), expression=tree.number(level.limit))
    return tree.select([exp.Star()], tree.subquery(ranked, "ranked"), [limit])


def _number(part: Part, n: int, unit: exp.Expr | None, columns: _Columns) -> exp.Expr:
    match part.kind:
        case Kind.SUM:
            total = exp.Sum(this=_given(part.kind, part.value, n, columns))
            number = exp.Coalesce(this=total, expressions=[tree.number(0)])
        case Kind.UNITS if unit is not None:
            value = columns.show(emit(part.value), f"v{n}") if part.value is not None else None
            counted = _when(value, unit.copy()) if value else unit.copy()
            number = exp.Count(this=exp.Distinct(expressions=[counted]))
        case Kind.ROWS | Kind.UNITS:
            number = exp.Count(this=_given(part.kind, part.value, n, columns))
        case _:
            assert_never(part.kind)
    return tree.alias(number, f"p{n}")


def _histogram(histogram: Histogram, n: int, columns: _Columns, words: Words) -> exp.Expr:
    assert not isinstance(histogram.cell, Total)
    cell = columns.show(emit(histogram.cell), f"c{n}")
    return tree.alias(words.histogram(among(cell, histogram.edges) if histogram.edges else cell), f"q{n}")


def _given(kind: Kind, value: Scalar | None, n: int, columns: _Columns) -> exp.Expr:
    """What SUM or COUNT is given."""
    if kind is not Kind.SUM:
        return _counted(value, n, columns)
    assert value is not None
    return columns.show(emit(value), f"v{n}")


def _counted(condition: Scalar | None, n: int, columns: _Columns) -> exp.Expr:
    """What COUNT is given: everything, a column that must not be NULL, or one for each row that satisfies."""
    match condition:
        case None:
            return exp.Star()
        case Call(op=Op.NOT, args=(Call(op=Op.IS_NULL, args=(value,)),)):
            return columns.show(emit(value), f"v{n}")
        case _:
            return _when(columns.show(emit(condition), f"v{n}"), tree.number(1))


def _when(condition: exp.Expr, then: exp.Expr) -> exp.Expr:
    return exp.Case(ifs=[exp.If(this=condition, true=then)])


def _grouped(rows: exp.Select, keys: list[exp.Expr], numbers: list[exp.Expr]) -> exp.Select:
    grouped = tree.select([*keys, *numbers], tree.subquery(rows, "rows"))
    if keys:
        grouped.set("group", exp.Group(expressions=[key.copy() for key in keys]))
    return grouped


def domain_sql(query: DomainQuery, most: int, words: Words) -> exp.Select:
    """Every group, from public relations, in the order of its keys; no more than ``most``."""
    keys: list[exp.Expr] = [tree.alias(_key(key), f"k{n}") for n, key in enumerate(query.keys)]
    first, *rest = [_source(source, words) for source in query.sources]
    domain = tree.select(keys, first, [emit(condition) for condition in query.conditions])
    domain.set("joins", [exp.Join(this=source, kind="CROSS") for source in rest])
    domain.set("distinct", exp.Distinct())
    ordered = [exp.Ordered(this=tree.column("", f"k{n}"), nulls_first=False) for n in range(len(keys))]
    domain.set("order", exp.Order(expressions=ordered))
    domain.set("limit", exp.Limit(expression=tree.number(most)))
    return domain


def _source(source: Source, words: Words) -> exp.Expr:
    names = [name for name, _ in source.columns]
    if source.table is None:
        (name, type_), *_ = source.columns
        typed = _decimals(source.values) if type_ is Type.DECIMAL else [_typed(each, type_) for each in source.values]
        rows = [tree.select([tree.alias(value, name)], None) for value in typed]
        return tree.subquery(reduce(_union, rows[1:], rows[0]), source.alias)
    listed = tree.select([tree.column("", name) for name in names], words.table(source.table, "listed"))
    listed.set("distinct", exp.Distinct())
    if not source.optional:
        return tree.subquery(listed, source.alias)
    nulls = tree.select([tree.alias(exp.Null(), name) for name in names], None)
    return tree.subquery(_union(listed, nulls), source.alias)


def _union(left: exp.Query, right: exp.Query) -> exp.Query:
    return exp.Union(this=left, expression=right, distinct=False)


def _typed(value: Value, type_: Type) -> exp.Expr:
    wide = isinstance(value, int) and abs(value) >= 2**63
    return tree.cast(literal(value), SQL_TYPES[type_]) if type_ in SQL_TYPES and not wide else literal(value)


def _decimals(values: tuple[Value, ...]) -> list[exp.Expr]:
    """Keys that equal what a DECIMAL column holds, which no double does; all of one scale, or a union would round."""
    numbers = [Decimal(str(value)) for value in values]
    scale = max(max(0, -int(number.as_tuple().exponent)) for number in numbers)
    return [tree.decimal(format(number, "f"), scale) for number in numbers]


def fan_out_sql(table: str, columns: tuple[str, ...], words: Words) -> exp.Select:
    """The most rows of a public table that share values of the columns; a NULL never matches."""
    known = [_not_null(tree.column("", name)) for name in columns]
    groups = tree.select([tree.alias(exp.Count(this=exp.Star()), "n")], words.table(table, "listed"), known)
    groups.set("group", exp.Group(expressions=[tree.column("", name) for name in columns]))
    most = exp.Coalesce(this=exp.Max(this=tree.column("", "n")), expressions=[tree.number(0)])
    return tree.select([most], tree.subquery(groups, "groups"))
