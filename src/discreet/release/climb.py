"""The climb, in the dark room: one step after another is released to the rule, and the last of them is told."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from discreet.mechanisms.sharpening.climb import Climb
from discreet.mechanisms.sharpening.steps import Steps

__all__ = ["ascend"]


def ascend(climb: Climb, laws: Sequence[Steps], columns: Sequence[Sequence[int]]) -> tuple[int, list[list[int]]]:
    """The step at which it ended, and each part as it was released there. Nothing else leaves.

    ``columns`` are the exact parts; whether to go on is decided by released numbers alone.
    """
    releases = zip(*(law.releases(column) for law, column in zip(laws, columns, strict=True)), strict=True)
    step, released, missed = -1, (), 0
    for step, released in enumerate(releases):
        missing = _missing(climb, step, released, missed)
        if missing is None:
            break
        missed = missing
    return step, list(released)


def _missing(climb: Climb, step: int, released: Sequence[list[int]], first: int) -> int | None:
    """A group with a number that is not sharp enough, where there is one: looked for first where one was before."""
    groups = len(released[0])
    for group in chain(range(first, groups), range(first)):
        numbers = [column[group] for column in released]
        if not all(climb.met(output, step, numbers) for output in climb.outputs):
            return group
    return None
