"""A published histogram: noised counts of cells, and what sums of them are worth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Self

from discreet.ledger.written import read_events, write_events
from discreet.mechanisms import Mechanism
from discreet.mechanisms.fine_gaussian import FineGaussian
from discreet.mechanisms.gaussian import Gaussian
from discreet.mechanisms.laplace import Laplace
from discreet.mechanisms.sums import Noise, weighted_half_width
from discreet.plan.types import Value
from discreet.privacy.bounded import Noisy

__all__ = ["Counts"]

Row = tuple[Value, ...]
KINDS: dict[str, type[Noise]] = {each.name: each for each in (Laplace, Gaussian, FineGaussian)}


@dataclass(frozen=True, slots=True)
class Counts:
    """``numbers[i]`` is the noised count of the rows whose columns are ``keys[i]``; the noises are independent."""

    kind: ClassVar[str] = "counts"
    keys: tuple[Row, ...]
    numbers: tuple[int, ...]
    noise: Noise

    @classmethod
    def of(cls, keys: tuple[Row, ...], numbers: tuple[int, ...], noise: Mechanism) -> Self:
        assert isinstance(noise, Laplace | Gaussian | FineGaussian), "sums of other noise have no law here"
        return cls(keys, numbers, noise)

    @property
    def mechanism(self) -> str:
        return self.noise.name

    @property
    def scale(self) -> float:
        return self.noise.spread

    @property
    def law(self) -> str:
        return f"{self.noise.name} noise of scale {self.noise.spread:.6g}"

    def rows(self) -> Iterator[Row]:
        """Each cell with its count."""
        return ((*key, number) for key, number in zip(self.keys, self.numbers, strict=True))

    def cells(self) -> Iterator[tuple[int, Row]]:
        """What a question counts over, by its place."""
        return enumerate(self.rows())

    def is_silence(self, place: int) -> bool:
        """A histogram counts rows that are there."""
        del place
        return False

    def noisy(self, weights: Mapping[int, int], confidence: float) -> Noisy:
        """The sum of counts, each as often as ``weights`` says of its place."""
        value = sum(weight * self.numbers[place] for place, weight in weights.items())
        half = weighted_half_width(self.noise, Counter(weights.values()), confidence)
        return Noisy(Fraction(value), Fraction(value - half), Fraction(value + half))

    def to_json(self) -> dict[str, Any]:
        size = self.noise.scale if isinstance(self.noise, Laplace) else self.noise.sigma_squared
        events = write_events([self.noise.event])
        noise = {"name": self.noise.name, "size": str(size), "events": events}
        return {"keys": self.keys, "numbers": self.numbers, "noise": noise}

    @classmethod
    def from_json(cls, kept: dict[str, Any]) -> Self:
        noise = kept["noise"]
        (event,) = read_events(noise["events"])
        law: Any = KINDS[noise["name"]]
        return cls(tuple(map(tuple, kept["keys"])), tuple(kept["numbers"]), law(Fraction(noise["size"]), event))
