"""Dates and times as numbers: seconds since 1970, of a clock that knows no zones and no leap seconds."""

from __future__ import annotations

import datetime as dt
from fractions import Fraction
from math import ceil, floor

__all__ = ["DAY", "UNITS", "date_after", "date_before", "seconds", "time_at"]

DAY = 86_400
UNITS = {
    "second": 1, "minute": 60, "hour": 3600, "day": DAY,
    "week": 7 * DAY, "month": 31 * DAY, "quarter": 92 * DAY, "year": 366 * DAY,
}  # fmt: skip
"""The most seconds that each of them has."""

START = dt.datetime(1970, 1, 1)
MICROSECOND = Fraction(1, 10**6)


def seconds(value: dt.date) -> Fraction:
    """Of a time, or of the beginning of a date."""
    time = value if isinstance(value, dt.datetime) else dt.datetime(value.year, value.month, value.day)
    return Fraction((time - START) // dt.timedelta(microseconds=1), 10**6)


def time_at(moment: Fraction) -> dt.datetime:
    """To the nearest microsecond."""
    return START + dt.timedelta(microseconds=round(moment / MICROSECOND))


def date_before(moment: Fraction) -> dt.date:
    """The date that a moment is in."""
    return START.date() + dt.timedelta(days=floor(moment / DAY))


def date_after(moment: Fraction) -> dt.date:
    """The first date that does not begin before it."""
    return START.date() + dt.timedelta(days=ceil(moment / DAY))
