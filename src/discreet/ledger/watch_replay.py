"""Checking watches from their entries alone: nothing was compared for nothing, and no answer was given twice."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from discreet.ledger.terms import owner_of
from discreet.ledger.watch import Outcome, Threshold, commitment

if TYPE_CHECKING:
    from collections.abc import Iterator

    from discreet.ledger.receipts import Entry
    from discreet.ledger.tables import StoredWatch, Tables

__all__ = ["WatchReplay"]

Asked = tuple[int, str, str]
"""A watch, a question and a version of the data."""


@dataclass(slots=True)
class Replayed:
    """One watch so far."""

    owner: str
    name: str
    hash: str
    period: int
    answers: int
    commitment: str
    used: int = 0


@dataclass(slots=True)
class WatchReplay:
    """What the entries so far say of watches."""

    watches: dict[int, Replayed] = field(default_factory=dict[int, Replayed])
    compared: dict[Asked, int] = field(default_factory=dict[Asked, int])

    def open(self, entry: Entry) -> None:
        """A reservation may be that of a watch."""
        written = entry.body.get("watch")
        if written is not None:
            self.watches[entry.seq] = Replayed(
                owner_of(entry.body["analyst"]),
                written["name"],
                entry.hash,
                entry.body["period"],
                Threshold.from_json(written).answers,
                written["commitment"],
            )

    def compare(self, entry: Entry, period: int) -> Iterator[str]:
        body = entry.body
        watch, asked = self.watches[body["watch"]], (body["watch"], body["question"], body["version"])
        if body["opened"] != watch.hash:
            yield "it names another watch than it is filed under"
        if watch.period != period:
            yield "its watch was paid from another period"
        if asked in self.compared:
            yield f"it was compared before, in entry {self.compared[asked]}"
        if watch.used >= watch.answers:
            yield "its watch had no answer left"
        self.compared[asked] = entry.seq
        watch.used += Outcome(body["outcome"]).takes
        if body["left"] != watch.answers - watch.used:
            yield "it does not leave as many answers as are left"

    def settle(self, reservation: int) -> Iterator[str]:
        watch = self.watches.get(reservation)
        if watch is not None and watch.used != watch.answers:
            yield "it ends a watch that has answers left"

    def against(self, tables: Tables) -> Iterator[str]:
        """The rows of the watches, beside what the entries say of them."""
        stored = {row.reservation: row for row in tables.all_watches()}
        for seq in sorted(stored.keys() | self.watches.keys()):
            if seq not in stored or seq not in self.watches or not _agrees(self.watches[seq], stored[seq]):
                yield f"the watch of entry {seq} is not as the entries say"
        ended = {(row.watch, row.question, row.version): row.entry for row in tables.all_comparisons()}
        if {asked: entry for asked, entry in ended.items() if entry is not None} != self.compared:
            yield "what was compared is not what the entries say"


def _agrees(watch: Replayed, row: StoredWatch) -> bool:
    entries = (watch.owner, watch.name, watch.period, watch.answers, watch.used)
    if entries != (row.scope, row.name, row.period, row.answers, row.used):
        return False
    if row.noise is None or row.nonce is None:
        return True
    return commitment(int(row.noise), row.nonce) == watch.commitment
