"""Entries and receipts: each entry's hash covers its content and the hash of the entry before it.

    hash = sha256( canonical JSON of {"body": ..., "kind": ..., "prev": ..., "seq": ...} )

So one hash vouches for the whole past: whoever kept a receipt can tell whether the ledger that is
shown to him later is a continuation of the one that he was served from. The chain shows a change;
it cannot prevent one. Who can write the file can write a new chain, but not one that ends in the
hashes that are already in other people's hands.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypedDict

from discreet.ledger.written import Body, canonical, read_time

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from discreet.ledger.events import Charge, Event

__all__ = ["GENESIS", "Answer", "Entry", "Paid", "Receipt", "Reservation", "Statement", "digest", "receipt_of", "seal"]

GENESIS = "0" * 64
"""What the first entry has for the hash before it."""


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def seal(seq: int, kind: str, body: Body, prev: str) -> str:
    """The hash of an entry."""
    return digest(canonical({"seq": seq, "kind": kind, "body": body, "prev": prev}).encode("ascii"))


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the ledger. ``state`` tells of a reservation how it ended, if it did."""

    seq: int
    kind: str
    body: Body
    prev: str
    hash: str
    state: str | None = None

    @property
    def time(self) -> datetime:
        return read_time(self.body["time"])


class Statement(TypedDict):
    """What a price is spent on: the analyst's text, and what its answer is found by."""

    statement: str
    question: str
    price: str
    version: str


@dataclass(frozen=True, slots=True)
class Reservation:
    """A granted price: already spent, and to be settled or failed once."""

    id: int
    hash: str


@dataclass(frozen=True, slots=True)
class Paid:
    """What an answer cost in the end, for which more had been held."""

    charge: Charge
    events: Sequence[Event]


@dataclass(frozen=True, slots=True)
class Receipt:
    """What one statement was charged, under which policy, and how it ended.

    ``held`` has the amount, delta and events of the most that it might have cost, where its answer decided on that.
    """

    id: int
    hash: str
    reservation: int
    time: str
    dataset: str
    analyst: str | None
    statement: str
    events: tuple[dict[str, str], ...]
    accounting: str
    amount: str
    delta: str
    policy: str
    version: str
    renew: str | None
    state: str
    held: dict[str, Any] | None = None

    @property
    def reserved_events(self) -> tuple[dict[str, str], ...]:
        """What was reserved, which may be more than what was charged in the end."""
        return tuple(self.held["events"]) if self.held else self.events

    def to_dict(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__} | {"events": [dict(each) for each in self.events]}


@dataclass(frozen=True, slots=True)
class Answer:
    """Something that was released before, to be given again at no cost."""

    payload: bytes
    price: str
    receipt: Receipt


def receipt_of(conclusion: Entry, reserved: Entry) -> Receipt:
    """The receipt that a settled or failed entry, and the reservation it concludes, make together."""
    body = reserved.body
    most = {"charge": body["charge"], "events": body["events"]}
    paid = conclusion.body.get("paid", most)
    return Receipt(
        id=conclusion.seq,
        hash=conclusion.hash,
        reservation=reserved.seq,
        time=conclusion.body["time"],
        dataset=body["dataset"],
        analyst=body["analyst"],
        statement=body["statement"],
        events=tuple(paid["events"]),
        accounting=body["accounting"],
        amount=paid["charge"]["amount"],
        delta=paid["charge"]["delta"],
        policy=body["policy"],
        version=body["version"],
        renew=body["renew"],
        state=conclusion.kind,
        held=most if reserved.kind == "held" else None,
    )
