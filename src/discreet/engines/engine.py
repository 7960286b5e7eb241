"""What every engine can do, and how exact values travel."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

import pyarrow as pa

from discreet.plan.types import TableSchema, Value
from discreet.privacy.bounded import Bounded, DomainQuery

__all__ = ["Engine", "Exact"]


@dataclass(frozen=True, slots=True)
class Exact:
    """Exact integers of every group that has rows. Its fields do not print, and it does not pickle."""

    keys: list[tuple[Value, ...]] = field(repr=False)
    parts: list[list[int]] = field(repr=False)
    """One list a part, each as long as ``keys``."""
    histograms: list[list[dict[int, int]]] = field(default_factory=list[list[dict[int, int]]], repr=False)
    """One list a histogram, each as long as ``keys``: cells that have rows, and how many."""

    def __reduce__(self) -> str:
        raise TypeError("exact values do not leave the process")


class Engine(Protocol):
    """One source of data. Everything but ``fetch`` touches public things alone."""

    dialect: str

    def schema(self) -> Mapping[str, TableSchema]: ...

    def version(self) -> str:
        """What changes when the data does; it is hashed with a secret before it is shown."""
        ...

    def fan_out(self, table: str, columns: tuple[str, ...]) -> int: ...

    def domain(self, query: DomainQuery) -> tuple[tuple[Value, ...], ...]: ...

    def table(self, name: str) -> pa.Table:
        """Every row of a public table."""
        ...

    def emit(self, bounded: Bounded) -> str:
        """The SQL that ``fetch`` runs; its one parameter is the secret of the query."""
        ...

    def fetch(self, sql: str, bounded: Bounded, secret: str) -> Exact:
        """The only touch of private data."""
        ...

    def close(self) -> None: ...
