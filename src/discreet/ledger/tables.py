"""What the ledger's tables hold, as values: every SQL statement of the ledger is in this file.

A Tables is only good inside the transaction that gave it. Each method touches a fixed number of
rows found by a key, save those whose names say ``all`` or ``every``, which no query waits for.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from discreet.ledger import amount
from discreet.ledger.balance import Account, Period
from discreet.ledger.events import Charge
from discreet.ledger.receipts import GENESIS, Entry, seal
from discreet.ledger.terms import Terms
from discreet.ledger.written import Body, canonical, read_time, write_time

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Mapping

__all__ = ["Meta", "Purse", "StoredAnswer", "StoredComparison", "StoredPublication", "StoredWatch", "Tables"]


@dataclass(frozen=True, slots=True)
class Meta:
    """The one row that says whose ledger this is, on which terms, and where its chain ends."""

    dataset: str
    accounting: str
    salt: bytes
    terms: Terms
    period: Period
    head: int
    head_hash: str


@dataclass(frozen=True, slots=True)
class Purse:
    """An account's row, in grains."""

    cap: int
    spent: int
    delta_cap: int
    delta_spent: int
    returned: int = 0

    @property
    def gone(self) -> int:
        """What is spent and was not returned: holds count in full until they are settled."""
        return self.spent - self.returned

    def allows(self, spent: int, delta_spent: int) -> bool:
        """Whether so much more stays within the caps; nothing at all always does."""
        return (spent == 0 or self.gone + spent <= self.cap) and (
            delta_spent == 0 or self.delta_spent + delta_spent <= self.delta_cap
        )


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """A released payload and the entry that settled it."""

    question: str
    price: str
    version: str
    payload: bytes
    entry: int


@dataclass(frozen=True, slots=True)
class StoredPublication:
    """A published payload, the entry that says so, and the answer that its numbers are from."""

    entry: int
    name: str
    answer: int
    payload: bytes


@dataclass(frozen=True, slots=True)
class StoredWatch:
    """A watch's row: what it has used up, and its secrets until it is over."""

    reservation: int
    scope: str
    name: str
    period: int
    answers: int
    used: int
    noise: str | None = field(repr=False)
    nonce: bytes | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class StoredComparison:
    """One comparison: begun with its secrets, or concluded by an entry and without them."""

    watch: int
    question: str
    version: str
    noise: str | None = field(repr=False)
    secret: str | None = field(repr=False)
    entry: int | None


class Tables:
    """Reads and writes of one transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._run = connection.execute

    # Who, on which terms.

    def touch(self) -> None:
        """Write what is there already: a place that only pretends to be writable fails here."""
        self._run("UPDATE meta SET one = 1")

    def meta(self) -> Meta | None:
        row = self._run(
            "SELECT dataset, accounting, salt, terms, period, period_start, head, head_hash FROM meta"
        ).fetchone()
        if row is None:
            return None
        terms = Terms.from_json(json.loads(row[3]))
        return Meta(row[0], row[1], row[2], terms, Period(row[4], read_time(row[5]), terms.renew), row[6], row[7])

    def begin(self, dataset: str, accounting: str, salt: bytes, terms: Terms, period: Period) -> None:
        self._run(
            "INSERT INTO meta VALUES (1, ?, ?, ?, ?, ?, ?, 0, ?)",
            (
                dataset,
                accounting,
                salt,
                canonical(terms.to_json()),
                period.index,
                write_time(period.start),
                GENESIS,
            ),
        )

    def grant(self, terms: Terms, period: Period) -> None:
        """Set the terms and the period, open the accounts that are missing, and set every cap."""
        self._run(
            "UPDATE meta SET terms = ?, period = ?, period_start = ?",
            (canonical(terms.to_json()), period.index, write_time(period.start)),
        )
        zero = amount.write(0)
        for scope, cap in terms.caps.items():
            self._run(
                "INSERT INTO accounts (scope, period, cap, spent, delta_cap, delta_spent) VALUES (?, ?, ?, ?, ?, ?)"
                " ON CONFLICT (scope, period) DO UPDATE SET cap = excluded.cap, delta_cap = excluded.delta_cap",
                (
                    scope,
                    period.index,
                    amount.write(amount.capped(cap.amount)),
                    zero,
                    amount.write(amount.capped(cap.delta)),
                    zero,
                ),
            )

    # The chain.

    def append(self, kind: str, body: Body, reservation: int | None = None) -> Entry:
        head, prev = self._run("SELECT head, head_hash FROM meta").fetchone()
        entry = Entry(head + 1, kind, body, prev, seal(head + 1, kind, body, prev))
        self._run(
            "INSERT INTO entries (seq, kind, body, prev, hash, reservation) VALUES (?, ?, ?, ?, ?, ?)",
            (entry.seq, kind, canonical(body), prev, entry.hash, reservation),
        )
        self._run("UPDATE meta SET head = ?, head_hash = ?", (entry.seq, entry.hash))
        return entry

    def entry(self, seq: int) -> Entry | None:
        row = self._run("SELECT seq, kind, body, prev, hash FROM entries WHERE seq = ?", (seq,)).fetchone()
        return None if row is None else _entry(row)

    def conclusion(self, reservation: int) -> Entry | None:
        row = self._run(
            "SELECT seq, kind, body, prev, hash FROM entries WHERE reservation = ?", (reservation,)
        ).fetchone()
        return None if row is None else _entry(row)

    def all_entries(self) -> Iterator[tuple[Entry, int | None]]:
        """Oldest first, each with the reservation that its column says it concludes."""
        for row in self._run("SELECT seq, kind, body, prev, hash, reservation FROM entries ORDER BY seq"):
            yield _entry(row[:5]), row[5]

    def all_entries_latest_first(self) -> Iterator[Entry]:
        """Newest first; a reservation comes with its state."""
        for row in self._run(
            "SELECT e.seq, e.kind, e.body, e.prev, e.hash,"
            " CASE WHEN e.kind IN ('reserved', 'held') THEN coalesce(c.kind, e.kind) END"
            " FROM entries AS e LEFT JOIN entries AS c ON c.reservation = e.seq ORDER BY e.seq DESC"
        ):
            yield _entry(row[:5], row[5])

    # The accounts.

    def purse(self, scope: str, period: int) -> Purse:
        row = self._run(
            "SELECT cap, spent, delta_cap, delta_spent, returned FROM accounts WHERE scope = ? AND period = ?",
            (scope, period),
        ).fetchone()
        return Purse(*map(amount.read, row))

    def spend(self, scope: str, period: int, spent: int, delta_spent: int) -> None:
        self._run(
            "UPDATE accounts SET spent = ?, delta_spent = ? WHERE scope = ? AND period = ?",
            (amount.write(spent), amount.write(delta_spent), scope, period),
        )

    def give_back(self, scope: str, period: int, unused: int) -> None:
        """A hold is settled: what of it was not needed may be spent again."""
        self._run(
            "UPDATE accounts SET returned = ? WHERE scope = ? AND period = ?",
            (amount.write(self.purse(scope, period).returned + unused), scope, period),
        )

    def account(self, scope: str, period: int) -> Account:
        purse = self.purse(scope, period)
        rows = self._run("SELECT spent, returned, delta_spent FROM accounts WHERE scope = ?", (scope,)).fetchall()
        gone = sum(amount.read(spent) - amount.read(returned) for spent, returned, _ in rows)
        return Account(
            cap=_charge(purse.cap, purse.delta_cap),
            spent=_charge(purse.gone, purse.delta_spent),
            spent_ever=_charge(gone, sum(amount.read(delta) for _, _, delta in rows)),
        )

    def every_purse(self) -> Mapping[tuple[str, int], Purse]:
        rows = self._run("SELECT scope, period, cap, spent, delta_cap, delta_spent, returned FROM accounts")
        return {(row[0], row[1]): Purse(*map(amount.read, row[2:])) for row in rows}

    # The answers.

    def answer(self, question: str, price: str, version: str) -> StoredAnswer | None:
        row = self._run(
            "SELECT question, price, version, payload, entry FROM answers"
            " WHERE question = ? AND version = ? AND price = ?",
            (question, version, price),
        ).fetchone()
        return None if row is None else StoredAnswer(*row)

    def dearest_answer(self, question: str, version: str) -> StoredAnswer | None:
        row = self._run(
            "SELECT question, price, version, payload, entry FROM answers"
            " WHERE question = ? AND version = ? ORDER BY amount DESC, entry LIMIT 1",
            (question, version),
        ).fetchone()
        return None if row is None else StoredAnswer(*row)

    def keep(self, answer: StoredAnswer, spent: int) -> None:
        """Keep the answer, unless there is one already: the first one stands."""
        self._run(
            "INSERT INTO answers (question, price, version, amount, payload, entry) VALUES (?, ?, ?, ?, ?, ?)"
            " ON CONFLICT (question, version, price) DO NOTHING",
            (answer.question, answer.price, answer.version, amount.write(spent), answer.payload, answer.entry),
        )

    def all_answers(self) -> Iterator[StoredAnswer]:
        for row in self._run("SELECT question, price, version, payload, entry FROM answers ORDER BY entry"):
            yield StoredAnswer(*row)

    # The publications.

    def newest_publication(self, name: str) -> int | None:
        """The entry of the one that stands under this name."""
        (entry,) = self._run("SELECT max(entry) FROM publications WHERE name = ?", (name,)).fetchone()
        return entry

    def all_names(self) -> dict[str, int]:
        """Every name with the entry that stands under it."""
        return dict(self._run("SELECT name, max(entry) FROM publications GROUP BY name").fetchall())

    def publication(self, entry: int) -> StoredPublication | None:
        row = self._run("SELECT entry, name, answer, payload FROM publications WHERE entry = ?", (entry,)).fetchone()
        return None if row is None else StoredPublication(*row)

    def keep_publication(self, published: StoredPublication) -> None:
        self._run(
            "INSERT INTO publications (entry, name, answer, payload) VALUES (?, ?, ?, ?)",
            (published.entry, published.name, published.answer, published.payload),
        )

    def all_publications(self) -> Iterator[StoredPublication]:
        for row in self._run("SELECT entry, name, answer, payload FROM publications ORDER BY entry"):
            yield StoredPublication(*row)

    # The watches.

    def watch(self, scope: str, name: str, period: int) -> StoredWatch | None:
        row = self._run(f"{_WATCHES} WHERE scope = ? AND name = ? AND period = ?", (scope, name, period)).fetchone()
        return None if row is None else StoredWatch(*row)

    def watch_of(self, reservation: int) -> StoredWatch | None:
        row = self._run(f"{_WATCHES} WHERE reservation = ?", (reservation,)).fetchone()
        return None if row is None else StoredWatch(*row)

    def all_open_watches(self, period: int) -> list[StoredWatch]:
        rows = self._run(f"{_WATCHES} WHERE period = ? AND used < answers ORDER BY reservation", (period,))
        return [StoredWatch(*row) for row in rows]

    def all_watches(self) -> Iterator[StoredWatch]:
        for row in self._run(f"{_WATCHES} ORDER BY reservation"):
            yield StoredWatch(*row)

    def open_watch(self, watch: StoredWatch) -> None:
        self._run(
            "INSERT INTO watches (reservation, scope, name, period, answers, used, noise, nonce)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                watch.reservation,
                watch.scope,
                watch.name,
                watch.period,
                watch.answers,
                watch.used,
                watch.noise,
                watch.nonce,
            ),
        )

    def use_answer(self, watch: int) -> None:
        self._run("UPDATE watches SET used = used + 1 WHERE reservation = ?", (watch,))

    def forget_watch(self, watch: int) -> None:
        """A watch that is over needs its noise no more."""
        self._run("UPDATE watches SET noise = NULL, nonce = NULL WHERE reservation = ?", (watch,))
        self._run("UPDATE comparisons SET noise = NULL, secret = NULL WHERE watch = ? AND entry IS NULL", (watch,))

    def forget_watches_of(self, period: int) -> None:
        self._run("UPDATE watches SET noise = NULL, nonce = NULL WHERE period = ?", (period,))
        self._run(
            "UPDATE comparisons SET noise = NULL, secret = NULL WHERE entry IS NULL"
            " AND watch IN (SELECT reservation FROM watches WHERE period = ?)",
            (period,),
        )

    def comparison(self, watch: int, question: str, version: str) -> StoredComparison | None:
        row = self._run(
            f"{_COMPARISONS} WHERE watch = ? AND question = ? AND version = ?", (watch, question, version)
        ).fetchone()
        return None if row is None else StoredComparison(*row)

    def all_comparisons(self) -> Iterator[StoredComparison]:
        for row in self._run(f"{_COMPARISONS} ORDER BY watch, question, version"):
            yield StoredComparison(*row)

    def begin_comparison(self, begun: StoredComparison) -> None:
        self._run(
            "INSERT INTO comparisons (watch, question, version, noise, secret) VALUES (?, ?, ?, ?, ?)",
            (begun.watch, begun.question, begun.version, begun.noise, begun.secret),
        )

    def end_comparison(self, watch: int, question: str, version: str, entry: int) -> None:
        self._run(
            "UPDATE comparisons SET noise = NULL, secret = NULL, entry = ?"
            " WHERE watch = ? AND question = ? AND version = ?",
            (entry, watch, question, version),
        )

    def all_compared(self, watch: int) -> list[Entry]:
        """The entries that concluded the comparisons of a watch, oldest first."""
        rows = self._run(
            "SELECT e.seq, e.kind, e.body, e.prev, e.hash FROM comparisons AS c JOIN entries AS e ON e.seq = c.entry"
            " WHERE c.watch = ? ORDER BY e.seq",
            (watch,),
        )
        return [_entry(row) for row in rows]


_WATCHES = "SELECT reservation, scope, name, period, answers, used, noise, nonce FROM watches"
_COMPARISONS = "SELECT watch, question, version, noise, secret, entry FROM comparisons"


def _entry(row: tuple[int, str, str, str, str], state: str | None = None) -> Entry:
    seq, kind, body, prev, own = row
    return Entry(seq, kind, _body(body), prev, own, state)


def _body(text: str) -> Body:
    """A body that was tampered with need not be JSON; then its hash cannot be right either."""
    try:
        body = json.loads(text)
    except ValueError:
        return {"unreadable": text}
    return cast("Body", body) if isinstance(body, dict) else {"unreadable": text}


def _charge(grains: int, delta_grains: int) -> Charge:
    return Charge(amount.fraction(grains), amount.fraction(delta_grains))
