"""The ledger that a policy names, under the terms that the policy grants."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from discreet.ledger.accountants import accountant
from discreet.ledger.ledger import Ledger

if TYPE_CHECKING:
    from discreet.policy.model import Policy

__all__ = ["open_ledger"]


def open_ledger(policy: Policy) -> Ledger:
    """Open the ledger, or begin it; it needs no database, so what is left can be read when the source is away."""
    budget, accounts = policy.budget, accountant(policy.budget.accounting)
    aside = accounts.keys_share(budget.delta) if policy.delta_aside else Fraction(0)
    quotas = {name: accounts.capacity(quota.epsilon, budget.delta, aside) for name, quota in policy.analysts.items()}
    return Ledger.open(
        policy.ledger,
        dataset=policy.name,
        accounting=budget.accounting,
        capacity=accounts.capacity(budget.epsilon, budget.delta, aside),
        quotas=quotas,
        renew=budget.renew,
        policy=policy.digest,
    )
