"""``discreet verify``: the ledger's hash chain and accounts, recomputed from its entries alone."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from discreet.interfaces.cli.command import Command
from discreet.interfaces.cli.failures import Exit, Failure, complaint, near
from discreet.interfaces.cli.screen import err, out, print_json

__all__ = ["VERIFY"]


def _options(parser: ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="the outcome as JSON")


def _run(arguments: Namespace) -> int:
    """A ledger that is not there is a failure: one that is begun anew would verify, and prove nothing."""
    from discreet.ledger.opening import open_ledger
    from discreet.ledger.place import file_of
    from discreet.policy.load import load

    policy = load(arguments.policy)
    path = file_of(policy.ledger)
    if not path.exists():
        raise Failure(f"there is no ledger at {near(path)}", "it begins with the first question")
    ledger = open_ledger(policy)
    try:
        found = ledger.verify()
    finally:
        ledger.close()
    if arguments.json:
        names = ("ok", "entries", "head")
        print_json({name: getattr(found, name) for name in names} | {"problems": list(found.problems)})
    elif found.ok:
        out().print(f"ok: {found.entries} entries, head {found.head}")
    for problem in found.problems:
        err().print(complaint("broken", problem))
    return Exit.ANSWERED if found.ok else Exit.FAILURE


VERIFY = Command("verify", "recompute the hash chain and the accounts of the ledger", _options, _run)
