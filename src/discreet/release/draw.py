"""Noise and threshold: the last place that sees an exact value."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from math import isnan
from typing import Any

from discreet.engines.engine import Exact
from discreet.mechanisms.finders import Prelude
from discreet.mechanisms.perturb import perturb
from discreet.mechanisms.picks import Chosen, in_order
from discreet.mechanisms.program import Program
from discreet.mechanisms.scores import Rows
from discreet.plan.types import Value
from discreet.privacy.bounded import Pick
from discreet.privacy.probe import Ends

__all__ = ["Groups", "draw", "filled", "find"]


@dataclass(frozen=True, slots=True)
class Groups:
    """Released integers: ``parts[i][g]`` is part i of the group with the key ``keys[g]``; ``picked`` likewise."""

    keys: list[tuple[Value, ...]]
    parts: list[list[int]]
    picked: list[list[Chosen | None]] = field(default_factory=list[list[Chosen | None]])
    found: list[Ends] = field(default_factory=list[Ends])
    """Bounds that were chosen first, in the order of the program's preludes."""

    def to_bytes(self) -> bytes:
        """JSON, for the ledger to keep: a repeat of the question is answered from this."""
        released = {"keys": self.keys, "parts": self.parts, "picked": self.picked, "found": self.found}
        return json.dumps(released, default=_written).encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> Groups:
        kept = json.loads(data, object_hook=_read)
        picked = [[Chosen(*cells) if cells else None for cells in part] for part in kept["picked"]]
        found = [(low, high) for low, high in kept.get("found", [])]
        return cls([tuple(key) for key in kept["keys"]], kept["parts"], picked, found)


def _written(value: object) -> dict[str, str]:
    """Keys that JSON has no form for, under the name of their type."""
    match value:
        case dt.datetime():
            return {"timestamp": value.isoformat()}
        case dt.date():
            return {"date": value.isoformat()}
        case Decimal():
            return {"decimal": str(value)}
        case _:
            return {"text": str(value)}


READERS: dict[str, Callable[[str], Value]] = {
    "timestamp": dt.datetime.fromisoformat,
    "date": dt.date.fromisoformat,
    "decimal": Decimal,
    "text": str,
}


def _read(found: dict[str, Any]) -> Any:
    [(kind, text)] = found.items() if len(found) == 1 else [("", "")]
    return READERS[kind](text) if kind in READERS else found


def find(prelude: Prelude, exact: Exact) -> list[Ends]:
    """The bounds of a probe, each chosen from the counts of all groups together."""
    return [finder.find(counts) for finder, [counts] in zip(prelude.finders, exact.histograms, strict=True)]


def draw(program: Program, exact: Exact) -> Groups:
    """Every declared group gets noise; of undeclared ones, those whose noisy count of units reaches the threshold."""
    domain = program.bounded.domain
    found = exact if domain is None else filled(domain, exact)
    noisy = [perturb(noise, column) for noise, column in zip(program.noises, found.parts, strict=True)]
    kept = range(len(found.keys)) if domain is not None else _above_threshold(program, found.keys, noisy)
    return Groups(
        [found.keys[place] for place in kept],
        [[part[place] for place in kept] for part in noisy],
        _picked(program, found, kept),
    )


def filled(domain: tuple[tuple[Value, ...], ...], exact: Exact) -> Exact:
    """The declared groups in their order; a group without rows is zero, and undeclared rows have no group."""
    places = {key: place for place, key in enumerate(exact.keys)}
    found = [places.get(key) for key in domain]
    return Exact(
        list(domain),
        [[0 if place is None else part[place] for place in found] for part in exact.parts],
        [[{} if place is None else histogram[place] for place in found] for histogram in exact.histograms],
    )


def _above_threshold(program: Program, keys: list[tuple[Value, ...]], noisy: list[list[int]]) -> list[int]:
    """The places of the kept groups in the order of their keys: the engine's order is not ours to show."""
    assert program.threshold is not None
    assert program.bounded.units_part is not None
    units = noisy[program.bounded.parts.index(program.bounded.units_part)]
    kept = [place for place, count in enumerate(units) if count >= program.threshold]
    return sorted(kept, key=lambda place: [_rank(value) for value in keys[place]])


def _picked(program: Program, exact: Exact, places: Sequence[int]) -> list[list[Chosen | None]]:
    """What is picked in each group, in the order of the program's picks."""
    found: dict[Pick, list[Chosen | None]] = {}
    for picker in program.pickers:
        counts = exact.histograms[program.bounded.histograms.index(picker.picks[0].histogram)]
        chosen = [picker.pick(Rows.of(counts[place].items())) for place in places]
        found |= {pick: [cells[n] for cells in chosen] for n, pick in enumerate(picker.picks)}
    for histogram in program.bounded.histograms:
        found |= _in_order({pick: cells for pick, cells in found.items() if pick.histogram == histogram})
    return [found[pick] for pick in program.picks]


def _in_order(found: dict[Pick, list[Chosen | None]]) -> dict[Pick, list[Chosen | None]]:
    """Quantiles and extremes of one column, group by group; a most frequent value has no order."""
    shares = {pick: pick.share for pick in found if pick.share is not None}
    groups = [in_order(list(shares.values()), cells) for cells in zip(*map(found.__getitem__, shares), strict=True)]
    return {pick: [group[n] for group in groups] for n, pick in enumerate(shares)}


def _rank(value: Value) -> tuple[bool, bool, Value]:
    """NULL last, and before it NaN, which no order of its own has a place for."""
    nan = isinstance(value, float) and isnan(value)
    return value is None, nan, 0 if nan else value
