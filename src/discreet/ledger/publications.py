"""What was published under a name: released numbers that anybody may read, and the receipt that they were paid by.

A publication needs an answer that is settled already, so publishing costs nothing by itself: whoever is interrupted
between the two finds the answer kept, and publishes it again. A name is given once. Its owner may give it anew, and
then the newest stands, while the older ones stay in the chain.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from discreet.errors import LedgerError, Refused
from discreet.ledger.machine import State
from discreet.ledger.receipts import digest
from discreet.ledger.tables import StoredPublication
from discreet.ledger.written import write_time

if TYPE_CHECKING:
    from datetime import datetime

    from discreet.ledger.receipts import Entry, Receipt
    from discreet.ledger.tables import Tables

__all__ = ["Publication", "publish", "taken"]


@dataclass(frozen=True, slots=True)
class Publication:
    """A published table as the ledger keeps it."""

    name: str
    entry: int
    time: datetime
    payload: bytes
    receipt: Receipt


def taken(name: str) -> Refused:
    hint = "choose another name, or give it anew: replace=True, --replace"
    return Refused("already-published", f"there is a publication {name!r} already", hint)


def publish(tables: Tables, name: str, payload: bytes, answer: int, replace: bool, now: datetime) -> Entry:
    """Write down that this answer's numbers are published under a name that is free, or is to be given anew."""
    settled = tables.entry(answer)
    if settled is None or settled.kind != State.SETTLED.value:
        raise LedgerError("no-such-receipt", f"the ledger holds no answer {answer} to publish")
    if not replace and tables.newest_publication(name) is not None:
        raise taken(name)
    body = {
        "time": write_time(now),
        "analyst": settled.body["analyst"],
        "name": name,
        "answer": settled.seq,
        "settled": settled.hash,
        "payload": digest(payload),
    }
    entry = tables.append("published", body)
    tables.keep_publication(StoredPublication(entry.seq, name, answer, payload))
    return entry
