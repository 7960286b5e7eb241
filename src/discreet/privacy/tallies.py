"""A tally: one question to an engine whose counts add up to several numbers of a list.

Rows are sorted into cells by the classes of the scalars that conditions look at (``classes``): a GROUP BY over the
numbers of the classes, so a row is in one cell whatever it holds. Classes that count in the same numbers are one cell,
and those that count in none are left out. What a unit moves follows from that form alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate, product
from math import prod

from discreet.plan.nodes import Aggregate, Aggregation, Filter, Named, Relation
from discreet.plan.scalar import Call, Literal, Op, Scalar
from discreet.plan.types import Type, Value
from discreet.privacy.bounded import Bounded, Key, Kind, Level, Part
from discreet.privacy.classes import Conditions, Row, Test, Variable, comparable, merged

__all__ = ["MOST_CELLS", "Moved", "Statement", "Tally", "alone", "base_of", "read", "tally"]

MOST_CELLS = 4096
"""Combinations of classes in one tally: more are not told apart."""


@dataclass(frozen=True, slots=True)
class Moved:
    """How far one unit moves a vector of integers."""

    l1: int
    l2_squared: int


@dataclass(frozen=True, slots=True)
class Tally:
    """What an engine counts, and how that adds up.

    The counts are those of the question's parts in each group of its domain, part by part. ``cells`` has, for each
    cell, the counts that it adds up; ``numbers`` has, for numbers of the list by their place, the cells.
    """

    question: Bounded
    cells: tuple[tuple[int, ...], ...]
    numbers: Mapping[int, tuple[int, ...]]
    cells_moved: tuple[Moved, ...]
    """Of the vectors that make up the cells: one for all, or one a part where a statement is asked as it is."""
    numbers_moved: tuple[Moved, ...]


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement as its conditions see a row; its numbers have the places from ``first`` on, part by part."""

    bounded: Bounded
    first: int
    conditions: tuple[Scalar, ...]
    """What holds of every row that it reads."""
    variables: Mapping[Scalar, Variable]
    tests: tuple[Test, ...]
    keys: tuple[Callable[[Row], object], ...]
    parts: tuple[Test, ...]
    groups: Mapping[tuple[object, ...], int]

    @property
    def numbers(self) -> range:
        return range(self.first, self.first + len(self.parts) * len(self.groups))

    def hits(self, row: Row) -> Iterator[int]:
        """The numbers that a row counts in."""
        group = self.groups.get(tuple(key(row) for key in self.keys))
        if group is None or any(test(row) is not True for test in self.tests):
            return
        for place, test in enumerate(self.parts):
            if test(row) is True:
                yield self.first + place * len(self.groups) + group


def read(bounded: Bounded, first: int) -> Statement:
    """A statement with public groups whose parts all count rows."""
    found, domain, always = Conditions(), bounded.domain or (), Literal(True, Type.BOOLEAN)
    filters = tuple(_filters(bounded.relation))
    listed = [_listed(key.value, [group[place] for group in domain]) for place, key in enumerate(bounded.keys)]
    pairs = list(zip([key.value for key in bounded.keys], listed, strict=True))
    declared = {each.column for each in bounded.key_filters}
    return Statement(
        bounded,
        first,
        (*filters, *(Call(Op.IN, (key, *values), Type.BOOLEAN) for key, values in pairs if key in declared)),
        found.variables,
        tuple(found.test(each) for each in filters),
        tuple(found.value(key, values) for key, values in pairs),
        tuple(found.test(part.value or always) for part in bounded.parts),
        {tuple(map(comparable, group)): place for place, group in enumerate(domain)},
    )


def base_of(bounded: Bounded) -> Relation:
    """What a statement reads, without its WHERE."""
    relation = bounded.relation
    while isinstance(relation, Filter):
        relation = relation.input
    return relation


def _filters(relation: Relation) -> Iterator[Scalar]:
    while isinstance(relation, Filter):
        yield relation.predicate
        relation = relation.input


def _listed(key: Scalar, values: list[Value]) -> list[Literal]:
    return [Literal(value, key.type) for value in dict.fromkeys(values) if value is not None]


def alone(statement: Statement) -> Tally:
    """A statement asked as it is: each count is a cell, and a number."""
    bounded = statement.bounded
    moved = tuple(Moved(part.l1, part.l2_squared) for part in bounded.parts)
    cells = tuple((place,) for place in range(len(statement.numbers)))
    return Tally(bounded, cells, dict(zip(statement.numbers, cells, strict=True)), moved, moved)


def tally(statements: Sequence[Statement], kept: tuple[Level, ...]) -> Tally | None:
    """Statements over one base counted together; None where they tell too much apart. ``kept``: rows of each unit.

    Theorem: a unit adds ``rows`` rows, each to one cell, and each to at most ``most`` numbers.
    """
    variables = merged([statement.variables for statement in statements])
    possible = [variable.possible() for variable in variables]
    if prod(map(len, possible)) > MOST_CELLS:
        return None
    found: dict[tuple[int, ...], list[tuple[int, ...]]] = {}
    for classes in product(*possible):
        row = {variable.scalar: each for variable, (_, each) in zip(variables, classes, strict=True)}
        hits = tuple(number for statement in statements for number in statement.hits(row))
        if hits:
            found.setdefault(hits, []).append(tuple(number for number, _ in classes))
    rows, most = statements[0].bounded.counted_rows, max(map(len, found), default=0)
    domain = tuple(group for groups in found.values() for group in groups)
    return Tally(
        _question(statements, variables, domain, kept),
        _runs([len(groups) for groups in found.values()]),
        _sums(statements, found),
        (Moved(rows, rows**2) if found else Moved(0, 0),),
        (Moved(rows * most, rows**2 * most),),
    )


def _runs(lengths: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """The groups of the domain that make up each cell: they follow each other."""
    ends = list(accumulate(lengths))
    return tuple(tuple(range(end - length, end)) for end, length in zip(ends, lengths, strict=True))


def _sums(statements: Sequence[Statement], found: Iterable[tuple[int, ...]]) -> Mapping[int, tuple[int, ...]]:
    """For each number the cells whose rows count in it; none, where no row can."""
    cells: dict[int, list[int]] = {number: [] for statement in statements for number in statement.numbers}
    for cell, hits in enumerate(found):
        for number in hits:
            cells[number].append(cell)
    return {number: tuple(each) for number, each in cells.items()}


def _question(
    statements: Sequence[Statement],
    variables: Sequence[Variable],
    domain: tuple[tuple[int, ...], ...],
    kept: tuple[Level, ...],
) -> Bounded:
    """How many rows of each combination of classes there are, of those that some statement reads."""
    first = statements[0].bounded
    relation = _read_by_any(statements)
    keys = tuple(Named(f"k{place}", variable.index()) for place, variable in enumerate(variables))
    return replace(
        first,
        plan=Aggregate(relation, keys, (Aggregation("rows", "count", None),)),
        relation=relation,
        levels=kept,
        keys=tuple(Key(key.name, key.value) for key in keys),
        key_filters=(),
        domain=domain,
        outputs=(),
        parts=(Part(Kind.ROWS, None, Fraction(1), first.counted_rows, first.counted_rows**2),),
        groups=min(first.counted_rows, max(1, len(domain))),
    )


def _read_by_any(statements: Sequence[Statement]) -> Relation:
    """The rows that some statement reads: only among them is a unit's share kept."""
    base = base_of(statements[0].bounded)
    wanted = dict.fromkeys(statement.conditions for statement in statements)
    if () in wanted:
        return base
    return Filter(base, _chain(Op.OR, [_chain(Op.AND, conditions) for conditions in wanted]))


def _chain(op: Op, conditions: Sequence[Scalar]) -> Scalar:
    return conditions[0] if len(conditions) == 1 else Call(op, tuple(conditions), Type.BOOLEAN)
