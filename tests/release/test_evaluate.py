"""HAVING and ORDER BY mean over released rows what DuckDB means by them over rows."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from itertools import product
from typing import Any

import duckdb
import pytest
import sqlglot

from discreet.plan.nodes import Aggregate, Aggregation, Limit, Ordering, Scan, Sort
from discreet.plan.scalar import ColumnRef
from discreet.plan.types import Type
from discreet.release.evaluate import Row, evaluate, select
from discreet.sql.scalars import lower_scalar

NUMBERS = (None, -3, 0, 2, 7)
CONDITIONS = [
    "a > b",
    "a <= b OR b IS NULL",
    "NOT (a = b) AND a <> 2",
    "a BETWEEN 0 AND b",
    "a IN (2, b)",
    "a NOT IN (0, NULL)",
    "a IS NULL AND b IS NOT NULL",
    "COALESCE(a, b) > 1",
    "a / b > 0.5",
    "a % b = 1",
    "ABS(a) - b >= -a",
    "CASE WHEN a > b THEN a ELSE b END = 7",
    "NULLIF(a, b) IS NULL",
    "GREATEST(a, b) = LEAST(a, b)",
    "ROUND(a / 3.0, 1) < FLOOR(b / 2)",
    "a IS DISTINCT FROM b",
    "ROUND(a / 2.0, 0) > b / 2.0",
    "ROUND(a * 15, -1) >= b",
    "SIGN(a) = SIGN(b)",
]


NO_NUMBER = [
    "FLOOR(a * 1e300 * 1e300) > 1",
    "CEIL(a * 1e300 * 1e300) > 1",
    "(a * 1e300 * 1e300) % 3 = 1",
    "ROUND(a * 1e300, 15) > 1",
    "a * 1{0} * 1{0} / 3 > 1".format("0" * 250),
]


def row(**values: Any) -> Row:
    return Row(0, values, lambda name, place: None)


@pytest.mark.parametrize("text", CONDITIONS)
def test_conditions_mean_what_they_mean_in_duckdb(text: str) -> None:
    tree = sqlglot.parse_one(text, read="duckdb")
    scalar = lower_scalar(
        tree, lambda node: ColumnRef("", node.name, Type.INTEGER) if isinstance(node, sqlglot.exp.Column) else None
    )
    with duckdb.connect() as connection:
        for a, b in product(NUMBERS, NUMBERS):
            if b == 0 and ("/ b" in text or "% b" in text):
                assert evaluate(scalar, row(a=a, b=b)) is None  # ours is NULL where an engine may have infinity
                continue
            sql = f"SELECT {text} FROM (SELECT CAST(? AS INTEGER) AS a, CAST(? AS INTEGER) AS b)"
            expected = connection.execute(sql, [a, b]).fetchone()
            assert expected == (evaluate(scalar, row(a=a, b=b)),), (a, b)


def test_like_reads_the_pattern_as_sql_does() -> None:
    scalar = lower_scalar(
        sqlglot.parse_one("a LIKE 'x.%_'", read="duckdb"),
        lambda node: ColumnRef("", node.name, Type.TEXT) if isinstance(node, sqlglot.exp.Column) else None,
    )
    found = {text: evaluate(scalar, row(a=text)) for text in ("x.y", "x.yz\nw", "xay", "x.", None)}
    assert found == {"x.y": True, "x.yz\nw": True, "xay": False, "x.": False, None: None}


def rows_of(values: list[int | None]) -> list[Row]:
    return [Row(place, {"n": value, "k": place}, lambda name, at: None) for place, value in enumerate(values)]


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("nulls_first", [False, True])
def test_rows_are_ordered_as_asked_and_ties_stay_in_place(descending: bool, nulls_first: bool) -> None:
    asked = Aggregate(Scan("t", "t"), (), (Aggregation("n", "count", None),))
    column = ColumnRef("", "n", Type.INTEGER)
    found = select(Sort(asked, (Ordering(column, descending, nulls_first),)), rows_of([2, None, 1, 2, 3]))
    known = [4, 0, 3, 2] if descending else [2, 0, 3, 4]
    assert [each.place for each in found] == ([1, *known] if nulls_first else [*known, 1])


def test_limit_and_offset_take_released_rows() -> None:
    asked = Aggregate(Scan("t", "t"), (), (Aggregation("n", "count", None),))
    found = select(Limit(asked, 2, 1), rows_of([5, 6, 7, 8]))
    assert [each.place for each in found] == [1, 2]
    assert [each.place for each in select(Limit(asked, None, 3), rows_of([5, 6, 7, 8]))] == [3]


def lowered(text: str, type_: Type) -> Any:
    tree = sqlglot.parse_one(text, read="duckdb")
    return lower_scalar(
        tree, lambda node: ColumnRef("", node.name, type_) if isinstance(node, sqlglot.exp.Column) else None
    )


@pytest.mark.parametrize("text", NO_NUMBER)
def test_what_has_no_number_is_null_and_no_error(text: str) -> None:
    """The answer is paid for: it must not be lost to a clause that Python cannot compute."""
    assert evaluate(lowered(text, Type.INTEGER), row(a=7)) is None


def test_a_date_is_compared_with_a_time_and_a_decimal_with_a_double() -> None:
    day = row(a=dt.date(2020, 1, 1))
    assert evaluate(lowered("a < '2020-01-01 12:00:00'", Type.DATE), day) is True
    assert evaluate(lowered("a IN ('2020-01-01 00:00:00')", Type.DATE), day) is True
    assert evaluate(lowered("a = 0.1 AND a + 1.5 > 1", Type.DECIMAL), row(a=Decimal("0.10"))) is True
