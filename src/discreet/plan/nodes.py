"""The relational nodes. See the room's own page for what each of them means."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal as OneOf

from discreet.errors import Span
from discreet.plan.scalar import Scalar

__all__ = [
    "Aggregate", "Aggregation", "Filter", "Having", "Join", "Limit", "Named", "Ordering",
    "Plan", "Project", "Relation", "Scan", "Sort", "aggregate_of", "scans",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Scan:
    table: str
    alias: str
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Join:
    """Rows of both sides for which every condition of ``on`` holds; ``left`` keeps unmatched left rows."""

    left: Relation
    right: Relation
    kind: OneOf["inner", "left"]
    on: tuple[Scalar, ...]
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Filter:
    input: Relation
    predicate: Scalar


Relation = Scan | Join | Filter


@dataclass(frozen=True, slots=True)
class Named:
    name: str
    value: Scalar


@dataclass(frozen=True, slots=True)
class Aggregation:
    """One aggregate as it was asked: ``function`` names a file of ``privacy.aggregates``."""

    name: str
    function: str
    argument: Scalar | None
    share: Fraction | None = None
    """Of a quantile: which share of the rows lies below it."""
    shares: tuple[Fraction, ...] = ()
    """Of a list of quantiles."""
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Aggregate:
    input: Relation
    keys: tuple[Named, ...]
    aggregations: tuple[Aggregation, ...]


@dataclass(frozen=True, slots=True)
class Having:
    input: Plan
    predicate: Scalar


@dataclass(frozen=True, slots=True)
class Ordering:
    value: Scalar
    descending: bool
    nulls_first: bool


@dataclass(frozen=True, slots=True)
class Sort:
    input: Plan
    orderings: tuple[Ordering, ...]


@dataclass(frozen=True, slots=True)
class Limit:
    input: Plan
    count: int | None
    offset: int


@dataclass(frozen=True, slots=True)
class Project:
    input: Plan
    columns: tuple[Named, ...]


Plan = Aggregate | Having | Sort | Limit | Project


def aggregate_of(plan: Plan) -> Aggregate:
    """The one node where private rows become numbers."""
    while not isinstance(plan, Aggregate):
        plan = plan.input
    return plan


def scans(relation: Relation) -> Iterator[Scan]:
    match relation:
        case Scan():
            yield relation
        case Join(left=left, right=right):
            yield from scans(left)
            yield from scans(right)
        case Filter(input=inner):
            yield from scans(inner)
