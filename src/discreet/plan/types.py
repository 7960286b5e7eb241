"""The few types that a plan knows, and what the live schema says of a table."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["ColumnSchema", "TableSchema", "Told", "Type", "Value"]

Value = None | bool | int | float | Decimal | str | dt.date | dt.datetime

Told = Value | list[Value]
"""What an answer may hold."""


class Type(Enum):
    """What an expression is, as far as soundness needs to know."""

    BOOLEAN = "boolean"
    INTEGER = "integer"
    DECIMAL = "decimal"
    FLOAT = "float"
    TEXT = "text"
    DATE = "date"
    TIMESTAMP = "timestamp"
    NULL = "null"
    LIST = "list"
    OTHER = "other"

    @property
    def numeric(self) -> bool:
        return self in (Type.INTEGER, Type.DECIMAL, Type.FLOAT)

    @property
    def temporal(self) -> bool:
        return self in (Type.DATE, Type.TIMESTAMP)


@dataclass(frozen=True, slots=True)
class ColumnSchema:
    """A column of the live schema; ``scale`` is the digits after the point of a DECIMAL."""

    name: str
    type: Type
    scale: int | None = None


@dataclass(frozen=True, slots=True)
class TableSchema:
    """A table of the live schema: names and declared constraints, never a count of rows."""

    name: str
    columns: Mapping[str, ColumnSchema]
    primary_key: tuple[str, ...] = ()
    unique: tuple[tuple[str, ...], ...] = ()
    foreign_keys: tuple[tuple[tuple[str, ...], str, tuple[str, ...]], ...] = ()
