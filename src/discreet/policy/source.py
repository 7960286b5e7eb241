"""Where the data and the ledger are: what the owner writes becomes one absolute URL.

Three slashes are relative to the policy's folder and four are absolute, as in SQLAlchemy. A bare
path to a Parquet or CSV file, or to a folder of one of them, is a source as well. Messages quote
what is written in the file, before ${ENV} is expanded: a password must not reach a terminal.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.policy.lines import Lines
from discreet.policy.names import did_you_mean
from discreet.policy.reading import Section

if TYPE_CHECKING:
    from discreet.policy.codes import Code

__all__ = ["read_ledger", "read_source", "source_at"]

FORMS = "duckdb:///shop.duckdb, parquet:///folder, csv:///folder, or a path to a .parquet or .csv file or folder"


@dataclass(frozen=True, slots=True)
class _Address:
    """A key of [dataset] that holds a URL, and the kinds of URL that it may hold now and later."""

    key: str
    code: Code
    now: tuple[str, ...]
    later: tuple[str, ...]
    example: str


SOURCE = _Address(
    key="source",
    code="bad-source",
    now=("duckdb", "parquet", "csv"),
    later=("postgresql", "postgres", "clickhouse", "chdb", "spark", "sc"),
    example='source = "duckdb:///shop.duckdb"',
)
LEDGER = _Address(
    key="ledger",
    code="bad-ledger",
    now=("sqlite",),
    later=("postgresql", "postgres"),
    example='ledger = "sqlite:///shop.ledger" (three slashes: beside the policy file)',
)


def read_source(dataset: Section, folder: Path) -> str:
    dataset.need("source", SOURCE.example)
    text = _expanded(dataset, SOURCE)
    return _absolute(dataset, SOURCE, text, folder) if "://" in text else _bare_path(dataset, text, folder)


def source_at(text: str, folder: Path) -> str:
    """The URL of a source that is named outside of a policy, by the same rules."""
    return read_source(Section({"source": text}, ("dataset",), folder, Lines("")), folder)


def read_ledger(dataset: Section, folder: Path, name: str) -> str:
    """The ledger's URL; without one it is a file called after the dataset, beside the policy."""
    if "ledger" not in dataset.data:
        return f"sqlite:///{(folder / f'{name}.ledger').as_posix()}"
    text = _expanded(dataset, LEDGER)
    if "://" not in text:
        message = f"dataset.ledger is not a URL: {dataset.data['ledger']}"
        raise dataset.refuse("bad-ledger", message, f"write {LEDGER.example}", "ledger")
    return _absolute(dataset, LEDGER, text, folder)


def _expanded(dataset: Section, address: _Address) -> str:
    key = address.key

    def value_of(match: re.Match[str]) -> str:
        name = match.group(1)
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) or name not in os.environ:
            message = f"dataset.{key} needs the environment variable {name!r}, which is not set"
            raise dataset.refuse("missing-env", message, f"set it before the start, or write the {key} out", key)
        return os.environ[name]

    return re.sub(r"\$\{([^}]*)\}?", value_of, dataset.text(key, address.example) or "")


def _absolute(dataset: Section, address: _Address, text: str, folder: Path) -> str:
    key = address.key
    scheme, _, rest = text.partition("://")
    family = scheme.partition("+")[0]
    if family in address.later:
        message = f"dataset.{key}: {family}:// is not supported yet"
        raise dataset.refuse("unsupported", message, f"supported now: {', '.join(address.now)}", key)
    if scheme not in address.now:
        message = f"dataset.{key} has a kind of URL that is not known: {dataset.data[key]}"
        raise dataset.refuse(address.code, message, did_you_mean(scheme, address.now), key)
    path = rest[1:]
    if not rest.startswith("/") or not path or path.startswith(":") or "\0" in path:
        message = f"dataset.{key} names no file: {dataset.data[key]}"
        hint = f"write {scheme}:///name for a file beside the policy, {scheme}:////folder/name for an absolute path"
        raise dataset.refuse(address.code, message, hint, key)
    return f"{scheme}:///{(folder / path).as_posix()}"


def _bare_path(dataset: Section, text: str, folder: Path) -> str:
    path = folder / text
    suffixes = _suffixes_in(path) if os.path.isdir(path) else {path.suffix.lower()}
    kinds = sorted(suffixes & {".parquet", ".csv"})
    if len(kinds) == 1:
        return f"{kinds[0][1:]}:///{path.as_posix()}"
    what = "holds both .parquet and .csv files" if kinds else "is not a source that is known"
    raise dataset.refuse("bad-source", f"dataset.source {what}: {dataset.data['source']}", f"write {FORMS}", "source")


def _suffixes_in(folder: Path) -> set[str]:
    try:
        return {Path(name).suffix.lower() for name in os.listdir(folder)}
    except OSError:
        return set()
