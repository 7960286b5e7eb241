"""Bounds that nobody declared: what is to be found, among which candidates, and the question that finds them.

A probe is asked before the question whose bounds it finds. It counts, in the cells between public candidates, either
rows by a number that they hold or units by their size; ``mechanisms`` chooses from these counts, and what was chosen
is public from then on. docs/proofs/chosen-bounds.md has the argument.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from discreet.plan.scalar import Scalar
    from discreet.privacy.bounded import Bounded, Kind

__all__ = [
    "NOTHING", "Ends", "Found", "GroupsOfUnit", "Ladder", "Probe", "RangeOf", "RowsOfUnit", "Subject", "Total",
    "Wanted",
]  # fmt: skip

Ends = tuple[int, int]
"""Lowest and highest, in steps of a grid."""


@dataclass(frozen=True, slots=True)
class RowsOfUnit:
    """How many rows of a unit are kept."""


@dataclass(frozen=True, slots=True)
class GroupsOfUnit:
    """In how many groups a unit counts."""


@dataclass(frozen=True, slots=True)
class RangeOf:
    """Between which ends the values of an expression are held."""

    argument: Scalar


@dataclass(frozen=True, slots=True)
class Total:
    """Between which ends the rows of a unit are held together, in each group: their sum, or how many they are.

    ``value`` is as in a ``Part``.
    """

    kind: Kind
    value: Scalar | None


Subject = RowsOfUnit | GroupsOfUnit | RangeOf | Total


@dataclass(frozen=True, slots=True)
class Ladder:
    """The candidates for two ends: a low one at or below zero and a high one above it, in steps of ``step``."""

    step: Fraction
    lows: tuple[int, ...]
    """How far below zero, ascending from 0."""
    highs: tuple[int, ...]

    @property
    def widest(self) -> Ends:
        return -self.lows[-1], self.highs[-1]

    @property
    def edges(self) -> tuple[int, ...]:
        """What lies in a cell is above as many edges as the cell's number says."""
        below = [] if self.lows == (0,) else [-size - 1 for size in reversed(self.lows)]
        return (*below, *self.highs)

    @property
    def places(self) -> tuple[range, range]:
        """Of the low and of the high candidates: the first edges that belong to them, in ascending size."""
        count = len(self.edges) - len(self.highs)
        return range(count - 1, -1, -1), range(count, len(self.edges))


@dataclass(frozen=True, slots=True)
class Wanted:
    subject: Subject
    ladder: Ladder


@dataclass(frozen=True, slots=True)
class Probe:
    """``question`` has one histogram for each wanted bound, over all groups together, and nothing else."""

    question: Bounded
    wanted: tuple[Wanted, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """What was chosen so far."""

    ends: tuple[tuple[Subject, Ends], ...] = ()

    def of(self, subject: Subject) -> Ends | None:
        return dict(self.ends).get(subject)

    def and_of(self, wanted: Iterable[Wanted], ends: Iterable[Ends]) -> Found:
        return Found((*self.ends, *zip((each.subject for each in wanted), ends, strict=True)))


NOTHING = Found()
