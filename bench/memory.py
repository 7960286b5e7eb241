"""Peak memory of one process that answers a query of few rows, at growing tables: it should not grow with them."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import duckdb

from bench.table import show

SIZES = (100_000, 1_000_000, 10_000_000)
POLICY = """
[dataset]
name = "visits"
source = "duckdb:///visits.duckdb"
[budget]
epsilon = 3
delta = 1e-6
[tables.visits]
unit = "user_id"
rows_per_unit = 20
columns.spend = { range = [0, 100], step = 0.01 }
columns.region = { values = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] }
"""
ONE_QUERY = """
import resource, sys
import duckdb, discreet
if sys.argv[2] == "plain":
    list(duckdb.connect(sys.argv[1] + "/visits.duckdb", read_only=True).execute(sys.argv[3]).fetchall())
else:
    list(discreet.connect(sys.argv[1] + "/discreet.toml").query(sys.argv[3], epsilon=0.1))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""
QUESTION = "SELECT region, COUNT(*) AS n, SUM(spend) AS s FROM visits GROUP BY region"


def main() -> None:
    rows: list[list[str]] = []
    for size in SIZES:
        with tempfile.TemporaryDirectory() as folder:
            _build(Path(folder), size)
            used = [_peak(folder, kind) for kind in ("plain", "private")]
            rows.append([f"{size:,}", *(f"{peak:.0f}" for peak in used)])
    show("Peak memory of a process, MiB (ten groups)", ["rows", "plain DuckDB", "private"], rows)


def _build(folder: Path, size: int) -> None:
    (folder / "discreet.toml").write_text(POLICY)
    with duckdb.connect(str(folder / "visits.duckdb")) as connection:
        connection.execute(
            "CREATE TABLE visits AS SELECT i AS visit_id, (hash(i) % 100000)::BIGINT AS user_id, "
            "(hash(i, 1) % 10)::BIGINT AS region, (hash(i, 2) % 10000) / 100 AS spend FROM range(?) r(i)",
            [size],
        )


def _peak(folder: str, kind: str) -> float:
    done = subprocess.run(
        [sys.executable, "-c", ONE_QUERY, folder, kind, QUESTION], capture_output=True, text=True, check=True
    )
    return float(done.stdout)
