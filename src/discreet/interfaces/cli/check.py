"""``discreet check``: the policy against the live schema, every mismatch at once."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from discreet.errors import PolicyError
from discreet.interfaces.cli.command import Command
from discreet.interfaces.cli.failures import Exit, complaint, near, report
from discreet.interfaces.cli.screen import err, out, waiting

if TYPE_CHECKING:
    from discreet.policy.model import Policy

__all__ = ["CHECK"]


def _options(parser: ArgumentParser) -> None:
    """It takes the policy alone."""
    del parser


def _run(arguments: Namespace) -> int:
    try:
        policy, problems, remarks = _look(arguments.policy)
    except PolicyError as error:
        report(error)
        return Exit.REFUSED
    for remark in remarks:
        err().print(complaint(f"{near(remark.file)}:{remark.line}: look at this", remark.message, remark.hint))
    for problem in problems:
        report(problem)
    if problems:
        return Exit.REFUSED
    public = sum(table.public for table in policy.tables.values())
    private = len(policy.tables) - public
    out().print(f"{near(policy.path)} fits its source: {private} private tables, {public} public ones", markup=False)
    return Exit.ANSWERED


def _look(path: str | None) -> tuple[Policy, list[PolicyError], list[PolicyError]]:
    from discreet.engines import open_engine
    from discreet.policy.catalogue import declared_types, problems, remarks
    from discreet.policy.load import load

    policy = load(path)
    with waiting("reading the schema"):
        engine = open_engine(policy.source, declared_types(policy))
        try:
            schema = engine.schema()
        finally:
            engine.close()
    return policy, problems(policy, schema), remarks(policy, schema)


CHECK = Command(
    "check", "compare the policy with the live schema; a draft that is not decided is refused", _options, _run
)
