"""``discreet watch``: which of many counts are above a threshold, told one after another for one price."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.errors import Refused
from discreet.interfaces.cli.command import Command
from discreet.interfaces.cli.failures import Exit, Failure, report
from discreet.interfaces.cli.question import Question
from discreet.interfaces.cli.watch_lines import FORMATS, caption, explained, lines_of

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator

    from discreet.mechanisms.watch_explanation import Counted
    from discreet.session import Database
    from discreet.sql import Statement

__all__ = ["WATCH"]

STREAM = "-"
OPENED_WITH = ("above", "answers", "release", "epsilon", "name")


class Placed(Exception):
    """A refusal of one statement, with its place in the file."""

    def __init__(self, refusal: Refused, question: Question) -> None:
        super().__init__()
        self.refusal, self.question = refusal, question


def _options(parser: ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="counting queries, ended by ; or one a line; - is standard input")
    parser.add_argument("--above", type=_whole, metavar="N", help="the threshold")
    parser.add_argument("--answers", type=_whole, metavar="C", help='how often it may say "above" (default: 1)')
    parser.add_argument("--epsilon", metavar="E", help="the price of the whole watch (default: the policy's per_query)")
    release = "for half of the price, also the noisy value of what is above"
    parser.add_argument("--release", action="store_const", const=True, help=release)
    parser.add_argument("--name", metavar="NAME", help="to go on with it under this name (default: its own words)")
    parser.add_argument("--dialect", metavar="NAME", help="the SQL dialect (default: the source's own)")
    parser.add_argument("--format", choices=FORMATS, default="text", help="of the lines (default: text)")
    parser.add_argument("--explain", action="store_true", help="what it would cost and how sure it would be; free")


def _whole(text: str) -> int:
    digits = text.replace("_", "")
    if not digits.isascii() or not digits.isdigit() or len(digits) > 30:
        raise ArgumentTypeError(f"a whole number, not {text}")
    return int(digits)


def _run(arguments: Namespace) -> int:
    if arguments.above is None and arguments.name is None:
        raise Failure("no threshold is named", "name one with --above N, or the watch to go on with with --name")
    lines = _lines(arguments.file)
    from discreet.session import connect
    from discreet.sql import statements

    with connect(arguments.policy, analyst=arguments.analyst) as database:
        found = statements(lines, arguments.dialect or database.dialect)
        try:
            return (_explain if arguments.explain else _watch)(database, found, arguments)
        except Placed as placed:
            return report(placed.refusal, placed.question)


def _lines(file: str) -> Iterable[str]:
    if file == STREAM:
        return _arriving()
    try:
        return Path(file).read_text(encoding="utf-8").splitlines(keepends=True)
    except OSError as error:
        raise Failure(f"{file} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise Failure(f"{file} is not UTF-8 text") from error


def _arriving() -> Iterator[str]:
    try:
        yield from sys.stdin
    except UnicodeDecodeError as error:
        raise Failure("standard input is not UTF-8 text") from error


def _explain(database: Database, found: Iterator[Statement], arguments: Namespace) -> int:
    explanation = database.explain_watch(**_wish(arguments))
    explained(explanation, list(_counted(database, found, arguments)), arguments.format, database.remaining)
    return Exit.ANSWERED


def _watch(database: Database, found: Iterator[Statement], arguments: Namespace) -> int:
    """A file is checked as a whole before anything is paid, and a stream as far as its first statement."""
    database.explain_watch(**_wish(arguments))
    checked = _counted(database, found, arguments)
    first = next(checked, None)
    if first is None:
        raise Failure(f"{arguments.file} holds no statement", "write one COUNT query a line, or end each with ;")
    waiting = [first, *checked] if arguments.file != STREAM else chain([first], checked)
    watch = database.watch(dialect=arguments.dialect, **_wish(arguments))
    write = lines_of(arguments.format, watch.release)
    try:
        for statement, _ in waiting:
            with _placed(statement, arguments.file):
                observation = watch.ask(statement.text)
            write(statement, observation)
            if observation.left == 0:
                break
    finally:  # it is paid, whether or not somebody listens
        caption(watch, database.remaining)
    return Exit.ANSWERED


def _counted(
    database: Database, found: Iterator[Statement], arguments: Namespace
) -> Iterator[tuple[Statement, Counted]]:
    """Each statement with what can be said of it for nothing, or its refusal."""
    for statement in found:
        with _placed(statement, arguments.file):
            told = database.explain_watch([statement.text], dialect=arguments.dialect, **_wish(arguments))
        yield statement, told.statements[0]


def _wish(arguments: Namespace) -> dict[str, Any]:
    """The keywords of ``watch``. The price stays text, so that 0.1 is one tenth."""
    return {name: getattr(arguments, name) for name in OPENED_WITH}


@contextmanager
def _placed(statement: Statement, file: str) -> Generator[None]:
    """The text around the statement is left blank: lines and columns are those of the file."""
    try:
        yield
    except Refused as error:
        around = "\n" * (statement.line - 1) + " " * (statement.column - 1)
        question = Question(around + statement.text, "<stdin>" if file == STREAM else file)
        raise Placed(statement.placed(error), question) from error


WATCH = Command("watch", "which of many counts are above a threshold, for one price", _options, _run)
