"""Prices that the accounting sets itself: a question then names none.

    slots      every part of an answer takes one of a fixed number of equal slots; at zero the dataset is closed
    decaying   the i-th question takes 1 / (i (i + 1)) of the budget: early ones are the sharpest, and however many
               come, there is something left

The second needs no counter. After i - 1 questions B / i is left of a budget B, and the next takes
R**2 / (B + R) of what is left, R, which is B / (i (i + 1)).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from discreet.errors import BudgetExhausted
from discreet.ledger import Account, Balance, Ledger, amount
from discreet.ledger.opening import slot_of
from discreet.mechanisms.choose import slots
from discreet.policy.model import Policy
from discreet.privacy import Bounded

__all__ = ["Schedule", "schedule_of"]


FREE = "what was answered before is free to ask again"


class Schedule(Protocol):
    @property
    def name(self) -> str: ...

    def single(self) -> Fraction:
        """What one number, or one watch, costs now."""
        ...

    def amounts(self, asked: Sequence[Bounded]) -> list[Fraction]:
        """What each of these questions costs if they are asked together and now."""
        ...

    def too_little(self, asked: Sequence[Bounded], balance: Balance) -> BudgetExhausted | None:
        """The refusal in the words of the schedule, where it has some."""
        ...


@dataclass(frozen=True, slots=True)
class Slots:
    name: str
    slot: Fraction

    def single(self) -> Fraction:
        return self.slot

    def amounts(self, asked: Sequence[Bounded]) -> list[Fraction]:
        return [self.slot * slots(each) for each in asked]

    def too_little(self, asked: Sequence[Bounded], balance: Balance) -> BudgetExhausted | None:
        left, needed = balance.remaining.amount // self.slot, sum(map(slots, asked))
        if left >= needed:
            return None
        if not left:
            return BudgetExhausted("the dataset is closed: all of its slots are used", FREE, remaining=balance)
        message = f"the question takes {needed} slots, and {left} of them {'is' if left == 1 else 'are'} left"
        return BudgetExhausted(message, "ask for fewer numbers: COUNT and SUM take one each", remaining=balance)


@dataclass(frozen=True, slots=True)
class Decaying:
    name: str
    ledger: Ledger
    analyst: str | None

    def amounts(self, asked: Sequence[Bounded]) -> list[Fraction]:
        """Questions that are asked together are one, and share its price."""
        return [self.single() / len(asked)] * len(asked)

    def single(self) -> Fraction:
        balance = self.ledger.balance(self.analyst)
        accounts = [balance.dataset, *([balance.analyst] if balance.analyst else [])]
        next_one = min(map(_next, accounts))
        if not next_one:
            raise BudgetExhausted("what is left is less than the ledger can tell", FREE, remaining=balance)
        return next_one

    def too_little(self, asked: Sequence[Bounded], balance: Balance) -> BudgetExhausted | None:
        """There is always room for the next one, but for private keys, which have their own words."""


def _next(account: Account) -> Fraction:
    left, whole = account.remaining.amount, account.cap.amount
    return amount.fraction(amount.capped(left**2 / (whole + left))) if left else Fraction(0)


def schedule_of(policy: Policy, ledger: Ledger, analyst: str | None) -> Schedule | None:
    """None where each question names its price."""
    match policy.budget.accounting:
        case "slots":
            return Slots("slots", slot_of(policy))
        case "decaying":
            return Decaying("decaying", ledger, analyst)
        case _:
            return None
