"""Noise that becomes less step by step, as one value: where it stands, what that costs, and how far it may be off."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice
from typing import ClassVar, Self

from discreet.ledger.events import Event
from discreet.mechanisms.sharpening.looks import ANY_STEP, Looks, tail_for

__all__ = ["Steps"]


@dataclass(frozen=True, slots=True)
class Steps(ABC):
    """One law of noise at growing sharpness, standing at a step; lengths are in grid steps.

    ``size`` and ``ratio`` are those of the last step: the scale or variance, and the number that its event holds. A
    size of 0 says that nothing can move: there is no noise then, at any step.
    """

    name: ClassVar[str]
    family: ClassVar[str]
    """The noise that it is made of."""
    power: ClassVar[int]
    """The event's number grows as this power of the level, and the size falls so."""

    levels: tuple[int, ...]
    size: Fraction
    ratio: Fraction
    step: int
    looks: Looks = ANY_STEP

    @classmethod
    @abstractmethod
    def calibrate(cls, l1: int, l2_squared: int, amount: Fraction, accounting: str) -> Self:
        """Steps whose last one is charged at most ``amount``, standing there."""

    @abstractmethod
    def event_of(self, ratio: Fraction) -> Event: ...

    @abstractmethod
    def scale(self, step: int) -> float:
        """The scale of the noise at a step."""

    @staticmethod
    @abstractmethod
    def width(scale: float, tail: float) -> int:
        """A w that noise of this scale exceeds with a chance of at most ``tail``, to either side."""

    @staticmethod
    @abstractmethod
    def above(scale: float, t: int) -> float:
        """At least P(noise >= t), for t >= 1."""

    @abstractmethod
    def entering(self, tail: float) -> list[float]:
        """For each step at least the chance that the noise exceeds its width there, and did not at the step before, to
        one side; 0 for the first. From some step on it may be the chance that it exceeds its width there at all."""

    @abstractmethod
    def releases(self, values: Sequence[int]) -> Iterator[list[int]]:
        """The values as they are released at each step, in turn. Those before the last one are functions of it alone,
        or are paid for with it."""

    @property
    def event(self) -> Event:
        """What is charged when it stops where it stands."""
        return self.event_of(self.ratio * self._share(self.step))

    @property
    def spread(self) -> float:
        return self.scale(self.step)

    @property
    def scales(self) -> list[float]:
        return [self.scale(step) for step in range(len(self.levels))]

    def at(self, step: int) -> Self:
        return replace(self, step=step)

    def cut(self, step: int) -> Self:
        """The same steps up to this one."""
        share = self._share(step)
        return replace(
            self, levels=self.levels[: step + 1], size=self.size / share, ratio=self.ratio * share, step=step
        )

    def half_width(self, confidence: float) -> int:
        """What holds where it stands, however it was decided to stop there."""
        if not 0 < confidence < 1:
            raise ValueError("a confidence lies between 0 and 1")
        return self.width(self.spread, tail_for(self.at(0), confidence)) if self.size else 0

    def upper_tail(self, t: int) -> float:
        return 1.0 if t <= 0 else self.above(self.spread, t) if self.size else 0.0

    def draw(self, n: int) -> list[int]:
        """The noise of what is released where it stands."""
        return next(islice(self.releases([0] * n), self.step, None))

    def _share(self, step: int) -> Fraction:
        return Fraction(self.levels[step], self.levels[-1]) ** self.power
