"""Random tiny databases with the dirt of real ones, random policies, and random questions about them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from neighbours.world import Row, Table, World

UNITS = (1, 2, 3, 4, None)
CITIES = ("a", "b", "A", "undeclared", None)
CHANNELS = ("web", "shop", "", None)
AMOUNTS = (0.0, -0.0, 0.1, 2.5, 7.0, 10.0, -3.0, 1e300, -1e300, float("nan"), float("inf"), float("-inf"), None)
NUMBERS = (0, 1, 2, 3, -4, 100, 2**40, -(2**62), None)
DAYS = ("2024-02-29", "2024-12-31", "1970-01-01", "infinity", "20000-01-01", None)
KEYS = (1, 2, 3, 4, 5, None)

Draw = Any


def rows(draw: Draw, *columns: tuple[Any, ...], most: int = 9) -> tuple[Row, ...]:
    return tuple(draw(st.lists(st.tuples(*map(st.sampled_from, columns)), min_size=1, max_size=most)))


def unique(found: tuple[Row, ...], place: int) -> tuple[Row, ...]:
    """The first row of each value: what a constraint of the database would have let in."""
    return tuple({row[place]: row for row in reversed(found) if row[place] is not None}.values())


def places(draw: Draw) -> Table:
    found = rows(draw, CITIES[:4], ("north", "south", None), (1, 2, 3), most=6)
    return Table("places", {"city": "TEXT", "country": "TEXT", "weight": "INTEGER"}, found)


def goods(draw: Draw) -> Table:
    found = rows(draw, (1, 2, 3), ("toy", "food", None), most=6)
    return Table("goods", {"product": "INTEGER", "sort": "TEXT"}, found)


def city_keys(draw: Draw) -> list[str]:
    return draw(
        st.sampled_from(
            [[], ['columns.city = { values = ["a", "b", "c"] }'], ['columns.city = { values_from = "places.city" }']]
        )
    )


def groups(draw: Draw) -> list[str]:
    return draw(st.sampled_from([[], ["groups_per_unit = 1"], ["groups_per_unit = 2"]]))


def users(draw: Draw) -> Table:
    found = rows(draw, UNITS, CITIES, NUMBERS)
    enforced = draw(st.booleans())
    options = [f"rows_per_unit = {draw(st.integers(1, 2))}", "columns.age = { range = [-2, 3] }", *city_keys(draw)]
    return Table(
        "users",
        {"user_id": "INTEGER", "city": "TEXT", "age": "BIGINT"},
        unique(found, 0) if enforced else found,
        unit="user_id",
        options=(*options, *groups(draw)),
        constraints=("PRIMARY KEY (user_id)",) if enforced else (),
    )


def orders(draw: Draw) -> Table:
    found = rows(draw, KEYS, UNITS, CHANNELS, AMOUNTS, DAYS, most=12)
    enforced = draw(st.sampled_from([None, 0, 1]))
    bounds = draw(st.sampled_from(["range = [0, 10]", "range = [-5, 5], step = 0.5", "range = [1, 3], step = 0.1"]))
    options = [f"rows_per_unit = {draw(st.integers(1, 3))}", f"columns.amount = {{ {bounds} }}"]
    options.append("columns.day = { range = [1960-01-01, 2024-12-01] }")
    keys = draw(st.sampled_from([[], ['columns.channel = { values = ["web", "shop", "none"] }']]))
    named = draw(st.sampled_from([[], ['key = "order_id"']]))
    return Table(
        "orders",
        {"order_id": "INTEGER", "user_id": "INTEGER", "channel": "TEXT", "amount": "DOUBLE", "day": "DATE"},
        found if enforced is None else unique(found, enforced),
        unit="user_id",
        options=(*options, *keys, *named, *groups(draw)),
        constraints=() if enforced is None else (f"UNIQUE ({('order_id', 'user_id')[enforced]})",),
    )


def items(draw: Draw) -> Table:
    found = rows(draw, KEYS, (1, 2, 3, None), NUMBERS, most=12)
    enforced = draw(st.booleans())
    options = [f"rows_per_parent = {draw(st.integers(1, 2))}", "columns.quantity = { range = [0, 4] }"]
    return Table(
        "items",
        {"order_id": "INTEGER", "product": "INTEGER", "quantity": "BIGINT"},
        unique(found, 0) if enforced else found,
        via=("order_id", "orders", "order_id"),
        options=(*options, *draw(st.sampled_from([[], ["columns.product = { values = [1, 2, 3] }"]]))),
        constraints=("UNIQUE (order_id)",) if enforced else (),
    )


def visits(draw: Draw) -> Table:
    found = rows(draw, CITIES, AMOUNTS)
    return Table(
        "visits",
        {"city": "TEXT", "minutes": "DOUBLE"},
        found,
        unit="row",
        options=("columns.minutes = { range = [0, 7] }", *city_keys(draw)),
    )


@dataclass(frozen=True)
class View:
    """A FROM clause, with what can be counted, summed, compared and grouped by in it."""

    source: str
    unit: str | None
    numbers: tuple[str, ...]
    keys: tuple[str, ...]
    tests: tuple[str, ...]


USERS = View(
    "users u",
    "u.user_id",
    ("u.age", "u.age * 2 - 1", "ABS(u.age)", "CASE WHEN u.city = 'a' THEN 5 ELSE u.age END"),
    ("u.city", "u.age > 1", "UPPER(u.city)", "u.age"),
    ("u.age >= 0", "u.city IN ('a', 'A')", "u.city IS NOT NULL", "u.user_id <> 2", "u.city LIKE 'a%' OR u.age < 2"),
)
ORDERS = View(
    "orders o",
    "o.user_id",
    ("o.amount", "o.amount - 2", "o.amount / 4", "LEAST(GREATEST(o.order_id, 0), 3)", "-o.amount", "ROUND(o.amount)"),
    ("o.channel", "o.amount > 2", "MONTH(o.day)", "COALESCE(o.channel, 'none')", "o.day", "o.order_id"),
    ("o.amount > 0", "o.channel = 'web'", "o.day >= '2000-01-01'", "o.amount / o.order_id < 2", "NOT o.channel = ''"),
)
ITEMS = View(
    "items i",
    None,
    ("i.quantity", "i.quantity * i.quantity", "COALESCE(i.quantity, 1)", "NULLIF(i.quantity, 2)"),
    ("i.product", "i.quantity IS NULL"),
    ("i.quantity > 1", "i.product BETWEEN 1 AND 2", "i.order_id % 2 = 1"),
)
VISITS = View("visits v", None, ("v.minutes", "SQRT(v.minutes)"), ("v.city", "v.minutes < 3"), ("v.minutes > 1",))
PLACES = View("places p", None, ("p.weight * 1",), ("p.country", "p.city"), ("p.weight > 1", "p.country = 'north'"))
GOODS = View("goods g", None, (), ("g.sort",), ("g.sort <> 'toy'",))


def joined(join: str, *views: View) -> View:
    return View(
        join,
        next((view.unit for view in views if view.unit), None),
        tuple(each for view in views for each in view.numbers if not each.startswith("p.")),
        tuple(each for view in views for each in view.keys),
        tuple(each for view in views for each in view.tests),
    )


JOINS = (
    joined("users u JOIN orders o ON u.user_id = o.user_id", USERS, ORDERS),
    joined("orders o JOIN users u ON o.user_id = u.user_id AND u.age > 0", ORDERS, USERS),
    joined("users u LEFT JOIN orders o ON u.user_id = o.user_id AND o.amount > 1", USERS, ORDERS),
    joined("items i JOIN orders o ON i.order_id = o.order_id", ORDERS, ITEMS),
    joined("orders o LEFT JOIN items i ON i.order_id = o.order_id", ORDERS, ITEMS),
    joined("items i LEFT JOIN orders o ON i.order_id = o.order_id AND o.amount > 1", ORDERS, ITEMS),
    joined("items i JOIN orders o ON i.order_id = o.order_id JOIN users u ON u.user_id = o.user_id", USERS, ORDERS),
    joined("orders o JOIN users u ON o.user_id = u.user_id JOIN items i ON i.order_id = o.order_id", USERS, ITEMS),
    joined("users u JOIN places p ON u.city = p.city", USERS, PLACES),
    joined("users u LEFT JOIN places p ON u.city = p.city AND p.weight > 1", USERS, PLACES),
    joined("items i JOIN goods g ON i.product = g.product", ITEMS, GOODS),
    joined("goods g JOIN items i ON i.product = g.product JOIN orders o ON i.order_id = o.order_id", GOODS, ITEMS, ORDERS),
    joined("orders o JOIN orders q ON o.user_id = q.user_id", ORDERS),
    joined("visits v JOIN places p ON v.city = p.city", VISITS, PLACES),
)  # fmt: skip
DATED = ("o.day", "DATE_TRUNC('year', o.day)", "COALESCE(o.day, DATE '2000-01-01')", "CAST(o.day AS TIMESTAMP)")
VIEWS = (USERS, ORDERS, ITEMS, VISITS, *JOINS)


@st.composite
def worlds(draw: Draw, question: str) -> World:
    """The tables that the question needs, and those that they need."""
    needed = {name for name in MAKERS if f"{name} " in question}
    needed |= {"places"} if needed & {"users", "visits"} else set()
    needed |= {"orders"} if "items" in needed else set()
    return World(tuple(make(draw) for name, make in MAKERS.items() if name in needed))


MAKERS = {"places": places, "goods": goods, "users": users, "orders": orders, "items": items, "visits": visits}


def aggregate(draw: Draw, view: View) -> str:
    number = draw(st.sampled_from(view.numbers)) if view.numbers else "1"
    day = draw(st.sampled_from(DATED)) if "o.day" in view.keys else number
    forms = ["COUNT(*)", f"COUNT({number})", f"SUM({number})", f"AVG({number})", f"VAR_SAMP({number})"]
    forms += [f"MEDIAN({number})", f"MAX({number})", f"QUANTILE_DISC({number}, 0.3)", f"MODE({number} > 1)"]
    forms += [f"MEDIAN({day})", f"QUANTILE_CONT({number}, [0.2, 0.5, 0.9])"]
    forms += [f"COUNT(DISTINCT {view.unit})"] * 2 if view.unit else []
    chosen = draw(st.sampled_from(forms))
    where = draw(st.sampled_from([None, None, *view.tests]))
    return f"{chosen} FILTER (WHERE {where})" if where else chosen


@st.composite
def questions(draw: Draw, views: tuple[View, ...] = VIEWS) -> str:
    view = draw(st.sampled_from(views))
    keys = draw(st.lists(st.sampled_from(view.keys), max_size=2, unique=True))
    numbers = [f"{aggregate(draw, view)} AS n{place}" for place in range(draw(st.integers(1, 3)))]
    option = draw(st.sampled_from(["", "", "WITH DIFFERENTIAL_PRIVACY OPTIONS (max_groups_contributed = 1) "]))
    where = draw(st.lists(st.sampled_from(view.tests), max_size=2, unique=True))
    parts = [f"SELECT {option}{', '.join([*keys, *numbers])} FROM {view.source}"]
    parts += [f"WHERE {' AND '.join(f'({test})' for test in where)}"] if where else []
    parts += [f"GROUP BY {', '.join(keys)}"] if keys else []
    return " ".join([*parts, *draw(st.sampled_from([[], [], ["HAVING n0 > 1"], ["ORDER BY n0 DESC LIMIT 2"]]))])


@st.composite
def cases(draw: Draw) -> tuple[World, str]:
    question = draw(questions())
    return draw(worlds(question)), question
