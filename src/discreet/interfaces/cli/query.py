"""``discreet query``: one question, answered and paid for."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from discreet.errors import Refused
from discreet.interfaces.cli.command import Command
from discreet.interfaces.cli.failures import Exit, Failure, report
from discreet.interfaces.cli.formats import FORMATS, check_destination, write
from discreet.interfaces.cli.question import add_question, price_of, read_question
from discreet.interfaces.cli.screen import err, waiting

if TYPE_CHECKING:
    from discreet.mechanisms.explanation import Explanation
    from discreet.release import Release

__all__ = ["QUERY", "draw"]


def _options(parser: ArgumentParser) -> None:
    add_question(parser)
    parser.add_argument("--format", choices=FORMATS, default="table", help="of the result (default: table)")
    parser.add_argument("-o", "--output", metavar="FILE", help="write the result there, not to standard output")
    parser.add_argument("--plot", metavar="FILE", help="draw the numbers with their error bars: a .svg or .png")


def _run(arguments: Namespace) -> int:
    """What could go wrong with the output is found out before anything is paid."""
    question = read_question(arguments)
    check_destination(arguments.format, arguments.output)
    _check_plot(arguments.plot)
    from discreet.session import connect

    try:
        with waiting("asking"), connect(arguments.policy, analyst=arguments.analyst) as database:
            if arguments.accuracy is not None:
                _quote(database.explain(question.text, **price_of(arguments)), arguments.accuracy)
            release = database.query(question.text, **price_of(arguments))
    except Refused as error:
        return report(error, question)
    from discreet.release.show import caption

    try:
        write(release, arguments.format, arguments.output)
    finally:  # it is paid, whether or not somebody listens
        err().print(caption(release))
    if arguments.plot:
        draw(release, arguments.plot)
    return Exit.ANSWERED


def _quote(explanation: Explanation, accuracy: str) -> None:
    """What it will cost, before it is paid; a refusal is told when the question is asked."""
    if explanation.error is None:
        most = "at most " if explanation.climbs else ""
        err().print(f"quote: {most}{explanation.cost} for {accuracy} at 95 %", markup=False)


def _check_plot(path: str | None) -> None:
    if path is None:
        return
    from discreet.release.picture import check_drawable

    try:
        check_drawable(path)
    except (ValueError, ModuleNotFoundError) as error:
        raise Failure(str(error)) from error
    check_destination("svg", path)


def draw(release: Release, path: str) -> None:
    """Save a picture; there may be nothing to draw, or nothing to draw it with."""
    try:
        release.plot().save(path)
    except (ValueError, ModuleNotFoundError, OSError) as error:
        raise Failure(f"no picture was drawn: {error}") from error


QUERY = Command("query", "answer a SELECT, with noise, error bars and a receipt", _options, _run)
