"""The ledger as the session sees it: reserve, settle, fail, and what can be read."""

from __future__ import annotations

from datetime import UTC, datetime
from fractions import Fraction
from itertools import islice
from secrets import token_bytes
from typing import TYPE_CHECKING, Unpack

from discreet.errors import LedgerError
from discreet.ledger import amount
from discreet.ledger.accountants import accountant
from discreet.ledger.balance import Balance, Period
from discreet.ledger.books import Books, balance_of, opened, reserved, roll
from discreet.ledger.events import Charge
from discreet.ledger.machine import Move
from discreet.ledger.place import file_of
from discreet.ledger.publications import Publication, publish
from discreet.ledger.receipts import Answer, Entry, Paid, Receipt, Reservation, digest, receipt_of
from discreet.ledger.store import Store
from discreet.ledger.tables import Meta, StoredAnswer, Tables
from discreet.ledger.terms import Terms
from discreet.ledger.verification import Verification, verify
from discreet.ledger.watches import Watches
from discreet.ledger.written import Body, write_time

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import timedelta

    from discreet.ledger.events import Event
    from discreet.ledger.receipts import Statement

__all__ = ["Ledger", "utcnow"]


def utcnow() -> datetime:
    return datetime.now(UTC)


class Ledger:
    """The one thing in the house that changes. Use it from as many threads and processes as you like."""

    def __init__(self, store: Store, meta: Meta, policy: str, clock: Callable[[], datetime]) -> None:
        self._store, self._books = store, Books(accountant(meta.accounting), policy, clock)
        self.watches = Watches(self._store, self._books)
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
        self, analyst: str | None, charge: Charge, events: Sequence[Event], **asked: Unpack[Statement]
    ) -> Reservation:
        """Spend the charge, durably, before any data is read; or raise, with nothing written."""
        with self._store.transaction("FULL") as tables:
            entry = self._books.reserve(tables, analyst, charge, events, _body(asked))
        return Reservation(entry.seq, entry.hash)

    def hold(
        self, analyst: str | None, charge: Charge, events: Sequence[Event], **asked: Unpack[Statement]
    ) -> Reservation:
        """Spend the most that a question may cost; what it does cost is told when it is settled."""
        with self._store.transaction("FULL") as tables:
            entry = self._books.hold(tables, analyst, charge, events, _body(asked))
        return Reservation(entry.seq, entry.hash)

    def settle(self, reservation: Reservation, payload: bytes, paid: Paid | None = None) -> Receipt:
        """Write down that the answer was released, and keep it to be given again at no cost.

        ``paid`` is what the answer cost, where a hold was taken for it: a function of what is released.
        """
        with self._store.transaction("NORMAL") as tables:
            asked = reserved(tables, reservation)
            settled = self._books.settle(tables, asked, payload, paid)
            receipt, body = receipt_of(settled, asked), asked.body
            spent = amount.debit(Fraction(receipt.amount))
            tables.keep(StoredAnswer(body["question"], body["price"], body["version"], payload, settled.seq), spent)
        return receipt

    def fail(self, reservation: Reservation) -> Receipt:
        """Write down that the engine could not answer. The charge stays, and why is not said."""
        with self._store.transaction("NORMAL") as tables:
            asked = reserved(tables, reservation)
            failed = self._books.conclude(tables, asked, Move.FAIL, {})
        return receipt_of(failed, asked)

    def publish(self, name: str, payload: bytes, receipt: Receipt, *, replace: bool = False) -> Publication:
        """Give what was released under this receipt a name by which anybody may ask for it."""
        with self._store.transaction("FULL") as tables:
            entry = publish(tables, name, payload, receipt.id, replace, self._books.clock())
        return Publication(name, entry.seq, entry.time, payload, receipt)

    def names(self) -> dict[str, int]:
        """Every name that something is published under, with the entry that stands."""
        with self._store.reading() as tables:
            return tables.all_names()

    def publication(self, entry_id: int) -> Publication:
        """What an entry published."""
        with self._store.reading() as tables:
            kept, entry = tables.publication(entry_id), tables.entry(entry_id)
            if kept is None or entry is None:
                raise LedgerError("no-such-receipt", f"the ledger holds no publication {entry_id}")
            return Publication(kept.name, entry.seq, entry.time, kept.payload, _receipt(tables, kept.answer))

    def receipt(self, entry_id: int) -> Receipt:
        """The receipt with this id."""
        with self._store.reading() as tables:
            return _receipt(tables, entry_id)

    def balance(self, analyst: str | None = None) -> Balance:
        """What is left now: for the dataset, and for the analyst where there is a quota."""
        with self._store.transaction("FULL") as tables:
            return balance_of(tables, roll(tables, opened(tables), self._books.clock()), analyst)

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
    return opened(tables)


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
    meta = roll(tables, meta, now)
    tables.append("policy", {"time": write_time(now), "old": meta.terms.to_json(), "new": terms.to_json()})
    start = meta.period.start if terms.renew == meta.terms.renew else max(now, meta.period.start)
    tables.grant(terms, Period(meta.period.index, start, terms.renew))


def _receipt(tables: Tables, entry_id: int) -> Receipt:
    conclusion = tables.entry(entry_id)
    reserved = None if conclusion is None else tables.entry(conclusion.body.get("reservation", 0))
    if conclusion is None or reserved is None:
        raise LedgerError("no-such-receipt", f"the ledger holds no receipt {entry_id}", "discreet history lists them")
    return receipt_of(conclusion, reserved)


def _body(asked: Statement) -> Body:
    return {**asked, "question": _key(asked["question"])}


def _key(question: str) -> str:
    """Questions are found by their digest: short keys, whatever characters the text holds."""
    return digest(question.encode("utf-8", "surrogatepass"))
