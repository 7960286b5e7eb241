"""``discreet publish``: a histogram, or rows with randomised answers, released once and free to ask from then on."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace

from discreet.errors import Refused
from discreet.interfaces.cli.command import Command
from discreet.interfaces.cli.failures import Exit, report
from discreet.interfaces.cli.formats import FORMATS, check_destination, write
from discreet.interfaces.cli.question import read_question
from discreet.interfaces.cli.screen import err, waiting

__all__ = ["PUBLISH"]


def _options(parser: ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="what it will be called: published.NAME")
    text = parser.add_mutually_exclusive_group(required=True)
    text.add_argument("sql", nargs="?", metavar="SQL", help="a SELECT that counts by declared columns, or one of rows")
    text.add_argument("-f", "--file", metavar="FILE", help="read the SELECT from a file; - is standard input")
    parser.add_argument("--epsilon", metavar="E", help="the price, paid once (default: the policy's per_query)")
    parser.add_argument("--accuracy", metavar="A", help="of a histogram: pay the least with every count within ±A")
    parser.add_argument("--rows", type=_rows, metavar="N", help="how many rows are published: a public number")
    parser.add_argument("--replace", action="store_true", help="give a name anew that is taken")
    parser.add_argument("--dialect", metavar="NAME", help="the SQL dialect (default: the source's own)")
    parser.add_argument("--format", choices=FORMATS, default="table", help="of what is printed (default: table)")
    parser.add_argument("-o", "--output", metavar="FILE", help="write it there, not to standard output")


def _rows(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise ArgumentTypeError(f"a whole number, not {text}")
    return int(text)


def _run(arguments: Namespace) -> int:
    """What could go wrong with the output is found out before anything is paid."""
    question = read_question(arguments)
    check_destination(arguments.format, arguments.output)
    from discreet.session import connect

    try:
        with waiting("publishing"), connect(arguments.policy, analyst=arguments.analyst) as database:
            release = database.publish(
                arguments.name,
                question.text,
                epsilon=arguments.epsilon,
                accuracy=arguments.accuracy,
                rows=arguments.rows,
                replace=arguments.replace,
                dialect=arguments.dialect,
            )
    except Refused as error:
        return report(error, question)
    from discreet.release.show import caption

    try:
        write(release, arguments.format, arguments.output)
    finally:  # it is paid, whether or not somebody listens
        err().print(caption(release))
    return Exit.ANSWERED


PUBLISH = Command(
    "publish", "release a histogram or randomised rows, once: published.NAME is free to ask", _options, _run
)
