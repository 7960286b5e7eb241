"""Threshold, noise and price of a watch as one value: it cannot be opened without its price."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Self

from discreet.ledger.events import AboveThreshold, Event, FineGaussianNoise, GaussianNoise, LaplaceNoise
from discreet.ledger.watch import Threshold
from discreet.mechanisms import Mechanism
from discreet.mechanisms.fine_gaussian import FineGaussian
from discreet.mechanisms.gaussian import Gaussian
from discreet.mechanisms.laplace import Laplace
from discreet.mechanisms.sparse_vector import SparseVector

__all__ = ["WatchProgram"]

CONFIDENCE = 0.95

ValueNoise = LaplaceNoise | GaussianNoise | FineGaussianNoise


@dataclass(frozen=True, slots=True)
class WatchProgram:
    """How counts are compared, and (where values are released) how each of those is blurred.

    A watch that was opened is gone on with from its events alone: what they say is what was paid for.
    """

    threshold: Threshold
    comparison: SparseVector
    value: ValueNoise | None

    @classmethod
    def calibrate(cls, threshold: Threshold, amount: Fraction, accounting: str) -> Self:
        """The least noise at this price. Where values are released, they have one half of it among them."""
        answers = threshold.answers
        if not threshold.values:
            return cls(threshold, SparseVector.calibrate(answers, amount, accounting), None)
        event = _sharpest(amount / 2 / answers, accounting)
        return cls(threshold, SparseVector.calibrate(answers, amount / 2, accounting), event)

    @classmethod
    def of(cls, threshold: Threshold, events: Sequence[Event]) -> Self:
        """The program whose events these are."""
        match events:
            case [AboveThreshold() as compared]:
                found = cls(threshold, SparseVector(threshold.answers, compared), None)
            case [AboveThreshold() as compared, LaplaceNoise() | GaussianNoise() | FineGaussianNoise() as value, *_]:
                found = cls(threshold, SparseVector(threshold.answers, compared), value)
            case _:
                raise ValueError("a watch begins with its comparisons")
        if found.events != tuple(events):
            raise ValueError("a watch pays for as many values as it has answers, or for none")
        return found

    @property
    def events(self) -> tuple[Event, ...]:
        """What is paid for at once: the comparisons, and as many values as there can be."""
        values = () if self.value is None else (self.value,) * self.threshold.answers
        return (self.comparison.event, *values)

    def blur(self, moved: int) -> Mechanism | None:
        """The noise of a released value that one unit moves by at most ``moved``."""
        match self.value:
            case None:
                return None
            case LaplaceNoise(ratio):
                return Laplace(moved / ratio, self.value)
            case GaussianNoise(ratio_squared):
                return Gaussian(moved**2 / ratio_squared, self.value)
            case FineGaussianNoise(ratio_squared):
                return FineGaussian(moved**2 / ratio_squared, self.value)


def _sharpest(amount: Fraction, accounting: str) -> ValueNoise:
    """The noise of a value: the law with the least half width at this price."""
    possible = [law.calibrate(1, 1, amount, accounting) for law in (Gaussian, FineGaussian, Laplace)]
    return min((law for law in possible if law), key=lambda law: law.half_width(CONFIDENCE)).event
