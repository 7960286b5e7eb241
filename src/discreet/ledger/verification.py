"""Checking a ledger from its entries alone.

The stored sums, caps and head are what is checked, so nothing here reads them until the entries
have been replayed from the first: the chain of hashes, every reservation's price as the accountant
gives it, every cap that was in force, and the one conclusion that each reservation may have.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from discreet.errors import LedgerError
from discreet.ledger import amount
from discreet.ledger.accountants import accountant
from discreet.ledger.books import unused
from discreet.ledger.machine import Move, State, step
from discreet.ledger.receipts import GENESIS, digest, seal
from discreet.ledger.tables import Purse
from discreet.ledger.terms import Terms
from discreet.ledger.watch_replay import WatchReplay
from discreet.ledger.written import read_charge, read_events

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from discreet.ledger.receipts import Entry
    from discreet.ledger.tables import Meta, Tables
    from discreet.ledger.written import Body

__all__ = ["Verification", "verify"]

MISSHAPEN = (KeyError, TypeError, ValueError, AttributeError)


@dataclass(frozen=True, slots=True)
class Verification:
    """The outcome: ``head`` is the hash to compare with the newest receipt that anyone holds."""

    ok: bool
    entries: int
    head: str
    problems: tuple[str, ...]


def verify(tables: Tables) -> Verification:
    """Replay the whole ledger and compare it with what it says of itself."""
    replay = Replay()
    for entry, reservation in tables.all_entries():
        replay.take(entry, reservation)
    problems = [
        *replay.problems,
        *_survive("the ledger's first row", lambda: _against_meta(replay, tables.meta())),
        *_survive("an account", lambda: _against_purses(replay, tables)),
        *_against_answers(replay, tables),
        *_survive("a publication", lambda: _against_publications(replay, tables)),
        *_survive("a watch", lambda: replay.watches.against(tables)),
    ]
    return Verification(not problems, replay.seq, replay.head, tuple(problems))


@dataclass(slots=True)
class Replay:
    """What the entries so far add up to."""

    seq: int = 0
    head: str = GENESIS
    dataset: str = ""
    accounting: str = ""
    terms: Terms | None = None
    period: int = 0
    purses: dict[tuple[str, int], Purse] = field(default_factory=dict[tuple[str, int], Purse])
    states: dict[int, State] = field(default_factory=dict[int, State])
    released: dict[int, tuple[str, str, str, str]] = field(default_factory=dict[int, tuple[str, str, str, str]])
    taken: dict[int, Body] = field(default_factory=dict[int, dict[str, Any]])
    published: dict[int, tuple[str, int, str]] = field(default_factory=dict[int, tuple[str, int, str]])
    watches: WatchReplay = field(default_factory=WatchReplay)
    problems: list[str] = field(default_factory=list[str])

    def take(self, entry: Entry, reservation: int | None) -> None:
        try:
            self._link(entry)
            self._mean(entry, reservation)
        except (*MISSHAPEN, LedgerError):
            # A body that was tampered with can be of any shape; that it is wrong is all there is to say.
            self._blame(entry, "its content does not make sense here")

    def _link(self, entry: Entry) -> None:
        if entry.seq != self.seq + 1:
            self._blame(entry, f"it follows entry {self.seq}: entries are missing")
        if entry.prev != self.head:
            self._blame(entry, "it does not carry the hash of the entry before it")
        self.seq, self.head = entry.seq, entry.hash
        if entry.hash != seal(entry.seq, entry.kind, entry.body, entry.prev):
            self._blame(entry, "its hash does not match its content")

    def _mean(self, entry: Entry, reservation: int | None) -> None:
        match entry.kind:
            case "opened":
                self.dataset, self.accounting = entry.body["dataset"], entry.body["accounting"]
                self._grant(Terms.from_json(entry.body["terms"]), 0)
            case "policy":
                self._grant(Terms.from_json(entry.body["new"]), self.period)
            case "period":
                if entry.body["period"] <= self.period:
                    self._blame(entry, "it goes back to an earlier period")
                self._grant(self._in_force(), entry.body["period"])
            case "reserved" | "held":
                self._reserve(entry)
            case "settled" | "failed":
                self._conclude(entry, reservation)
            case "published":
                self._publish(entry)
            case "compared":
                self._blame_all(entry, self.watches.compare(entry, self.period))
            case _:
                self._blame(entry, f"nobody knows the kind {entry.kind[:40]!r}")

    def _grant(self, terms: Terms, period: int) -> None:
        self.terms, self.period = terms, period
        for scope, cap in terms.caps.items():
            old = self.purses.get((scope, period), Purse(0, 0, 0, 0))
            self.purses[scope, period] = replace(old, cap=amount.capped(cap.amount), delta_cap=amount.capped(cap.delta))

    def _reserve(self, entry: Entry) -> None:
        body, charge = entry.body, read_charge(entry.body["charge"])
        cost = accountant(self.accounting).charge(read_events(body["events"]))
        if charge.amount < cost.amount or charge.delta < cost.delta:
            self._blame(entry, "it charges less than its events cost")
        if body["period"] != self.period or body["dataset"] != self.dataset:
            self._blame(entry, "it is charged to another period or dataset")
        scopes = self._in_force().scopes(body["analyst"])
        for scope in scopes:
            self._spend(entry, scope, amount.debit(charge.amount), amount.debit(charge.delta))
        if entry.kind == State.HELD.value and body["scopes"] != list(scopes):
            self._blame(entry, "it is charged to other accounts than it says")
        self.states[entry.seq] = step(State.ASKED, Move.HOLD if entry.kind == State.HELD.value else Move.RESERVE)
        self.taken[entry.seq] = body
        self.watches.open(entry)

    def _spend(self, entry: Entry, scope: str, spent: int, delta_spent: int) -> None:
        old = self.purses[scope, self.period]
        if not old.allows(spent, delta_spent):
            self._blame(entry, f"it spends more than the cap of {scope}")
        self.purses[scope, self.period] = replace(
            old, spent=old.spent + spent, delta_spent=old.delta_spent + delta_spent
        )

    def _conclude(self, entry: Entry, reservation: int | None) -> None:
        about = entry.body["reservation"]
        if about != reservation:
            self._blame(entry, "it is filed under another reservation")
        self._blame_all(entry, self.watches.settle(about))
        move, before = Move.SETTLE if entry.kind == State.SETTLED.value else Move.FAIL, self.states.get(about)
        self.states[about] = step(before or State.ASKED, move)
        if move is Move.SETTLE:
            asked = self.taken[about]
            self.released[entry.seq] = (asked["question"], asked["price"], asked["version"], entry.body["payload"])
        if before is State.HELD and move is Move.SETTLE:
            self._return(entry, self.taken[about])
        elif "paid" in entry.body:
            self._blame(entry, "it tells another price than was reserved")

    def _return(self, entry: Entry, held: Body) -> None:
        """What a hold did not need comes back, to the accounts and the period that it was taken from."""
        paid = read_charge(entry.body["paid"]["charge"])
        cost = accountant(self.accounting).charge(read_events(entry.body["paid"]["events"]))
        if paid.amount < cost.amount or paid.delta < cost.delta:
            self._blame(entry, "it charges less than its events cost")
        rest = unused(read_charge(held["charge"]), paid)
        for scope in held["scopes"]:
            old = self.purses[scope, held["period"]]
            self.purses[scope, held["period"]] = replace(old, returned=old.returned + rest)

    def _publish(self, entry: Entry) -> None:
        body = entry.body
        if body["answer"] not in self.released:
            self._blame(entry, "it publishes what was not released")
        self.published[entry.seq] = (body["name"], body["answer"], body["payload"])

    def _in_force(self) -> Terms:
        if self.terms is None:
            raise ValueError
        return self.terms

    def _blame_all(self, entry: Entry, found: Iterator[str]) -> None:
        for what in found:
            self._blame(entry, what)

    def _blame(self, entry: Entry, what: str) -> None:
        self.problems.append(f"entry {entry.seq} ({entry.kind[:40]}): {what}")


def _against_meta(replay: Replay, meta: Meta | None) -> Iterator[str]:
    if meta is None:
        yield "the ledger does not say whose it is"
        return
    if (meta.head, meta.head_hash) != (replay.seq, replay.head):
        yield f"the chain should end at entry {meta.head}, and ends at {replay.seq}"
    if (meta.dataset, meta.accounting) != (replay.dataset, replay.accounting):
        yield "the dataset or its accounting is not the one that the ledger was opened for"
    if (meta.terms, meta.period.index) != (replay.terms, replay.period):
        yield "the terms or the period in force are not those of the entries"


def _against_purses(replay: Replay, tables: Tables) -> Iterator[str]:
    stored = tables.every_purse()
    for scope, period in sorted(stored.keys() | replay.purses.keys()):
        if stored.get((scope, period)) != replay.purses.get((scope, period)):
            yield f"account {scope} of period {period}: its cap or its spending is not that of the entries"


def _against_answers(replay: Replay, tables: Tables) -> Iterator[str]:
    for answer in tables.all_answers():
        kept = (answer.question, answer.price, answer.version, digest(answer.payload))
        if replay.released.get(answer.entry) != kept:
            yield f"the answer kept for entry {answer.entry} is not the one that was released"


def _against_publications(replay: Replay, tables: Tables) -> Iterator[str]:
    kept = {each.entry: (each.name, each.answer, digest(each.payload)) for each in tables.all_publications()}
    for entry in sorted(kept.keys() | replay.published.keys()):
        if kept.get(entry) != replay.published.get(entry):
            yield f"the publication kept for entry {entry} is not the one that was published"


def _survive(what: str, check: Callable[[], Iterator[str]]) -> list[str]:
    """What a tampered row holds can be of any shape; that it cannot be read is a finding too."""
    try:
        return list(check())
    except MISSHAPEN:
        return [f"{what} cannot be read"]
