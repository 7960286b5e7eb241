"""What is kept of an answer is what was released, whatever type its keys have."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from math import inf, nan
from uuid import UUID

import pytest

from discreet.plan.types import Value
from discreet.release.draw import Groups, rank

KEYS: list[tuple[Value, ...]] = [
    (None, True, 3, 2.5),
    (dt.date(2026, 1, 31), dt.datetime(2026, 1, 31, 12, 30, 0, 5), Decimal("1.50"), 'quote " and \\ and ü'),
]


def test_kept_groups_come_back_as_they_were() -> None:
    groups = Groups(KEYS, [[10**30, -5], [0, 7]])
    assert Groups.from_bytes(groups.to_bytes()) == groups


def test_groups_without_keys_and_without_rows_come_back() -> None:
    for groups in (Groups([()], [[4]]), Groups([], [[], []]), Groups([("a",)], [])):
        assert Groups.from_bytes(groups.to_bytes()) == groups


def test_other_types_are_kept_as_text() -> None:
    key = UUID("12345678-1234-5678-1234-567812345678")
    kept = Groups([(key,)], [[1]]).to_bytes()  # type: ignore[list-item]
    assert Groups.from_bytes(kept).keys == [(str(key),)]


@pytest.mark.parametrize("turn", range(5))
def test_private_keys_have_one_order(turn: int) -> None:
    values: list[Value] = [nan, None, 2.0, inf, -1.0]
    turned = values[turn:] + values[:turn]
    assert [repr(value) for value in sorted(turned, key=rank)] == ["-1.0", "2.0", "inf", "nan", "None"]
