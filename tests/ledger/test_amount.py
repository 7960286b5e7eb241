"""Grains that round against the analyst, and the door for prices."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import LedgerError, Refused
from discreet.ledger import amount

POSITIVE = st.fractions(0, 10**12)


@given(POSITIVE)
def test_charges_round_up_and_caps_round_down_by_less_than_a_grain(value):
    grain = Fraction(1, amount.GRAINS)
    assert value <= amount.fraction(amount.debit(value)) < value + grain
    assert value - grain < amount.fraction(amount.capped(value)) <= value


@given(st.integers(0, 10**amount.WIDTH - 1), st.integers(0, 10**amount.WIDTH - 1))
def test_text_compares_as_numbers_do(one, other):
    assert (amount.write(one) < amount.write(other)) == (one < other)
    assert amount.read(amount.write(one)) == one


def test_what_does_not_fit_is_refused():
    for grains in (-1, 10**amount.WIDTH):
        with pytest.raises(LedgerError):
            amount.write(grains)
    for rounding in (amount.debit, amount.capped):
        with pytest.raises(LedgerError):
            rounding(Fraction(-1, 10**40))


@pytest.mark.parametrize(
    ("given_value", "price"),
    [
        (1, Fraction(1)),
        (0.1, Fraction(1, 10)),
        (0.5, Fraction(1, 2)),
        (1e-9, Fraction(1, 10**9)),
        (10**4, Fraction(10**4)),
        ("0.5", Fraction(1, 2)),
        ("1e-3", Fraction(1, 1000)),
        (" 2. ", Fraction(2)),
        (".25", Fraction(1, 4)),
        ("+1.5E1", Fraction(15)),
        (Decimal("0.3"), Fraction(3, 10)),
        (Fraction(1, 3), Fraction(1, 3)),
    ],
)
def test_prices_are_read_as_they_were_written(given_value, price):
    assert amount.parse_price(given_value) == price


@pytest.mark.parametrize(
    "given_value",
    [
        True, False, None, float("nan"), float("inf"), -float("inf"), Decimal("nan"), Decimal("snan"), Decimal("inf"),
        0, 0.0, -1, -0.1, "0", "-1", 9e-10, Fraction(1, 10**9 + 1), 10_001, Fraction(10**4) + Fraction(1, 10**9), "1e999", "1e9999999",
        Decimal("1e999999"), Decimal("1e-999999"), "nan", "inf", "Infinity", "0x1p-1", "0x1", "1_0", "1/2", "", " ", "1,5",
        "١", "0." + "1" * 100, b"1", [1], {"epsilon": 1}, 1j,
    ],
)  # fmt: skip
def test_other_prices_are_refused(given_value):
    with pytest.raises(Refused) as refused:
        amount.parse_price(given_value)
    assert refused.value.code == "bad-price"


def test_a_number_too_long_to_print_is_refused_all_the_same():
    with pytest.raises(Refused):
        amount.parse_price(10**5000)


@given(st.floats(1e-9, 1e4))
def test_a_float_is_the_number_that_it_prints(value):
    assert amount.parse_price(value) == Fraction(repr(value)) == amount.parse_price(repr(value))
