"""A question whose every part has a declared sensitivity: what ``engines`` run and ``mechanisms`` blur."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import Protocol, runtime_checkable

from discreet.errors import Span
from discreet.plan.nodes import Plan, Relation
from discreet.plan.scalar import ColumnRef, Scalar
from discreet.plan.types import Told, Type, Value

__all__ = [
    "Bounded",
    "DomainQuery",
    "Guaranteed",
    "Histogram",
    "Key",
    "KeyFilter",
    "Kind",
    "Level",
    "Listed",
    "Noisy",
    "Output",
    "Part",
    "Pick",
    "PublicFacts",
    "Source",
]


class Kind(StrEnum):
    """The primitives that an engine computes, each an exact integer for every group."""

    ROWS = "count"
    SUM = "sum"
    UNITS = "units"


@dataclass(frozen=True, slots=True)
class Part:
    """One integer vector over the groups, and how far one unit can move it, in steps of ``grid``.

    ``value`` is the integer that a row adds (SUM), or the condition under which it counts
    (ROWS, UNITS; None: always).
    """

    kind: Kind
    value: Scalar | None
    grid: Fraction
    l1: int
    l2_squared: int


@dataclass(frozen=True, slots=True)
class Histogram:
    """How many rows of a group fall into each cell of a column: it is never released, only chosen from.

    ``cell`` is an integer from 0 to ``cells - 1`` for each row, or NULL; a unit adds at most ``rows`` rows.
    """

    cell: Scalar
    cells: int
    rows: int
    step: Fraction = field(default=Fraction(1), repr=False)
    """How far it is from a cell to the next, in the units of the column."""


@dataclass(frozen=True, slots=True)
class Pick:
    """One cell to be chosen from a histogram: at a rank, told as a share of the rows, or (None) the fullest."""

    histogram: Histogram
    share: Fraction | None
    span: Span | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Level:
    """Keep ``limit`` rows (or distinct identities) of each unit, within each value of ``partition``.

    Which ones is decided by a keyed hash of ``identity``. The partition always includes the unit:
    the emitter adds it, so that no level can be written without it.
    """

    partition: tuple[Scalar, ...]
    identity: tuple[Scalar, ...]
    limit: int
    distinct: bool


@dataclass(frozen=True, slots=True)
class KeyFilter:
    """Rows count only where the column holds a declared key: a list, or a column of a public table."""

    column: ColumnRef
    values: tuple[Value, ...] | tuple[str, str]
    listed: bool


@dataclass(frozen=True, slots=True)
class Source:
    """A public relation that a domain is built from: distinct rows of a table, or a list of values."""

    alias: str
    columns: tuple[tuple[str, Type], ...]
    table: str | None = None
    values: tuple[Value, ...] = ()
    optional: bool = False
    """A row of NULLs is added: the table stands on the far side of a LEFT JOIN."""


@dataclass(frozen=True, slots=True)
class DomainQuery:
    """Every group that may exist, from public tables and declared lists alone."""

    keys: tuple[Scalar, ...]
    sources: tuple[Source, ...]
    conditions: tuple[Scalar, ...]


class PublicFacts(Protocol):
    """What an engine may be asked while nothing has been paid: facts of public tables only."""

    def fan_out(self, table: str, columns: tuple[str, ...]) -> int:
        """The most rows of a public table that share values of the columns."""
        ...

    def domain(self, query: DomainQuery) -> tuple[tuple[Value, ...], ...]: ...


@dataclass(frozen=True, slots=True)
class Key:
    name: str
    value: Scalar


@dataclass(frozen=True, slots=True)
class Noisy:
    """A released part of one group with its interval: in the units of the column, or in cells where it was picked."""

    value: Fraction
    low: Fraction
    high: Fraction

    @property
    def half_width(self) -> Fraction:
        return (self.high - self.low) / 2


class Output(Protocol):
    """An aggregate of the answer: which parts it is made of, and how they combine."""

    @property
    def name(self) -> str: ...
    @property
    def parts(self) -> Mapping[str, Part | Pick]:
        """By the role that each part plays: ``{"sum": …, "count": …}``."""
        ...

    @property
    def type(self) -> Type:
        """What its values are: a picked text is a text, a quantile of dates a date, all else a number."""
        ...

    def value(self, noisy: Sequence[Noisy]) -> Told: ...
    def interval(self, noisy: Sequence[Noisy]) -> tuple[Told, Told] | None: ...


@runtime_checkable
class Listed(Output, Protocol):
    """An answer that is a list of values, and its interval two lists of ends."""

    @property
    def element(self) -> Type: ...


@runtime_checkable
class Guaranteed(Output, Protocol):
    """A quotient that the protocol of slots may have a printed guarantee for, beside the interval."""

    @property
    def guaranteed(self) -> bool: ...
    def printed(self, values: Sequence[float], deviations: Sequence[float], miss: float) -> float | None:
        """How far it may be off but for a chance of ``miss``, from its parts and the deviations of their noises."""
        ...


@dataclass(frozen=True, slots=True)
class Bounded:
    """A plan with its bounds. ``domain`` is None when the keys are private, ``((),)`` when there are none."""

    plan: Plan
    relation: Relation
    unit: ColumnRef | None
    levels: tuple[Level, ...]
    keys: tuple[Key, ...]
    key_filters: tuple[KeyFilter, ...]
    domain: tuple[tuple[Value, ...], ...] | None
    outputs: tuple[Output, ...]
    parts: tuple[Part, ...]
    histograms: tuple[Histogram, ...]
    rows: int
    """The most rows that one unit adds."""
    groups: int
    """The most groups that one unit touches."""
    units_part: Part | None
    """The count of units that decides which private keys are shown."""

    def picks(self, histogram: Histogram) -> tuple[Pick, ...]:
        """What is chosen from a histogram, each once."""
        asked = (part for output in self.outputs for part in output.parts.values())
        return tuple(dict.fromkeys(part for part in asked if isinstance(part, Pick) and part.histogram == histogram))
