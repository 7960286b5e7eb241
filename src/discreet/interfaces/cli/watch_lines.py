"""What a watch says, a line for each statement as it is said: as text, as CSV or as JSON."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from discreet.interfaces.cli.screen import err, out, print_json
from discreet.plan.printable import printable

if TYPE_CHECKING:
    from discreet.mechanisms.explanation import Cost
    from discreet.mechanisms.watch_explanation import Counted, WatchExplanation
    from discreet.release import Observation
    from discreet.session import Watch
    from discreet.sql import Statement

__all__ = ["FORMATS", "caption", "explained", "lines_of"]

Write = Callable[["Statement", "Observation"], None]

COLUMNS = ("line", "above", "value", "low", "high", "repeated", "statement")
PLANNED = ("line", "moved", "margin_95", "half_width_95", "statement")
HEADS = ("line", "one unit moves it by", "told right at 95 %")
WORD, NUMBER = len("not above"), 16


def lines_of(kind: str, values: bool) -> Write:
    """What writes one line; a reader at the other end of a pipe sees it at once."""
    if kind == "csv":
        _row(COLUMNS)
    return _text_with_values if kind == "text" and values else WRITERS[kind]


def _text(statement: Statement, observation: Observation) -> None:
    _say(f"{_word(observation):<{WORD}}  {_short(statement.text)}")


def _text_with_values(statement: Statement, observation: Observation) -> None:
    shown = "" if observation.value is None else f"{observation.value:,} ±{_half(observation):,.6g}"
    _say(f"{_word(observation):<{WORD}}  {shown:<{NUMBER}}  {_short(statement.text)}")


def _csv_line(statement: Statement, observation: Observation) -> None:
    low, high = observation.interval or (None, None)
    told = (observation.above, observation.value, low, high, observation.repeated)
    _row((statement.line, *told, statement.text))


def _json_line(statement: Statement, observation: Observation) -> None:
    _say(json.dumps({"line": statement.line, **observation.to_dict()}, ensure_ascii=False))


WRITERS: dict[str, Write] = {"text": _text, "csv": _csv_line, "json": _json_line}
FORMATS = tuple(WRITERS)


def caption(watch: Watch, remaining: Cost) -> None:
    """What is said about the lines, for people."""
    paid = "paid for before" if watch.resumed else "for all of it"
    ends = "" if watch.until is None else f", until {watch.until:%Y-%m-%d %H:%M} UTC"
    left = f"{watch.left} of {watch.answers} answers{ends}" if watch.left else "ended: its answers are used up"
    console = err()
    for name, told in (
        ("watch", f"{watch.name}"),
        ("left", left),
        ("cost", f"{watch.cost}, {paid}"),
        ("budget", f"room for a question of {remaining} at most"),
    ):
        console.print(f"{name:<8} {printable(told)}", markup=False)


def explained(explanation: WatchExplanation, told: list[tuple[Statement, Counted]], kind: str, left: Cost) -> None:
    """What a watch would cost and how sure it would be."""
    match kind:
        case "json":
            statements = [{"line": statement.line, **counted.to_dict()} for statement, counted in told]
            print_json(explanation.to_dict() | {"statements": statements})
        case "csv":
            _row(PLANNED)
            for statement, each in told:
                _row((statement.line, each.moved, each.margin_95, each.half_width_95, statement.text))
        case _:
            _show(explanation, told, left)


def _show(explanation: WatchExplanation, told: list[tuple[Statement, Counted]], left: Cost) -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    values = ["value at 95 %"] if explanation.release else []
    for name in (*HEADS, *values):
        table.add_column(name, no_wrap=True, justify="right")
    table.add_column("statement", no_wrap=True)
    for statement, each in told:
        value = [] if each.half_width_95 is None else [f"±{each.half_width_95:,}"]
        cells = (f"{statement.line}", f"{each.moved:,}", f"±{each.margin_95:,}", *value, _short(statement.text))
        table.add_row(*(Text(cell, overflow="ellipsis") for cell in cells))
    cost = "nothing more: it is paid for already" if explanation.resumed else f"{explanation.cost}, for all of it"
    console = out()
    console.print(table)
    console.print()
    for name, line in (("cost", cost), ("left", f"room for a question of {left} at most")):
        console.print(Text(f"{name:<8}", style="bold").append(line, style="not bold"))


def _word(observation: Observation) -> str:
    return "above" if observation.above else "not above"


def _half(observation: Observation) -> float:
    low, high = observation.interval or (0, 0)
    return (high - low) / 2


def _short(statement: str) -> str:
    return printable(" ".join(statement.split()))


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def _row(cells: Iterable[object]) -> None:
    csv.writer(sys.stdout, lineterminator="\n").writerow(cells)
    sys.stdout.flush()
