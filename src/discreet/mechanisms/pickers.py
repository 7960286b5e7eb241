"""Which pickers make the picks of one histogram: quantiles are picked together, extremes and modes each alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from discreet.mechanisms import Choice
from discreet.mechanisms.picks import Fullest, Outermost, Picker, Sharpness, Steps
from discreet.mechanisms.sharpest import EVERY_CHOICE, sharpest_choice
from discreet.mechanisms.together import Together
from discreet.privacy.bounded import Pick

__all__ = ["pickers", "sharpness_of", "weight"]


def weight(picks: Sequence[Pick]) -> int:
    """How many shares of a price they take: those that are made together, one for each level of their tree."""
    inner = sum(pick.share not in (None, 0, 1) for pick in picks)
    return inner.bit_length() + len(picks) - inner


def pickers(
    picks: Sequence[Pick], each: Fraction, accounting: str, choices: tuple[type[Choice], ...] = EVERY_CHOICE
) -> Iterator[Picker]:
    """The sharpest by one of these choices, where a share of the price is ``each`` in all groups together."""
    inner = [pick for pick in picks if pick.share not in (None, 0, 1)]
    if inner:
        yield Together.of(inner, each * weight(inner), accounting, choices)
    for pick in picks:
        if pick.share is None:
            yield Fullest(pick, sharpest_choice(pick.histogram.rows, each, accounting, choices))
        elif pick.share in (0, 1):
            yield Outermost(pick, sharpest_choice(2 * pick.histogram.rows, each, accounting, choices))


def sharpness_of(pick: Pick, picking: Sequence[Picker]) -> Sharpness | Steps:
    """That of the one among these pickers that makes it."""
    return next(each.sharpness[each.picks.index(pick)] for each in picking if pick in each.picks)
