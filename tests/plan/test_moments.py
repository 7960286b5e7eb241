"""Dates and times are seconds since 1970, there and back."""

from __future__ import annotations

import datetime as dt
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.plan.moments import DAY, UNITS, date_after, date_before, seconds, time_at

FIRST, LAST = dt.datetime(1, 1, 1), dt.datetime(9999, 12, 30)


@given(st.datetimes(FIRST, LAST))
def test_a_time_is_told_as_it_was(moment: dt.datetime) -> None:
    assert time_at(seconds(moment)) == moment
    assert date_before(seconds(moment)) == moment.date()
    assert date_before(seconds(moment)) <= date_after(seconds(moment)) <= moment.date() + dt.timedelta(days=1)


@given(st.dates(FIRST.date(), LAST.date()))
def test_a_date_is_the_beginning_of_its_day(date: dt.date) -> None:
    assert date_before(seconds(date)) == date_after(seconds(date)) == date
    assert seconds(date) % DAY == 0
    assert seconds(dt.datetime(date.year, date.month, date.day)) == seconds(date)


def test_moments_that_are_known() -> None:
    assert seconds(dt.date(1970, 1, 1)) == 0
    assert seconds(dt.date(2000, 1, 1)) == 946_684_800
    assert seconds(dt.datetime(1969, 12, 31, 23, 59, 59, 500_000)) == Fraction(-1, 2)
    assert date_after(Fraction(1)) == dt.date(1970, 1, 2)
    assert time_at(Fraction(-1, 3)) == dt.datetime(1969, 12, 31, 23, 59, 59, 666_667)


@pytest.mark.parametrize(("unit", "first", "next_one"), [
    ("minute", dt.datetime(2024, 1, 1), dt.datetime(2024, 1, 1, 0, 1)),
    ("week", dt.datetime(2024, 1, 1), dt.datetime(2024, 1, 8)),
    ("month", dt.datetime(2024, 1, 1), dt.datetime(2024, 2, 1)),
    ("quarter", dt.datetime(2024, 7, 1), dt.datetime(2024, 10, 1)),
    ("year", dt.datetime(2024, 1, 1), dt.datetime(2025, 1, 1)),
])  # fmt: skip
def test_no_unit_is_longer_than_is_said(unit: str, first: dt.datetime, next_one: dt.datetime) -> None:
    assert seconds(next_one) - seconds(first) == UNITS[unit]
