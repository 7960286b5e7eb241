"""Scalar expressions: columns, literals, calls of a closed set of operations, and CASE."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from discreet.errors import Span
from discreet.plan.types import Type, Value

__all__ = ["Call", "Case", "ColumnRef", "Literal", "Op", "Scalar", "columns", "conjuncts", "walk"]


class Op(StrEnum):
    """Every operation that a plan may hold. All of them are total: none can fail on any row."""

    AND = "and"
    OR = "or"
    NOT = "not"
    EQ = "="
    NE = "<>"
    LT = "<"
    LE = "<="
    GT = ">"
    GE = ">="
    IN = "in"
    LIKE = "like"
    ILIKE = "ilike"
    IS_NULL = "is_null"
    COALESCE = "coalesce"
    NULLIF = "nullif"
    NEG = "neg"
    ADD = "+"
    SUB = "-"
    MUL = "*"
    DIV = "/"
    INTDIV = "//"
    MOD = "%"
    ABS = "abs"
    ROUND = "round"
    FLOOR = "floor"
    CEIL = "ceil"
    SIGN = "sign"
    SQRT = "sqrt"
    GREATEST = "greatest"
    LEAST = "least"
    LOWER = "lower"
    UPPER = "upper"
    LENGTH = "length"
    TRIM = "trim"
    LTRIM = "ltrim"
    RTRIM = "rtrim"
    SUBSTRING = "substring"
    CONCAT = "concat"
    REPLACE = "replace"
    LEFT = "left"
    RIGHT = "right"
    STARTS_WITH = "starts_with"
    CONTAINS = "contains"
    YEAR = "year"
    QUARTER = "quarter"
    MONTH = "month"
    WEEK = "week"
    DAY = "day"
    DAY_OF_WEEK = "day_of_week"
    DAY_OF_YEAR = "day_of_year"
    HOUR = "hour"
    MINUTE = "minute"
    SECOND = "second"
    DATE_TRUNC = "date_trunc"
    SINCE_1970 = "since_1970"
    TO_INTEGER = "to_integer"
    TO_FLOAT = "to_float"
    TO_TEXT = "to_text"
    TO_DATE = "to_date"
    TO_TIMESTAMP = "to_timestamp"
    TO_BOOLEAN = "to_boolean"
    CLAMP = "clamp"
    GRID = "grid"
    INTERVAL_LOW = "interval_low"
    INTERVAL_HIGH = "interval_high"


@dataclass(frozen=True, slots=True)
class ColumnRef:
    """A column of a relation below (``source`` is its alias), or of the release (``source`` is empty)."""

    source: str
    name: str
    type: Type
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Literal:
    value: Value
    type: Type
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Call:
    op: Op
    args: tuple[Scalar, ...]
    type: Type
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Case:
    """The first branch whose condition is true, else the default (NULL when there is none)."""

    branches: tuple[tuple[Scalar, Scalar], ...]
    default: Scalar | None
    type: Type
    span: Span | None = field(default=None, compare=False, repr=False)


Scalar = ColumnRef | Literal | Call | Case


def children(scalar: Scalar) -> tuple[Scalar, ...]:
    match scalar:
        case Call(args=args):
            return args
        case Case(branches=branches, default=default):
            inner = tuple(part for branch in branches for part in branch)
            return inner if default is None else (*inner, default)
        case _:
            return ()


def walk(scalar: Scalar) -> Iterator[Scalar]:
    yield scalar
    for child in children(scalar):
        yield from walk(child)


def conjuncts(predicate: Scalar) -> Iterator[Scalar]:
    """The conditions that AND ties together."""
    if isinstance(predicate, Call) and predicate.op is Op.AND:
        for arg in predicate.args:
            yield from conjuncts(arg)
    else:
        yield predicate


def columns(scalar: Scalar) -> frozenset[ColumnRef]:
    return frozenset(part for part in walk(scalar) if isinstance(part, ColumnRef))
