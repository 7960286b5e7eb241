"""The ledger that a policy names, under the terms that the policy grants."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from discreet.accounting.slots import printed_slot_sigma
from discreet.ledger import amount
from discreet.ledger.accountants import accountant
from discreet.ledger.events import Charge
from discreet.ledger.ledger import Ledger

if TYPE_CHECKING:
    from discreet.policy.model import Policy, Quota

__all__ = ["granted", "open_ledger", "slot_of"]


def open_ledger(policy: Policy) -> Ledger:
    """Open the ledger, or begin it; it needs no database, so what is left can be read when the source is away."""
    budget = policy.budget
    return Ledger.open(
        policy.ledger,
        dataset=policy.name,
        accounting=budget.accounting,
        capacity=_in_slots(policy, budget.slots) if budget.slots else granted(policy, budget.epsilon),
        quotas={name: _quota(policy, quota) for name, quota in policy.analysts.items()},
        renew=budget.renew,
        policy=policy.digest,
    )


def slot_of(policy: Policy) -> Fraction:
    """The precision of one slot, in whole grains, so that all of them fill the budget to the last grain.

    The printed sigma is larger than need be; it is taken as it is printed, as long as that is sound.
    """
    assert policy.budget.slots is not None
    most = granted(policy, policy.budget.epsilon).amount
    if policy.budget.sigma == "printed":
        sigma = Fraction(printed_slot_sigma(float(policy.budget.epsilon), float(policy.budget.delta)))
        most = min(most, 1 / sigma**2)
    return amount.fraction(amount.capped(most / policy.budget.slots))


def granted(policy: Policy, epsilon: Fraction) -> Charge:
    """All that may be spent under this epsilon and the budget's delta."""
    accounts = accountant(policy.budget.accounting)
    aside = accounts.keys_share(policy.budget.delta) if policy.delta_aside else Fraction(0)
    return accounts.capacity(epsilon, policy.budget.delta, aside)


def _in_slots(policy: Policy, slots: int) -> Charge:
    return Charge(slots * slot_of(policy), granted(policy, policy.budget.epsilon).delta)


def _quota(policy: Policy, quota: Quota) -> Charge:
    if quota.slots is not None:
        return _in_slots(policy, quota.slots)
    assert quota.epsilon is not None
    return granted(policy, quota.epsilon)
