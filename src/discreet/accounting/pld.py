"""Privacy loss distributions: the exact total of any list, as fine as the grid of losses is.

The numerics are dp-accounting's (the extra ``accounting``), with its pessimistic rounding: what it says holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from importlib import import_module
from math import fsum
from typing import Any

from discreet.accounting.gaussian import sigma_of
from discreet.accounting.query import Query, check_delta

__all__ = ["pld"]

COARSEST, STEPS_EACH, MOST_STEPS = 1e-4, 50, 2_000_000
"""Of a grid of losses: its step at most, the steps that one query's losses have, and those that all may span: beyond
that the step grows."""


def pld(queries: Sequence[Query], delta: float, mechanism: str = "any") -> float:
    """The epsilon at ``delta``; ``mechanism`` is "any", "laplace" or "gaussian"."""
    check_delta(delta)
    counts = {query: queries.count(query) for query in dict.fromkeys(queries)}
    step = max(
        min(COARSEST, *(query.epsilon / STEPS_EACH for query in counts if query.epsilon)),
        2 * fsum(query.epsilon for query in queries) / MOST_STEPS,
    )
    losses = [_loss(query, mechanism, step).self_compose(count) for query, count in counts.items()]
    return float(reduce(lambda one, other: one.compose(other), losses).get_epsilon_for_delta(delta))


def _loss(query: Query, mechanism: str, step: float) -> Any:
    try:
        losses: Any = import_module("dp_accounting.pld.privacy_loss_distribution")
    except ModuleNotFoundError as error:
        hint = 'privacy loss distributions need the extra "accounting": pip install "discreet[accounting]"'
        raise ModuleNotFoundError(hint, name="dp_accounting") from error
    match mechanism:
        case "any":
            parameters = losses.common.DifferentialPrivacyParameters(query.epsilon, query.delta)
            return losses.from_privacy_parameters(parameters, value_discretization_interval=step)
        case "laplace":
            return losses.from_laplace_mechanism(1 / query.epsilon, value_discretization_interval=step)
        case "gaussian":
            return losses.from_gaussian_mechanism(sigma_of(query), value_discretization_interval=step)
        case _:
            raise ValueError(f"no losses are known of {mechanism!r}")
