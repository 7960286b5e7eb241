"""Distances are what they are defined to be, and rows move them as the proofs say."""

from __future__ import annotations

from fractions import Fraction

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
    scores = RankScores(Rows.of(histogram.items()), first, last, target)
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
