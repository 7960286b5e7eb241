"""The watches of a ledger: opened, asked and run down in locked transactions."""

from __future__ import annotations

from dataclasses import dataclass
from secrets import token_bytes
from typing import TYPE_CHECKING

from discreet.errors import LedgerError
from discreet.ledger.books import Books, opened, roll
from discreet.ledger.machine import Move
from discreet.ledger.receipts import Receipt, digest, receipt_of
from discreet.ledger.tables import StoredComparison, StoredWatch
from discreet.ledger.terms import owner_of
from discreet.ledger.watch import Begun, Compared, Drawn, Said, Threshold, Watched, commitment
from discreet.ledger.written import write_time

if TYPE_CHECKING:
    from collections.abc import Sequence

    from discreet.ledger.events import Charge, Event
    from discreet.ledger.receipts import Entry
    from discreet.ledger.store import Store
    from discreet.ledger.tables import Meta, Tables
    from discreet.ledger.written import Body

__all__ = ["Watches"]


@dataclass(frozen=True, slots=True)
class Watches:
    """Any number of threads and processes may share a watch: its last answer is given once."""

    store: Store
    books: Books

    def find(self, analyst: str | None, name: str) -> Watched | None:
        """The analyst's watch of this name in this period."""
        with self.store.reading() as tables:
            meta = opened(tables)
            stored = tables.watch(owner_of(analyst), name, meta.period.at(self.books.clock()).index)
            return None if stored is None else self._watched(tables, meta, stored)

    def open(
        self,
        analyst: str | None,
        name: str,
        threshold: Threshold,
        charge: Charge,
        events: Sequence[Event],
        *,
        statement: str,
        price: str,
        noise: int,
    ) -> Watched:
        """Pay for a watch and keep the noise of its threshold; or give the one that has this name already."""
        nonce = token_bytes(32)
        watch = {"name": name, "commitment": commitment(noise, nonce), **threshold.to_json()}
        asked: Body = {"statement": statement, "question": _key(name), "price": price, "version": "", "watch": watch}
        with self.store.transaction("FULL") as tables:
            meta = roll(tables, opened(tables), self.books.clock())
            stored = tables.watch(owner_of(analyst), name, meta.period.index)
            if stored is None:
                paid = self.books.reserve(tables, analyst, charge, events, asked)
                period = paid.body["period"]
                stored = StoredWatch(paid.seq, owner_of(analyst), name, period, threshold.answers, 0, str(noise), nonce)
                tables.open_watch(stored)
            return self._watched(tables, opened(tables), stored)

    def standing(self, watch: int) -> Watched:
        """Where a watch stands now."""
        with self.store.reading() as tables:
            return self._watched(tables, opened(tables), _stored(tables, watch))

    def receipt(self, watch: int) -> Receipt:
        """What was paid for it: settled once it has given its last answer."""
        with self.store.reading() as tables:
            paid = _entry(tables, watch)
            return receipt_of(tables.conclusion(watch) or paid, paid)

    def all_open(self, analyst: str | None) -> list[Watched]:
        """Those that can still say "above": of this analyst, or of everyone."""
        with self.store.reading() as tables:
            meta = opened(tables)
            period = meta.period.at(self.books.clock()).index
            stored = tables.all_open_watches(period)
            return [
                self._watched(tables, meta, each)
                for each in stored
                if analyst is None or each.scope == owner_of(analyst)
            ]

    def compared(self, watch: int) -> list[Compared]:
        """What it has said so far, oldest first."""
        with self.store.reading() as tables:
            return [Compared(entry, repeated=True) for entry in tables.all_compared(watch)]

    def begin(self, watch: int, question: str, version: str, drawn: Drawn) -> Begun | Compared:
        """Keep the noise of a comparison before the engine is asked; or tell what it said, or who began it, before."""
        key = _key(question)
        with self.store.transaction("FULL") as tables:
            stored = _stored(tables, watch)
            kept = tables.comparison(watch, key, version)
            if kept is not None and kept.entry is not None:
                return Compared(_entry(tables, kept.entry), repeated=True)
            meta = roll(tables, opened(tables), self.books.clock())
            self._watched(tables, meta, stored).check_open()
            if kept is None:
                kept = StoredComparison(watch, key, version, str(drawn.noise), drawn.secret, None)
                tables.begin_comparison(kept)
            return _begun(stored, kept)

    def conclude(self, begun: Begun, said: Said) -> Compared:
        """Write down what a comparison says, before anyone is told; or give what another wrote in the meantime.

        What takes an answer is on the disk when this returns: no power cut gives the answer back.
        """
        with self.store.transaction("FULL" if said.outcome.takes else "NORMAL") as tables:
            kept = tables.comparison(begun.watch, begun.question, begun.version)
            if kept is not None and kept.entry is not None:
                return Compared(_entry(tables, kept.entry), repeated=True)
            watched = self._watched(tables, opened(tables), _stored(tables, begun.watch))
            watched.check_open()
            entry = tables.append("compared", self._body(watched, begun, said))
            tables.end_comparison(begun.watch, begun.question, begun.version, entry.seq)
            if said.outcome.takes:
                self._take(tables, watched, entry)
            return Compared(entry, repeated=False)

    def _body(self, watched: Watched, begun: Begun, said: Said) -> Body:
        return {
            "time": write_time(self.books.clock()),
            "analyst": watched.opened.body["analyst"],
            "watch": watched.opened.seq,
            "opened": watched.opened.hash,
            "statement": said.statement,
            "question": begun.question,
            "version": begun.version,
            "moved": said.moved,
            "outcome": said.outcome.value,
            "value": None if said.value is None else str(said.value),
            "left": watched.left - said.outcome.takes,
        }

    def _take(self, tables: Tables, watched: Watched, entry: Entry) -> None:
        """One answer less; with the last one the watch is settled, and its noise forgotten."""
        tables.use_answer(watched.opened.seq)
        if watched.left == 1:
            self.books.conclude(tables, watched.opened, Move.SETTLE, {"payload": digest(entry.hash.encode("ascii"))})
            tables.forget_watch(watched.opened.seq)

    def _watched(self, tables: Tables, meta: Meta, stored: StoredWatch) -> Watched:
        now = meta.period.at(self.books.clock())
        over = stored.period != now.index
        return Watched(_entry(tables, stored.reservation), stored.used, None if over else now.end, over)


def _key(text: str) -> str:
    return digest(text.encode("utf-8", "surrogatepass"))


def _stored(tables: Tables, watch: int) -> StoredWatch:
    stored = tables.watch_of(watch)
    if stored is None:
        raise LedgerError("no-such-reservation", f"the ledger holds no watch {watch}")
    return stored


def _entry(tables: Tables, seq: int) -> Entry:
    entry = tables.entry(seq)
    if entry is None:
        raise LedgerError("not-a-ledger", "the ledger has lost an entry", "restore it from a copy")
    return entry


def _begun(stored: StoredWatch, kept: StoredComparison) -> Begun:
    if stored.noise is None or kept.noise is None or kept.secret is None:
        raise LedgerError("not-a-ledger", "the ledger has lost the noise of a watch", "restore it from a copy")
    drawn = Drawn(int(kept.noise), kept.secret)
    return Begun(kept.watch, kept.question, kept.version, int(stored.noise), drawn)
