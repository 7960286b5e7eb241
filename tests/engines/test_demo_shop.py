"""The demonstration shop: the same for everyone, and as dirty as it says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb
import pytest

from discreet.engines import demo
from discreet.policy.load import load

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DIRT = {
    "orders of nobody": "SELECT count(*) FROM orders WHERE user_id IS NULL",
    "orders of people who are gone": "SELECT count(*) FROM orders ANTI JOIN users USING (user_id) WHERE user_id > 0",
    "amounts that are no number": "SELECT count(*) FROM orders WHERE isnan(amount)",
    "infinite amounts": "SELECT count(*) FROM orders WHERE isinf(amount)",
    "negative amounts": "SELECT count(*) FROM orders WHERE amount < 0",
    "huge amounts": "SELECT count(*) FROM orders WHERE isfinite(amount) AND amount > 1e6",
    "missing amounts": "SELECT count(*) FROM orders WHERE amount IS NULL",
    "order numbers given twice": "SELECT count(*) - count(DISTINCT order_id) FROM orders",
    "ages of 999": "SELECT count(*) FROM users WHERE age = 999",
    "missing ages": "SELECT count(*) FROM users WHERE age IS NULL",
    "undeclared cities": "SELECT count(*) FROM users ANTI JOIN regions USING (city) WHERE city IS NOT NULL",
    "lines of lost orders": "SELECT count(*) FROM items ANTI JOIN orders USING (order_id)",
    "a reseller": "SELECT count(*) - 2000 FROM orders WHERE user_id = 4242",
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    policy = demo.build(tmp_path_factory.mktemp("demo"))
    with duckdb.connect(str(policy.with_name("shop.duckdb")), read_only=True) as connection:
        yield connection


def contents(folder: Path, seed: int) -> list[tuple[object, ...]]:
    policy = demo.build(folder, seed)
    with duckdb.connect(str(policy.with_name("shop.duckdb")), read_only=True) as connection:
        return [
            row
            for table in ("regions", "products", "users", "orders", "items")
            for row in connection.execute(f"SELECT count(*), sum(hash(t)) FROM {table} AS t").fetchall()
        ]


def test_one_seed_makes_one_shop(tmp_path: Path) -> None:
    assert contents(tmp_path / "a", 1) == contents(tmp_path / "b", 1)


def test_another_seed_makes_another_shop(tmp_path: Path) -> None:
    assert contents(tmp_path / "a", 1) != contents(tmp_path / "b", 2)


def test_a_second_build_replaces_the_first(tmp_path: Path) -> None:
    first = contents(tmp_path, 1)
    assert contents(tmp_path, 1) == first


@pytest.mark.parametrize("query", DIRT.values(), ids=DIRT.keys())
def test_the_dirt_is_there(shop: duckdb.DuckDBPyConnection, query: str) -> None:
    (count,) = shop.execute(query).fetchall()[0]
    assert count > 0


def test_only_the_declared_tables_are_there(shop: duckdb.DuckDBPyConnection) -> None:
    tables = {name for (name,) in shop.execute("SELECT table_name FROM duckdb_tables()").fetchall()}
    assert tables == {"items", "orders", "products", "regions", "users"}


def test_the_policy_is_sound_and_names_what_the_shop_has(tmp_path: Path) -> None:
    policy = load(demo.build(tmp_path))
    with duckdb.connect(str(tmp_path / "shop.duckdb"), read_only=True) as connection:
        for name, table in policy.tables.items():
            columns = {row[0] for row in connection.execute(f"DESCRIBE {name}").fetchall()}
            links = {table.unit, table.via.column if table.via else None} - {None}
            assert {*table.columns, *links} <= columns
