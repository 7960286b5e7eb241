"""The candidates for a bound that nobody declared: powers of two, from public facts alone.

    a range   of an expression over columns with range = "auto": on both sides of zero, from some 1e-3 to some 1e12, or
              as far as ``within`` lets it; in the steps of the columns, or for floats in fine ones
    a total   of a unit's rows in a group: from a part of one row's to that of very many
    a count   of a unit's rows, or of its groups

Each is a power of two in steps, so that it is exact as a double.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import takewhile
from math import ceil, floor

from discreet.plan.scalar import ColumnRef, Scalar
from discreet.policy.catalogue import KnownColumn
from discreet.privacy.grids import Grid, step_of
from discreet.privacy.probe import Ladder
from discreet.privacy.ranges import Declared, range_of

__all__ = ["COUNTS", "group_counts", "is_undecided", "outermost", "range_ladder", "total_ladder"]

LARGEST = Fraction(2**40)
"""How far a chosen range may reach on a side where the policy does not say it by ``within``."""

DOUBLINGS = 50
"""From the smallest end to the largest."""

WIDEST = 2**62
"""Steps in an end: they fit into 64 bits, and with 2**63 rows into a sum of 128."""

ROWS = 2**20
"""The most rows of a unit that are kept, and how many of the largest size its total may come to."""

HALVINGS = 8
"""Of the largest size that one row may have: from there on totals are looked for."""


def is_undecided(argument: Scalar, declared: Declared) -> bool:
    """Whether the ranges that are to be chosen are all that the expression lacks for a bound."""
    if range_of(argument, declared).ends is not None:
        return False

    def supposed(column: ColumnRef) -> KnownColumn:
        known = declared(column)
        return replace(known, range=(Fraction(1), Fraction(2))) if known.auto else known

    return range_of(argument, supposed).ends is not None


def outermost(declared: Declared) -> Declared:
    """Every column with the ends that the policy gives at all."""

    def known(column: ColumnRef) -> KnownColumn:
        found = declared(column)
        return replace(found, range=found.within) if found.auto else found

    return known


def range_ladder(argument: Scalar, declared: Declared) -> Ladder:
    outer = range_of(argument, outermost(declared))
    below = LARGEST if outer.low is None else max(-outer.low, Fraction(0))
    above = LARGEST if outer.high is None else max(outer.high, Fraction(0))
    top = _power(max(below, above) or Fraction(1))
    step = step_of(argument, declared) or top / WIDEST
    step *= _power(max(Fraction(1), top / step / WIDEST))
    first = int(_power(max(Fraction(1), top / step / 2**DOUBLINGS)))
    return Ladder(step, (0, *_doubled(first, below / step)), _doubled(first, above / step) or (first,))


def total_ladder(grid: Grid) -> Ladder:
    """``grid`` holds one row, and not 0 alone; where its ends are to be chosen themselves, totals begin with them."""
    size = max(abs(grid.low), abs(grid.high))
    first = min(each.ladder.highs[0] for each in grid.awaits) if grid.awaits else max(1, size >> HALVINGS)
    highs = _doubled(int(_power(Fraction(first))), Fraction(min(size * ROWS, WIDEST)))
    return Ladder(grid.step, (0,), highs)


def _power(size: Fraction) -> Fraction:
    """The least power of two that is not below a number above 0."""
    if size >= 1:
        return Fraction(1 << (ceil(size) - 1).bit_length())
    return Fraction(1, 1 << (floor(1 / size).bit_length() - 1))


def _doubled(first: int, reach: Fraction) -> tuple[int, ...]:
    """``first``, twice that and so on, up to one that reaches; none where there is nothing to be reached."""
    sizes = [first << n for n in range(2 * WIDEST.bit_length())]
    short = list(takewhile(lambda size: size < reach, sizes))
    return tuple(sizes[: len(short) + 1]) if reach else ()


COUNTS = Ladder(Fraction(1), (0,), _doubled(1, Fraction(ROWS)))


def group_counts(most: int) -> Ladder:
    """Up to all the groups that there are."""
    last = min(most, ROWS)
    return Ladder(Fraction(1), (0,), (*(size for size in COUNTS.highs if size < last), last))
