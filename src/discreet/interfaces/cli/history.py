"""``discreet history``: what was asked, what it cost and how it ended, and every change of the owner's terms."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from discreet.interfaces.cli.command import Command
from discreet.interfaces.cli.failures import Exit
from discreet.interfaces.cli.screen import out, print_json

if TYPE_CHECKING:
    from discreet.ledger.ledger import Ledger
    from discreet.ledger.receipts import Entry
    from discreet.mechanisms.explanation import Cost

__all__ = ["HISTORY"]

TERMS = {
    "opened": "the ledger begins",
    "policy": "the owner changed the terms",
    "period": "a new period begins",
    "published": "answer {answer} is published as {name}",
}
WATCHING = "watching"
STATES = {"settled": "answered", "failed": "failed", None: "not concluded"}


@dataclass(frozen=True, slots=True)
class Line:
    """One question with its receipt, or one change of terms. The id is that of the receipt, where there is one."""

    id: int
    hash: str
    time: str
    analyst: str | None
    state: str
    what: str
    cost: Cost | None
    content: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        cost = None if self.cost is None else self.cost.to_dict()
        return {"id": self.id, "hash": self.hash, "time": self.time, "state": self.state, "cost": cost, **self.content}


def _options(parser: ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="every receipt in full, as JSON")
    parser.add_argument("--limit", type=_count, metavar="N", help="the newest N alone")


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise ArgumentTypeError(f"a whole number from 1 on, not {text}")
    return int(text)


def _run(arguments: Namespace) -> int:
    from discreet.ledger.opening import open_ledger
    from discreet.policy.load import load

    policy = load(arguments.policy)
    ledger = open_ledger(policy)
    try:
        lines = _lines(ledger, ledger.history(arguments.analyst), policy.budget.accounting)
    finally:
        ledger.close()
    newest = lines[-arguments.limit :] if arguments.limit else lines
    if arguments.json:
        print_json([line.to_dict() for line in newest])
    else:
        _show(newest)
    return Exit.ANSWERED


def _lines(ledger: Ledger, entries: list[Entry], accounting: str) -> list[Line]:
    """Questions as they were concluded; those that never were, at the place of their reservation."""
    concluded = {entry.body["reservation"] for entry in entries if entry.kind in ("settled", "failed")}
    found: list[Line] = []
    for entry in entries:
        if entry.kind in ("settled", "failed"):
            found.append(_receipt(ledger, entry, accounting))
        elif entry.kind == "compared":
            found.append(_compared(entry))
        elif entry.kind not in ("reserved", "held"):
            what = TERMS.get(entry.kind, entry.kind).format_map(entry.body)
            state, time = _state(entry.kind), entry.body["time"]
            found.append(Line(entry.seq, entry.hash, time, None, state, what, None, entry.body))
        elif entry.seq not in concluded:
            found.append(_open(entry, accounting))
    return found


def _state(kind: str) -> str:
    return "published" if kind == "published" else "terms"


def _receipt(ledger: Ledger, entry: Entry, accounting: str) -> Line:
    receipt = ledger.receipt(entry.seq)
    content = receipt.to_dict()
    cost = _cost({"amount": receipt.amount, "delta": receipt.delta}, accounting)
    del content["state"]
    return Line(
        entry.seq, entry.hash, receipt.time, receipt.analyst, STATES[entry.kind], receipt.statement, cost, content
    )


def _open(entry: Entry, accounting: str) -> Line:
    """Reserved and never concluded: a watch, a question that is running, or one whose process died. It is spent."""
    body = entry.body
    state, cost = WATCHING if "watch" in body else STATES[None], _cost(body["charge"], accounting)
    return Line(entry.seq, entry.hash, body["time"], body["analyst"], state, body["statement"], cost, body)


def _compared(entry: Entry) -> Line:
    """What a watch said of one statement: the watch was paid for, and this was not."""
    body = entry.body
    return Line(entry.seq, entry.hash, body["time"], body["analyst"], body["outcome"], body["statement"], None, body)


def _cost(charge: dict[str, str], accounting: str) -> Cost:
    from discreet.ledger.written import read_charge
    from discreet.mechanisms.explanation import cost_of

    return cost_of(read_charge(charge), accounting)


def _show(lines: list[Line]) -> None:
    """A line each: on a narrow screen the statements are cut, and nothing else."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from discreet.plan.printable import printable

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for name in HEADS:
        table.add_column(name, no_wrap=name != HEADS[-1], justify="right" if name == "id" else "left")
    for line in lines:
        table.add_row(*(Text(printable(cell), no_wrap=True, overflow="ellipsis") for cell in _cells(line)))
    out().print(table)


HEADS = ("id", "time (UTC)", "analyst", "epsilon", "state", "statement")


def _cells(line: Line) -> tuple[str, ...]:
    time = line.time[:16].replace("T", " ")
    epsilon = f"{line.cost.epsilon:.4g}" if line.cost else ""
    return str(line.id), time, line.analyst or "", epsilon, line.state, " ".join(line.what.split())


HISTORY = Command("history", "every receipt: what was asked, what it cost, how it ended", _options, _run)
