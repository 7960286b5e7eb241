"""``discreet views``: what is published, and what it was made from."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from discreet.interfaces.cli.command import Command
from discreet.interfaces.cli.failures import Exit
from discreet.interfaces.cli.screen import out, print_json

if TYPE_CHECKING:
    from discreet.release import View

__all__ = ["VIEWS"]


def _options(parser: ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="the list as JSON")


def _run(arguments: Namespace) -> int:
    from discreet.session import connect

    with connect(arguments.policy, analyst=arguments.analyst) as database:
        views = list(database.views.values())
    if arguments.json:
        print_json([_as_dict(view) for view in views])
    elif views:
        _show(views)
    else:
        out().print("nothing is published")
    return Exit.ANSWERED


def _as_dict(view: View) -> dict[str, Any]:
    return {
        "name": view.qualified,
        "columns": view.columns,
        "law": view.law,
        "statement": view.statement,
        "time": view.time.isoformat(),
        "receipt": {"id": view.receipt.id, "hash": view.receipt.hash},
    }


def _show(views: list[View]) -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from discreet.plan.printable import printable

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for name in HEADS:
        table.add_column(name, no_wrap=name != HEADS[-1])
    for view in views:
        cells = (view.qualified, ", ".join(view.columns), view.law, f"{view.time:%Y-%m-%d}", _line(view.statement))
        table.add_row(*(Text(printable(cell), no_wrap=True, overflow="ellipsis") for cell in cells))
    out().print(table)


HEADS = ("name", "columns", "law", "published", "made from")


def _line(statement: str) -> str:
    return " ".join(statement.split())


VIEWS = Command("views", "what is published: tables of released numbers that are free to ask", _options, _run)
