"""The parser: every command with its options, built without importing what the commands need."""

from __future__ import annotations

from argparse import SUPPRESS, ArgumentParser, RawDescriptionHelpFormatter
from typing import NoReturn

from discreet import __version__
from discreet.interfaces.cli.budget import BUDGET
from discreet.interfaces.cli.check import CHECK
from discreet.interfaces.cli.command import Command
from discreet.interfaces.cli.compose import COMPOSE
from discreet.interfaces.cli.demo import DEMO
from discreet.interfaces.cli.explain import EXPLAIN
from discreet.interfaces.cli.failures import Exit
from discreet.interfaces.cli.history import HISTORY
from discreet.interfaces.cli.init import INIT
from discreet.interfaces.cli.publish import PUBLISH
from discreet.interfaces.cli.query import QUERY
from discreet.interfaces.cli.verify import VERIFY
from discreet.interfaces.cli.views import VIEWS
from discreet.interfaces.cli.watch import WATCH

__all__ = ["COMMANDS", "build"]

COMMANDS: tuple[Command, ...] = (
    DEMO,
    INIT,
    CHECK,
    QUERY,
    WATCH,
    EXPLAIN,
    PUBLISH,
    VIEWS,
    BUDGET,
    HISTORY,
    VERIFY,
    COMPOSE,
)

EXITS = "exit codes: 0 answered, 1 failure, 2 refused, 3 budget spent"


class Parser(ArgumentParser):
    """A wrong usage is a failure like another: 2 is kept for refusals."""

    def error(self, message: str) -> NoReturn:
        self.print_usage()
        self.exit(Exit.FAILURE, f"{self.prog}: {message}\n")

    def print_usage(self, file: object = None) -> None:
        del file
        import sys

        super().print_usage(sys.stderr)


def build() -> ArgumentParser:
    parser = Parser(
        prog="discreet",
        description="Differentially private SQL: ordinary questions, noisy answers, a budget that holds.",
        epilog=EXITS,
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"discreet {__version__}")
    _add_policy(parser)
    parser.set_defaults(policy=None, analyst=None)
    below = parser.add_subparsers(title="commands", metavar="COMMAND", dest="command", required=True)
    for command in COMMANDS:
        inner = below.add_parser(command.name, help=command.summary, description=command.summary, epilog=EXITS)
        command.options(inner)
        if command.policy:
            _add_policy(inner)
        inner.set_defaults(run=command.run)
    return parser


def _add_policy(parser: ArgumentParser) -> None:
    """Before or after the command's name: where an option is not given, it leaves what is there alone."""
    parser.add_argument(
        "--policy", metavar="FILE", default=SUPPRESS, help="the policy (default: discreet.toml here or above)"
    )
    parser.add_argument("--analyst", metavar="NAME", default=SUPPRESS, help="whose quota and receipts these are")
