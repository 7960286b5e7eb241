"""The life of a watch: a stream of comparisons with one threshold, for one price. Values, without input or output.

             not above             above, failed, while answers are left
            +---------+            +---------+
            |         v            |         v
    price --+-->    OPEN    -------+-->    OPEN    ---- the last answer ----> FINISHED
    reserved          |
                      +---- the period ends, from which it was paid --------> OVER

A comparison is begun, with noise of its own, before the engine is asked, and is concluded once. Only what is concluded
was released, and what was released is told again for nothing. A failure takes an answer as "above" does: it may depend
on a row, and failures that cost nothing could be collected. A crash is no transition: the comparison stays begun, and
whoever asks again goes on with the noise that it was begun with.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from discreet.errors import Refused
from discreet.ledger.receipts import digest

if TYPE_CHECKING:
    from datetime import datetime

    from discreet.ledger.receipts import Entry
    from discreet.ledger.written import Body

__all__ = ["Begun", "Compared", "Drawn", "Outcome", "Said", "Threshold", "Watched", "commitment"]


class Outcome(StrEnum):
    """How a comparison ended."""

    ABOVE = "above"
    NOT_ABOVE = "not above"
    FAILED = "failed"

    @property
    def takes(self) -> int:
        """How many answers of the watch it uses up."""
        return int(self is not Outcome.NOT_ABOVE)


@dataclass(frozen=True, slots=True)
class Threshold:
    """What a watch was opened for: ``values`` says whether the value of what is above is released, too."""

    above: int
    answers: int
    values: bool

    def to_json(self) -> Body:
        return {"above": self.above, "answers": self.answers, "values": self.values}

    @classmethod
    def from_json(cls, written: dict[str, Any]) -> Threshold:
        return cls(written["above"], written["answers"], written["values"])


@dataclass(frozen=True, slots=True)
class Watched:
    """Where a watch stands: the entry that paid for it, and what was used up since."""

    opened: Entry
    used: int
    until: datetime | None
    """When the period ends that it was paid from; the watch ends with it."""
    over: bool

    @property
    def name(self) -> str:
        return self.opened.body["watch"]["name"]

    @property
    def threshold(self) -> Threshold:
        return Threshold.from_json(self.opened.body["watch"])

    @property
    def price(self) -> str:
        return self.opened.body["price"]

    @property
    def left(self) -> int:
        """How many times it can still say "above"."""
        return 0 if self.over else self.threshold.answers - self.used

    def check_open(self) -> None:
        if self.over:
            raise Refused(
                "watch-over",
                f"the watch {self.name!r} was paid from a period of the budget that has ended",
                "open another one: it is paid from this period",
            )
        if self.left == 0:
            raise Refused(
                "watch-finished",
                f"the watch {self.name!r} has given its last answer",
                "what it said is free to ask again; for new questions open another one under another name",
            )


@dataclass(frozen=True, slots=True)
class Drawn:
    """What is drawn for one comparison, before anything is known: secret until, and after, it is concluded."""

    noise: int = field(repr=False)
    secret: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Begun:
    """A comparison that may be made now, with the noise that stands for it and for the threshold."""

    watch: int
    question: str
    version: str
    threshold_noise: int = field(repr=False)
    drawn: Drawn = field(repr=False)


@dataclass(frozen=True, slots=True)
class Said:
    """What a comparison says, of which statement; ``moved`` is how far one unit can move the count."""

    statement: str
    moved: int
    outcome: Outcome
    value: int | None = None


@dataclass(frozen=True, slots=True)
class Compared:
    """A comparison that is concluded: the entry that says so, and whether it was there before."""

    entry: Entry
    repeated: bool

    @property
    def outcome(self) -> Outcome:
        return Outcome(self.entry.body["outcome"])

    @property
    def moved(self) -> int:
        """How far one unit can move the count, by which its noise was scaled."""
        return self.entry.body["moved"]

    @property
    def value(self) -> int | None:
        released = self.entry.body["value"]
        return None if released is None else int(released)


def commitment(noise: int, nonce: bytes) -> str:
    """What the opening entry tells of the threshold's noise: enough to hold the ledger to it, and nothing about it."""
    return digest(nonce + str(noise).encode("ascii"))
