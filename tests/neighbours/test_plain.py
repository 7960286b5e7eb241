"""With wide bounds and clean data nothing is cut, so the exact parts are what the database says to the same words."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from neighbours.harness import plain
from neighbours.world import Table, World

PLACES = Table("places", {"city": "TEXT", "country": "TEXT"}, (("a", "n"), ("b", "s"), ("b", "n"), ("d", "s")))
WIDE = "range = [-100000, 100000]"


@st.composite
def clean(draw: st.DrawFn) -> World:
    """Every unit and key is there, every number is in its range."""
    units = list(range(1, draw(st.integers(1, 5)) + 1))
    users = [(unit, draw(st.sampled_from("abc")), draw(st.integers(0, 99))) for unit in units]
    whose = draw(st.lists(st.sampled_from(units), min_size=1, max_size=10))
    amounts = st.sampled_from([0.25, 3.5, 10.0, -7.75, 1000.125, None])
    orders = [(n, unit, draw(st.sampled_from(["web", "shop"])), draw(amounts)) for n, unit in enumerate(whose)]
    lines = draw(st.lists(st.integers(0, len(orders) - 1), max_size=12))
    items = [(order, draw(st.integers(-3, 20))) for order in lines]
    return World((_users(users), _orders(orders), _items(items), PLACES))


def _users(rows: list[tuple[object, ...]]) -> Table:
    options = ("rows_per_unit = 1000", 'columns.city = { values = ["a", "b", "c"] }', f"columns.age = {{ {WIDE} }}")
    return Table(
        "users", {"user_id": "INTEGER", "city": "TEXT", "age": "INTEGER"}, tuple(rows), "user_id", None, options
    )


def _orders(rows: list[tuple[object, ...]]) -> Table:
    columns = {"order_id": "INTEGER", "user_id": "INTEGER", "channel": "TEXT", "amount": "DOUBLE"}
    return Table(
        "orders", columns, tuple(rows), "user_id", None, ("rows_per_unit = 1000", f"columns.amount = {{ {WIDE} }}")
    )


def _items(rows: list[tuple[object, ...]]) -> Table:
    options = ("rows_per_parent = 1000", f"columns.quantity = {{ {WIDE} }}")
    via = ("order_id", "orders", "order_id")
    return Table("items", {"order_id": "INTEGER", "quantity": "INTEGER"}, tuple(rows), None, via, options)


QUESTIONS = (
    "SELECT COUNT(*), SUM(age), AVG(age), COUNT(DISTINCT user_id) FROM users",
    "SELECT VAR_POP(age), VARIANCE(age), STDDEV(age), STDDEV_POP(age), AVG(age) FROM users",
    "SELECT city, COUNT(*), SUM(age * 2 - 1) FROM users WHERE age BETWEEN 10 AND 60 GROUP BY city",
    "SELECT channel, COUNT(amount), SUM(amount), AVG(amount) FROM orders GROUP BY channel",
    "SELECT COUNT(*) FILTER (WHERE amount > 1), SUM(CASE WHEN channel = 'web' THEN amount ELSE 1 END) FROM orders",
    "SELECT o.channel, COUNT(*), COUNT(DISTINCT o.user_id), SUM(u.age) FROM orders o JOIN users u ON o.user_id = u.user_id GROUP BY o.channel",
    "SELECT u.city, COUNT(*), COUNT(o.amount) FROM users u LEFT JOIN orders o ON u.user_id = o.user_id AND o.amount > 0 GROUP BY u.city",
    "SELECT o.channel, COUNT(*), SUM(i.quantity) FROM items i JOIN orders o ON i.order_id = o.order_id GROUP BY o.channel",
    "SELECT COUNT(*), SUM(i.quantity * i.quantity), SUM(o.amount) FROM orders o LEFT JOIN items i ON i.order_id = o.order_id",
    "SELECT p.country, COUNT(*), SUM(u.age) FROM users u JOIN places p ON u.city = p.city GROUP BY p.country",
    "SELECT age > 50, COUNT(*), COUNT(DISTINCT user_id) FROM users GROUP BY 1",
    "SELECT age, COUNT(*), SUM(ABS(age - 50)) FROM users GROUP BY age",
    "SELECT user_id % 2 = 0 AND city LIKE 'a%', SUM(COALESCE(NULLIF(age, 7), 1)) FROM users GROUP BY 1",
)  # fmt: skip


@pytest.mark.parametrize("question", QUESTIONS)
@settings(
    max_examples=8,
    derandomize=True,
    database=None,
    deadline=None,
    phases=[Phase.generate, Phase.shrink],
    suppress_health_check=list(HealthCheck),
)
@given(world=clean())
def test_what_is_not_cut_is_exact(question: str, world: World) -> None:
    assert plain(world, question) == []
