"""A question and its price as arguments: what ``query`` and ``explain`` have in common."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.interfaces.cli.failures import Failure

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from discreet.sql import Statement

__all__ = ["Question", "add_question", "for_one_statement", "price_of", "read_question", "statements_of"]


@dataclass(frozen=True, slots=True)
class Question:
    """The text of a statement, and the file that it came from."""

    text: str
    name: str = ""


def add_question(parser: ArgumentParser) -> None:
    text = parser.add_mutually_exclusive_group(required=True)
    text.add_argument("sql", nargs="?", metavar="SQL", help="the SELECT, in quotes")
    text.add_argument("-f", "--file", metavar="FILE", help="read the SELECT from a file; - is standard input")
    parser.add_argument(
        "--epsilon", metavar="E", help="the price, or the most for an accuracy (default: the policy's per_query)"
    )
    parser.add_argument("--accuracy", metavar="A", help="pay the least at which every number is within ±A at 95 %%")
    parser.add_argument("--delta", metavar="D", help="the delta of private keys, and of mechanisms that need some")
    parser.add_argument("--mechanism", metavar="NAME", help="how to draw the answer (default: the sharpest way)")
    parser.add_argument("--proposal", metavar="P", help="for the mechanism ptr: the most that a unit moves the number")
    parser.add_argument("--dialect", metavar="NAME", help="the SQL dialect (default: the source's own)")


def read_question(arguments: Namespace) -> Question:
    if arguments.file is None:
        return Question(arguments.sql)
    try:
        if arguments.file == "-":
            return Question(sys.stdin.read(), "<stdin>")
        return Question(Path(arguments.file).read_text(encoding="utf-8"), arguments.file)
    except OSError as error:
        raise Failure(f"{arguments.file} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise Failure(f"{arguments.file} is not UTF-8 text") from error


def price_of(arguments: Namespace) -> dict[str, Any]:
    """The keywords of ``query`` and ``explain``. Numbers stay text, so that 0.1 is one tenth."""
    names = ("epsilon", "delta", "accuracy", "mechanism", "proposal", "dialect")
    return {name: getattr(arguments, name) for name in names}


def statements_of(question: Question, dialect: str) -> list[Statement]:
    """Those of a text with semicolons between them; any other is one, and its reader says what is wrong with it."""
    from discreet.sql import statements

    text = question.text.rstrip(" \t\r\n;")
    return list(statements(text.splitlines(keepends=True), dialect)) if ";" in text else []


def for_one_statement(arguments: Namespace, *options: str) -> None:
    """Refuse what makes no sense for several statements."""
    for name in options:
        if getattr(arguments, name) is not None:
            raise Failure(f"--{name} is for one statement", "give the statements one by one")
