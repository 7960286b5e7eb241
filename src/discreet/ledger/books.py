"""What is written down inside one transaction, whoever opened it: reservations, conclusions, periods."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from discreet.errors import BudgetExhausted, LedgerError
from discreet.ledger import amount
from discreet.ledger.balance import Balance
from discreet.ledger.machine import Move, State, step
from discreet.ledger.receipts import digest
from discreet.ledger.written import read_charge, write_charge, write_events, write_length, write_time

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime
    from fractions import Fraction

    from discreet.ledger.accountants import Accountant
    from discreet.ledger.events import Charge, Event
    from discreet.ledger.receipts import Entry, Paid, Reservation
    from discreet.ledger.tables import Meta, Purse, Tables
    from discreet.ledger.written import Body

__all__ = ["TAKEN", "Books", "balance_of", "opened", "reserved", "roll", "unused"]

TAKEN = (State.RESERVED.value, State.HELD.value)
"""The kinds of entries that spend."""


@dataclass(frozen=True, slots=True)
class Books:
    """The accounting, the policy and the clock that entries are written under."""

    accountant: Accountant
    policy: str
    clock: Callable[[], datetime]

    def reserve(
        self, tables: Tables, analyst: str | None, charge: Charge, events: Sequence[Event], asked: Body
    ) -> Entry:
        """Spend the charge in the period of now, or raise; ``asked`` is what it is spent on."""
        _, body = self._take(tables, analyst, charge, events, asked)
        return tables.append(step(State.ASKED, Move.RESERVE).value, body)

    def hold(self, tables: Tables, analyst: str | None, charge: Charge, events: Sequence[Event], asked: Body) -> Entry:
        """The same of the most that a question may cost; the accounts are named, to return what it did not cost."""
        scopes, body = self._take(tables, analyst, charge, events, asked)
        return tables.append(step(State.ASKED, Move.HOLD).value, body | {"scopes": list(scopes)})

    def _take(
        self, tables: Tables, analyst: str | None, charge: Charge, events: Sequence[Event], asked: Body
    ) -> tuple[tuple[str, ...], Body]:
        self._check(charge, events)
        now = self.clock()
        meta = roll(tables, opened(tables), now)
        scopes = self._spend(tables, meta, analyst, charge)
        return scopes, {
            "time": write_time(now),
            "dataset": meta.dataset,
            "accounting": meta.accounting,
            "period": meta.period.index,
            "renew": write_length(meta.terms.renew),
            "policy": self.policy,
            "analyst": analyst,
            "events": write_events(events),
            "charge": write_charge(charge),
            **asked,
        }

    def settle(self, tables: Tables, reservation: Entry, payload: bytes, paid: Paid | None) -> Entry:
        """The answer was released; what was held beyond its price is returned."""
        if (paid is None) != (reservation.kind == State.RESERVED.value):
            raise LedgerError("bad-charge", "a hold is settled with what the answer cost, and nothing else is")
        if paid is None:
            return self.conclude(tables, reservation, Move.SETTLE, {"payload": digest(payload)})
        self._check(paid.charge, paid.events)
        told = {"charge": write_charge(paid.charge), "events": write_events(paid.events)}
        settled = self.conclude(tables, reservation, Move.SETTLE, {"payload": digest(payload), "paid": told})
        rest = unused(read_charge(reservation.body["charge"]), paid.charge)
        for scope in reservation.body["scopes"]:
            tables.give_back(scope, reservation.body["period"], rest)
        return settled

    def conclude(self, tables: Tables, reservation: Entry, move: Move, more: Body) -> Entry:
        before = tables.conclusion(reservation.seq) or reservation
        state = step(State(before.kind), move)
        body: Body = {
            "time": write_time(self.clock()),
            "analyst": reservation.body["analyst"],
            "reservation": reservation.seq,
            "reserved": reservation.hash,
            **more,
        }
        return tables.append(state.value, body, reservation.seq)

    def _check(self, charge: Charge, events: Sequence[Event]) -> None:
        """The ledger's own look at the price: no event unknown, none underpaid."""
        cost = self.accountant.charge(events)
        if charge.amount < cost.amount or charge.delta < cost.delta:
            raise LedgerError("bad-charge", "the charge is less than its events cost")

    def _spend(self, tables: Tables, meta: Meta, analyst: str | None, charge: Charge) -> tuple[str, ...]:
        """Charge every account, after all of them have been found to allow it."""
        spent, delta_spent = amount.debit(charge.amount), amount.debit(charge.delta)
        purses = {scope: tables.purse(scope, meta.period.index) for scope in meta.terms.scopes(analyst)}
        if not all(
            purse.allows(spent, delta_spent) and charge.amount <= self._at_once(purse) for purse in purses.values()
        ):
            raise self._exhausted(charge, balance_of(tables, meta, analyst))
        for scope, purse in purses.items():
            tables.spend(scope, meta.period.index, purse.spent + spent, purse.delta_spent + delta_spent)
        return tuple(purses)

    def _at_once(self, purse: Purse) -> Fraction:
        left = amount.fraction(max(0, purse.cap - purse.gone))
        return self.accountant.at_once(left, amount.fraction(purse.cap))

    def _exhausted(self, charge: Charge, balance: Balance) -> BudgetExhausted:
        left, again = balance.remaining, balance.period.end
        if charge.amount > left.amount:
            cost, most = self.accountant.epsilon(charge.amount), self.accountant.epsilon(left.amount)
            message = (
                f"the question costs epsilon {cost:.12g}, and what is left allows a question of {most:.12g} at most"
            )
            hint = "ask at a lower price; what was answered before is free to ask again"
        else:
            message = f"private keys cost delta {float(charge.delta):.3g} here, and {float(left.delta):.3g} is left"
            hint = "group by columns whose values the policy declares"
        if again is not None:
            hint += f"; a new budget begins at {again.isoformat(sep=' ', timespec='minutes')}"
        return BudgetExhausted(message, hint, remaining=balance)


def opened(tables: Tables) -> Meta:
    meta = tables.meta()
    if meta is None:
        raise LedgerError("not-a-ledger", "the ledger has lost its first row", "restore it from a copy")
    return meta


def roll(tables: Tables, meta: Meta, now: datetime) -> Meta:
    """The ledger's state in the period of now; a period that begins is written down."""
    period = meta.period.at(now)
    if period.index == meta.period.index:
        return meta
    end = None if period.end is None else write_time(period.end)
    body: Body = {"time": write_time(now), "period": period.index, "start": write_time(period.start), "end": end}
    tables.append("period", body)
    tables.forget_watches_of(meta.period.index)
    tables.grant(meta.terms, period)
    return opened(tables)


def balance_of(tables: Tables, meta: Meta, analyst: str | None) -> Balance:
    accounts = [tables.account(scope, meta.period.index) for scope in meta.terms.scopes(analyst)]
    return Balance(dataset=accounts[0], analyst=accounts[1] if len(accounts) > 1 else None, period=meta.period)


def reserved(tables: Tables, reservation: Reservation) -> Entry:
    entry = tables.entry(reservation.id)
    if entry is None or entry.kind not in TAKEN or entry.hash != reservation.hash:
        raise LedgerError("no-such-reservation", f"the ledger holds no reservation {reservation.id} of this hash")
    return entry


def unused(held: Charge, paid: Charge) -> int:
    """The grains to return. The delta of private keys is never held: whether a key is shown is paid for either way."""
    if paid.amount > held.amount or paid.delta != held.delta:
        raise LedgerError("bad-charge", "an answer costs at most what was held for it")
    return amount.debit(held.amount) - amount.debit(paid.amount)
