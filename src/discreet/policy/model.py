"""The policy as one frozen value: the owner's word, checked and without defaults left open.

Everything here is public: an analyst may read all of it, and nothing in it was taken from a
private row. Lines are kept so that a later complaint (by ``check``) can say where.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import timedelta
    from pathlib import Path

    from discreet.plan.types import Type, Value

__all__ = ["ROW", "Accounting", "Budget", "Column", "Keys", "Policy", "Quota", "Table", "Via"]

Accounting = Literal["zcdp", "pure", "gdp", "slots", "decaying"]

ROW = "row"
"""The ``unit`` of a table in which every row is a unit of its own."""


@dataclass(frozen=True, slots=True)
class Column:
    """What the owner declares of a column. Neither values nor values_from: its keys are private."""

    name: str
    range: tuple[Fraction, Fraction] | None = None
    moments: Type | None = None
    """As what the ends of the range are written, where they are dates or times: then they are seconds since 1970."""
    step: Fraction | None = None
    values: tuple[Value, ...] | None = None
    values_from: tuple[str, str] | None = None
    type: Type | None = None
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Via:
    """``column -> parent.parent_column``: the step towards the table that names the unit."""

    column: str
    parent: str
    parent_column: str


@dataclass(frozen=True, slots=True)
class Table:
    """A table that analysts may name. Public, or private with exactly one of ``unit`` and ``via``."""

    name: str
    public: bool = False
    unit: str | None = None
    rows_per_unit: int | None = None
    via: Via | None = None
    rows_per_parent: int | None = None
    groups_per_unit: int | None = None
    key: tuple[str, ...] = ()
    columns: Mapping[str, Column] = field(default_factory=dict[str, Column])
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Quota:
    """What one analyst may spend, under the dataset's total: an epsilon, or (where there are slots) so many of them."""

    name: str
    epsilon: Fraction | None = None
    slots: int | None = None


@dataclass(frozen=True, slots=True)
class Budget:
    """The promise: this much for all analysts together (for each period, when it renews)."""

    epsilon: Fraction
    delta: Fraction = Fraction(0)
    accounting: Accounting = "zcdp"
    slots: int | None = None
    """The number of basic queries, where the accounting is in slots."""
    sigma: Literal["tight", "printed"] = "tight"
    """How the noise of a slot is computed: the least that is sound, or by the formula as it was printed."""
    per_query: Fraction | None = None
    per_query_delta: Fraction | None = None
    """What a statement may spend of delta on mechanisms that need some."""
    renew: timedelta | None = None
    when_spent: Literal["refuse", "cached"] = "refuse"


@dataclass(frozen=True, slots=True)
class Keys:
    """How private group keys are released: the delta of one selection, and the fewest units."""

    threshold_delta: Fraction
    min_units: int = 1


@dataclass(frozen=True, slots=True)
class Policy:
    """One dataset, as its owner declared it."""

    path: Path
    name: str
    source: str
    ledger: str
    budget: Budget
    tables: Mapping[str, Table]
    keys: Keys | None = None
    analysts: Mapping[str, Quota] = field(default_factory=dict[str, Quota])
    digest: str = ""
    """SHA-256 of the file's bytes: receipts name the policy that they were given under."""

    @property
    def delta_aside(self) -> bool:
        """Whether a part of the budget's delta is kept for what needs some: private keys, and a few mechanisms."""
        return self.keys is not None or self.budget.per_query_delta is not None
