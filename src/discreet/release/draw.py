"""Noise and threshold: the last place that sees an exact value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from discreet.engines.engine import Exact
from discreet.mechanisms.perturb import perturb
from discreet.mechanisms.program import Program
from discreet.plan.types import Value

__all__ = ["Groups", "draw"]


@dataclass(frozen=True, slots=True)
class Groups:
    """Released integers: ``parts[i][g]`` is part i of the group whose key is ``keys[g]``."""

    keys: list[tuple[Value, ...]]
    parts: list[list[int]]

    def to_bytes(self) -> bytes:
        """Arrow, for the ledger to keep: a repeat of the question is answered from this."""
        columns: dict[str, list[Any]] = {f"k{n}": list(values) for n, values in enumerate(zip(*self.keys, strict=True))}
        columns |= {f"p{n}": [str(number) for number in part] for n, part in enumerate(self.parts)}
        columns |= {"group": list(range(len(self.keys)))}
        table = pa.table(columns)
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
        return sink.getvalue().to_pybytes()

    @classmethod
    def from_bytes(cls, data: bytes) -> Groups:
        table = pa.ipc.open_stream(data).read_all()
        columns: dict[str, list[Any]] = {name: table.column(name).to_pylist() for name in table.column_names}
        keys = [values for name, values in columns.items() if name.startswith("k")]
        parts = [[int(number) for number in values] for name, values in columns.items() if name.startswith("p")]
        return cls(list(zip(*keys, strict=True)) if keys else [()] * table.num_rows, parts)


def draw(program: Program, exact: Exact) -> Groups:
    """Every declared group gets noise; of undeclared ones, those whose noisy count of units reaches the threshold."""
    domain = program.bounded.domain
    keys, columns = (exact.keys, exact.parts) if domain is None else _filled(domain, exact)
    noisy = [perturb(noise, column) for noise, column in zip(program.noises, columns, strict=True)]
    if domain is not None:
        return Groups(list(keys), noisy)
    return _above_threshold(program, keys, noisy)


def _filled(domain: tuple[tuple[Value, ...], ...], exact: Exact) -> tuple[list[tuple[Value, ...]], list[list[int]]]:
    """The declared groups in their order; a group without rows is zero, and undeclared rows have no group."""
    places = {key: place for place, key in enumerate(exact.keys)}
    found = [places.get(key) for key in domain]
    return list(domain), [[0 if place is None else part[place] for place in found] for part in exact.parts]


def _above_threshold(program: Program, keys: list[tuple[Value, ...]], noisy: list[list[int]]) -> Groups:
    """The kept groups in the order of their keys: the engine's order is not ours to show."""
    assert program.threshold is not None
    assert program.bounded.units_part is not None
    units = noisy[program.bounded.parts.index(program.bounded.units_part)]
    kept = [place for place, count in enumerate(units) if count >= program.threshold]
    kept.sort(key=lambda place: [(value is None, value) for value in keys[place]])
    return Groups([keys[place] for place in kept], [[part[place] for place in kept] for part in noisy])
