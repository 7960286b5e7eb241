"""A release as a table, CSV, JSON, Arrow (an IPC stream) or Parquet."""

from __future__ import annotations

import csv
import os
import sys
from collections.abc import Callable
from io import BytesIO, StringIO
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.interfaces.cli.failures import Failure
from discreet.interfaces.cli.screen import UNBROKEN, out, print_json

if TYPE_CHECKING:
    from discreet.release import Release

__all__ = ["FORMATS", "SEVERAL", "check_destination", "write", "write_all"]


def check_destination(kind: str, path: str | None) -> None:
    """Refuse what could not be written, before the question is paid for."""
    if path is None:
        if kind in BINARY and sys.stdout.isatty():
            raise Failure(f"{kind} is not for a terminal", "name a file with -o FILE, or pipe it")
        return
    folder = Path(path).absolute().parent
    if Path(path).is_dir() or not folder.is_dir() or not os.access(folder, os.W_OK):
        raise Failure(f"{path} cannot be written", "name a file in a folder that exists and that you may write to")


def write(release: Release, kind: str, path: str | None) -> None:
    if path is None and kind == "table":
        from discreet.release.show import numbers

        out().print(numbers(release))
    elif path is None:
        sys.stdout.flush()
        sys.stdout.buffer.write(WRITERS[kind](release))
    else:
        try:
            Path(path).write_bytes(WRITERS[kind](release))
        except OSError as error:
            hint = "the answer is kept: ask the same question again, at no cost"
            raise Failure(f"{path} cannot be written: {error.strerror}", hint) from error


def write_all(releases: list[Release], kind: str) -> None:
    """The answers to several statements, in their order."""
    if kind == "json":
        print_json([_as_dict(release) for release in releases])
        return
    from discreet.release.show import numbers

    for place, release in enumerate(releases):
        if place:
            out().print()
        out().print(numbers(release))


def _table(release: Release) -> bytes:
    from rich.console import Console

    from discreet.release.show import numbers

    page = StringIO()
    Console(file=page, width=UNBROKEN, color_system=None).print(numbers(release))
    return page.getvalue().encode()


def _csv(release: Release) -> bytes:
    page = StringIO()
    rows = csv.writer(page, lineterminator="\n")
    rows.writerow(release.columns)
    rows.writerows(release)
    return page.getvalue().encode("utf-8", "replace")


def _json(release: Release) -> bytes:
    import json

    text = json.dumps(_as_dict(release), indent=2, ensure_ascii=False, allow_nan=False, default=str)
    return (text + "\n").encode("utf-8", "replace")


def _as_dict(release: Release) -> dict[str, Any]:
    intervals = release.intervals()
    return {
        "columns": release.columns,
        "rows": [list(map(_cell, row)) for row in release],
        "intervals": {name: [None if ends is None else list(ends) for ends in all] for name, all in intervals.items()},
        "cost": release.cost.to_dict(),
        "remaining": release.remaining.to_dict(),
        "receipt": release.receipt.to_dict(),
        "notes": release.notes,
        "repeated": release.repeated,
    }


def _cell(value: Any) -> Any:
    """A group key may be NaN or infinite, for which JSON has no number: it is a text then."""
    return str(value) if isinstance(value, float) and not isfinite(value) else value


def _arrow(release: Release) -> bytes:
    import pyarrow as pa

    table, page = release.to_arrow(), BytesIO()
    with pa.ipc.new_stream(page, table.schema) as stream:
        stream.write_table(table)
    return page.getvalue()


def _parquet(release: Release) -> bytes:
    from pyarrow import parquet

    page = BytesIO()
    parquet.write_table(release.to_arrow(), page)  # pyright: ignore[reportUnknownMemberType]
    return page.getvalue()


WRITERS: dict[str, Callable[[Release], bytes]] = {
    "table": _table,
    "csv": _csv,
    "json": _json,
    "arrow": _arrow,
    "parquet": _parquet,
}
FORMATS = tuple(WRITERS)
BINARY = ("arrow", "parquet")
SEVERAL = ("table", "json")
