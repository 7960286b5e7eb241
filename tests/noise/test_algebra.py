"""The coins' arithmetic is exact: with the coins scripted, every exponent and every result is an identity of fractions."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.mechanisms import coins

positive = st.fractions(min_value=Fraction(1, 10**9), max_value=10**9).filter(lambda value: value > 0)


@given(positive, st.lists(st.integers(-(10**6), 10**6), min_size=2, max_size=6))
def test_what_is_proposed_times_what_is_kept_is_the_gaussian_weight(variance: Fraction, proposals: list[int]):
    scales, exponents = [], []

    def propose(p: int, q: int, source: object) -> int:
        scales.append(Fraction(p, q))
        return proposals[len(scales) - 1]

    def keep(p: int, q: int, source: object) -> bool:
        exponents.append(Fraction(p, q))
        return len(exponents) == len(proposals)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(coins, "laplace", propose)
        patch.setattr(coins, "exp_coin", keep)
        assert coins.gaussian(variance.numerator, variance.denominator, iter(())) == proposals[-1]
    constants = {
        abs(y) / scale + exponent - y**2 / (2 * variance)
        for y, scale, exponent in zip(proposals, scales, exponents, strict=True)
    }
    assert len(constants) == 1
    assert all((scale - 1) ** 2 <= variance < scale**2 and scale.denominator == 1 for scale in scales)


@given(positive, st.integers(0, 50), st.booleans(), st.data())
def test_a_laplace_draw_is_a_signed_quotient(scale: Fraction, high: int, negative: bool, data: st.DataObject):
    p, q = scale.numerator, scale.denominator
    low = data.draw(st.integers(0, p - 1))
    size = (low + high * p) // q
    if negative and size == 0:
        return
    exponents = []

    def hold(over: int, under: int, source: object) -> bool:
        exponents.append(Fraction(over, under))
        return len(exponents) <= high + 1

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(coins, "below", lambda bound, source: low if bound == p else None)
        patch.setattr(coins, "exp_coin_to_one", hold)
        assert coins.laplace(p, q, iter([int(negative)])) == (-size if negative else size)
    assert exponents == [Fraction(low, p)] + [Fraction(1)] * (high + 1)


def test_a_minus_nought_is_drawn_again():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(coins, "exp_coin_to_one", lambda p, q, source: p == 0)
        source = iter([1, 1, 0])
        assert coins.laplace(1, 1, source) == 0
        assert next(source, None) is None


@given(st.fractions(min_value=0, max_value=40))
def test_an_exponent_is_split_into_whole_coins_and_a_rest(exponent: Fraction):
    tossed = []

    def toss(p: int, q: int, source: object) -> bool:
        tossed.append(Fraction(p, q))
        return True

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(coins, "exp_coin_to_one", toss)
        assert coins.exp_coin(exponent.numerator, exponent.denominator, iter(()))
    assert sum(tossed) == exponent
    assert all(0 <= part <= 1 for part in tossed)


@given(st.fractions(min_value=0, max_value=1), st.integers(0, 9))
def test_the_series_of_coins(chance: Fraction, holding: int):
    tossed = []

    def toss(p: int, q: int, source: object) -> bool:
        tossed.append(Fraction(p, q))
        return len(tossed) <= holding

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(coins, "coin", toss)
        odd = coins.exp_coin_to_one(chance.numerator, chance.denominator, iter(()))
    assert odd == (holding % 2 == 0)
    assert tossed == [chance / k for k in range(1, holding + 2)]
