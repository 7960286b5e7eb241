"""Bounds, noise and price as one value: a question cannot run without its price."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from discreet.ledger.events import Charge, Event
from discreet.mechanisms import Mechanism, sums
from discreet.mechanisms.finders import Prelude
from discreet.mechanisms.picks import Picker
from discreet.mechanisms.sharpest import half_width
from discreet.mechanisms.survey import Survey
from discreet.privacy.bounded import Bounded, Part, Pick

__all__ = ["Program"]


@dataclass(frozen=True, slots=True)
class Program:
    """``noises`` goes with ``bounded.parts``, ``pickers`` make its picks; private keys have a ``threshold``.

    Where there are ``preludes``, they come first, and ``events`` and ``charge`` include them. Before they are played,
    the bounds and the noise are the largest that may come of them.
    """

    bounded: Bounded
    noises: tuple[Mechanism, ...]
    pickers: tuple[Picker, ...]
    threshold: int | None
    events: tuple[Event, ...]
    charge: Charge
    survey: Survey | None = None
    """Where rows are published with randomised answers: then nothing else is."""
    terms: tuple[tuple[int, ...], ...] = ()
    """Of each part and group, how many draws of the noise are in its number; empty where each number has one."""
    preludes: tuple[Prelude, ...] = ()

    def noise_of(self, part: Part) -> Mechanism:
        return self.noises[self.bounded.parts.index(part)]

    @property
    def picks(self) -> tuple[Pick, ...]:
        """Every pick, in the order in which they are made."""
        return tuple(pick for picker in self.pickers for pick in picker.picks)

    def half_width(self, part: Part, confidence: float, group: int | None = None) -> Fraction:
        """How far a released part may be from the exact one, in the units of its column; in the worst group if none
        is named."""
        noise = self.noise_of(part)
        if not self.terms:
            return half_width(noise, confidence) * part.grid
        terms = self.terms[self.bounded.parts.index(part)]
        return sums.half_width(noise, max(terms) if group is None else terms[group], confidence) * part.grid
