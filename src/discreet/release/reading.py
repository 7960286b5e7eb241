"""An answer that is read from a publication: arithmetic on public numbers, at no cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from discreet.engines.engine import Exact
from discreet.plan.types import Value
from discreet.privacy.bounded import Bounded, Noisy, Output, Part
from discreet.release.answer import Release
from discreet.release.draw import Groups, rank
from discreet.release.view import View

__all__ = ["Reading", "Weights", "weights_of"]

Weights = Sequence[Sequence[Mapping[int, int]]]
"""By part and group: how often each place of the publication counts."""


@dataclass(frozen=True, repr=False)
class Reading(Release):
    """``groups`` has keys alone: numbers and intervals are those that the publication has for the weights."""

    view: View = field(kw_only=True)
    weights: Weights = field(kw_only=True, repr=False)
    outdated: bool = field(kw_only=True)
    """The data have changed since it was published."""

    def _blurred(self, part: Part, place: int, confidence: float) -> Noisy:
        weights = self.weights[self.program.bounded.parts.index(part)][place]
        noisy = self.view.content.numbers.noisy(weights, confidence)
        return Noisy(noisy.value * part.grid, noisy.low * part.grid, noisy.high * part.grid)

    @property
    def counts_nobody(self) -> bool:
        """Whether the answer of those who are not there counts: a question to the data would leave them out."""
        numbers = self.view.content.numbers
        return any(numbers.is_silence(place) for part in self.weights for group in part for place in group)

    def half_width(self, output: Output) -> float | None:
        """The widest interval at 95 %, halved; None where no number could be told."""
        ends = [self._interval(output.name, place) for place in range(len(self.groups.keys))]
        return max(((each.high - each.low) / 2 for each in ends if each), default=None)

    @property
    def free(self) -> str:
        """Empty where it is the publication itself, which was paid for."""
        if self.repeated or self.cost.epsilon:
            return super().free
        return f"read from {self.view.qualified}"

    @property
    def notes(self) -> list[str]:
        made = f"{self.view.qualified}: {self.view.law}, published {self.view.time:%Y-%m-%d}"
        return [*super().notes, f"{made}, of an earlier version of the data" if self.outdated else made]


def weights_of(bounded: Bounded, found: Exact) -> tuple[Groups, Weights]:
    """The groups of a question, in the order of their keys, and how often each place counts in each of their parts.

    The last key that was asked for is the place. Without keys there is one group, whether or not it has rows.
    """
    groups: dict[tuple[Value, ...], list[tuple[int, int]]] = {} if len(bounded.keys) > 1 else {(): []}
    for n, (*key, place) in enumerate(found.keys):
        assert isinstance(place, int)
        groups.setdefault(tuple(key), []).append((n, place))
    keys = sorted(groups, key=lambda key: [rank(value) for value in key])
    weights = [[{place: part[n] for n, place in groups[key] if part[n]} for key in keys] for part in found.parts]
    return Groups(keys, []), weights
