"""Planted faults: each is one thing that a tired programmer could get wrong, and names the check that must see it.

A fault replaces one function of the product for the length of one test. Some are harmless and say why:
a harness that complained about those would complain about something that nobody promised.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from sqlglot import exp

from discreet.engines import scalars
from discreet.privacy.bounded import Kind, Level, Part
from discreet.privacy.facts import Chain, Facts
from neighbours.world import Table, World

Function = Callable[..., Any]
CITIES = 'columns.city = { values = ["a", "b", "c"] }'

USERS = Table(
    "users",
    {"user_id": "INTEGER", "city": "TEXT", "age": "BIGINT"},
    ((1, "a", 30), (1, "b", 70), (1, "c", -9), (2, "a", 2**40), (3, "zz", 5), (None, "a", 5), (4, None, None)),
    unit="user_id",
    options=("rows_per_unit = 1", CITIES, "columns.age = { range = [0, 40] }"),
)
SINGLE_USERS = replace(USERS, rows=((1, "a", 30), (2, "a", 50), (3, "b", 5)), constraints=("PRIMARY KEY (user_id)",))
ORDERS = Table(
    "orders",
    {"order_id": "INTEGER", "user_id": "INTEGER", "channel": "TEXT", "amount": "DOUBLE"},
    (
        *((number, 1, "web", 4.0) for number in range(10, 16)),
        *((number, 2, "shop", 3.0) for number in range(20, 23)),
        (30, 3, "web", 1.0),
        (31, None, "web", 1.0),
        (32, 3, "12x", float("inf")),
    ),
    unit="user_id",
    options=("rows_per_unit = 2", 'columns.channel = { values = ["web", "shop"] }', "columns.amount = { range = [0, 4] }"),
)  # fmt: skip
ITEMS = Table(
    "items",
    {"order_id": "INTEGER", "quantity": "BIGINT"},
    tuple((order, quantity) for order in (10, 11, 20, 30, 99, None) for quantity in (1, 2, 300, -5)),
    via=("order_id", "orders", "order_id"),
    options=("rows_per_parent = 2", "columns.quantity = { range = [0, 3] }"),
)
PLACES = Table("places", {"city": "TEXT", "country": "TEXT"}, (("a", "n"), ("a", "s"), ("a", "s"), ("b", "s")))

PEOPLE = World((USERS,))
SHOP = World((USERS, ORDERS, ITEMS, PLACES))
ONE_EACH = World((SINGLE_USERS, PLACES))
PRIVATE_KEYS = World((replace(USERS, options=("rows_per_unit = 3", "groups_per_unit = 2")), ORDERS))
FEW_GROUPS = World((replace(USERS, options=("rows_per_unit = 3", CITIES, "groups_per_unit = 1")),))
LONE_KEYS = World(
    (replace(USERS, rows=((1, "a", 1), (1, "b", 2), (1, "c", 3), (2, "d", 4)), options=("rows_per_unit = 3", "groups_per_unit = 2")),)
)  # fmt: skip
OPPOSITES = World(
    (
        replace(
            USERS, rows=((1, "a", 9), (2, "a", -9)), options=("rows_per_unit = 1", "columns.age = { range = [-4, 4] }")
        ),
    )
)
REPEATED = World(
    (
        replace(USERS, rows=tuple((1, "a", age) for age in range(5))),
        replace(ORDERS, rows=((7, 1, "web", 1.0),), constraints=("PRIMARY KEY (order_id)",)),
        replace(ITEMS, rows=((7, 1),), options=("rows_per_parent = 1",), constraints=("UNIQUE (order_id)",)),
    )
)
UNDECLARED = World(
    (replace(ORDERS, rows=(*ORDERS.rows, (40, 1, "shop", 2.0)), options=('rows_per_unit = "auto"', *ORDERS.options[1:2], 'columns.amount = { range = "auto" }')),)
)  # fmt: skip
UNDECLARED_RANGE = World((replace(ORDERS, options=("rows_per_unit = 2", 'columns.amount = { range = "auto" }')),))


@dataclass(frozen=True)
class Fault:
    """``target`` becomes ``fault(what it was)``; the question on the world must then be seen by ``check``."""

    name: str
    target: str
    fault: Callable[[Function], Function]
    check: str
    world: World
    question: str


def always(value: Any) -> Callable[[Function], Function]:
    return lambda _: lambda *args, **named: value


def one_row_more(kept: Function) -> Function:
    return lambda rows, level, window, rank: kept(rows, replace(level, limit=level.limit + 1), window, rank)


def declared(change: Callable[[Any], Any]) -> Callable[[Function], Function]:
    return lambda part: lambda *args: change(part(*args))


def window(change: Callable[[exp.Window], exp.Window]) -> Callable[[Function], Function]:
    return lambda made: lambda *args: change(made(*args))


def without_unit(made: exp.Window) -> exp.Window:
    made.set("partition_by", made.args["partition_by"][1:])
    return made


def only(wanted: Callable[[Level], bool]) -> Callable[[Function], Function]:
    return lambda found: lambda facts: tuple(level for level in found(facts) if wanted(level))


def trusted(found: Function) -> Function:
    def enforced(facts: Facts) -> Facts:
        def of(chain: Chain) -> Chain:
            return chain if chain is facts.hops else tuple(replace(hop, enforced=True) for hop in chain)

        return replace(facts, single=True, chains=tuple(map(of, facts.chains)))

    return lambda facts: found(enforced(facts))


def counting_rows(number: Function) -> Function:
    def of(part: Part, n: int, unit: exp.Expr | None, columns: object) -> exp.Expr:
        return number(replace(part, kind=Kind.ROWS) if part.kind is Kind.UNITS else part, n, unit, columns)

    return of


def by_unit_and_group(sizes: Function) -> Function:
    def of(layer: exp.Select, unit: exp.Expr, kinds: object) -> exp.Select:
        made = sizes(layer, unit, kinds)
        made.args["group"].append("expressions", exp.column("k0"))
        return made

    return of


def counting_down(number: Function) -> Function:
    def of(part: Part, n: int, unit: exp.Expr | None, columns: object) -> exp.Expr:
        counted = number(part, n, unit, columns)
        return exp.alias_(exp.Neg(this=counted.this), counted.alias) if part.kind is Kind.ROWS else counted

    return of


def exact_having(grouped: Function) -> Function:
    def of(rows: exp.Select, keys: list[exp.Expr], numbers: list[exp.Expr]) -> exp.Select:
        return grouped(rows, keys, numbers).having(
            exp.GT(this=exp.Count(this=exp.Star()), expression=exp.Literal.number(1))
        )

    return of


def unheld_grid(_: Function) -> Function:
    """The clamp is before the scaling only: on the columns, and not once more on the result."""

    def of(call: Any) -> exp.Expr:
        value, step, *_ = call.args
        return exp.cast(exp.Round(this=exp.Div(this=scalars.real(value), expression=scalars.real(step))), "BIGINT")

    return of


def all_shown(_: Function) -> Function:
    return lambda domain, exact: exact


def unlimited(above: Function) -> Function:
    return lambda program, keys, noisy: above(replace(program, threshold=0), keys, noisy)


def private_domain(domain: Function) -> Function:
    """The groups are those that the private rows have."""

    def of(self: Any, query: object) -> tuple[tuple[object, ...], ...]:
        with self._connection.cursor() as cursor:
            return tuple(cursor.execute("SELECT DISTINCT city FROM users ORDER BY ALL").fetchall())

    return of


def failing(_: Function) -> Function:
    return exp.cast


COUNT_BY_CITY = "SELECT city, COUNT(*) FROM users GROUP BY city"
FAULTS = (
    Fault("no clamp", "discreet.engines.scalars._held", lambda _: lambda value, low, high: value, "l1", PEOPLE, "SELECT SUM(age) FROM users"),
    Fault("the grid without its last clamp", "discreet.engines.scalars.RULES.GRID", unheld_grid, "l1", SHOP, "SELECT SUM(NULLIF(quantity, 2)) FROM items"),
    Fault("a histogram without its clamp", "discreet.engines.scalars._held", lambda _: lambda value, low, high: value, "shape", PEOPLE, "SELECT MEDIAN(age) FROM users"),
    Fault("a histogram of a row too few", "discreet.privacy.unit.Unit.histogram_of", declared(lambda part: replace(part, rows=part.rows - 1)), "l1", SHOP, "SELECT MEDIAN(amount) FROM orders"),
    Fault("one row more than the limit", "discreet.engines.emit._kept", one_row_more, "l1", SHOP, "SELECT COUNT(*) FROM orders"),
    Fault("one group more than the limit", "discreet.engines.emit._kept", one_row_more, "lone", LONE_KEYS, "SELECT city, COUNT(DISTINCT user_id) FROM users GROUP BY city"),
    Fault("L1 is one too small", "discreet.privacy.unit.Unit.rows_where", declared(lambda part: replace(part, l1=part.l1 - 1)), "l1", SHOP, "SELECT COUNT(*) FROM orders"),
    Fault("L1 is declared for L2", "discreet.privacy.unit.Unit.rows_where", declared(lambda part: replace(part, l2_squared=part.l1)), "l2", SHOP, "SELECT COUNT(*) FROM orders"),
    Fault("a sum's L2 is not squared", "discreet.privacy.unit.Unit.sum_of", declared(lambda part: replace(part, l2_squared=part.l1)), "l2", SHOP, "SELECT SUM(amount) FROM orders"),
    Fault("the threshold of private keys is forgotten", "discreet.release.draw._above_threshold", unlimited, "threshold", PRIVATE_KEYS, COUNT_BY_CITY),
    Fault("the bound on groups is ignored", "discreet.privacy.bound._levels_over_groups", always(()), "l1", FEW_GROUPS, "SELECT city, COUNT(DISTINCT user_id) FROM users GROUP BY city"),
    Fault("rows per unit are ignored", "discreet.privacy.bound.levels", always(()), "l1", PEOPLE, "SELECT COUNT(*) FROM users"),
    Fault("rows per parent are ignored", "discreet.privacy.bound.levels", only(lambda level: level.distinct), "l1", SHOP, "SELECT COUNT(*) FROM items"),
    Fault("parents per unit are ignored", "discreet.privacy.bound.levels", only(lambda level: not level.distinct), "l1", World((replace(ORDERS, options=("rows_per_unit = 1",)), ITEMS)), "SELECT COUNT(*) FROM items"),
    Fault("the unit is left out of a window", "discreet.engines.emit._window", window(without_unit), "l1", OPPOSITES, "SELECT SUM(age) FROM users"),
    Fault("a public table that matches twice", "discreet.privacy.bound.fan_outs", always(1), "l1", ONE_EACH, "SELECT COUNT(*) FROM users u JOIN places p ON u.city = p.city"),
    Fault("a constraint speaks for repeated rows", "discreet.privacy.bound.levels", trusted, "l1", REPEATED, "SELECT COUNT(*) FROM orders o JOIN users u ON o.user_id = u.user_id JOIN items i ON i.order_id = o.order_id"),
    Fault("units are counted by rows", "discreet.engines.emit._number", counting_rows, "l1", PRIVATE_KEYS, "SELECT COUNT(DISTINCT user_id) FROM orders"),
    Fault("rows are counted down", "discreet.engines.emit._number", counting_down, "fell", SHOP, "SELECT COUNT(*) FROM orders"),
    Fault("HAVING looks at exact counts", "discreet.engines.emit._grouped", exact_having, "l1", World((SINGLE_USERS,)), COUNT_BY_CITY),
    Fault("undeclared keys appear", "discreet.release.draw.filled", all_shown, "shape", World((SINGLE_USERS,)), COUNT_BY_CITY),
    Fault("the groups are taken from private rows", "discreet.engines.duckdb.DuckDB.domain", private_domain, "public", World((SINGLE_USERS,)), COUNT_BY_CITY),
    Fault("a cast that can fail", "discreet.engines.scalars.try_cast", failing, "error", SHOP, "SELECT COUNT(*) FROM orders WHERE CAST(channel AS INTEGER) = 1 AND channel LIKE '1%'"),
)  # fmt: skip

FAULTS += (
    Fault("a unit's total is not held", "discreet.engines.totals._held", lambda _: lambda found, ends: found, "l1", UNDECLARED, "SELECT COUNT(*) FROM orders"),
    Fault("a total's part in a single group is declared", "discreet.privacy.unit.Unit._held", declared(lambda part: replace(part, l1=part.held[1])), "l1", UNDECLARED, "SELECT channel, COUNT(*) FROM orders GROUP BY channel"),
    Fault("rows that were chosen are not left out", "discreet.privacy.bound.as_a_whole", always(()), "l1", UNDECLARED, "SELECT AVG(amount) FROM orders"),
    Fault("a probe counts a unit once in each group", "discreet.engines.emit.sizes", by_unit_and_group, "probe", UNDECLARED, "SELECT channel, COUNT(*) FROM orders GROUP BY channel"),
    Fault("a probe of a row too few", "discreet.privacy.unit.Unit.counts_for", declared(lambda counts: replace(counts, rows=counts.rows - 1)), "probe", UNDECLARED_RANGE, "SELECT AVG(amount) FROM orders"),
    Fault("a probe of rows that are not left out", "discreet.privacy.probing._levels", always(()), "probe", UNDECLARED, "SELECT AVG(amount) FROM orders"),
)  # fmt: skip


HARMLESS = (
    # Rows of nobody are the same on both sides of every comparison: to keep them is a wrong number, and no leak.
    Fault("NULL units are kept", "discreet.engines.emit._not_null", lambda _: lambda value: exp.Boolean(this=True), "", SHOP, "SELECT COUNT(*) FROM orders"),
    # Which of a unit's own rows stay is that unit's affair: by value is biased, and as private as by hash.
    Fault("truncation is by value", "discreet.engines.duckdb._keyed_hash", lambda _: lambda values: exp.Literal.number(1), "", SHOP, "SELECT SUM(amount) FROM orders"),
    # A declared key has a group of its own or none: rows of other keys fall away once more in the release.
    Fault("the filter of declared keys is forgotten", "discreet.engines.emit._key_filter", lambda _: lambda each, words: exp.Boolean(this=True), "", PEOPLE, COUNT_BY_CITY),
)  # fmt: skip
