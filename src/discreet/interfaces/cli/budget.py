"""``discreet budget``: what may be spent, what is, and what is left. It reads the ledger alone."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from discreet.interfaces.cli.accounts import Purse, purse_of
from discreet.interfaces.cli.command import Command
from discreet.interfaces.cli.failures import Exit
from discreet.interfaces.cli.screen import out, print_json

if TYPE_CHECKING:
    from discreet.ledger.balance import Balance
    from discreet.ledger.ledger import Ledger
    from discreet.ledger.watch import Watched
    from discreet.policy.model import Policy

__all__ = ["BUDGET"]


@dataclass(frozen=True, slots=True)
class State:
    """The owner's promise, how much of it is used up, and the accounts that hold it."""

    policy: Policy
    balance: Balance
    dataset: Purse
    analysts: list[Purse]
    watches: list[Watched]
    guarantee: float
    """The epsilon that holds for all answers of this period so far, at the promised delta."""
    slots_left: int | None = None
    """Under accounting in slots: how many whole ones are left."""

    def to_dict(self) -> dict[str, Any]:
        promised, period = self.policy.budget, self.balance.period
        return {
            "dataset": self.policy.name,
            "accounting": promised.accounting,
            "promise": {"epsilon": float(promised.epsilon), "delta": float(promised.delta)},
            "guarantee": {"epsilon": self.guarantee, "delta": float(promised.delta)},
            **self.dataset.to_dict(),
            **({} if self.slots_left is None else {"slots": {"granted": promised.slots, "left": self.slots_left}}),
            "analysts": {purse.name: purse.to_dict() for purse in self.analysts},
            "watches": [_watch(watched) for watched in self.watches],
            "period": {
                "number": self.balance.periods,
                "start": period.start.isoformat(),
                "end": None if period.end is None else period.end.isoformat(),
            },
        }


def _options(parser: ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="the accounts as JSON")


def _run(arguments: Namespace) -> int:
    from discreet.ledger.opening import open_ledger
    from discreet.policy.load import load

    policy = load(arguments.policy)
    ledger = open_ledger(policy)
    try:
        state = _state(policy, ledger, arguments.analyst)
    finally:
        ledger.close()
    if arguments.json:
        print_json(state.to_dict())
    else:
        _show(state)
    return Exit.ANSWERED


def _state(policy: Policy, ledger: Ledger, analyst: str | None) -> State:
    from discreet.ledger.accountants import accountant
    from discreet.ledger.opening import slot_of

    accounting, balance = policy.budget.accounting, ledger.balance()
    names = [name for name in policy.analysts if analyst in (None, name)]
    quotas = [(name, ledger.balance(name).analyst) for name in names]
    return State(
        policy,
        balance,
        purse_of(policy.name, balance.dataset, accounting),
        [purse_of(name, account, accounting) for name, account in quotas if account],
        ledger.watches.all_open(analyst),
        accountant(accounting).guarantee(balance.dataset.spent, policy.budget.delta),
        None if policy.budget.slots is None else int(balance.remaining.amount // slot_of(policy)),
    )


def _watch(watched: Watched) -> dict[str, Any]:
    """A watch that can still say "above": paid for already."""
    found = {"name": watched.name, "analyst": watched.opened.body["analyst"], "left": watched.left}
    return found | watched.threshold.to_json()


def _show(state: State) -> None:
    from rich.table import Table
    from rich.text import Text

    from discreet.ledger.bar import bar
    from discreet.plan.printable import printable

    console, promised = out(), state.policy.budget
    delta = f" at delta {float(promised.delta):.3g}" if promised.delta else ""
    console.print(Text(f"{state.policy.name}: {promised.accounting} accounting", style="bold"))
    console.print(f"promised to each unit  epsilon {float(promised.epsilon):.6g}{delta}")
    console.print(f"used up so far         epsilon {state.guarantee:.4g}{delta}")
    if state.slots_left is not None:
        closed = "" if state.slots_left else ": the dataset is closed"
        console.print(f"slots                  {state.slots_left:,} of {promised.slots:,} left{closed}")
    if (end := state.balance.period.end) is not None:
        console.print(f"period {state.balance.periods}, until    {end:%Y-%m-%d %H:%M} UTC")
    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
    for purse in (state.dataset, *state.analysts):
        table.add_row(Text(purse.name), bar(purse.share_left), Text(f"left for a question of {purse.left} at most"))
    console.print(table)
    for watched in state.watches:
        left = f"{watched.left} of {watched.threshold.answers} answers left, paid for already"
        console.print(Text(f"watch {printable(watched.name)}: {left}"))


BUDGET = Command("budget", "what is spent and what is left, for the dataset and for every quota", _options, _run)
