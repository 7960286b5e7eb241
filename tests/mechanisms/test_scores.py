"""Distances are what they are defined to be, and rows move them as the proofs say."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.mechanisms.scores import CountScores, RankScores, Rows

CELLS = 6
counts = st.dictionaries(st.integers(0, CELLS - 1), st.integers(1, 4), max_size=CELLS)
shares = st.sampled_from([Fraction(1, 2), Fraction(1, 4), Fraction(9, 10), Fraction(1, 3), Fraction(99, 100)])


def listed(histogram: dict[int, int]) -> list[int]:
    """The rows themselves."""
    return sorted(cell for cell, count in histogram.items() for _ in range(count))


def inner(rows: list[int], share: Fraction) -> list[Fraction]:
    """By the definition: the rows by which a cell misses the rank, in parts of a row."""
    wanted = share * len(rows)
    found = [(sum(row < cell for row in rows), sum(row <= cell for row in rows)) for cell in range(CELLS)]
    return [share.denominator * max(Fraction(0), before - wanted, wanted - through) for before, through in found]


def scores_of(histogram: dict[int, int], share: Fraction) -> RankScores:
    rows = Rows.of(histogram.items())
    return RankScores(rows, 0, CELLS - 1, share.numerator * rows.number, share.denominator)


def spread(before: list[int], after: list[int]) -> int:
    moves = [a - b for a, b in zip(after, before, strict=True)]
    return max(moves) - min(moves)


@given(counts, shares)
def test_a_distance_is_the_rows_that_are_too_many_or_too_few(histogram: dict[int, int], share: Fraction) -> None:
    scores = scores_of(histogram, share)
    assert [scores.distance(cell) for cell in range(CELLS)] == inner(listed(histogram), share)
    assert min(inner(listed(histogram), share)) == 0


@given(counts, st.integers(-12, 40), st.integers(1, 30), st.integers(0, 2), st.integers(2, CELLS - 1))
def test_what_is_near_is_every_cell_below_the_limit_once(
    histogram: dict[int, int], target: int, limit: int, first: int, last: int
) -> None:
    scores = RankScores(Rows.of(histogram.items()).between(first, last), first, last, target)
    told = [(cell, run.distance) for run in scores.near(limit) for cell in range(run.start, run.start + run.length)]
    assert len({cell for cell, _ in told}) == len(told)
    assert all(scores.distance(cell) == distance for cell, distance in told)
    assert {cell for cell in range(first, last + 1) if scores.distance(cell) < limit} <= {cell for cell, _ in told}
    assert min(scores.distance(cell) for cell in range(first, last + 1)) == 0


@given(counts, st.integers(1, 10))
def test_what_is_near_the_fullest_cell(histogram: dict[int, int], limit: int) -> None:
    scores = CountScores(histogram, CELLS - 1)
    told = [(cell, run.distance) for run in scores.near(limit) for cell in range(run.start, run.start + run.length)]
    assert len({cell for cell, _ in told}) == len(told)
    assert all(scores.distance(cell) == distance for cell, distance in told)
    assert {cell for cell in range(CELLS) if scores.distance(cell) < limit} <= {cell for cell, _ in told}


@settings(max_examples=300)
@given(counts, shares, st.lists(st.integers(0, CELLS - 1), min_size=1, max_size=3))
def test_rows_move_no_two_distances_of_a_quantile_further_apart_than_is_paid_for(
    histogram: dict[int, int], share: Fraction, more: list[int]
) -> None:
    grown = dict(histogram)
    for cell in more:
        grown[cell] = grown.get(cell, 0) + 1
    before, after = ([scores_of(each, share).distance(cell) for cell in range(CELLS)] for each in (histogram, grown))
    assert spread(before, after) <= 2 * len(more) * max(share.numerator, share.denominator - share.numerator)


@settings(max_examples=300)
@given(
    counts, st.integers(0, CELLS - 1), st.integers(1, 6), st.lists(st.integers(0, CELLS - 1), min_size=1, max_size=3)
)
def test_rows_move_the_sides_of_a_quantile_only_on_their_own_side(
    histogram: dict[int, int], value: int, between: int, more: list[int]
) -> None:
    def sides(each: dict[int, int]) -> tuple[list[int], list[int]]:
        rows = Rows.of(each.items())
        below, above = rows.between(0, value - 1), rows.between(value + 1, CELLS - 1)
        low = RankScores(below, 0, value, below.number - between)
        high = RankScores(above, value, CELLS - 1, between)
        return [low.distance(v) for v in range(value + 1)], [high.distance(v) for v in range(value, CELLS)]

    grown = dict(histogram)
    for cell in more:
        grown[cell] = grown.get(cell, 0) + 1
    (low, high), (low_after, high_after) = sides(histogram), sides(grown)
    assert (min(low), min(high)) == (0, 0)
    assert spread(low, low_after) <= 2 * sum(cell < value for cell in more)
    assert spread(high, high_after) <= 2 * sum(cell > value for cell in more)


@given(counts, st.lists(st.integers(0, CELLS - 1), min_size=1, max_size=3))
def test_rows_move_the_distances_of_a_mode_apart_by_their_number_at_most(
    histogram: dict[int, int], more: list[int]
) -> None:
    grown = dict(histogram)
    for cell in more:
        grown[cell] = grown.get(cell, 0) + 1
    before, after = ([CountScores(each, CELLS - 1).distance(v) for v in range(CELLS)] for each in (histogram, grown))
    assert spread(before, after) <= len(more)


def test_the_vector_of_the_proof() -> None:
    scores = RankScores(Rows.of([(0, 1), (2, 2), (3, 1)]), 0, 4, 4, 2)
    assert [scores.distance(cell) for cell in range(5)] == [2, 2, 0, 2, 4]


@pytest.mark.parametrize(("first", "last"), [(0, 5), (2, 3), (1, 1), (3, 2)])
def test_rows_between_two_cells(first: int, last: int) -> None:
    rows = Rows.of({0: 1, 2: 2, 3: 4, 5: 1}.items())
    expected = [cell for cell in listed({0: 1, 2: 2, 3: 4, 5: 1}) if first <= cell <= last]
    inside = rows.between(first, last)
    assert (inside.number, list(inside.cells)) == (len(expected), sorted(set(expected)))
    assert inside.through(last) == len(expected)
