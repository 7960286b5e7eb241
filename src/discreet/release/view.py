"""A publication as it is read: a public table, the law of its numbers, and the receipt that they were paid by."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from itertools import count
from typing import TYPE_CHECKING, Self

from discreet.engines.held import arrow_of
from discreet.ledger.publications import Publication
from discreet.ledger.receipts import Receipt
from discreet.plan.nodes import Aggregate, Aggregation, Named, Plan, Project, Scan
from discreet.plan.scalar import ColumnRef
from discreet.plan.types import ColumnSchema, Type, Value
from discreet.policy.catalogue import PLACE, PUBLISHED, KnownColumn, KnownTable, natural_step, published_table
from discreet.policy.names import fold
from discreet.release.answers import Answers
from discreet.release.counts import Counts
from discreet.release.written import read_written, written

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Content", "View", "free_name"]

KINDS: dict[str, type[Counts] | type[Answers]] = {each.kind: each for each in (Counts, Answers)}


@dataclass(frozen=True, slots=True)
class Content:
    """What is published: ``counted`` names the column of a histogram's counts, which rows of answers do not have."""

    statement: str
    dialect: str | None
    columns: tuple[tuple[str, Type], ...]
    counted: str | None
    numbers: Counts | Answers

    def to_bytes(self) -> bytes:
        """JSON, for the ledger to keep."""
        kept = {
            "statement": self.statement,
            "dialect": self.dialect,
            "columns": [(name, type_.value) for name, type_ in self.columns],
            "counted": self.counted,
            "kind": self.numbers.kind,
            **self.numbers.to_json(),
        }
        return json.dumps(kept, default=written).encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        kept = json.loads(data, object_hook=read_written)
        columns = tuple((name, Type(type_)) for name, type_ in kept["columns"])
        numbers = KINDS[kept["kind"]].from_json(kept)
        return cls(kept["statement"], kept["dialect"], columns, kept["counted"], numbers)


@dataclass(frozen=True, slots=True)
class View:
    """A public table of released numbers; everything in it may be shown."""

    name: str
    entry: int
    """Of the ledger, which says that it is published."""
    content: Content = field(repr=False)
    time: datetime
    receipt: Receipt

    @classmethod
    def of(cls, publication: Publication) -> Self:
        content = Content.from_bytes(publication.payload)
        return cls(publication.name, publication.entry, content, publication.time, publication.receipt)

    @property
    def qualified(self) -> str:
        return f"{PUBLISHED}.{self.name}"

    @property
    def statement(self) -> str:
        """What it was made from."""
        return self.content.statement

    @property
    def law(self) -> str:
        """How its numbers were made, in words."""
        return self.content.numbers.law

    @property
    def columns(self) -> list[str]:
        return [name for name, _ in self._columns]

    @property
    def _columns(self) -> tuple[tuple[str, Type], ...]:
        counted = self.content.counted
        return self.content.columns if counted is None else (*self.content.columns, (counted, Type.INTEGER))

    def overview(self) -> Plan:
        """The question for every group that it can tell: without the names of those who answered."""
        numbers = self.content.numbers
        named = numbers.place if isinstance(numbers, Answers) and numbers.names is not None else None
        shown = [column for n, column in enumerate(self.content.columns) if n != named]
        keys = tuple(Named(name, ColumnRef(self.name, name, type_)) for name, type_ in shown)
        counted = free_name(self.content.counted or "n", [name for name, _ in shown])
        counts = Aggregate(Scan(self.qualified, self.name), keys, (Aggregation(counted, "count", None),))
        columns = [*((name, type_) for name, type_ in shown), (counted, Type.INTEGER)]
        return Project(counts, tuple(Named(name, ColumnRef("", name, type_)) for name, type_ in columns))

    def known(self) -> KnownTable:
        """The table that analysts find in the catalogue. What its columns hold is public, and so are their ranges."""
        by_column = list(zip(*(row for _, row in self.content.numbers.cells()), strict=True))
        values = by_column or [() for _ in self._columns]
        known = [_known(name, type_, found) for (name, type_), found in zip(self._columns, values, strict=True)]
        return published_table(self.name, known, self.content.counted)

    def cells(self) -> pa.Table:
        """What a question counts over."""
        return self._table(self.content.numbers.cells())

    def rows(self) -> pa.Table:
        """What a listing shows."""
        return self._table(enumerate(self.content.numbers.rows()))

    def _table(self, rows: Iterable[tuple[int, tuple[Value, ...]]]) -> pa.Table:
        columns = (*self._columns, (PLACE, Type.INTEGER))
        return arrow_of(columns, [(*row, place) for place, row in rows])


def free_name(wanted: str, others: Iterable[str]) -> str:
    """The name, with a number where it is taken."""
    taken = {fold(other) for other in others}
    return next(free for n in count() if fold(free := f"{wanted}_{n}" if n else wanted) not in taken)


def _known(name: str, type_: Type, values: Iterable[Value]) -> KnownColumn:
    if not type_.numeric:
        return KnownColumn(name, type_)
    numbers = [Fraction(str(value)) for value in set(values) if value is not None]
    digits = max((_digits(value) for value in set(values) if isinstance(value, Decimal)), default=0)
    return KnownColumn(
        name,
        type_,
        range=(min(numbers), max(numbers)) if numbers else None,
        step=natural_step(ColumnSchema(name, type_, digits)),
    )


def _digits(value: Decimal) -> int:
    """Those after the point."""
    return max(0, -int(value.as_tuple().exponent))
