"""All totals side by side: for these queries, what does each theorem say they cost together?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf, isfinite
from typing import Any, Literal

from discreet.accounting.advanced import advanced
from discreet.accounting.apart import group, parallel
from discreet.accounting.basic import basic
from discreet.accounting.concentrated import zcdp
from discreet.accounting.gaussian import gaussian
from discreet.accounting.kov import kov
from discreet.accounting.pld import pld
from discreet.accounting.query import Query, check_delta
from discreet.accounting.renyi import rdp
from discreet.accounting.self_adaptive import self_adaptive

__all__ = ["MECHANISMS", "Comparison", "Mechanism", "Total", "compose"]

Mechanism = Literal["any", "laplace", "gaussian"]
MECHANISMS: tuple[Mechanism, ...] = ("any", "laplace", "gaussian")


@dataclass(frozen=True, slots=True)
class Total:
    """What one theorem says; ``epsilon`` is None where it says nothing, and ``note`` has why, or what it assumes."""

    theorem: str
    epsilon: float | None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Comparison:
    """The totals at one delta, in the order of the theorems."""

    queries: tuple[Query, ...]
    delta: float
    mechanism: Mechanism
    totals: tuple[Total, ...]

    def __getitem__(self, theorem: str) -> float | None:
        return next(total.epsilon for total in self.totals if total.theorem == theorem)

    @property
    def least(self) -> Total:
        """The smallest total: all of them hold, so this one does. Of those that need nothing beyond the queries."""
        known = [total for total in self.totals if total.epsilon is not None and total.theorem != PARALLEL]
        return min(known, key=lambda total: total.epsilon or 0.0)

    def curve(self, most: int = 100) -> dict[str, list[tuple[int, float]]]:
        """For each theorem the total of the first k queries, at some k up to all of them."""
        steps = sorted({1 + (len(self.queries) - 1) * i // max(1, most - 1) for i in range(most)})
        found: dict[str, list[tuple[int, float]]] = {}
        for k in steps:
            for total in _totals(self.queries[:k], self.delta, self.mechanism):
                if total.epsilon is not None:
                    found.setdefault(total.theorem, []).append((k, total.epsilon))
        return found

    def to_dict(self) -> dict[str, Any]:
        return {
            "queries": [{"epsilon": query.epsilon, "delta": query.delta} for query in self.queries],
            "delta": self.delta,
            "mechanism": self.mechanism,
            "totals": [
                {"theorem": total.theorem, "epsilon": total.epsilon, "note": total.note} for total in self.totals
            ],
            "least": self.least.theorem,
        }


def compose(
    epsilon: float | Sequence[float],
    k: int = 1,
    *,
    delta: float,
    delta_each: float = 0.0,
    mechanism: Mechanism = "any",
    units: int = 1,
) -> Comparison:
    """The total of k rounds of these queries at ``delta``, by every theorem; ``units``: for a group of so many."""
    check_delta(delta)
    if k < 1:
        raise ValueError(f"there is at least one round of queries, not {k}")
    if mechanism not in MECHANISMS:
        raise ValueError(f"a mechanism is one of {', '.join(MECHANISMS)}, not {mechanism!r}")
    if units > 1 and mechanism == "gaussian":
        raise ValueError("a group's guarantee does not say which noise gave it: leave the mechanism open")
    epsilons = list(epsilon) if isinstance(epsilon, Sequence) else [epsilon]
    own = [Query(each, delta_each) for each in epsilons]
    grown = [group(query, units) for query in own]
    if not own or None in grown:
        raise ValueError("the deltas of a group of so many add up to 1: nothing is promised to it")
    queries = tuple(query for query in grown if query) * k
    return Comparison(queries, delta, mechanism, _totals(queries, delta, mechanism))


def _totals(queries: tuple[Query, ...], delta: float, mechanism: Mechanism) -> tuple[Total, ...]:
    return tuple(_total(name, theorem, queries, delta, mechanism) for name, theorem in THEOREMS.items())


def _total(name: str, theorem: _Theorem, queries: tuple[Query, ...], delta: float, mechanism: Mechanism) -> Total:
    try:
        found = theorem(queries, delta, mechanism)
    except (ValueError, ModuleNotFoundError) as error:
        return Total(name, None, str(error))
    return Total(name, found, NOTES.get(name, "")) if isfinite(found) else Total(name, None, NO_DELTA)


def _within(total: Query, delta: float) -> float:
    return total.epsilon if total.delta <= delta else inf


def _equal(queries: tuple[Query, ...]) -> Query:
    if len(set(queries)) > 1:
        raise ValueError("the exact total of unequal queries is too hard to compute; pld comes as near as its grid")
    return queries[0]


def _noise(queries: tuple[Query, ...], mechanism: Mechanism) -> tuple[Query, ...]:
    if mechanism != "gaussian":
        raise ValueError("for Gaussian noise alone")
    return queries


_Theorem = Callable[[tuple[Query, ...], float, Mechanism], float]
PARALLEL = "parallel"
NO_DELTA = "the queries' own deltas leave nothing of it"
THEOREMS: dict[str, _Theorem] = {
    "basic": lambda queries, delta, _: _within(basic(queries), delta),
    "advanced": lambda queries, delta, _: advanced(queries, delta),
    "self-adaptive": lambda queries, delta, _: self_adaptive(queries, delta),
    "kov": lambda queries, delta, _: kov(_equal(queries), len(queries), delta),
    "zcdp": zcdp,
    "rdp": rdp,
    "pld": pld,
    "gaussian": lambda queries, delta, mechanism: gaussian(_noise(queries, mechanism), delta),
    PARALLEL: lambda queries, delta, _: _within(parallel(queries), delta),
}
NOTES = {
    "basic": "holds for adaptive choices too",
    "kov": "exact, where no more is known of the mechanism",
    "zcdp": "what the ledger's filter says; holds for adaptive choices too",
    PARALLEL: "only where every unit lies in one part, and the parts are fixed beforehand",
}
