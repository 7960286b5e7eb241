"""Published rows with randomised answers: what they show, and what they say on average.

A cell is a row and an answer that may be its right one. What counts is added up over cells; how far that may be off is
told exactly where every row has one and the same number of answers that count, and all of them count alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any, ClassVar, Self

from discreet.mechanisms.randomised_response import RandomisedResponse
from discreet.mechanisms.survey import Survey
from discreet.plan.types import Value
from discreet.privacy.bounded import Noisy
from discreet.release.draw import Groups

__all__ = ["Answers"]

Row = tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """Rows that count alike: how many of them show each answer, and how often each answer counts."""

    seen: Sequence[int]
    weights: Sequence[int]

    @property
    def rows(self) -> int:
        return sum(self.seen)

    @property
    def spread(self) -> int:
        return max(self.weights) - min(self.weights)


@dataclass(frozen=True, slots=True)
class Answers:
    """``shown`` says which answer each of ``names`` shows, or, without names, how many rows show each answer.

    A name stands at ``place`` in its row.
    """

    kind: ClassVar[str] = "answers"
    answers: tuple[Row, ...]
    silence: int
    names: tuple[Value, ...] | None
    place: int
    shown: tuple[int, ...]
    epsilon: Fraction

    @classmethod
    def of(cls, survey: Survey, groups: Groups) -> Self:
        """What a survey found: rows of its answers, with names if it has respondents."""
        places = {answer: place for place, answer in enumerate(survey.answers)}
        if survey.respondents is None:
            shown = tuple(groups.parts[0])
        else:
            rest = [(*key[: survey.place], *key[survey.place + 1 :]) for key in groups.keys]
            shown = tuple(places[answer] for answer in rest)
        return cls(survey.answers, survey.silence, survey.respondents, survey.place, shown, survey.law.event.ratio)

    @property
    def response(self) -> RandomisedResponse:
        return RandomisedResponse.at(self.epsilon, len(self.answers))

    @property
    def mechanism(self) -> str:
        return self.response.name

    @property
    def scale(self) -> float:
        """The epsilon of an answer."""
        return float(self.epsilon)

    @property
    def law(self) -> str:
        return f"randomised response of epsilon {float(self.epsilon):.6g} among {len(self.answers)} answers"

    def rows(self) -> Iterator[Row]:
        """The rows as they are shown."""
        if self.names is None:
            return (answer for answer, n in zip(self.answers, self.shown, strict=True) for _ in range(n))
        return (self._row(name, self.answers[n]) for name, n in zip(self.names, self.shown, strict=True))

    def cells(self) -> Iterator[tuple[int, Row]]:
        """Each row, or all of them where they have no names, with each answer. Nobody counts where there is a NULL."""
        nobody = self.silence if None in self.answers[self.silence] else None
        for n, (name, (place, answer)) in enumerate(product(self.names or (None,), enumerate(self.answers))):
            if place != nobody:
                yield n, answer if self.names is None else self._row(name, answer)

    def is_silence(self, place: int) -> bool:
        """Whether a cell is the answer of those who are not there, beside others."""
        return place % len(self.answers) == self.silence

    def noisy(self, weights: Mapping[int, int], confidence: float) -> Noisy:
        """How often cells count in all, each as often as ``weights`` says of its place."""
        blocks = list(self._blocks(weights))
        surely = sum(block.rows * block.weights[0] for block in blocks if not block.spread)
        unsure = [block for block in blocks if block.spread]
        value = sum(_told(block, self.response) for block in unsure)
        low, high = _alike(unsure, self.response, confidence) or _apart(unsure, self.response, confidence)
        ends = (surely + min(value, low), surely + value, surely + max(value, high))
        return Noisy(Fraction(ends[1]), Fraction(ends[0]), Fraction(ends[2]))

    def _blocks(self, weights: Mapping[int, int]) -> Iterator[Block]:
        """Rows for which every answer counts as often as for each other."""
        size = len(self.answers)
        vectors: dict[int, list[int]] = {}
        for place, weight in weights.items():
            vectors.setdefault(place // size, [0] * size)[place % size] = weight
        if self.names is None:
            yield from (Block(self.shown, vector) for vector in vectors.values())
            return
        alike: dict[tuple[int, ...], list[int]] = {}
        for row, vector in vectors.items():
            alike.setdefault(tuple(vector), [0] * size)[self.shown[row]] += 1
        yield from (Block(seen, vector) for vector, seen in alike.items())

    def _row(self, name: Value, answer: Row) -> Row:
        return (*answer[: self.place], name, *answer[self.place :])

    def to_json(self) -> dict[str, Any]:
        named = {"names": self.names, "place": self.place, "shown": self.shown}
        return {"answers": self.answers, "silence": self.silence, **named, "epsilon": str(self.epsilon)}

    @classmethod
    def from_json(cls, kept: dict[str, Any]) -> Self:
        return cls(
            tuple(map(tuple, kept["answers"])),
            kept["silence"],
            None if kept["names"] is None else tuple(kept["names"]),
            kept["place"],
            tuple(kept["shown"]),
            Fraction(kept["epsilon"]),
        )


def _told(block: Block, response: RandomisedResponse) -> float:
    """How often the right answers of a block count, on average."""
    counted = sum(weight * seen for weight, seen in zip(block.weights, block.seen, strict=True))
    return (counted - block.rows * response.wrong * sum(block.weights)) / response.gap


def _alike(blocks: list[Block], response: RandomisedResponse, confidence: float) -> tuple[float, float] | None:
    """The exact interval, where all answers count low or high, and in every row as many count high."""
    values = {weight for block in blocks for weight in block.weights}
    high = max(values, default=0)
    within = {sum(weight == high for weight in block.weights) for block in blocks}
    if len(values) > 2 or len(within) > 1:
        return None
    if not blocks:
        return 0, 0
    low, rows = min(values), sum(block.rows for block in blocks)
    pairs = [pair for block in blocks for pair in zip(block.weights, block.seen, strict=True)]
    ends = response.interval(sum(seen for weight, seen in pairs if weight == high), rows, within.pop(), confidence)
    return low * rows + (high - low) * ends[0], low * rows + (high - low) * ends[1]


def _apart(blocks: list[Block], response: RandomisedResponse, confidence: float) -> tuple[float, float]:
    """A bound for whatever counts."""
    middle = sum(_told(block, response) for block in blocks)
    half = response.half_width(sum(block.rows * block.spread**2 for block in blocks), confidence)
    return middle - half, middle + half
