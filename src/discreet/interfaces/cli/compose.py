"""``discreet compose``: what several answers cost together, by every theorem. A calculator: it needs no dataset."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from discreet.interfaces.cli.command import Command
from discreet.interfaces.cli.failures import Exit, Failure
from discreet.interfaces.cli.screen import out, print_json

if TYPE_CHECKING:
    from discreet.accounting import Comparison

__all__ = ["COMPOSE"]


def _options(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--epsilon", metavar="E", type=float, nargs="+", required=True, help="of one query, or of several in turn"
    )
    parser.add_argument("-k", "--times", metavar="K", type=int, default=1, help="how often they are asked (default: 1)")
    parser.add_argument("--delta", metavar="D", type=float, required=True, help="at which the total is told")
    parser.add_argument("--delta-each", metavar="D", type=float, default=0.0, help="of every query (default: 0)")
    parser.add_argument(
        "--mechanism", choices=("any", "laplace", "gaussian"), default="any", help="what is known of them (any)"
    )
    parser.add_argument("--units", metavar="N", type=int, default=1, help="the guarantee of a group of N units")
    parser.add_argument("--json", action="store_true", help="the totals as JSON")
    parser.add_argument("--plot", metavar="FILE", help="draw the totals of 1 to K queries: a .svg or .png")


def _run(arguments: Namespace) -> int:
    from discreet.accounting import compose

    try:
        found = compose(
            arguments.epsilon,
            arguments.times,
            delta=arguments.delta,
            delta_each=arguments.delta_each,
            mechanism=arguments.mechanism,
            units=arguments.units,
        )
    except ValueError as error:
        raise Failure(str(error)) from error
    if arguments.json:
        print_json(found.to_dict())
    else:
        _show(found)
    if arguments.plot:
        _draw(found, arguments.plot)
    return Exit.ANSWERED


def _show(found: Comparison) -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    console = out()
    console.print(Text(f"{len(found.queries):,} queries together, at delta {found.delta:g}", style="bold"))
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("theorem", no_wrap=True)
    table.add_column("epsilon", justify="right", no_wrap=True)
    table.add_column("")
    for total in found.totals:
        style = "bold" if total == found.least else ""
        epsilon = "–" if total.epsilon is None else f"{total.epsilon:,.6f}"
        table.add_row(Text(total.theorem), Text(epsilon), Text(total.note, style="dim"), style=style)
    console.print(table)
    console.print("\nAll but the last hold at once for queries that were fixed beforehand, so the least of them does.")


def _draw(found: Comparison, path: str) -> None:
    from discreet.picture import Picture

    try:
        Picture(_spec(found)).save(path)
    except (ValueError, ModuleNotFoundError, OSError) as error:
        raise Failure(f"no picture was drawn: {error}") from error


def _spec(found: Comparison) -> dict[str, Any]:
    """One line a theorem: the total of the first k queries."""
    from discreet.picture import STYLE

    points = [
        {"k": k, "epsilon": epsilon, "theorem": theorem}
        for theorem, line in found.curve().items()
        for k, epsilon in line
    ]
    total = {"field": "epsilon", "type": "quantitative", "title": "epsilon of all together"}
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "title": {"text": f"The total of k queries at delta {found.delta:g}", "subtitle": _subtitle(found)},
        "data": {"values": points},
        "width": 560,
        "height": 320,
        "padding": 18,
        "mark": {"type": "line", "strokeWidth": 2, "point": len(found.queries) == 1},
        "encoding": {
            "x": {"field": "k", "type": "quantitative", "title": "queries"},
            "y": total,
            "color": {"field": "theorem", "type": "nominal", "title": None, "sort": list(found.curve(2))},
        },
        "config": STYLE,
    }


def _subtitle(found: Comparison) -> str:
    each = sorted({query.epsilon for query in found.queries})
    prices = f"{each[0]:g}" if len(each) == 1 else f"{each[0]:g} to {each[-1]:g}"
    noise = "" if found.mechanism == "any" else f" · {found.mechanism} noise"
    return f"epsilon {prices} each{noise} · fixed beforehand"


COMPOSE = Command(
    "compose", "what several answers cost together, by every theorem of composition", _options, _run, policy=False
)
