"""The ledger as the session sees it: reserve, settle, fail, and what can be read."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import islice
from secrets import token_bytes
from typing import TYPE_CHECKING

from discreet.errors import BudgetExhausted, LedgerError
from discreet.ledger import amount
from discreet.ledger.accountants import Accountant, accountant
from discreet.ledger.balance import Balance, Period
from discreet.ledger.events import Charge
from discreet.ledger.machine import Move, State, step
from discreet.ledger.place import file_of
from discreet.ledger.receipts import Answer, Entry, Receipt, Reservation, digest, receipt_of
from discreet.ledger.store import Store
from discreet.ledger.tables import Meta, StoredAnswer, Tables
from discreet.ledger.terms import Terms
from discreet.ledger.verification import Verification, verify
from discreet.ledger.written import Body, read_charge, write_charge, write_events, write_length, write_time

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import timedelta

    from discreet.ledger.events import Event

__all__ = ["Ledger", "utcnow"]


def utcnow() -> datetime:
    return datetime.now(UTC)


class Ledger:
    """The one thing in the house that changes. Use it from as many threads and processes as you like."""

    def __init__(self, store: Store, meta: Meta, policy: str, clock: Callable[[], datetime]) -> None:
        self._store, self._policy, self._clock = store, policy, clock
        self._accountant: Accountant = accountant(meta.accounting)
        self.salt: bytes = meta.salt

    @classmethod
    def open(
        cls,
        url: str,
        *,
        dataset: str,
        accounting: str,
        capacity: Charge,
        quotas: Mapping[str, Charge],
        renew: timedelta | None,
        policy: str,
        clock: Callable[[], datetime] = utcnow,
    ) -> Ledger:
        """Open the ledger or begin it; terms that differ from the last ones are written down."""
        accountant(accounting)
        terms = Terms(policy, capacity, dict(quotas), renew)
        store = Store(file_of(url))
        try:
            with store.transaction("FULL") as tables:
                meta = tables.meta() or _begin(tables, dataset, accounting, terms, clock())
                _same_ledger(meta, dataset, accounting)
                if meta.terms != terms:
                    _change_terms(tables, meta, terms, clock())
        except BaseException:
            store.close()
            raise
        return cls(store, meta, policy, clock)

    def find(self, question: str, price: str | None, version: str) -> Answer | None:
        """What was released for this question before: at this price, or (for None) at the dearest."""
        key = _key(question)
        with self._store.reading() as tables:
            kept = tables.dearest_answer(key, version) if price is None else tables.answer(key, price, version)
            if kept is None:
                return None
            return Answer(kept.payload, kept.price, _receipt(tables, kept.entry))

    def reserve(
        self,
        analyst: str | None,
        charge: Charge,
        events: Sequence[Event],
        *,
        statement: str,
        question: str,
        price: str,
        version: str,
    ) -> Reservation:
        """Spend the charge, durably, before any data is read; or raise, with nothing written."""
        self._check(charge, events)
        with self._store.transaction("FULL") as tables:
            now = self._clock()
            meta = _roll(tables, _opened(tables), now)
            self._spend(tables, meta, analyst, charge)
            body: Body = {
                "time": write_time(now),
                "dataset": meta.dataset,
                "accounting": meta.accounting,
                "period": meta.period.index,
                "renew": write_length(meta.terms.renew),
                "policy": self._policy,
                "analyst": analyst,
                "statement": statement,
                "question": _key(question),
                "price": price,
                "version": version,
                "events": write_events(events),
                "charge": write_charge(charge),
            }
            entry = tables.append(step(State.ASKED, Move.RESERVE).value, body)
        return Reservation(entry.seq, entry.hash)

    def settle(self, reservation: Reservation, payload: bytes) -> Receipt:
        """Write down that the answer was released, and keep it to be given again at no cost."""
        with self._store.transaction("NORMAL") as tables:
            reserved = _reserved(tables, reservation)
            settled = self._conclude(tables, reserved, Move.SETTLE, {"payload": digest(payload)})
            body = reserved.body
            spent = amount.debit(read_charge(body["charge"]).amount)
            tables.keep(StoredAnswer(body["question"], body["price"], body["version"], payload, settled.seq), spent)
        return receipt_of(settled, reserved)

    def fail(self, reservation: Reservation) -> Receipt:
        """Write down that the engine could not answer. The charge stays, and why is not said."""
        with self._store.transaction("NORMAL") as tables:
            reserved = _reserved(tables, reservation)
            failed = self._conclude(tables, reserved, Move.FAIL, {})
        return receipt_of(failed, reserved)

    def receipt(self, entry_id: int) -> Receipt:
        """The receipt with this id."""
        with self._store.reading() as tables:
            return _receipt(tables, entry_id)

    def balance(self, analyst: str | None = None) -> Balance:
        """What is left now: for the dataset, and for the analyst where there is a quota."""
        with self._store.transaction("FULL") as tables:
            return _balance(tables, _roll(tables, _opened(tables), self._clock()), analyst)

    def history(self, analyst: str | None = None, limit: int | None = None) -> list[Entry]:
        """The newest entries (of one analyst), newest last."""
        with self._store.snapshot() as tables:
            entries = tables.all_entries_latest_first()
            wanted = (each for each in entries if analyst is None or each.body.get("analyst") == analyst)
            return list(islice(wanted, limit))[::-1]

    def verify(self) -> Verification:
        """Recompute the chain and every account from the entries alone."""
        with self._store.snapshot() as tables:
            return verify(tables)

    def close(self) -> None:
        self._store.close()

    def _check(self, charge: Charge, events: Sequence[Event]) -> None:
        """The ledger's own look at the price: no event unknown, none underpaid."""
        cost = self._accountant.charge(events)
        if charge.amount < cost.amount or charge.delta < cost.delta:
            raise LedgerError("bad-charge", "the charge is less than its events cost")

    def _spend(self, tables: Tables, meta: Meta, analyst: str | None, charge: Charge) -> None:
        """Charge every account, after all of them have been found to allow it."""
        spent, delta_spent = amount.debit(charge.amount), amount.debit(charge.delta)
        purses = {scope: tables.purse(scope, meta.period.index) for scope in meta.terms.scopes(analyst)}
        if not all(purse.allows(spent, delta_spent) for purse in purses.values()):
            raise self._exhausted(charge, _balance(tables, meta, analyst))
        for scope, purse in purses.items():
            tables.spend(scope, meta.period.index, purse.spent + spent, purse.delta_spent + delta_spent)

    def _exhausted(self, charge: Charge, balance: Balance) -> BudgetExhausted:
        left, again = balance.remaining, balance.period.end
        if charge.amount > left.amount:
            cost, most = self._accountant.epsilon(charge.amount), self._accountant.epsilon(left.amount)
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

    def _conclude(self, tables: Tables, reserved: Entry, move: Move, more: Body) -> Entry:
        before = tables.conclusion(reserved.seq)
        state = step(State.RESERVED if before is None else State(before.kind), move)
        body: Body = {
            "time": write_time(self._clock()),
            "analyst": reserved.body["analyst"],
            "reservation": reserved.seq,
            "reserved": reserved.hash,
            **more,
        }
        return tables.append(state.value, body, reserved.seq)


def _begin(tables: Tables, dataset: str, accounting: str, terms: Terms, now: datetime) -> Meta:
    period = Period(0, now, terms.renew)
    tables.begin(dataset, accounting, token_bytes(32), terms, period)
    tables.grant(terms, period)
    body: Body = {
        "time": write_time(now),
        "dataset": dataset,
        "accounting": accounting,
        "terms": terms.to_json(),
    }
    tables.append("opened", body)
    return _opened(tables)


def _same_ledger(meta: Meta, dataset: str, accounting: str) -> None:
    if meta.dataset != dataset:
        raise LedgerError(
            "wrong-dataset",
            f"the ledger is that of the dataset {meta.dataset!r}, not of {dataset!r}",
            "give each dataset a ledger of its own: set dataset.ledger in the policy",
        )
    if meta.accounting != accounting:
        raise LedgerError(
            "wrong-accounting",
            f"the ledger is kept in {meta.accounting!r}, and the policy says {accounting!r}",
            "a dataset keeps its accounting for ever: what was spent in one cannot be told in another",
        )


def _change_terms(tables: Tables, meta: Meta, terms: Terms, now: datetime) -> None:
    """Write old and new terms. Where the length of a period changes, the present one starts again."""
    meta = _roll(tables, meta, now)
    tables.append("policy", {"time": write_time(now), "old": meta.terms.to_json(), "new": terms.to_json()})
    start = meta.period.start if terms.renew == meta.terms.renew else max(now, meta.period.start)
    tables.grant(terms, Period(meta.period.index, start, terms.renew))


def _roll(tables: Tables, meta: Meta, now: datetime) -> Meta:
    """The ledger's state in the period of now; a period that begins is written down."""
    period = meta.period.at(now)
    if period.index == meta.period.index:
        return meta
    end = None if period.end is None else write_time(period.end)
    body: Body = {"time": write_time(now), "period": period.index, "start": write_time(period.start), "end": end}
    tables.append("period", body)
    tables.grant(meta.terms, period)
    return _opened(tables)


def _opened(tables: Tables) -> Meta:
    meta = tables.meta()
    if meta is None:
        raise LedgerError("not-a-ledger", "the ledger has lost its first row", "restore it from a copy")
    return meta


def _balance(tables: Tables, meta: Meta, analyst: str | None) -> Balance:
    accounts = [tables.account(scope, meta.period.index) for scope in meta.terms.scopes(analyst)]
    return Balance(dataset=accounts[0], analyst=accounts[1] if len(accounts) > 1 else None, period=meta.period)


def _reserved(tables: Tables, reservation: Reservation) -> Entry:
    entry = tables.entry(reservation.id)
    if entry is None or entry.kind != State.RESERVED.value or entry.hash != reservation.hash:
        raise LedgerError("no-such-reservation", f"the ledger holds no reservation {reservation.id} of this hash")
    return entry


def _receipt(tables: Tables, entry_id: int) -> Receipt:
    conclusion = tables.entry(entry_id)
    reserved = None if conclusion is None else tables.entry(conclusion.body.get("reservation", 0))
    if conclusion is None or reserved is None:
        raise LedgerError("no-such-receipt", f"the ledger holds no receipt {entry_id}", "discreet history lists them")
    return receipt_of(conclusion, reserved)


def _key(question: str) -> str:
    """Questions are found by their digest: short keys, whatever characters the text holds."""
    return digest(question.encode("utf-8", "surrogatepass"))
