"""The shop that ``discreet demo`` asks about: made data, with the dirt that real tables have.

Regions and products are public. People have several orders and orders have several items, so the
privacy unit is reached through foreign keys. Some of it is wrong on purpose: orders of nobody or
of people who are gone, a reseller with thousands of orders, amounts that are NaN, infinite,
negative or a million times too large, ages of 999, and order numbers given twice.
"""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["SEED", "build"]

SEED = 2026


def build(folder: Path, seed: int = SEED) -> Path:
    """Write ``shop.duckdb`` and ``discreet.toml`` into the folder, in place of older ones; give the policy's path."""
    folder.mkdir(parents=True, exist_ok=True)
    _fill(folder / "shop.duckdb", seed)
    policy = folder / "discreet.toml"
    policy.write_text(_ours("discreet.toml"), encoding="utf-8")
    return policy


def _fill(database: Path, seed: int) -> None:
    import duckdb

    database.unlink(missing_ok=True)
    with duckdb.connect(str(database)) as connection:
        connection.execute("SET VARIABLE seed = ?", [seed])
        connection.execute(_ours("shop.sql"))


def _ours(name: str) -> str:
    return files(__name__).joinpath(name).read_text(encoding="utf-8")
