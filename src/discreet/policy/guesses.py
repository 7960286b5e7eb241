"""What a schema suggests of each table: whose rows it holds, or that it may be public.

Names, types and declared keys are all that is looked at. A guess is a proposal to the owner; nothing
rests on it until the owner has read it and every mark in the draft is replaced.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from discreet.plan.types import Type
from discreet.policy.model import Via
from discreet.policy.names import fold

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from discreet.plan.types import ColumnSchema, TableSchema

__all__ = ["Guess", "Kind", "guesses"]

NOUNS = (
    "user",
    "customer",
    "patient",
    "person",
    "people",
    "client",
    "member",
    "subscriber",
    "citizen",
    "participant",
    "respondent",
    "subject",
    "student",
    "employee",
    "worker",
    "driver",
    "rider",
    "passenger",
    "visitor",
    "guest",
    "resident",
    "household",
    "beneficiary",
    "account",
    "device",
)
"""Whose privacy a table is usually about, the likeliest first."""

ENDINGS = ("id", "uuid", "key", "number")
MOST_LOOKUP_COLUMNS = 4


class Kind(Enum):
    """What a table looks like, in the order in which a draft lists them."""

    PEOPLE = "one row for each unit"
    UNIT = "rows that name their unit"
    VIA = "rows that name a row of another table"
    LOOKUP = "looks public"
    UNKNOWN = "nothing to go by"


@dataclass(frozen=True, slots=True)
class Guess:
    """A proposal for one table; ``others`` are further columns that could name a unit."""

    table: TableSchema
    kind: Kind
    unit: str | None = None
    via: Via | None = None
    others: tuple[str, ...] = ()


def guesses(schema: Mapping[str, TableSchema]) -> list[Guess]:
    """One guess for each table, people first."""
    tables = {fold(table.name): table for table in schema.values()}
    people = {name: unit for name, table in tables.items() if (unit := _identity(table))}
    found = {name: guess for name, table in tables.items() if (guess := _by_unit(table, people))}
    while more := {name: via for name, table in tables.items() if name not in found and (via := _by_via(table, found))}:
        found |= more
    referred = {fold(target) for table in tables.values() for _, target, _ in table.foreign_keys}
    for name, table in tables.items():
        kind = Kind.LOOKUP if _looks_public(table, name in referred) else Kind.UNKNOWN
        found.setdefault(name, Guess(table, kind))
    order = list(Kind)
    return sorted((found[name] for name in tables), key=lambda guess: order.index(guess.kind))


def _identity(table: TableSchema) -> str | None:
    """The column that names the unit of a table of people: its primary key, or one called like it."""
    noun = _singular(table.name)
    if noun not in NOUNS:
        return None
    if len(table.primary_key) == 1:
        return table.primary_key[0]
    wanted = {"id", *(noun + ending for ending in ENDINGS)}
    return next((column.name for column in _identities(table) if _plain(column.name) in wanted), None)


def _by_unit(table: TableSchema, people: Mapping[str, str]) -> Guess | None:
    own = people.get(fold(table.name))
    referring = [
        columns[0]
        for columns, target, targets in table.foreign_keys
        if len(columns) == 1 and people.get(fold(target)) == targets[0]
    ]
    named = sorted((rank, column.name) for column in _identities(table) if (rank := _rank(column.name)) is not None)
    candidates: list[str] = [*([own] if own else []), *referring, *(name for _, name in named)]
    units = list(dict.fromkeys(candidates))
    if not units:
        return None
    return Guess(table, Kind.PEOPLE if own else Kind.UNIT, unit=units[0], others=tuple(units[1:]))


def _by_via(table: TableSchema, found: Mapping[str, Guess]) -> Guess | None:
    """The first declared foreign key into a table with a unit, else a column that is called like one."""
    for column, target, target_column in _references(table, found):
        parent = found.get(fold(target))
        if parent and parent.table is not table and "." not in target_column and "->" not in column:
            return Guess(table, Kind.VIA, via=Via(column, parent.table.name, target_column))
    return None


def _references(table: TableSchema, found: Mapping[str, Guess]) -> Iterator[tuple[str, str, str]]:
    for columns, target, targets in table.foreign_keys:
        if len(columns) == 1:
            yield columns[0], target, targets[0]
    for column in _identities(table):
        for parent in found.values():
            if _plain(column.name) == _singular(parent.table.name) + "id":
                for candidate in _identities(parent.table):
                    if _plain(candidate.name) in ("id", _plain(column.name)) and candidate.type is column.type:
                        yield column.name, parent.table.name, candidate.name


def _looks_public(table: TableSchema, referred: bool) -> bool:
    """Something that others refer to, or a few columns without a time: a list of things, not of events."""
    if any(column.type.temporal for column in table.columns.values()):
        return False
    return referred or len(table.columns) <= MOST_LOOKUP_COLUMNS


def _identities(table: TableSchema) -> list[ColumnSchema]:
    """Columns whose type can identify anything."""
    return [c for c in table.columns.values() if c.type not in (Type.FLOAT, Type.BOOLEAN, Type.DATE, Type.TIMESTAMP)]


def _rank(column: str) -> int | None:
    """How likely a column of this name is to name a unit: the place of its noun, lowest first."""
    plain = _plain(column)
    return next((place for place, noun in enumerate(NOUNS) if plain in {noun + ending for ending in ENDINGS}), None)


def _plain(name: str) -> str:
    return fold(name).replace("_", "").replace(" ", "")


def _singular(table: str) -> str:
    name = _plain(table.rpartition(".")[2])
    if name.endswith("ies"):
        return name[:-3] + "y"
    return name.removesuffix("s")
