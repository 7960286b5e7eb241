"""A first policy for ``discreet init``, written from a schema alone: no row is read.

What only the owner can decide carries the mark "DECIDE", which ``load`` refuses by name and line, so
the draft cannot be used by accident.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.plan.types import Type
from discreet.policy.guesses import Guess, Kind, guesses
from discreet.policy.keys import DECIDE
from discreet.policy.names import fold, toml_key, toml_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from discreet.plan.types import ColumnSchema, TableSchema

__all__ = ["draft"]

MARK = toml_text(DECIDE)

HEAD = """\
# The privacy policy of a dataset, drafted from its schema alone: no row was read.
# Replace every "DECIDE"; `discreet check` refuses the file until none is left.
# Analysts may read this file: write what is known of the subject, not what the data shows.

[dataset]
name   = {name}
source = {source}

[budget]
# What all answers together may reveal about one unit, for ever: 1 is strong, 3 is common, 10 is weak.
epsilon = "DECIDE"
# The chance that this promise fails: far below one over the number of units, for example 1e-8.
delta   = "DECIDE"
# What a question costs when it names no price.
# per_query = {{ epsilon = 0.1 }}

# To show group keys that are not declared below, above a threshold on distinct units:
# [keys]
# threshold_delta = 1e-8       # at most the delta above; one selection of keys costs this much
# min_units       = 10
"""

ROWS_PER_UNIT = (
    "The most rows of one unit that count; further rows are left out. Higher keeps more rows and adds more noise.\n"
    '# Or "auto": each question chooses it privately, on a part of its price.'
)
REMARKS = {
    Kind.PEOPLE: "One row for each unit, it seems: {unit} names whose privacy is protected.",
    Kind.UNIT: "{unit} seems to name whose privacy is protected.",
    Kind.VIA: "Rows seem to belong to a unit through {parent}.",
    Kind.LOOKUP: (
        "Seems to describe things, not people. If everyone may know every row of it, write public = true;\n"
        '# if not, remove public and write unit = "…" and rows_per_unit = …'
    ),
    Kind.UNKNOWN: (
        "Nothing tells whose rows these are. Write the column that names the unit; or public = true alone;\n"
        "# or remove the table: what is not in this file does not exist for analysts."
    ),
}


def draft(source: str, schema: Mapping[str, TableSchema], *, name: str) -> str:
    """The text of a policy for these tables, to be completed by the owner."""
    parts = [HEAD.format(name=toml_text(name), source=toml_text(source))]
    found = guesses(schema)
    lookups = {fold(guess.table.name) for guess in found if guess.kind is Kind.LOOKUP}
    untyped = source.startswith("csv:") or source.lower().endswith(".csv")
    parts += ["\n".join([*_head(guess), *_columns(guess, lookups, untyped), ""]) for guess in found]
    return "\n".join(parts)


def _head(guess: Guess) -> Iterator[str]:
    parent = toml_text(guess.via.parent) if guess.via else ""
    yield f"# {REMARKS[guess.kind].format(unit=toml_text(guess.unit or ''), parent=parent)}"
    if guess.others:
        yield f"# Rows also name {', '.join(map(toml_text, guess.others))}: this policy would not protect those."
    yield f"[tables.{toml_key(guess.table.name)}]"
    yield from _whose(guess)


def _whose(guess: Guess) -> Iterator[str]:
    match guess.kind:
        case Kind.PEOPLE | Kind.UNIT:
            sole = guess.table.primary_key == (guess.unit,)
            yield f"unit = {toml_text(guess.unit or DECIDE)}"
            yield from () if sole else [f"# {ROWS_PER_UNIT}"]
            yield f"rows_per_unit = {1 if sole else MARK}"
        case Kind.VIA:
            via = guess.via
            assert via is not None
            yield f"via = {toml_text(f'{via.column} -> {via.parent}.{via.parent_column}')}"
            yield '# The most rows of one parent row that count; further rows are left out. Or "auto".'
            yield f"rows_per_parent = {MARK}"
        case Kind.LOOKUP:
            yield f"public = {MARK}"
        case Kind.UNKNOWN:
            yield f"unit = {MARK}"
            yield f"# {ROWS_PER_UNIT}"
            yield f"rows_per_unit = {MARK}"


def _columns(guess: Guess, lookups: set[str], untyped: bool) -> Iterator[str]:
    """Bounds for numbers, public keys for booleans, and a commented proposal for other group keys."""
    lines = [line for column in guess.table.columns.values() for line in _column(guess, column, lookups, untyped)]
    if any('range = "DECIDE"' in line for line in lines):
        yield '# A range is [lowest, highest], or "auto": chosen privately. A column without one cannot be summed.'
    yield from sorted(lines, key=lambda line: line.startswith("#"))


def _column(guess: Guess, column: ColumnSchema, lookups: set[str], untyped: bool) -> Iterator[str]:
    name = f"columns.{toml_key(column.name)}"
    if not column.name.isprintable():
        return
    if untyped and column.type in (Type.TEXT, Type.OTHER):
        yield f"{name} = {{ type = {MARK} }}"
    elif guess.kind is Kind.LOOKUP or column.name in _identities(guess):
        yield from _lookup_keys(guess, column, lookups)
    elif column.type.numeric:
        yield f"{name} = {{ range = {MARK} }}"
    elif column.type is Type.BOOLEAN:
        yield f"{name} = {{ values = [true, false] }}"
    elif column.type is Type.TEXT:
        yield f"# {name} = {{ values = [ … ] }}    # group keys that everyone may know"


def _lookup_keys(guess: Guess, column: ColumnSchema, lookups: set[str]) -> Iterator[str]:
    for columns, target, targets in guess.table.foreign_keys:
        if columns == (column.name,) and fold(target) in lookups and guess.kind is not Kind.LOOKUP:
            keys = toml_text(f"{target}.{targets[0]}")
            yield f"# columns.{toml_key(column.name)} = {{ values_from = {keys} }}    # if that table is public"


def _identities(guess: Guess) -> set[str]:
    """Columns that point at things and are not summed: keys, foreign keys, the unit."""
    foreign = (name for columns, _, _ in guess.table.foreign_keys for name in columns)
    named = (name for name in guess.table.columns if fold(name) == "id" or fold(name).endswith("_id"))
    return {*guess.table.primary_key, *foreign, *named, guess.unit or "", *guess.others}
