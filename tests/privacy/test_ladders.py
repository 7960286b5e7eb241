"""Candidates for bounds: powers of two, exact as doubles, from public facts; and which expressions lack a bound."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import Refused
from discreet.plan.scalar import ColumnRef
from discreet.plan.types import Type
from discreet.policy.catalogue import KnownColumn
from discreet.privacy import Bounded
from discreet.privacy.grids import Grid
from discreet.privacy.ladders import COUNTS, ROWS, WIDEST, group_counts, range_ladder, total_ladder
from discreet.privacy.probe import GroupsOfUnit, Ladder, RangeOf, RowsOfUnit, Total

COLUMN = ColumnRef("t", "x", Type.FLOAT)
ENDS = st.one_of(
    st.none(),
    st.tuples(st.fractions(-(10**12), 10**12), st.fractions(Fraction(1, 10**6), 10**12)).map(
        lambda pair: (pair[0], pair[0] + pair[1])
    ),
)
STEPS = st.sampled_from([None, Fraction(1), Fraction(1, 100), Fraction(1, 10**10), Fraction(7, 3), Fraction(1000)])


def ladder_of(within: tuple[Fraction, Fraction] | None, step: Fraction | None) -> Ladder:
    return range_ladder(COLUMN, lambda _: KnownColumn("x", Type.FLOAT, auto=True, within=within, step=step))


@given(ENDS, STEPS)
def test_a_range_is_chosen_among_doublings_that_are_exact(
    within: tuple[Fraction, Fraction] | None, step: Fraction | None
) -> None:
    ladder = ladder_of(within, step)
    assert step is None or (ladder.step / step).denominator == 1
    for ends in (ladder.lows[1:], ladder.highs):
        assert all(end & (end - 1) == 0 and float(end) == end and end <= WIDEST for end in ends)
        assert all(later == 2 * one for one, later in pairwise(ends))
    assert ladder.lows[0] == 0
    low, high = within or (-Fraction(2**40), Fraction(2**40))
    assert -ladder.lows[-1] * ladder.step <= min(low, 0)
    assert ladder.highs[-1] * ladder.step >= high
    assert ladder.lows[-1] * ladder.step < max(2 * -low, 2 * ladder.highs[0] * ladder.step)
    assert ladder.highs[-1] * ladder.step < max(2 * high, 2 * ladder.highs[0] * ladder.step)


def test_where_nothing_is_said_a_range_is_from_a_thousandth_to_a_trillion() -> None:
    ladder = ladder_of(None, None)
    ends = [float(end * ladder.step) for end in (ladder.highs[0], ladder.highs[-1], ladder.lows[1], ladder.lows[-1])]
    assert ends == [2**-10, 2**40, 2**-10, 2**40]
    assert ladder.step == Fraction(1, 2**22)


def test_small_values_have_small_candidates_where_the_owner_says_so() -> None:
    ladder = ladder_of((Fraction(0), Fraction(1, 10**9)), None)
    assert ladder.lows == (0,)
    assert ladder.highs[0] * ladder.step < Fraction(1, 10**20)


@given(ENDS, STEPS, st.integers(-(2**62), 2**62))
def test_cells_tell_what_lies_beyond(
    within: tuple[Fraction, Fraction] | None, step: Fraction | None, value: int
) -> None:
    ladder = ladder_of(within, step)
    assert list(ladder.edges) == sorted(set(ladder.edges))
    cell = sum(edge < value for edge in ladder.edges)
    low, high = ladder.places
    if ladder.lows != (0,):
        assert [cell <= place for place in low] == [value < -end for end in ladder.lows]
    assert [cell > place for place in high] == [value > end for end in ladder.highs]


@given(st.integers(-(2**62), 2**62), st.integers(1, 2**62))
def test_a_total_is_chosen_from_a_part_of_a_row_to_very_many(low: int, width: int) -> None:
    grid = Grid(Fraction(1, 4), low, min(low + width, 2**62))
    size = max(abs(grid.low), abs(grid.high))
    ladder = total_ladder(grid)
    assert ladder.step == grid.step
    assert ladder.highs[0] <= max(1, 2 * size / 2**8)
    assert ladder.highs[-1] >= min(size * ROWS, WIDEST)
    assert all(end & (end - 1) == 0 and end <= WIDEST for end in ladder.highs)


def test_counts_end_where_there_are_no_more_groups() -> None:
    assert (COUNTS.highs[0], COUNTS.highs[-1]) == (1, 2**20)
    assert group_counts(1).highs == (1,)
    assert group_counts(6).highs == (1, 2, 4, 6)
    assert group_counts(8).highs == (1, 2, 4, 8)
    assert group_counts(10**7).highs == COUNTS.highs


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("SELECT COUNT(*) FROM trips", [Total]),
        ("SELECT COUNT(DISTINCT user_id) FROM trips", []),
        ("SELECT SUM(seats) FROM trips", [Total]),
        ("SELECT SUM(0 * seats) FROM trips", []),
        ("SELECT SUM(fare), SUM(metres), COUNT(fare) FROM trips", [Total, Total, Total]),
        ("SELECT SUM(fare), SUM(fare), COUNT(*), COUNT(*) FROM trips", [Total, Total]),
        ("SELECT SUM(fare) FILTER (WHERE kind = 'bus'), SUM(fare) FROM trips", [Total, Total]),
        ("SELECT kind, COUNT(*) FROM trips GROUP BY kind", [GroupsOfUnit, Total]),
        ("SELECT kind, COUNT(DISTINCT user_id) FROM trips GROUP BY kind", [GroupsOfUnit]),
        ("SELECT fare > 3 AS dear, COUNT(*) FROM trips GROUP BY dear", [Total]),
        ("SELECT AVG(seats) FROM trips", [RowsOfUnit]),
        ("SELECT AVG(fare) FROM trips", [RowsOfUnit, RangeOf]),
        ("SELECT AVG(fare), MEDIAN(fare), SUM(fare), VAR_POP(fare) FROM trips", [RowsOfUnit, RangeOf]),
        ("SELECT MAX(fare), MIN(metres) FROM trips", [RowsOfUnit, RangeOf, RangeOf]),
        ("SELECT AVG(LEAST(GREATEST(metres, -1), 1)) FROM trips", [RowsOfUnit]),
        ("SELECT SUM(2 * ABS(metres) - 1) FROM trips", [Total]),
        ("SELECT SUM(age) FROM users", []),
        ("SELECT COUNT(*) FROM orders", []),
        ("SELECT COUNT(*) FROM trips t JOIN users u ON t.user_id = u.user_id", [Total]),
        ("SELECT kind FROM trips GROUP BY kind", []),
    ],
)
def test_what_has_to_be_found(bounds: Callable[[str], Bounded], question: str, wanted: list[type]) -> None:
    found = bounds(question)
    assert [type(each.subject) for each in found.awaited] == wanted
    assert (found.probe is None) == (not wanted)


@pytest.mark.parametrize(
    ("question", "code"),
    [
        ("SELECT SUM(fare / metres) FROM trips", None),
        ("SELECT SUM(fare * LENGTH(kind)) FROM trips", "unbounded-expression"),
        ("SELECT SUM(fare + CAST(kind AS INTEGER)) FROM trips", "unbounded-expression"),
        ("SELECT SUM(1 / (fare - metres)) FROM trips", "unbounded-expression"),
        ("SELECT MODE(fare) FROM trips", "unbounded-expression"),
        ("SELECT MODE(kind) FROM trips", None),
    ],
)
def test_a_range_that_is_chosen_is_no_bound_for_what_has_none(
    bounds: Callable[[str], Bounded], question: str, code: str | None
) -> None:
    if code is None:
        assert bounds(question).awaited
    else:
        with pytest.raises(Refused) as caught:
            bounds(question)
        assert caught.value.code == code
