"""Where the data is: from a bounded question to exact integers, and nothing else.

An engine knows only primitives: count of rows, sum of a bounded integer expression, count of distinct
units, each for every group. What it runs is built from the plan as a syntax tree (``emit`` for the
shape, ``scalars`` for expressions) and printed in its dialect; an engine's own file says what differs,
how its schema and data version are read, and how rows come back as Arrow. Everything that it raises in
a fetch becomes one constant ``EngineError``.

To add one, write its file and its line in ``ENGINES``.
"""

from __future__ import annotations

from importlib import import_module
from typing import cast

from discreet.engines.engine import Engine, Exact

__all__ = ["ENGINES", "Engine", "Exact", "open_engine"]

ENGINES = {
    "duckdb": "discreet.engines.duckdb",
    "parquet": "discreet.engines.duckdb",
    "csv": "discreet.engines.duckdb",
}
"""Which module opens a source, by the scheme of its URL; loaded when it is asked for."""


def open_engine(source: str, types: dict[str, dict[str, str]]) -> Engine:
    """``types``: declared column types by table, for sources that have none of their own."""
    module = import_module(ENGINES[source.partition("://")[0]])
    return cast("Engine", module.connect(source, types))
