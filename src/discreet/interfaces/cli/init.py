"""``discreet init``: a first policy from a schema. No row is read, and what the owner must decide is marked."""

from __future__ import annotations

import re
from argparse import ArgumentParser, Namespace
from pathlib import Path

from discreet.errors import PolicyError
from discreet.interfaces.cli.command import Command
from discreet.interfaces.cli.failures import Exit, Failure
from discreet.interfaces.cli.screen import err, out

__all__ = ["INIT"]

DATABASES = {".duckdb", ".ddb", ".db"}


def _options(parser: ArgumentParser) -> None:
    parser.add_argument(
        "source", metavar="SOURCE", help="duckdb:///shop.duckdb, or a path to a database, file or folder"
    )
    parser.add_argument("-o", "--output", metavar="FILE", default="discreet.toml", help="default: discreet.toml")
    parser.add_argument("--force", action="store_true", help="write over a file that is there")


def _run(arguments: Namespace) -> int:
    target = Path(arguments.output).absolute()
    if target.exists() and not arguments.force:
        raise Failure(f"{arguments.output} is there already", "name another file with -o FILE, or say --force")
    text, tables, decisions = _draft(arguments.source, target.parent)
    try:
        target.write_text(text, encoding="utf-8")
    except OSError as error:
        raise Failure(f"{arguments.output} cannot be written: {error.strerror}") from error
    out().print(arguments.output, markup=False)
    console = err()
    console.print(f"drafted from the schema of {tables} tables; no row was read")
    console.print(f"next: decide the {decisions} places that are marked DECIDE, then run discreet check")
    return Exit.ANSWERED


def _draft(given: str, folder: Path) -> tuple[str, int, int]:
    """The text of the policy, how many tables it names, and how many decisions it asks for."""
    from discreet.engines import open_engine
    from discreet.policy.draft import draft
    from discreet.policy.keys import DECIDE
    from discreet.policy.source import source_at

    try:
        url = source_at(_as_url(given), Path.cwd())
        engine = open_engine(url, {})
    except PolicyError as error:
        raise Failure(error.message, error.hint) from error
    try:
        schema = engine.schema()
    finally:
        engine.close()
    text = draft(_written(url, folder), schema, name=_name(url))
    return text, len(schema), text.count(f'= "{DECIDE}"')


def _as_url(given: str) -> str:
    """A bare path to a database is taken for DuckDB's; other bare paths are read as the policy reads them."""
    is_database = "://" not in given and Path(given).suffix.lower() in DATABASES
    return f"duckdb:///{given}" if is_database else given


def _written(url: str, folder: Path) -> str:
    """The source as the policy should name it: relative where it lies below the policy's folder."""
    scheme, _, place = url.partition(":///")
    path = Path(place)
    return f"{scheme}:///{path.relative_to(folder).as_posix()}" if path.is_relative_to(folder) else url


def _name(url: str) -> str:
    stem = re.sub(r"[^A-Za-z0-9_.-]+", "-", Path(url.partition(":///")[2]).stem).strip("-._")
    return stem[:63] or "dataset"


INIT = Command("init", "draft a policy from the schema of a source", _options, _run, policy=False)
