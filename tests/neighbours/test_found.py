"""Ways to move more than is declared that were found once: each a database, a question, and what would be seen."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace

import duckdb
import pytest

from discreet.engines import Exact
from neighbours.harness import answered, violations
from neighbours.mutants import REPEATED
from neighbours.world import Row, Table, World
from seams import engine_over, exact, silent, walk

USERS = Table(
    "users",
    {"user_id": "INTEGER"},
    ((1,), (2,)),
    unit="user_id",
    options=("rows_per_unit = 1",),
    constraints=("PRIMARY KEY (user_id)",),
)
ORDERS = Table(
    "orders",
    {"order_id": "INTEGER", "user_id": "INTEGER"},
    tuple((number, 1) for number in range(5)),
    unit="user_id",
    options=("rows_per_unit = 1",),
)
ITEMS = Table(
    "items",
    {"order_id": "INTEGER"},
    ((7,),),
    via=("order_id", "orders", "order_id"),
    options=("rows_per_parent = 1",),
    constraints=("UNIQUE (order_id)",),
)
DATED = Table(
    "seen",
    {"user_id": "INTEGER", "day": "DATE", "moment": "TIMESTAMP", "fine": "TIMESTAMP_NS", "wide": "UHUGEINT", "whole": "HUGEINT", "tenth": "DECIMAL(38, 10)"},
    (
        (1, "5877642-06-25 (BC)", "9999-12-31", "2020-01-01", 2**127, 2**126, 1),
        (2, "20000-01-01", "2020-01-01", "2020-01-01", 1, 1, 1),
        (3, "infinity", "infinity", None, None, None, None),
        (4, "2020-01-01", "2020-01-01", "2020-01-01", 1, 1, 1),
    ),
    unit="user_id",
    options=("rows_per_unit = 1",),
)  # fmt: skip

MOVES = {
    "an unenforced bound beside an enforced one": (
        World((USERS, ORDERS)),
        "SELECT COUNT(*) FROM users JOIN orders USING (user_id)",
    ),
    "a parent's key that is not unique": (
        World((replace(ORDERS, rows=((7, 1),) * 5, options=("rows_per_unit = 2",)), ITEMS)),
        "SELECT COUNT(*) FROM items",
    ),
    "a table beside the parent": (
        REPEATED,
        "SELECT COUNT(*) FROM orders o JOIN users u ON o.user_id = u.user_id JOIN items i ON i.order_id = o.order_id",
    ),
    "a unique key that is NULL many times": (
        World((replace(ORDERS, rows=((None, 1),) * 5, constraints=("UNIQUE (order_id)",)), ITEMS)),
        "SELECT COUNT(*) FROM orders o LEFT JOIN items i ON i.order_id = o.order_id",
    ),
}
FOLDED = Table(
    "seen",
    {"user_id": "INTEGER", "word": "TEXT COLLATE NOCASE", "number": "DOUBLE"},
    ((1, "BOB", -0.0), (2, "bob", 0.0), (3, "bob", float("nan"))),
    unit="row",
)
WORDS = Table("words", {"word": "TEXT"}, (("bob",), ("Bob",), ("BOB",)))
COLLATED = {
    "a collation that matches more than is counted": (
        World((FOLDED, WORDS)),
        "SELECT COUNT(*) FROM seen s JOIN words w ON s.word = w.word",
    ),
    "a group named by one row's spelling": (World((FOLDED,)), "SELECT word, COUNT(*) FROM seen GROUP BY word"),
}
REFUSED = {
    "units that are one as doubles": (
        World(
            (
                Table("users", {"user_id": "DECIMAL(38,0)"}, ((10**17,), (10**17 + 1,)), "user_id", None, ("rows_per_unit = 1",)),
                Table("orders", {"user_id": "DECIMAL(38,0)"}, ((10**17,),) * 5, "user_id", None, ("rows_per_unit = 1",)),
            )
        ),
        "SELECT COUNT(*) FROM users JOIN orders ON users.user_id = orders.user_id",
    ),
    "public keys that are one as doubles": (
        World((Table("v", {"x": "BIGINT"}, ((2**53,),), "row"), Table("p", {"id": "BIGINT"}, ((2**53,), (2**53 + 1,))))),
        "SELECT COUNT(*) FROM v JOIN p ON p.id = v.x + 0",
    ),
    "a bound that no double holds": (
        World((DATED,)),
        "SELECT SUM(LEAST(GREATEST(whole, 0), 9) * 1e300 * 1e300) FROM seen",
    ),
    "a step that no double holds": (
        World((DATED,)),
        "SELECT SUM(LEAST(GREATEST(whole, 0), 9) * 1e-300 * 1e-300) FROM seen",
    ),
}  # fmt: skip
TOTAL = (
    "SELECT day, COUNT(*) FROM seen GROUP BY day",
    "SELECT moment, COUNT(*) FROM seen GROUP BY moment",
    "SELECT fine, COUNT(*) FROM seen GROUP BY fine",
    "SELECT DATE_TRUNC('week', day), COUNT(*) FROM seen GROUP BY 1",
    "SELECT COUNT(*) FROM seen WHERE EXTRACT(week FROM day) = 3",
    "SELECT COUNT(*) FROM seen WHERE moment < fine",
    "SELECT COUNT(*) FROM seen WHERE whole IN (1, 2)",
    "SELECT COUNT(*) FROM seen WHERE COALESCE(whole, tenth) > 3",
    "SELECT SUM(LEAST(GREATEST(whole, 0), 9) * 0) FROM seen",
    "SELECT SUM(LEAST(GREATEST(whole, 0), 9) * 1e-290) FROM seen",
)


@pytest.mark.parametrize("name", [*MOVES, *COLLATED])
def test_a_unit_moves_no_more_than_is_declared(name: str) -> None:
    world, question = (MOVES | COLLATED)[name]
    assert answered(world, question)
    assert violations(world, question) == []


@pytest.mark.parametrize("name", REFUSED)
def test_what_doubles_cannot_tell_apart_or_hold_is_refused(name: str) -> None:
    world, question = REFUSED[name]
    assert not answered(world, question)
    assert violations(world, question) == []


ENDS = Table(
    "ends",
    {"whole": "HUGEINT", "until": "DATE", "moment": "TIMESTAMP"},
    ((1, "infinity", "290309-12-22 (BC)"), (2, "2020-01-01", "2020-01-01")),
)


@pytest.mark.parametrize("key", ["e.until", "e.moment"])
@pytest.mark.parametrize("kind", ["JOIN", "LEFT JOIN"])
def test_no_public_date_makes_a_question_fail_for_who_has_it(key: str, kind: str) -> None:
    question = f"SELECT {key}, COUNT(*) FROM seen {kind} ends e ON e.whole = seen.whole GROUP BY 1"
    assert answered(World((DATED, ENDS)), question)
    assert violations(World((DATED, ENDS)), question) == []


@pytest.mark.parametrize("question", TOTAL)
def test_no_row_makes_a_question_fail(question: str) -> None:
    assert answered(World((DATED,)), question)
    assert violations(World((DATED,)), question) == []


def test_rows_that_tie_do_not_depend_on_other_units() -> None:
    """An order's six matches share a hash: without a rule for ties, an engine keeps others of them each time."""
    people = ", ".join(map(str, range(2000)))
    orders = Table("orders", {"id": "BIGINT", "person": "BIGINT", "sort": "BIGINT"}, (), unit="person")
    orders = replace(orders, options=("rows_per_unit = 2", f"columns.person = {{ values = [{people}] }}"))
    names = Table("names", {"sort": "BIGINT", "name": "TEXT"}, tuple((s, n) for s in range(3) for n in "abcdefg"[s:]))
    world = World((orders, names))
    question = "SELECT o.person, n.name, COUNT(*) FROM orders o JOIN names n ON o.sort = n.sort GROUP BY 1, 2"
    with duckdb.connect(":memory:") as connection:
        world.write(connection)
        connection.execute(
            "INSERT INTO orders SELECT i, (i * 7919) % 2000, hash(i) % 4 FROM range(400000) t(i) ORDER BY hash(i, 1)"
        )
        with closing(engine_over(connection)) as engine:
            walked = walk(engine, world.policy(), question)
            before = kept(exact(engine, walked, "s"))
            connection.execute("DELETE FROM orders WHERE person = 7")
            after = kept(exact(engine, walked, "s"))
    assert {key: count for key, count in before.items() if key[0] != 7} == after


def kept(found: Exact) -> dict[Row, int]:
    return dict(zip(found.keys, found.parts[0], strict=True))


def test_numbers_that_are_one_group_have_one_spelling() -> None:
    """Rows of 0.0 and one of -0.0 are a group: which of them is shown is not that row's to decide."""
    with duckdb.connect(":memory:") as connection:
        World((FOLDED,)).write(connection)
        with closing(engine_over(connection)) as engine:
            walked = walk(engine, World((FOLDED,)).policy(), "SELECT number, COUNT(*) FROM seen GROUP BY number")
            found = exact(engine, walked, "s")
    assert sorted(map(repr, found.keys)) == ["(0.0,)", "(nan,)"]


def test_a_public_number_that_is_none_is_a_group_like_any_other() -> None:
    rates = Table("rates", {"user_id": "INTEGER", "rate": "DOUBLE"}, ((1, float("nan")), (2, -0.0)))
    world = World((FOLDED, rates))
    question = "SELECT r.rate, COUNT(*) FROM seen JOIN rates r ON r.user_id = seen.user_id GROUP BY 1"
    with duckdb.connect(":memory:") as connection:
        world.write(connection)
        with closing(engine_over(connection)) as engine:
            walked = walk(engine, world.policy(), question)
            groups = silent(walked.program, exact(engine, walked, "s"))
    assert groups.parts == [[1, 1]]
