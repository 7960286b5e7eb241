"""What is left, and until when: values for people and interfaces to read."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from fractions import Fraction

from discreet.ledger.events import Charge

__all__ = ["Account", "Balance", "Period"]


@dataclass(frozen=True, slots=True)
class Period:
    """One stretch of time with a budget of its own, counted from zero. Time that runs back opens none."""

    index: int
    start: datetime
    length: timedelta | None

    @property
    def end(self) -> datetime | None:
        return None if self.length is None else self.start + self.length

    def at(self, now: datetime) -> Period:
        """The period that ``now`` falls into: this one or a later one."""
        if self.length is None:
            return self
        passed = max(0, (now - self.start) // self.length)
        return Period(self.index + passed, self.start + passed * self.length, self.length)


@dataclass(frozen=True, slots=True)
class Account:
    """The cap of this period, what it has spent, and what all periods have spent together."""

    cap: Charge
    spent: Charge
    spent_ever: Charge

    @property
    def remaining(self) -> Charge:
        """Never below zero: the owner may have lowered the cap under what was spent."""
        nothing = Fraction(0)
        return Charge(
            max(nothing, self.cap.amount - self.spent.amount),
            max(nothing, self.cap.delta - self.spent.delta),
        )


@dataclass(frozen=True, slots=True)
class Balance:
    """The dataset's account, the analyst's where there is a quota, and the period they are for."""

    dataset: Account
    analyst: Account | None
    period: Period

    @property
    def remaining(self) -> Charge:
        """What this analyst may still spend: the least of the accounts."""
        left = self.dataset.remaining
        if self.analyst is None:
            return left
        own = self.analyst.remaining
        return Charge(min(left.amount, own.amount), min(left.delta, own.delta))

    @property
    def tightest(self) -> Account:
        """The account that has the least left."""
        accounts = [self.dataset] if self.analyst is None else [self.analyst, self.dataset]
        return min(accounts, key=lambda account: account.remaining.amount)

    @property
    def periods(self) -> int:
        """How many periods there have been, this one included."""
        return self.period.index + 1
