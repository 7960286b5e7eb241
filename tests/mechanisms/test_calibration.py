"""The exact prices: which noise one gets for which amount."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.ledger.events import GaussianNoise, LaplaceNoise
from discreet.mechanisms.gaussian import Gaussian
from discreet.mechanisms.laplace import Laplace
from discreet.mechanisms.rounding import sqrt_down, upward
from discreet.mechanisms.search import least

amounts = st.fractions(min_value=Fraction(1, 10**12), max_value=10**6).filter(lambda amount: amount > 0)


@given(amounts, st.integers(1, 10**9), st.integers(1, 10**12))
def test_gaussian_noise_is_exactly_what_rho_buys(amount: Fraction, l1: int, l2_squared: int):
    found = Gaussian.calibrate(l1, l2_squared, amount, "zcdp")
    assert found == Gaussian(l2_squared / (2 * amount), GaussianNoise(2 * amount))


@given(amounts, st.integers(1, 10**9))
def test_pure_laplace_noise_is_exactly_what_epsilon_buys(amount: Fraction, l1: int):
    assert Laplace.calibrate(l1, l1, amount, "pure") == Laplace(l1 / amount, LaplaceNoise(amount))


@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1, 2), Fraction(3, 7), Fraction(2)])
def test_laplace_noise_under_zcdp_keeps_epsilon_where_rho_is_half_its_square(epsilon: Fraction):
    assert Laplace.calibrate(3, 3, epsilon**2 / 2, "zcdp") == Laplace(3 / epsilon, LaplaceNoise(epsilon))


def test_above_two_laplace_noise_costs_its_epsilon_under_zcdp():
    assert Laplace.calibrate(3, 3, Fraction(5), "zcdp") == Laplace(Fraction(3, 5), LaplaceNoise(Fraction(5)))


def test_gaussian_noise_has_no_pure_price():
    assert Gaussian.calibrate(1, 1, Fraction(1), "pure") is None


@given(st.fractions(min_value=Fraction(1, 10**30), max_value=10**30).filter(lambda value: value > 0))
def test_roots_are_rounded_down_and_modest(value: Fraction):
    root = sqrt_down(value)
    assert root**2 <= value
    assert root**2 >= value * (1 - Fraction(1, 2**36))
    assert root**2 == value or root.denominator.bit_length() <= 41 + value.denominator.bit_length() // 2 + 1


@given(st.fractions(min_value=0, max_value=10**9))
def test_roots_of_squares_are_exact(value: Fraction):
    assert sqrt_down(value**2) == value


@given(st.floats(0, 1))
def test_upward_never_goes_down(chance: float):
    assert chance <= upward(chance) <= max(chance * (1 + 2e-10), 1e-300)


@given(st.integers(-(10**12), 10**12), st.integers(-(10**12), 10**12))
def test_the_least_is_found_from_anywhere(edge: int, near: int):
    assert least(lambda x: x >= edge, near) == edge
