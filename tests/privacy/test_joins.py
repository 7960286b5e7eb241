"""Whose rows a join holds and how many: every declared bound is seen in the levels, and what has none is refused."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from discreet.errors import Refused
from discreet.privacy import Bounded

Bounds = Callable[[str], Bounded]
COUNT = "SELECT COUNT(*) AS n FROM "


@pytest.mark.parametrize(
    ("relation", "rows"),
    [
        ("users", 1),
        ("orders", 10),
        ("memberships", 4),
        ("items", 50),
        ("visits", 1),
        ("orders o JOIN users u ON o.user_id = u.user_id", 10),
        ("users u JOIN orders o ON o.user_id = u.user_id", 10),
        ("users u LEFT JOIN orders o ON o.user_id = u.user_id", 10),
        ("users u, orders o WHERE o.user_id = u.user_id", 10),
        ("orders o JOIN memberships m USING (user_id)", 40),
        ("orders o JOIN memberships m USING (user_id) JOIN users u USING (user_id)", 40),
        ("orders a JOIN orders b ON a.user_id = b.user_id", 100),
        ("items i JOIN orders o ON i.order_id = o.order_id", 50),
        ("orders o JOIN items i ON i.order_id = o.order_id", 50),
        ("orders o LEFT JOIN items i ON i.order_id = o.order_id", 50),
        ("items i JOIN orders o USING (order_id) JOIN memberships m USING (user_id)", 200),
        ("users u JOIN regions r ON r.city = u.city", 1),
        ("users u JOIN carriers c ON c.city = u.city", 2),
        ("users u JOIN carriers c ON c.city = u.city AND c.carrier = 'post'", 2),
        ("users u LEFT JOIN carriers c ON c.city = u.city", 2),
        ("users u JOIN regions r ON r.city = u.city JOIN carriers c ON c.city = r.city", 2),
        ("users u JOIN regions r ON r.city = u.city JOIN regions s ON s.country = r.country", 2),
        ("users u JOIN carriers c USING (city) JOIN carriers d ON d.city = c.city", 4),
        ("visits v JOIN carriers c ON c.city = v.city", 2),
    ],
)
def test_the_rows_of_one_unit(relation: str, rows: int, bounds: Bounds) -> None:
    found = bounds(COUNT + relation)
    assert found.rows == rows
    assert [(part.l1, part.l2_squared) for part in found.parts] == [(rows, rows**2)]


@pytest.mark.parametrize(
    "relation",
    [
        "orders o, users u",
        "orders o JOIN users u ON TRUE",
        "orders o JOIN users u ON o.order_id = u.user_id",
        "orders o JOIN users u ON o.user_id <> u.user_id",
        "orders o JOIN users u ON o.user_id = u.user_id OR TRUE",
        "orders o JOIN users u ON NOT (o.user_id = u.user_id)",
        "orders o JOIN users u ON o.user_id + 0 = u.user_id",
        "orders o JOIN users u ON COALESCE(o.user_id, 1) = u.user_id",
        "orders o JOIN users u ON o.user_id = o.user_id",
        "items i JOIN items j ON i.order_id = j.order_id",
        "items i JOIN users u ON i.order_id = u.user_id",
        "items i JOIN orders o ON i.item_id = o.order_id",
        "visits a JOIN visits b ON a.page = b.page",
        "visits v JOIN orders o ON v.seconds = o.user_id",
        "users u JOIN regions r ON r.city > u.city",
        "users u CROSS JOIN products p",
        "users u JOIN regions r ON r.city = 'Bonn'",
    ],
)
def test_joins_that_could_show_one_unit_beside_another_are_refused(
    relation: str, not_bounded: Callable[[str], Refused]
) -> None:
    assert not_bounded(COUNT + relation).code == "bad-join"


def test_a_left_join_on_the_unit_keeps_the_left_one(bounds: Bounds, not_bounded: Callable[[str], Refused]) -> None:
    """The right unit may be NULL where the left has a row, so only the left one counts people."""
    text = "SELECT COUNT(DISTINCT {}.user_id) AS n FROM orders o LEFT JOIN users u ON o.user_id = u.user_id"
    assert bounds(text.format("o")).parts[0].l1 == 1
    assert not_bounded(text.format("u")).code == "unsupported"


@pytest.mark.parametrize(
    ("text", "levels"),
    [
        ("SELECT COUNT(*) AS n FROM users", []),
        ("SELECT COUNT(*) AS n FROM visits", []),
        ("SELECT COUNT(*) AS n FROM orders", [(10, False)]),
        ("SELECT COUNT(DISTINCT user_id) AS n FROM orders", []),
        ("SELECT COUNT(*) AS n FROM items", [(10, True), (5, False)]),
        ("SELECT channel, COUNT(*) AS n FROM orders GROUP BY channel", [(10, False)]),
        ("SELECT club, COUNT(*) AS n FROM memberships GROUP BY club", [(4, False), (2, True)]),
        ("SELECT club, COUNT(DISTINCT user_id) AS n FROM memberships GROUP BY club", [(2, True)]),
        ("SELECT note, COUNT(DISTINCT user_id) AS n FROM orders GROUP BY note", [(10, True)]),
        ("SELECT channel, COUNT(DISTINCT user_id) AS n FROM orders GROUP BY channel", []),
        ("SELECT club, COUNT(DISTINCT user_id) AS n FROM memberships WHERE club <> 'tea' GROUP BY club", []),
    ],
)
def test_a_window_stands_where_one_is_needed_and_nowhere_else(
    text: str, levels: list[tuple[int, bool]], bounds: Bounds
) -> None:
    assert [(level.limit, level.distinct) for level in bounds(text).levels] == levels


def test_group_bounds_are_the_least_of_policy_rows_and_domain(bounds: Bounds) -> None:
    assert bounds("SELECT club, COUNT(*) AS n FROM memberships GROUP BY club").groups == 2
    assert bounds("SELECT note, COUNT(*) AS n FROM orders GROUP BY note").groups == 10
    assert bounds("SELECT channel, COUNT(*) AS n FROM orders GROUP BY channel").groups == 3
    assert bounds("SELECT COUNT(*) AS n FROM orders").groups == 1
