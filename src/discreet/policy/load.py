"""Read ``discreet.toml``: from text to a Policy in which nothing is left open, or to one complaint.

A complaint says what was found, what is allowed and where. The first one is raised; nothing is
guessed and no bound has a default. Numbers stay exact: 0.1 in the file is one tenth.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import TYPE_CHECKING, cast

from discreet.errors import PolicyError
from discreet.policy.allowance import read_analysts, read_budget, read_keys
from discreet.policy.keys import DECIDE, DECISIONS
from discreet.policy.lines import KeyPath, Lines
from discreet.policy.model import Policy
from discreet.policy.reading import Section
from discreet.policy.source import read_ledger, read_source
from discreet.policy.tables import read_tables

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["FILE_NAME", "load", "loads"]

FILE_NAME = "discreet.toml"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,62}")


def load(path: str | Path | None = None) -> Policy:
    """The policy in this file, or in this folder; without a path, here or in the nearest folder above."""
    found = _find(path)
    try:
        data = found.read_bytes()
    except OSError as error:
        hint = "make one with: discreet init SOURCE"
        raise PolicyError("no-policy", "the policy cannot be read", hint, file=found) from error
    return _parsed(data, found)


def loads(text: str, path: str | Path = FILE_NAME) -> Policy:
    """The policy in this text, as if it stood in the file ``path``."""
    return _parsed(text.encode("utf-8", "surrogatepass"), Path(path).absolute())


def _find(path: str | Path | None) -> Path:
    if path is not None:
        given = Path(path).absolute()
        return given / FILE_NAME if given.is_dir() else given
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / FILE_NAME).is_file():
            return folder / FILE_NAME
    hint = "make one with: discreet init SOURCE, or name one with --policy FILE"
    raise PolicyError("no-policy", f"there is no {FILE_NAME} in {here} or above", hint)


def _parsed(data: bytes, path: Path) -> Policy:
    root = _root(data, path)
    _check_decided(root)
    root.only("")
    root.need("dataset", "[dataset] with name and source")
    dataset = root.inner("dataset")
    dataset.only("dataset")
    name = _name(dataset)
    budget = read_budget(root)
    return Policy(
        path=path,
        name=name,
        source=read_source(dataset, path.parent),
        ledger=read_ledger(dataset, path.parent, name),
        budget=budget,
        tables=read_tables(root),
        keys=read_keys(root, budget),
        analysts=read_analysts(root, budget),
        digest=hashlib.sha256(data).hexdigest(),
    )


def _root(data: bytes, path: Path) -> Section:
    """The file as TOML. A ValueError is bad UTF-8, bad TOML or a number of thousands of digits."""
    try:
        text = data.decode("utf-8").replace("\r\n", "\n")
        return Section(tomllib.loads(text, parse_float=_decimal), (), path, Lines(text))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise PolicyError(
            "toml-syntax", "the file is not UTF-8 text", "save it as UTF-8", file=path, line=line
        ) from error
    except (ValueError, RecursionError) as error:
        message = "brackets are nested too deep" if isinstance(error, RecursionError) else str(error)
        raise _syntax(message, data, path) from error


def _syntax(message: str, data: bytes, path: Path) -> PolicyError:
    what, _, place = message.partition(" (at ")
    line = re.match(r"line ([0-9]+)", place)
    at = int(line[1]) if line else data.count(b"\n") + (not data.endswith(b"\n"))
    hint = 'write key = value: text in "quotes", numbers bare, lists in [ ], a section under [its.name]'
    return PolicyError("toml-syntax", f"this is not TOML: {what}", hint, file=path, line=at)


def _decimal(text: str) -> Decimal:
    """An exact number; one whose exponent no Decimal can hold is read as NaN, which is refused in its place."""
    try:
        return Decimal(text)
    except InvalidOperation:
        return Decimal("NaN")


def _check_decided(root: Section) -> None:
    marks = list(_marks(root.data, ()))
    if not marks:
        return
    first = marks[0]
    key = next((part for part in reversed(first) if isinstance(part, str)), "")
    more = f" (and {len(marks) - 1} more)" if len(marks) > 1 else ""
    hint = DECISIONS.get(key, "write your decision in place of the mark")
    raise root.refuse("undecided", f"{root.name_of(*first)} is not decided yet{more}", hint, *first)


def _marks(value: object, path: KeyPath) -> Iterator[KeyPath]:
    if value == DECIDE:
        yield path
    elif isinstance(value, dict):
        for key, below in cast("dict[str, object]", value).items():
            yield from _marks(below, (*path, key))
    elif isinstance(value, list):
        for place, below in enumerate(cast("list[object]", value)):
            yield from _marks(below, (*path, place))


def _name(dataset: Section) -> str:
    dataset.need("name", 'name = "shop"')
    name = dataset.text("name", 'name = "shop"') or ""
    if not NAME.fullmatch(name):
        message = "dataset.name may have letters, digits, _, - and . (it names the ledger's file)"
        raise dataset.refuse("bad-name", message, 'write a short name: name = "shop"', "name")
    return name
