"""Bounds, noise and price as one value: a question cannot run without its price."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from discreet.ledger.events import Charge, Event
from discreet.mechanisms import Mechanism
from discreet.mechanisms.picks import Picker
from discreet.mechanisms.survey import Survey
from discreet.privacy.bounded import Bounded, Part, Pick

__all__ = ["Program", "half_width"]


@dataclass(frozen=True, slots=True)
class Program:
    """``noises`` goes with ``bounded.parts``, ``pickers`` make its picks; private keys have a ``threshold``."""

    bounded: Bounded
    noises: tuple[Mechanism, ...]
    pickers: tuple[Picker, ...]
    threshold: int | None
    events: tuple[Event, ...]
    charge: Charge
    survey: Survey | None = None
    """Where rows are published with randomised answers: then nothing else is."""

    def noise_of(self, part: Part) -> Mechanism:
        return self.noises[self.bounded.parts.index(part)]

    @property
    def picks(self) -> tuple[Pick, ...]:
        """Every pick, in the order in which they are made."""
        return tuple(pick for picker in self.pickers for pick in picker.picks)

    def half_width(self, part: Part, confidence: float) -> Fraction:
        """How far a released part may be from the exact one, in the units of its column."""
        return half_width(self.noise_of(part), confidence) * part.grid


@lru_cache(maxsize=4096)
def half_width(noise: Mechanism, confidence: float) -> int:
    """A sum over tails, which many groups and many questions share."""
    return noise.half_width(confidence)
