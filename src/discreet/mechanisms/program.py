"""Bounds, noise and price as one value: a question cannot run without its price."""

from __future__ import annotations

from dataclasses import dataclass

from discreet.ledger.events import Charge, Event
from discreet.mechanisms import Mechanism
from discreet.privacy.bounded import Bounded, Part

__all__ = ["Program"]


@dataclass(frozen=True, slots=True)
class Program:
    """``noises`` goes with ``bounded.parts``; ``threshold`` is set when the keys are private."""

    bounded: Bounded
    noises: tuple[Mechanism, ...]
    threshold: int | None
    events: tuple[Event, ...]
    charge: Charge

    def noise_of(self, part: Part) -> Mechanism:
        return self.noises[self.bounded.parts.index(part)]
