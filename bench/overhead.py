"""What a private query costs beyond what the engine runs, beside parsing, a durable commit and the plain query.

Each round asks another text (another date), so that nothing is answered from memory: it is parsed, bounded,
priced, reserved, run, noised and settled. Public facts are warm, as they are after the first question.
"""

from __future__ import annotations

import sqlite3
import tempfile
import time
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from statistics import median
from typing import Any

import duckdb
import sqlglot
from sqlglot.optimizer.qualify import qualify

import discreet
from bench.table import show
from discreet.engines.demo import build
from discreet.engines.duckdb import DuckDB

ROUNDS, WARM = 60, 5
QUESTIONS = {
    "count": "SELECT COUNT(*) AS n FROM orders WHERE ordered_at >= '{day}'",
    "by channel": (
        "SELECT channel, COUNT(*) AS n, SUM(amount) AS s FROM orders WHERE ordered_at >= '{day}' GROUP BY channel"
    ),
    "join by city": (
        "SELECT u.city, COUNT(*) AS n, AVG(o.amount) AS a FROM orders o JOIN users u ON o.user_id = u.user_id "
        "WHERE o.ordered_at >= '{day}' GROUP BY u.city ORDER BY n DESC"
    ),
}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        policy = build(Path(folder))
        commit = _committing(Path(folder) / "bare.db")
        with (
            discreet.connect(policy) as db,
            duckdb.connect(str(policy.with_name("shop.duckdb")), read_only=True) as plain,
        ):
            rows = [_measured(name, text, db, plain, commit) for name, text in QUESTIONS.items()]
    show(
        f"Milliseconds a query (medians of {ROUNDS} rounds, taken in turn)",
        ["question", "plain", "private", "overhead", "parse + qualify", "commit", "overhead / (4 parse + commit)"],
        rows,
    )


def _measured(
    name: str, text: str, db: discreet.Database, plain: duckdb.DuckDBPyConnection, commit: Callable[[], None]
) -> list[str]:
    """Everything is timed in every round, one after the other, so that all of it meets the same machine."""
    schema = {table.name: dict.fromkeys(table.columns, "text") for table in db.catalogue.tables.values()}
    texts = [text.format(day=date(2023, 1, 1) + timedelta(days=n)) for n in range(ROUNDS + WARM)]
    rounds = [_round(sql, schema, db, plain, commit) for sql in texts]
    medians = [median(column) * 1000 for column in zip(*rounds[WARM:], strict=True)]
    _, _, overhead, parse, durable = medians
    return [name, *(f"{x:.2f}" for x in (*medians, overhead / (4 * parse + durable)))]


def _round(
    sql: str,
    schema: dict[str, dict[str, str]],
    db: discreet.Database,
    plain: duckdb.DuckDBPyConnection,
    commit: Callable[[], None],
) -> list[float]:
    whole, engine = _private(db, sql)
    return [
        _seconds(lambda: plain.execute(sql).fetchall()),
        whole,
        whole - engine,
        _seconds(lambda: qualify(sqlglot.parse_one(sql, read="duckdb"), schema=schema, dialect="duckdb")),
        _seconds(commit),
    ]


def _seconds(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def _private(db: discreet.Database, sql: str) -> tuple[float, float]:
    """The whole of a private query, and what the engine's fetch took of it."""
    fetch, engine = DuckDB.fetch, 0.0

    def timed(self: DuckDB, *args: Any) -> Any:
        nonlocal engine
        start = time.perf_counter()
        found = fetch(self, *args)
        engine = time.perf_counter() - start
        return found

    DuckDB.fetch = timed  # type: ignore[method-assign]
    try:
        return _seconds(lambda: list(db.query(sql, epsilon=0.001))), engine
    finally:
        DuckDB.fetch = fetch  # type: ignore[method-assign]


def _committing(path: Path) -> Callable[[], None]:
    """A bare durable transaction of the ledger's store."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE t (a)")

    def commit() -> None:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO t VALUES (1)")
        connection.execute("COMMIT")

    return commit
