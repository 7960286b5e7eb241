"""One query as composition sees it, and the checks that every number passes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, expm1, isfinite, log1p

__all__ = ["Query", "check_delta", "spare_delta"]

LARGEST_EPSILON = 1e4


@dataclass(frozen=True, slots=True)
class Query:
    """A mechanism of which nothing is known but that it is (epsilon, delta)-private."""

    epsilon: float
    delta: float = 0.0

    def __post_init__(self) -> None:
        if not (isfinite(self.epsilon) and 0 <= self.epsilon <= LARGEST_EPSILON):
            raise ValueError(f"an epsilon lies between 0 and {LARGEST_EPSILON:g}, not at {self.epsilon}")
        if not 0 <= self.delta < 1:
            raise ValueError(f"a query's delta lies between 0 and 1, not at {self.delta}")

    @property
    def coin(self) -> float:
        """The chance of the truth in randomised response of this epsilon."""
        return 1 / (1 + exp(-self.epsilon))

    @property
    def drift(self) -> float:
        """The mean loss of randomised response: epsilon (e^epsilon - 1) / (e^epsilon + 1)."""
        return self.epsilon * expm1(self.epsilon) / (exp(self.epsilon) + 1) if self.epsilon < 700 else self.epsilon


def check_delta(delta: float) -> None:
    if not 0 < delta < 1:
        raise ValueError(f"the delta of a total lies between 0 and 1, not at {delta}")


def spare_delta(queries: Sequence[Query], delta: float) -> float:
    """What a total of ``delta`` leaves beside the queries' own: 1 - (1 - delta) / prod(1 - delta_i)."""
    check_delta(delta)
    return -expm1(log1p(-delta) - sum(log1p(-query.delta) for query in queries))
