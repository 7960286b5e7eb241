"""Which groups exist. A group key is an output, so it is public by declaration, or noised.

A key is public when its value can be known without any private row: a column with declared values
(or values_from a public table), a column of a public table, an expression of those, or an expression
that has few outcomes whatever it is given (a comparison, a CASE of literals, a month). The domain of
a question is computed by the engine from public tables and lists alone; conditions of the question
that concern only those columns narrow it. If one key is not public, none is: the groups are private.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import prod

from discreet.errors import Refused, Span
from discreet.plan.nodes import Filter, Join, Named, Relation, Scan, scans
from discreet.plan.scalar import Call, Case, ColumnRef, Literal, Op, Scalar, columns, conjuncts, replaced
from discreet.plan.types import Type, Value
from discreet.policy.catalogue import Catalogue, KnownColumn
from discreet.policy.names import fold
from discreet.privacy.bounded import DomainQuery, KeyFilter, Source

__all__ = ["MOST_GROUPS", "domain_query", "key_filters", "outcomes", "too_many_groups"]

MOST_GROUPS = 1_000_000

MOST_OUTCOMES = 400
"""Outcomes of one expression that are listed without being declared."""

PARTS = {
    Op.QUARTER: range(1, 5),
    Op.MONTH: range(1, 13),
    Op.WEEK: range(1, 54),
    Op.DAY: range(1, 32),
    Op.DAY_OF_WEEK: range(7),
    Op.DAY_OF_YEAR: range(1, 367),
    Op.HOUR: range(24),
    Op.MINUTE: range(60),
    Op.SIGN: range(-1, 2),
}


def outcomes(scalar: Scalar) -> tuple[Value, ...] | None:
    """Every value that the expression can take, when that is few and known from its form alone."""
    match scalar:
        case Literal(value=value):
            return (value,)
        case Case(branches=branches, default=default):
            values = [value for _, value in branches]
            found = [outcomes(value) for value in (values if default is None else [*values, default])]
            if any(part is None for part in found):
                return None
            listed = [value for part in found if part for value in part]
            return _distinct([*listed, None] if default is None else listed)
        case Call(op=Op.IS_NULL):
            return (False, True)
        case Call(op=Op.COALESCE, args=args):
            return _coalesced(args)
        case Call(type=Type.BOOLEAN):
            return (False, True, None)
        case Call(op=op) if op in PARTS:
            return (*PARTS[op], None)
        case _:
            return None


def _coalesced(args: tuple[Scalar, ...]) -> tuple[Value, ...] | None:
    """NULL is possible only where the last argument may be NULL."""
    found = [outcomes(arg) for arg in args]
    if any(part is None for part in found):
        return None
    last = found[-1] or ()
    return _distinct([value for part in found for value in part or () if value is not None or None in last])


def _distinct(values: list[Value]) -> tuple[Value, ...] | None:
    unique = tuple(dict.fromkeys(values))
    return unique if len(unique) <= MOST_OUTCOMES else None


@dataclass
class _Sources:
    """The public relations behind the keys, and how columns of the question are found in them."""

    catalogue: Catalogue
    relation: Relation
    found: dict[str, Source] = field(default_factory=dict[str, Source])
    places: dict[Scalar, Scalar] = field(default_factory=dict[Scalar, Scalar])

    def covers(self, scalar: Scalar) -> bool:
        return all(self.add(column) for column in columns(scalar))

    def add(self, column: ColumnRef) -> bool:
        """Find a public source for the column; False when it has none."""
        if column in self.places:
            return True
        scan = next(scan for scan in scans(self.relation) if scan.alias == column.source)
        table = self.catalogue.tables[fold(scan.table)]
        if table.public:
            self._add_table(scan, column)
            return True
        declared = table.columns[fold(column.name)]
        if not declared.public_keys:
            return False
        alias = f"d{len(self.found)}"
        if declared.values is not None:
            source = Source(alias, ((column.name, column.type),), values=declared.values)
            self.places[column] = ColumnRef(alias, column.name, column.type)
        else:
            assert declared.values_from is not None
            name = declared.values_from[1]
            source = Source(alias, ((name, column.type),), table=declared.values_from[0])
            self.places[column] = ColumnRef(alias, name, column.type)
        self.found[alias] = source
        return True

    def known(self) -> Iterator[Scalar]:
        """A declared key is never NULL, even where the public table that lists them has one."""
        for column, place in self.places.items():
            if column != place:
                yield Call(Op.NOT, (Call(Op.IS_NULL, (place,), Type.BOOLEAN),), Type.BOOLEAN)

    def _add_table(self, scan: Scan, column: ColumnRef) -> None:
        before = self.found.get(scan.alias)
        known = before.columns if before else ()
        self.found[scan.alias] = Source(
            scan.alias,
            (*known, (column.name, column.type)),
            table=scan.table,
            optional=scan.alias in _optional(self.relation),
        )
        self.places[column] = column

    def add_outcomes(self, key: Named, values: tuple[Value, ...]) -> Scalar:
        """An expression is computed in doubles, where a column may hold decimals."""
        alias = f"o{len(self.found)}"
        type_ = Type.FLOAT if key.value.type is Type.DECIMAL else key.value.type
        self.found[alias] = Source(alias, (("value", type_),), values=values)
        return ColumnRef(alias, "value", key.value.type)


def domain_query(keys: tuple[Named, ...], relation: Relation, catalogue: Catalogue) -> DomainQuery | None:
    """How to list every group from public things; None when some key is private."""
    sources = _Sources(catalogue, relation)
    found: list[Scalar] = []
    for key in keys:
        if columns(key.value) and sources.covers(key.value):
            found.append(replaced(key.value, sources.places))
        elif (values := outcomes(key.value)) is not None:
            found.append(sources.add_outcomes(key, values))
        else:
            return None
    conditions = (
        *sources.known(),
        *(
            replaced(condition, sources.places)
            for condition in _conditions(relation)
            if (used := columns(condition)) and used <= sources.places.keys()
        ),
    )
    used_places = {place.source for key in found for place in columns(key)}
    kept = tuple(source for alias, source in sources.found.items() if alias in used_places)
    _check_size(keys, kept)
    return DomainQuery(tuple(found), kept, tuple(c for c in conditions if _within(c, kept)))


def _check_size(keys: tuple[Named, ...], sources: tuple[Source, ...]) -> None:
    """Lists alone may multiply to more groups than there is memory: seen before an engine is asked to."""
    if prod(len(source.values) for source in sources if source.table is None) > MOST_GROUPS:
        raise too_many_groups(keys[0].value.span)


def too_many_groups(span: Span | None = None) -> Refused:
    hint = "group by fewer keys, or by coarser ones"
    return Refused("too-many-groups", f"the public keys make more than {MOST_GROUPS} groups", hint, span)


def _within(condition: Scalar, sources: tuple[Source, ...]) -> bool:
    names = {(source.alias, name) for source in sources for name, _ in source.columns}
    return all((column.source, column.name) in names for column in columns(condition))


def _conditions(relation: Relation) -> Iterator[Scalar]:
    """The conditions that every joined row satisfies: WHERE, and ON of inner joins."""
    match relation:
        case Scan():
            return
        case Filter(input=inner, predicate=predicate):
            yield from conjuncts(predicate)
            yield from _conditions(inner)
        case Join(left=left, right=right, kind=kind, on=on):
            yield from on if kind == "inner" else ()
            yield from _conditions(left)
            yield from _conditions(right)


def _optional(relation: Relation) -> set[str]:
    """Aliases on the far side of a LEFT JOIN, whose columns may be NULL although the table holds none."""
    match relation:
        case Join(left=left, right=right, kind=kind):
            far = {scan.alias for scan in scans(right)} if kind == "left" else set[str]()
            return far | _optional(left) | _optional(right)
        case Filter(input=inner):
            return _optional(inner)
        case Scan():
            return set()


def key_filters(keys: tuple[Named, ...], relation: Relation, catalogue: Catalogue) -> tuple[KeyFilter, ...]:
    """Rows whose declared key column holds something undeclared do not count: they have no group.

    A key that is public by its form alone has a group for every row, whatever the columns in it hold.
    """
    tables = {scan.alias: catalogue.tables[fold(scan.table)] for scan in scans(relation)}
    kept: dict[ColumnRef, KeyFilter] = {}
    for key in keys:
        private = [column for column in sorted(columns(key.value), key=repr) if not tables[column.source].public]
        declared = {column: tables[column.source].columns[fold(column.name)] for column in private}
        if all(each.public_keys for each in declared.values()):
            kept |= {column: _filter(column, each) for column, each in declared.items()}
    return tuple(kept.values())


def _filter(column: ColumnRef, declared: KnownColumn) -> KeyFilter:
    return KeyFilter(column, declared.values or declared.values_from or (), declared.values is not None)
