"""The highest of many rising lines at given places, while lines are still being added: a tree of Li Chao.

A node stands for a range of places and holds the line that is highest in its middle. Of two lines one is the higher
on each side of where they cross, so the other can matter on one side only and moves down there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

__all__ = ["Envelope", "Line"]


class Line(NamedTuple):
    """slope * (x - zero); ``name`` says whose it is."""

    slope: int
    zero: int
    name: int

    def at(self, x: int) -> int:
        return self.slope * (x - self.zero)


class Envelope:
    """Places are numbered in their order, and asked for by number."""

    def __init__(self, places: Sequence[int]) -> None:
        self._places = places
        self._held: dict[tuple[int, int], Line] = {}

    def add(self, line: Line) -> None:
        low, high = 0, len(self._places)
        while low < high:
            middle = (low + high) // 2
            held = self._held.get((low, high))
            if held is None:
                self._held[low, high] = line
                return
            if line.at(self._places[middle]) > held.at(self._places[middle]):
                self._held[low, high], line, held = line, held, line
            # Below the middle the flatter of the two may be the higher one, above it the steeper one.
            low, high = (low, middle) if line.slope < held.slope else (middle + 1, high)

    def at(self, number: int) -> Line | None:
        """The highest line at a place; None before the first one is added."""
        low, high, best = 0, len(self._places), None
        while low < high:
            held = self._held.get((low, high))
            if held is None:
                return best
            if best is None or held.at(self._places[number]) > best.at(self._places[number]):
                best = held
            middle = (low + high) // 2
            low, high = (low, middle) if number < middle else (middle + 1, high)
            if number == middle:
                return best
        return best
