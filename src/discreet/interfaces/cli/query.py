"""``discreet query``: one question, answered and paid for."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from discreet.errors import Refused
from discreet.interfaces.cli.command import Command
from discreet.interfaces.cli.drawing import check_plot, draw
from discreet.interfaces.cli.failures import Exit, Failure, report
from discreet.interfaces.cli.formats import FORMATS, SEVERAL, check_destination, write, write_all
from discreet.interfaces.cli.question import (
    Question,
    add_question,
    for_one_statement,
    price_of,
    read_question,
    statements_of,
)
from discreet.interfaces.cli.screen import err, waiting

if TYPE_CHECKING:
    from discreet.mechanisms.explanation import Explanation
    from discreet.session import Database
    from discreet.sql import Statement

__all__ = ["QUERY"]


def _options(parser: ArgumentParser) -> None:
    add_question(parser)
    parser.add_argument("--format", choices=FORMATS, default="table", help="of the result (default: table)")
    parser.add_argument("-o", "--output", metavar="FILE", help="write the result there, not to standard output")
    parser.add_argument("--plot", metavar="FILE", help="draw the numbers with their error bars: a .svg or .png")


def _run(arguments: Namespace) -> int:
    """What could go wrong with the output is found out before anything is paid."""
    question = read_question(arguments)
    check_destination(arguments.format, arguments.output)
    check_plot(arguments.plot)
    from discreet.session import connect

    try:
        with waiting("asking"), connect(arguments.policy, analyst=arguments.analyst) as database:
            statements = statements_of(question, arguments.dialect or database.dialect)
            if len(statements) > 1:
                return _batch(database, statements, question, arguments)
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


def _batch(database: Database, statements: list[Statement], question: Question, arguments: Namespace) -> int:
    """Several statements for one price: the answers one below the other, or as a list."""
    for_one_statement(arguments, "delta", "mechanism", "plot", "output")
    if arguments.format not in SEVERAL:
        raise Failure(f"{arguments.format} holds one answer", f"several are written as {' or '.join(SEVERAL)}")
    texts = [each.text for each in statements]
    price = {"epsilon": arguments.epsilon, "accuracy": arguments.accuracy, "dialect": arguments.dialect}
    plan = database.explain_batch(texts, **price)
    if plan.error:
        return report(statements[plan.refused - 1].placed(plan.error) if plan.refused else plan.error, question)
    releases = database.batch(texts, **price)
    from discreet.release.show import caption

    try:
        write_all(releases, arguments.format)
    finally:  # it is paid, whether or not somebody listens
        err().print(caption(releases[-1]))
        err().print(f"above is one of {len(releases)} answers: {plan.cost} for all together", markup=False)
    return Exit.ANSWERED


QUERY = Command("query", "answer a SELECT, with noise, error bars and a receipt", _options, _run)
