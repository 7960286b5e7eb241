"""Smooth sensitivity, and distances to jumps, against their definitions on every tiny histogram, by brute force."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache

import pytest

from discreet.mechanisms.envelope import Envelope, Line
from discreet.mechanisms.fading import PLACES, fading
from discreet.mechanisms.jumps import quantile, rows_until_jump, rows_until_other, smooth_sensitivity
from discreet.mechanisms.scores import Rows

SHARES = [Fraction(1, 2), Fraction(2, 3), Fraction(9, 10), Fraction(1, 4), Fraction(1, 10)]
RATES = [Fraction(1, 100), Fraction(1, 3), Fraction(2)]
FARTHEST = 4
"""Rows that the brute force adds and takes away; weights beyond are below every jump that is nearer."""

Counts = tuple[int, ...]


def at(counts: Counts, share: Fraction) -> int:
    """The quantile by its definition: the least cell with at least this share of the rows up to it."""
    total = 0
    for cell, count in enumerate(counts):
        total += count
        if total >= share * sum(counts):
            return cell
    raise AssertionError("the last cell has all rows up to it")


def changed(counts: Counts, rows: int) -> Iterator[Counts]:
    """What one unit of at most so many rows makes of it, by coming or by going."""
    for steps in itertools.product(range(rows + 1), repeat=len(counts)):
        if 0 < sum(steps) <= rows:
            yield tuple(a + b for a, b in zip(counts, steps, strict=True))
            if all(a >= b for a, b in zip(counts, steps, strict=True)):
                yield tuple(a - b for a, b in zip(counts, steps, strict=True))


@cache
def local_sensitivity(counts: Counts, share: Fraction, unit: int) -> int:
    return max(abs(at(other, share) - at(counts, share)) for other in changed(counts, unit))


@cache
def within(counts: Counts, rows: int) -> list[frozenset[Counts]]:
    """Every histogram that is so many rows away, for each number of rows up to this one."""
    rings, seen = [frozenset({counts})], {counts}
    for _ in range(rows):
        ring = {other for each in rings[-1] for other in changed(each, 1)} - seen
        seen |= ring
        rings.append(frozenset(ring))
    return rings


def farthest_moves(counts: Counts, share: Fraction, unit: int) -> list[int]:
    """The largest local sensitivity at each distance in rows, up to ``FARTHEST``."""
    rings = within(counts, FARTHEST)
    return [max(local_sensitivity(each, share, unit) for each in ring) for ring in rings]


def tiny(cells: int, most: int) -> list[Counts]:
    return list(itertools.product(range(most + 1), repeat=cells))


def rows_of(counts: Counts) -> Rows:
    return Rows.of(enumerate(counts))


@pytest.mark.parametrize("unit", [1, 2, 3])
@pytest.mark.parametrize("share", SHARES, ids=str)
def test_the_distance_to_a_jump_is_the_least_number_of_rows(share: Fraction, unit: int) -> None:
    for counts in tiny(3, 3):
        moves = farthest_moves(counts, share, unit)
        for length in range(3):
            found = rows_until_jump(rows_of(counts), 2, share, unit, length)
            true = next((rows for rows, moved in enumerate(moves) if moved > length), None)
            if true is None:
                assert found is None or found > FARTHEST
            elif exact(counts, share, unit):
                assert found == true
            else:
                assert found is not None
                assert found <= true


def exact(counts: Counts, share: Fraction, unit: int) -> bool:
    """Where fewer rows than a unit may have are there, a low quantile is taken to be a little nearer to a jump."""
    return unit == 1 or share >= Fraction(1, 2) or sum(counts) >= 2 * unit * share.denominator


@pytest.mark.parametrize("rate", RATES, ids=str)
@pytest.mark.parametrize("unit", [1, 2])
@pytest.mark.parametrize("share", SHARES, ids=str)
def test_smooth_sensitivity_is_its_definition(share: Fraction, unit: int, rate: Fraction) -> None:
    for counts in [*tiny(3, 2), *random.Random(7).sample(tiny(5, 2), 25)]:
        last = len(counts) - 1
        bound = smooth_sensitivity(rows_of(counts), last, share, unit, fading(rate))
        moves = farthest_moves(counts, share, unit)
        true = max(moved * math.exp(-float(rate) * rows) for rows, moved in enumerate(moves))
        beyond = last * math.exp(-float(rate) * (FARTHEST + 1))
        assert bound >= Fraction(true) * (1 - Fraction(1, 10**12))
        if exact(counts, share, unit):
            assert bound <= Fraction(max(true, beyond)) * (1 + Fraction(1, 10**12))


@pytest.mark.parametrize("unit", [1, 2, 5])
@pytest.mark.parametrize("share", SHARES, ids=str)
def test_a_unit_changes_the_bound_by_its_rate_at_most_and_a_distance_by_one(share: Fraction, unit: int) -> None:
    rate, draw = Fraction(1, 7), random.Random(5)
    for _ in range(60):
        counts = tuple(draw.choice([0, 0, 1, 2, 7]) for _ in range(12))
        other = list(counts)
        for _ in range(draw.randint(1, unit)):
            other[draw.randrange(12)] += 1
        before, after = rows_of(counts), rows_of(tuple(other))
        bounds = [smooth_sensitivity(each, 11, share, unit, fading(rate / unit)) for each in (before, after)]
        assert max(bounds) <= min(bounds) * Fraction(math.exp(rate)) * (1 + Fraction(1, 10**12))
        assert abs(quantile(before, share) - quantile(after, share)) <= min(bounds)
        for length in range(11):
            away = [rows_until_jump(each, 11, share, unit, length) for each in (before, after)]
            assert None not in away
            assert abs(-(-away[0] // unit) - -(-away[1] // unit)) <= 1
            if abs(quantile(before, share) - quantile(after, share)) > length:
                assert away == [0, 0]


@pytest.mark.parametrize("share", SHARES, ids=str)
def test_the_distance_to_another_quantile_is_the_least_number_of_rows(share: Fraction) -> None:
    for counts in tiny(3, 3):
        here = at(counts, share)
        assert quantile(rows_of(counts), share) == here
        others = (n for n, ring in enumerate(within(counts, FARTHEST)) if any(at(each, share) != here for each in ring))
        true, found = next(others, None), rows_until_other(rows_of(counts), 2, share)
        assert found == true or (true is None and found is not None and found > FARTHEST)


def test_the_median_of_even_rows_is_bounded_as_the_formula_says() -> None:
    """Rows one cell apart, far from the ends: k rows gone from the middle open a window of k + 1 gaps."""
    rows, rate = Rows.of((1000 + n, 1) for n in range(1000)), Fraction(1, 50)
    true = max((k + 1) * math.exp(-k / 50) for k in range(400))
    assert float(smooth_sensitivity(rows, 2999, Fraction(1, 2), 1, fading(rate))) == pytest.approx(true, rel=1e-12)


def placed(rows: list[int], rank: int, last: int) -> int:
    """The row of this rank, counted from 1; the ends of the range stand for what lies outside."""
    return 0 if rank < 1 else last if rank > len(rows) else rows[rank - 1]


def test_the_median_of_any_rows_is_bounded_as_the_formula_says() -> None:
    draw, last, rate = random.Random(9), 99, Fraction(1, 6)
    for number in (0, 1, 2, 3, 8, 15, 40):
        rows = sorted(draw.randrange(last + 1) for _ in range(number))
        windows: list[float] = []
        for k in range(number + 2):
            left = (number - k) // 2 if (number - k) % 2 == 0 else (number - 1 - k) // 2
            windows.append((placed(rows, left + k + 1, last) - placed(rows, left, last)) * math.exp(-float(rate) * k))
        found = smooth_sensitivity(
            Rows.of((row, rows.count(row)) for row in set(rows)), last, SHARES[0], 1, fading(rate)
        )
        assert float(found) == pytest.approx(max(windows), rel=1e-12)


def test_it_is_never_more_than_the_printed_bound_for_rows_that_are_replaced() -> None:
    """Max over k of exp(-rate k) max over t = 0 ... k + 1 of x[m + t] - x[m + t - k - 1], by its definition."""
    draw, last, rate = random.Random(11), 99, Fraction(1, 6)
    for number in (1, 5, 21, 41):
        rows = sorted(draw.randrange(last + 1) for _ in range(number))
        middle = (number + 1) // 2
        printed = max(
            (placed(rows, middle + t, last) - placed(rows, middle + t - k - 1, last)) * math.exp(-float(rate) * k)
            for k in range(number + 1)
            for t in range(k + 2)
        )
        found = smooth_sensitivity(
            Rows.of((row, rows.count(row)) for row in set(rows)), last, SHARES[0], 1, fading(rate)
        )
        assert float(found) <= printed * (1 + 1e-12)


def test_a_lonely_row_and_no_row_at_all_may_be_moved_anywhere() -> None:
    for rows in (Rows.of([]), Rows.of([(3, 1)])):
        assert rows_until_jump(rows, 9, Fraction(1, 2), 1, 8) in (0, 1)
    assert smooth_sensitivity(Rows.of([]), 9, Fraction(1, 2), 1, fading(Fraction(1, 3))) >= 9


def test_a_column_of_one_value_cannot_move() -> None:
    rows = Rows.of([(0, 5)])
    assert rows_until_jump(rows, 0, Fraction(1, 2), 1, 0) is None
    assert rows_until_other(rows, 0, Fraction(1, 2)) is None
    assert smooth_sensitivity(rows, 0, Fraction(1, 2), 1, fading(Fraction(1, 3))) == Fraction(1, 1 << PLACES)


@pytest.mark.parametrize("rate", [Fraction(1, 3), Fraction(1, 10**9), Fraction(7)])
def test_weights_are_powers_to_their_last_places(rate: Fraction) -> None:
    weights = fading(rate)
    for n in (0, 1, 2, 3, 10, weights.far // 2, weights.far, 2 * weights.far):
        with localcontext() as context:
            context.prec = 400
            true = (-n * Decimal(rate.numerator) / Decimal(rate.denominator)).exp() * 2**PLACES
        assert abs(weights.at(n) - true) < 128
        assert weights.at(n) >= weights.at(n + 1)


def test_the_highest_line_is_found_whatever_was_added_before() -> None:
    draw = random.Random(3)
    places = sorted(draw.randrange(1000) for _ in range(57))
    envelope, lines = Envelope(places), list[Line]()
    assert envelope.at(5) is None
    for name in range(80):
        lines.append(Line(draw.randrange(1, 50), draw.randrange(-500, 1500), name))
        envelope.add(lines[-1])
        for place in (0, 20, 56):
            found = envelope.at(place)
            assert found is not None
            assert found.at(places[place]) == max(line.at(places[place]) for line in lines)
