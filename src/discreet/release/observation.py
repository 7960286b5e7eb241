"""What a watch says of one question. Everything in it is public."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from discreet.ledger.watch import Compared, Outcome
from discreet.mechanisms.watch_program import WatchProgram
from discreet.release.answer import Interval

__all__ = ["Observation"]

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Observation:
    """It is true where the count is said to be above the threshold."""

    statement: str
    above: bool
    value: int | None
    """The noisy count, where the watch releases values and this one is above."""
    interval: Interval | None
    """Around the value, at 95 %."""
    repeated: bool
    """It had been said before: the same words again, at no cost."""
    left: int
    """How many times the watch could still say "above" after this; at 0 it has ended."""
    id: int
    """The ledger's entry of it."""
    hash: str

    @classmethod
    def of(cls, compared: Compared, program: WatchProgram) -> Self:
        body = compared.entry.body
        return cls(
            statement=body["statement"],
            above=compared.outcome is Outcome.ABOVE,
            value=compared.value,
            interval=_interval(compared, program),
            repeated=compared.repeated,
            left=body["left"],
            id=compared.entry.seq,
            hash=compared.entry.hash,
        )

    def __bool__(self) -> bool:
        return self.above

    def to_dict(self) -> dict[str, Any]:
        found = {name: getattr(self, name) for name in self.__slots__}
        return found | {"interval": None if self.interval is None else list(self.interval)}


def _interval(compared: Compared, program: WatchProgram) -> Interval | None:
    blur = program.blur(compared.moved)
    if compared.value is None or blur is None:
        return None
    width = blur.half_width(CONFIDENCE)
    return Interval(compared.value - width, compared.value + width)
