"""Shifts of answers and places by lot: exact on short strings, decided bit by bit, and of the right law in bulk."""

from __future__ import annotations

import math
from collections import Counter
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import permutations, product

import pytest
from scipy import stats

from discreet.mechanisms import lots, noise_source, shifts
from noise.harness import FALSE_ALARM, surprising

RATIOS = [Fraction(1, 10**9), Fraction(1, 10), Fraction(1), Fraction(7, 3), Fraction(20), Fraction(400)]


def chance(ratio: Fraction, answers: int, places: int) -> Decimal:
    """2**places times the chance of no shift, to sixty digits."""
    with localcontext() as context:
        context.prec = 400
        weight = (-(Decimal(ratio.numerator) / Decimal(ratio.denominator))).exp()
        return Decimal(2) ** places / (1 + (answers - 1) * weight)


@pytest.mark.parametrize("answers", [2, 3, 400, 10**6])
@pytest.mark.parametrize("ratio", RATIOS, ids=str)
def test_the_chance_is_known_to_its_last_places(ratio: Fraction, answers: int):
    for places in (62, 126, 190, 638):
        assert abs(shifts._chance(ratio, answers, places) - chance(ratio, answers, places)) < shifts._OFF


@pytest.mark.parametrize("ratio", RATIOS, ids=str)
def test_what_the_first_bits_leave_open_is_decided_by_more_of_them(ratio: Fraction):
    """Around the chance, the first bits of U decide if they can, and the next ones if not."""
    bound = int(chance(ratio, 3, 62))
    following = int(chance(ratio, 3, 126)) & (2**64 - 1)
    for off in range(-6, 7):
        v = bound + off
        if not 0 <= v < 2**62:
            continue
        for more in (0, following - 9, following + 9, 2**64 - 1):
            if not 0 <= more < 2**64:
                continue
            whole = v << 64 | more
            expected = whole < chance(ratio, 3, 126)
            assert shifts.stays(v, 62, ratio, 3, iter(more.to_bytes(8, "big") + bytes(64))) is expected


@pytest.mark.parametrize("answers", [2, 3, 9])
@pytest.mark.parametrize("ratio", [Fraction(1, 20), Fraction(1), Fraction(3)], ids=str)
def test_shifts_have_their_law(answers: int, ratio: Fraction):
    n = 40_000
    drawn = Counter(noise_source.answer_shifts(ratio, answers, n))
    assert set(drawn) <= set(range(answers))
    right = 1 / (1 + (answers - 1) * math.exp(-ratio))
    assert not surprising(drawn[0], n, right)
    others = [drawn[k] for k in range(1, answers)]
    if len(others) > 1:
        assert stats.chisquare(others).statistic < stats.chi2.isf(FALSE_ALARM, len(others) - 1)


def test_a_shift_is_drawn_without_a_look_at_the_answer():
    assert noise_source.answer_shifts(Fraction(1), 2, 0) == []
    first, second = (noise_source.answer_shifts(Fraction(1, 10), 1000, 300) for _ in range(2))
    assert first != second
    assert len(first) == 300


@pytest.mark.parametrize(
    ("ratio", "answers"), [(Fraction(0), 2), (Fraction(-1), 2), (Fraction(1), 1), (Fraction(1), 2.0)]
)
def test_what_has_no_exact_law_is_refused(ratio: Fraction, answers: int):
    with pytest.raises(ValueError, match="needs"):
        noise_source.answer_shifts(ratio, answers, 3)
    with pytest.raises(TypeError):
        noise_source.answer_shifts(float(ratio), answers, 3)


def test_every_choice_of_places_is_as_likely():
    """Over all outcomes of the integers that are drawn, each set of two places out of four comes up as often."""
    seen: Counter[frozenset[int]] = Counter()
    for first, second in product(range(4), range(3)):
        drawn = iter([first, second])
        seen[frozenset(lots_with(drawn, 4, 2))] += 1
    assert len(seen) == math.comb(4, 2)
    assert len(set(seen.values())) == 1


def lots_with(drawn, of, number, below="below"):
    real = lots.below
    lots.below = lambda bound, source: next(drawn)
    try:
        return lots.some(of, number, iter(()))
    finally:
        lots.below = real


def test_a_whole_pack_is_shuffled():
    seen = Counter(tuple(lots_with(iter(each), 3, 3)) for each in product(range(3), range(2), range(1)))
    assert set(seen) == set(permutations(range(3)))
    assert set(seen.values()) == {1}


def test_places_are_different_and_fresh():
    assert sorted(noise_source.random_places(500, 500)) == list(range(500))
    assert len(set(noise_source.random_places(10**9, 100))) == 100
    assert noise_source.random_places(10**9, 3) != noise_source.random_places(10**9, 3)
    assert noise_source.random_places(5, 0) == []
