"""A bound that is chosen before a question is asked, as users are told of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from discreet.ledger.accountants import accountant
from discreet.mechanisms.finders import Finder
from discreet.mechanisms.program import Program
from discreet.privacy.probe import RangeOf
from discreet.privacy.told import sought

__all__ = ["Sought", "sought_bounds"]


@dataclass(frozen=True, slots=True)
class Sought:
    bound: str
    candidates: tuple[float, ...]
    """From the lowest to the highest; those at or below zero are for the low end."""
    mechanism: str
    counted: Literal["rows", "units"]
    """What it is chosen by: how many of them lie beyond each candidate."""
    scale: float | None
    """Of those, over how many a chance falls to 1/e; None where it follows from a bound that is chosen before."""
    beyond_95: int | None
    """How many of them may lie beyond what is chosen, at 95 %."""
    share: float
    """Of the price."""
    engine_sql: str
    """With the widest of the bounds that are chosen before it."""

    def to_dict(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__} | {"candidates": list(self.candidates)}


def sought_bounds(program: Program, accounting: str, probe_sql: Sequence[str]) -> Iterator[Sought]:
    """``probe_sql``: what is asked for each probe."""
    for place, (prelude, sql) in enumerate(zip(program.preludes, probe_sql, strict=True)):
        for finder in prelude.finders:
            choice, subject = finder.choice, finder.wanted.subject
            share = accountant(accounting).charge([choice.event]).amount / program.charge.amount
            yield Sought(
                bound=sought(subject, program.bounded),
                candidates=_candidates(finder),
                mechanism=choice.name,
                counted="rows" if isinstance(subject, RangeOf) else "units",
                scale=None if place else float(f"{finder.scale:.12g}"),
                beyond_95=None if place else finder.beyond,
                share=float(f"{float(share):.12g}"),
                engine_sql=sql,
            )


def _candidates(finder: Finder) -> tuple[float, ...]:
    ladder = finder.wanted.ladder
    lows = [-low for low in reversed(ladder.lows)] if ladder.lows != (0,) else []
    return tuple(float(end * ladder.step) for end in (*lows, *ladder.highs))
