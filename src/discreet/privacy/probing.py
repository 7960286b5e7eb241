"""The question that finds the next bounds: counts of rows or of units in the cells between candidates.

What it looks at is what the question itself will look at, as far as that is known: the same joined and filtered rows,
truncated in the same way. How many rows of a unit are kept is found first, since all else is counted on kept rows.
"""

from __future__ import annotations

from dataclasses import replace

from discreet.privacy.bounded import Bounded, Level
from discreet.privacy.probe import GroupsOfUnit, Probe, RowsOfUnit, Wanted
from discreet.privacy.unit import Unit

__all__ = ["probe_of"]


def probe_of(bounded: Bounded, unit: Unit, over_rows: tuple[Level, ...]) -> Probe | None:
    """None where nothing is awaited."""
    wanted = tuple(each for each in bounded.awaited if isinstance(each.subject, RowsOfUnit)) or bounded.awaited
    if not wanted:
        return None
    question = replace(
        bounded,
        keys=(),
        domain=((),),
        outputs=(),
        parts=(),
        groups=1,
        units_part=None,
        histograms=tuple(unit.counts_for(each) for each in wanted),
        levels=_levels(bounded, wanted, over_rows),
        within=bounded.keys if unit.by_total else (),
    )
    return Probe(question, wanted)


def _levels(bounded: Bounded, wanted: tuple[Wanted, ...], over_rows: tuple[Level, ...]) -> tuple[Level, ...]:
    """The truncations that are known already."""
    subjects = [each.subject for each in wanted]
    if RowsOfUnit() in subjects:
        return ()
    return over_rows if GroupsOfUnit() in subjects else bounded.levels
