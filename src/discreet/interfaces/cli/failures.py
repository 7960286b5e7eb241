"""Exit codes, and errors as people read them: what, where, and what to do."""

from __future__ import annotations

from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.errors import BudgetExhausted, DiscreetError, LedgerError, PolicyError, Refused
from discreet.interfaces.cli.screen import err
from discreet.plan.printable import printable

if TYPE_CHECKING:
    from rich.console import Group

    from discreet.interfaces.cli.question import Question

__all__ = ["Exit", "Failure", "complaint", "near", "rendered", "report"]

LEAST, MOST = 20, 76
"""How much of a line of SQL is shown around its place."""


class Exit(IntEnum):
    ANSWERED = 0
    FAILURE = 1
    REFUSED = 2
    SPENT = 3
    INTERRUPTED = 130


class Failure(Exception):
    """Something about the call itself: a file that cannot be read or written, a library that is not there."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message, self.hint = message, hint


def report(error: DiscreetError | Failure, question: Question | None = None) -> Exit:
    """Write the error to standard error; the exit code that it means."""
    err().print(rendered(error, question))
    match error:
        case BudgetExhausted():
            return Exit.SPENT
        case Refused():
            return Exit.REFUSED
        case _:
            return Exit.FAILURE


def rendered(error: DiscreetError | Failure, question: Question | None = None) -> Group:
    """An error as it is shown: what was found, the place in the text, and what to do."""
    match error:
        case BudgetExhausted():
            return complaint("budget spent", error.message, error.hint)
        case Refused():
            place = _place(error, question) if question and error.line else []
            return complaint("refused", f"{error.message} [{error.code}]", error.hint, place)
        case PolicyError():
            file = f"{near(error.file)}:{error.line}" if error.file and error.line else near(error.file)
            return complaint(file or "policy", f"{error.message} [{error.code}]", error.hint)
        case LedgerError():
            return complaint("ledger", f"{error.message} [{error.code}]", error.hint)
        case Failure():
            return complaint("discreet", error.message, error.hint)
        case _:
            return complaint("failed", str(error))


def complaint(head: str, message: str, hint: str = "", place: list[str] | None = None) -> Group:
    from rich.console import Group
    from rich.text import Text

    first = Text(f"{head}: ", style="bold red").append(printable(message), style="not bold default")
    below = [Text(line, no_wrap=True, overflow="ellipsis") for line in place or []]
    last = [Text("hint: ", style="bold").append(printable(hint), style="not bold")] if hint else []
    return Group(first, *below, *last)


def near(path: Path | str | None) -> str:
    """A path as one types it from here."""
    if path is None:
        return ""
    try:
        return str(Path(path).relative_to(Path.cwd()))
    except ValueError:
        return str(path)


def _place(error: Refused, question: Question) -> list[str]:
    """The line of SQL, and a caret under the place. Lines end where the parser ends them."""
    lines = question.text.split("\n")
    line, column = error.line or 1, error.column or 1
    if line > len(lines):
        return []
    number = str(line)
    room = max(LEAST, min(MOST, err().width - len(number) - len(" | ……")))
    shown, before = _window(lines[line - 1], column - 1, room)
    where = [f"  --> {question.name}:{line}:{column}"] if question.name else []
    return [*where, f"{number} | {shown}", f"{' ' * len(number)} | {' ' * before}^"]


def _window(line: str, at: int, room: int) -> tuple[str, int]:
    """As much of a line as is readable, and how many cells of a terminal are before the place in it."""
    from rich.cells import cell_len

    text = "".join(c if c.isprintable() else " " for c in line)
    start = 0 if len(text) <= room or at < room // 2 else at - room // 2
    head = "…" if start else ""
    tail = "…" if len(text) > start + room else ""
    return f"{head}{text[start : start + room]}{tail}", cell_len(head + text[start:at])
