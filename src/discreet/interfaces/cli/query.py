"""``discreet query``: one question, answered and paid for."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from discreet.errors import Refused
from discreet.interfaces.cli.command import Command
from discreet.interfaces.cli.drawing import check_plot, draw
from discreet.interfaces.cli.failures import Exit, report
from discreet.interfaces.cli.formats import FORMATS, check_destination, write
from discreet.interfaces.cli.question import add_question, price_of, read_question
from discreet.interfaces.cli.screen import err, waiting

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
            if arguments.accuracy is not None:
                quote = database.quote(question.text, **price_of(arguments))
                err().print(f"quote: {quote} for {arguments.accuracy} at 95 %", markup=False)
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


QUERY = Command("query", "answer a SELECT, with noise, error bars and a receipt", _options, _run)
