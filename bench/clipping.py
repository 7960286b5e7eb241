"""How far off sums and counts are where their bounds are declared well, declared too widely, or chosen privately.

The error is the whole one, against the exact answer: the noise, and what the bounds cut off. The good bounds are the
powers of two with the least expected error, found by looking at the data, which no owner can do.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import sqrt
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

import discreet
from bench.table import show
from discreet.mechanisms.finders import PARTS, STEEPNESS

UNITS, RUNS, PRICES, WIDER = 10_000, 60, (0.1, 1), 64
MEAN_SIZE = sqrt(2 / np.pi)
"""Of normal noise, in standard deviations."""

Real = NDArray[np.float64]
POLICY = """
[dataset]
name = "d{name}"
source = "duckdb:///data.duckdb"
[budget]
epsilon = 10000
delta = 1e-6
[tables.data]
unit = "unit"
rows_per_unit = {rows}
columns.x = {{ range = {range} }}
"""


@dataclass(frozen=True)
class Data:
    name: str
    values: Real
    units: NDArray[np.int64]

    @property
    def rows(self) -> NDArray[np.int64]:
        """How many each unit has."""
        return np.bincount(self.units, minlength=UNITS)


def main() -> None:
    random = np.random.default_rng(7)
    single = [Data(name, make(random), np.arange(UNITS)) for name, make in LAWS.items()]
    several = [_with_rows(name, random) for name in ("uniform", "log-normal, sigma 1", "Pareto 1.5")]
    head = ["values", "epsilon", "good bound", f"{WIDER} times wider", "chosen", "chosen / good"]
    units = f"{UNITS:,} units"
    show(f"SUM(x), one row a unit: mean error in percent ({units})", head, list(_table(single, "SUM(x)")))
    show(f"COUNT(*), many rows a unit: mean error in percent ({units})", head, list(_table(several[:1], "COUNT(*)")))
    show(f"SUM(x), many rows a unit: mean error in percent ({units})", head, list(_table(several, "SUM(x)")))
    shares = (0.05, 0.125, 0.25, 0.375, 0.5)
    rows = [[each.name, *(f"{_regret(each.values, share):.2f}" for share in shares)] for each in single]
    title = "Expected error over that of the good bound at the whole price, by the share for the bound (epsilon 1)"
    show(title, ["values", *map(str, shares)], rows)


LAWS: dict[str, Callable[[np.random.Generator], Real]] = {
    "uniform": lambda random: random.uniform(0, 75, UNITS),
    "log-normal, sigma 1": lambda random: np.exp(random.normal(3, 1, UNITS)),
    "log-normal, sigma 2": lambda random: np.exp(random.normal(3, 2, UNITS)),
    "Pareto 1.5": lambda random: 10 * (1 + random.pareto(1.5, UNITS)),
    "Pareto 1.1": lambda random: 10 * (1 + random.pareto(1.1, UNITS)),
    "one in 100 a thousandfold": lambda random: _with_outliers(random.uniform(0, 75, UNITS), random),
}


def _with_outliers(values: Real, random: np.random.Generator) -> Real:
    return values * np.where(random.random(UNITS) < 0.01, 1000, 1)


def _with_rows(name: str, random: np.random.Generator) -> Data:
    """Few rows for most units, thousands for some."""
    rows = np.minimum(1 + random.pareto(1.3, UNITS) * 2, 5000).astype(np.int64)
    units = np.repeat(np.arange(UNITS), rows)
    values = np.concatenate([LAWS[name](random) for _ in range(-(-len(units) // UNITS))])
    return Data(name, values[: len(units)], units)


def _table(found: list[Data], asked: str) -> Iterator[list[str]]:
    for data, price in product(found, PRICES):
        rows, most = _good(data, asked, price)
        policies = [(rows, f"[0, {most}]"), (rows * _wider(rows), f"[0, {most * WIDER}]"), ('"auto"', '"auto"')]
        good, wide, chosen = (_error(data, asked, price, *policy) for policy in policies)
        yield [data.name, str(price), *(f"{100 * each:.3g}" for each in (good, wide, chosen)), f"{chosen / good:.2f}"]


def _wider(rows: int) -> int:
    return 1 if rows == 1 else WIDER


def _good(data: Data, asked: str, price: float) -> tuple[int, int]:
    """The rows of a unit, and the largest value, with the least expected error among powers of two."""
    rows = [1] if len(data.values) == UNITS else [2**n for n in range(14)]
    ends = [2**n for n in range(4, 24)] if "x" in asked else [1]
    return min(product(rows, ends), key=lambda pair: _expected(data, asked, price, *pair))


def _expected(data: Data, asked: str, price: float, rows: int, most: int) -> float:
    kept = np.minimum(1, rows / np.maximum(data.rows, 1))[data.units]
    values = data.values if "x" in asked else np.ones_like(data.values)
    if asked.startswith("AVG"):
        cut = abs((kept * np.minimum(values, most)).sum() / kept.sum() - values.mean())
        return float(cut + MEAN_SIZE * sqrt(2) * rows * (most / 2 + abs(values.mean() - most / 2)) / price / kept.sum())
    cut = (values - kept * np.minimum(values, most)).sum()
    return float(cut + MEAN_SIZE * rows * most / price)


def _error(data: Data, asked: str, price: float, rows: int | str, range_: str) -> float:
    """Each run asks another text, so that nothing is answered from memory."""
    exact = {"SUM(x)": data.values.sum(), "COUNT(*)": float(len(data.values)), "AVG(x)": data.values.mean()}[asked]
    with tempfile.TemporaryDirectory() as folder:
        with duckdb.connect(str(Path(folder) / "data.duckdb")) as connection:
            connection.register("found", pa.table({"unit": data.units, "x": data.values}))
            connection.execute("CREATE TABLE data AS SELECT * FROM found")
        policy = Path(folder) / "discreet.toml"
        policy.write_text(POLICY.format(name=abs(hash((rows, range_))), rows=rows, range=range_))
        with discreet.connect(policy) as db:
            answers = [db.query(f"SELECT {asked} FROM data WHERE x > -{n}", epsilon=price) for n in range(1, RUNS + 1)]
    values = [next(iter(answer))[0] for answer in answers]
    return float(np.mean([abs((0.0 if value is None else value) - exact) for value in values]) / exact)


def _regret(values: Real, share: float, price: float = 1.0) -> float:
    """By the chances of the exponential mechanism under zCDP, for sums of one value a unit."""
    candidates = 2.0 ** np.arange(-10, 41)
    beyond = np.array([(values > each).sum() for each in candidates])
    cut = np.array([np.maximum(0, values - each).sum() for each in candidates])
    noise = MEAN_SIZE * candidates / price
    rate = Fraction(2 * price * sqrt(share)) / PARTS
    spared = int(1 / (price * sqrt(1 - share)))
    far = PARTS * np.maximum(0, beyond - spared) + int(STEEPNESS / rate) * np.arange(len(candidates))
    chances = np.exp(-float(rate) * (far - far.min()))
    expected = (chances * (cut + noise / sqrt(1 - share))).sum() / chances.sum()
    return float(expected / (cut + noise).min())
