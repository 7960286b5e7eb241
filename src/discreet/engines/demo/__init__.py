"""The shop that ``discreet demo`` asks about: made data, with the dirt that real tables have.

Regions and products are public. People have several orders and orders have several items, so the
privacy unit is reached through foreign keys. Some of it is wrong on purpose: orders of nobody or
of people who are gone, a reseller with thousands of orders, amounts that are NaN, infinite,
negative or a million times too large, ages of 999, and order numbers given twice.
"""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["build", "exact", "is_free"]

SEED = 2026

LEDGER = ("shop.ledger", "shop.ledger-wal", "shop.ledger-shm")


def build(folder: Path, seed: int = SEED) -> Path:
    """Write ``shop.duckdb`` and ``discreet.toml`` into the folder, in place of older ones; give the policy's path.

    The older ledger goes too: another shop has another budget.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name in LEDGER:
        (folder / name).unlink(missing_ok=True)
    _fill(folder / "shop.duckdb", seed)
    policy = folder / "discreet.toml"
    policy.write_text(_ours("discreet.toml"), encoding="utf-8")
    return policy


def is_free(folder: Path) -> bool:
    """Nothing of somebody else's is there to be overwritten: a policy or a shop that this module did not write."""
    policy = folder / "discreet.toml"
    if policy.is_file():
        return policy.read_bytes() == _ours("discreet.toml").encode()
    return not any((folder / name).exists() for name in ("discreet.toml", "shop.duckdb", *LEDGER))


def exact(folder: Path, sql: str) -> list[tuple[Any, ...]]:
    """The true answer, by plain DuckDB: only because these people are made up may it be shown."""
    import duckdb

    with duckdb.connect(str(folder / "shop.duckdb"), read_only=True) as connection:
        return connection.execute(sql).fetchall()


def _fill(database: Path, seed: int) -> None:
    import duckdb

    database.unlink(missing_ok=True)
    with duckdb.connect(str(database)) as connection:
        connection.execute("SET VARIABLE seed = ?", [seed])
        connection.execute(_ours("shop.sql"))


def _ours(name: str) -> str:
    return files(__name__).joinpath(name).read_text(encoding="utf-8")
