"""Noise on a list of counting queries that are answered together: the other place that sees exact values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from discreet.engines.engine import Exact
from discreet.mechanisms.perturb import perturb
from discreet.mechanisms.strategies import Joint
from discreet.privacy.lists import Tally
from discreet.release.draw import Groups, filled

__all__ = ["draw_list"]


def draw_list(joint: Joint, found: Sequence[Exact]) -> list[Groups]:
    """The released groups of each statement; ``found`` goes with the tallies."""
    numbers: dict[int, int] = {}
    for tally, exact in zip(joint.tallies, found, strict=True):
        numbers.update(_noisy(joint, tally, exact))
    return [
        Groups(list(bounded.domain or ()), [[numbers[place] for place in part] for part in joint.workload.places(n)])
        for n, bounded in enumerate(joint.workload.asked)
    ]


def _noisy(joint: Joint, tally: Tally, exact: Exact) -> Iterator[tuple[int, int]]:
    """Every number of a tally: noise goes to the cells or to their sums, once."""
    counts = list(chain.from_iterable(filled(tally.question.domain or (), exact).parts))
    cells = [sum(counts[place] for place in cell) for cell in tally.cells]
    if joint.over_cells:
        cells = perturb(joint.noise, cells)
    sums = [sum(cells[cell] for cell in each) for each in tally.numbers.values()]
    return zip(tally.numbers, sums if joint.over_cells else perturb(joint.noise, sums), strict=True)
