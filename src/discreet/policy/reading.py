"""A table of the policy file with its place in the file: typed reads, and complaints that say where."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, cast

from discreet.errors import PolicyError
from discreet.policy.keys import KEYS
from discreet.policy.model import AUTO
from discreet.policy.names import did_you_mean, fold, toml_key

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from discreet.policy.codes import Code
    from discreet.policy.lines import KeyPath, Lines
    from discreet.policy.model import Most

__all__ = ["MOST", "Section", "kind_of"]

MOST = 10**9
"""The largest count that a bound may declare: products of bounds must stay far from overflow."""

DIGITS = 38
"""Digits before and after the point that a number may have, as in the widest DECIMAL."""


@dataclass(frozen=True, slots=True)
class Section:
    """One table of the file. Every read returns None for a key that is absent and refuses a wrong type."""

    data: Mapping[str, object]
    path: KeyPath
    file: Path
    lines: Lines

    def refuse(self, code: Code, message: str, hint: str, *below: str | int) -> PolicyError:
        return PolicyError(code, message, hint, file=self.file, line=self.lines.of((*self.path, *below)))

    def name_of(self, *below: str | int) -> str:
        """The dotted name of a key, quoted as TOML needs it."""
        return ".".join(toml_key(str(part)) for part in (*self.path, *below))

    def only(self, kind: str) -> None:
        """Refuse the first key that a section of this kind cannot hold."""
        for key in self.data:
            if key not in KEYS[kind]:
                hint = did_you_mean(key, KEYS[kind])
                raise self.refuse("unknown-key", f"{self.name_of(key)} is not a key of the policy", hint, key)

    def need(self, key: str, example: str) -> None:
        if key not in self.data:
            raise self.refuse("missing-key", f"{self.name_of(key)} is missing", f"write {example}")

    def wrong(self, key: str, wanted: str, example: str) -> PolicyError:
        message = f"{self.name_of(key)} must be {wanted}, and is {kind_of(self.data[key])}"
        return self.refuse("wrong-type", message, f"write {example}", key)

    def section(self, key: str) -> Section | None:
        return self.inner(key) if key in self.data else None

    def inner(self, key: str) -> Section:
        """The section under a key that is there."""
        value = self.data[key]
        if not isinstance(value, dict):
            raise self.wrong(key, "a table", f"[{self.name_of(key)}] and its keys below")
        return Section(cast("dict[str, object]", value), (*self.path, key), self.file, self.lines)

    def sections(self, key: str) -> Iterator[tuple[str, Section]]:
        """The named tables below ``key``; names that differ only in case are refused."""
        seen: dict[str, str] = {}
        above = self.section(key) or Section({}, self.path, self.file, self.lines)
        for name in above.data:
            twin = seen.setdefault(fold(name), name)
            if twin != name:
                message = f'{above.name_of(name)} and "{twin}" differ only in case, and names ignore case'
                raise above.refuse("duplicate-name", message, "keep one of them", name)
            if not name or not name.isprintable():
                raise above.refuse("bad-name", f"{above.name_of()} has an unprintable name", "rename it", name)
            yield name, above.inner(name)

    def text(self, key: str, example: str) -> str | None:
        value = self.data.get(key)
        if value is None:
            return None
        if not isinstance(value, str):
            raise self.wrong(key, "text in quotes", example)
        if not value.strip() or not value.isprintable():
            message = f"{self.name_of(key)} is empty or has an unprintable character"
            raise self.refuse("bad-name", message, f"write {example}", key)
        return value

    def flag(self, key: str) -> bool:
        value = self.data.get(key, False)
        if not isinstance(value, bool):
            raise self.wrong(key, "true or false", f"{key} = true")
        return value

    def count(self, key: str) -> int | None:
        """A whole number from 1 to MOST."""
        value = self.data.get(key)
        if value is None:
            return None
        if type(value) is not int or not 1 <= value <= MOST:
            message = f"{self.name_of(key)} must be a whole number from 1 to {MOST}"
            raise self.refuse("bad-count", message, f"write a number without quotes, for example {key} = 10", key)
        return value

    def most(self, key: str) -> Most | None:
        """The same, or that it is to be chosen."""
        return AUTO if self.data.get(key) == AUTO else self.count(key)

    def number(self, key: str, code: Code, example: str) -> Fraction | None:
        value = self.data.get(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | Decimal):
            raise self.wrong(key, "a number", example)
        return self.exact(value, code, f"write {example}", key)

    def exact(self, value: int | Decimal, code: Code, hint: str, *below: str | int) -> Fraction:
        """The number as a fraction; ``code`` refuses NaN and infinity, which are numbers in TOML."""
        if isinstance(value, Decimal) and not value.is_finite():
            raise self.refuse(code, f"{self.name_of(*below)} is not a finite number", hint, *below)
        if _too_wide(value):
            message = f"{self.name_of(*below)} has more than {DIGITS} digits before or after the point"
            raise self.refuse("number-size", message, "write a number of an ordinary size", *below)
        return Fraction(value)


def kind_of(value: object) -> str:
    """What an owner would call this value."""
    match value:
        case bool():
            return "true or false"
        case str():
            return "text"
        case int() | Decimal():
            return "a number"
        case list():
            return "a list"
        case dict():
            return "a table"
        case dt.datetime() | dt.date() | dt.time():
            return "a date or time"
        case _:
            return "something else"


def _too_wide(value: int | Decimal) -> bool:
    if isinstance(value, int):
        return abs(value) >= 10**DIGITS
    exponent = value.as_tuple().exponent
    assert isinstance(exponent, int)
    return value.adjusted() >= DIGITS or exponent < -DIGITS
