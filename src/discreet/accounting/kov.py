"""The exact total of equal queries (Kairouz, Oh, Viswanath 2015, theorem 3.3).

k mechanisms that are (eps, delta)-private are together (E, 1 - (1 - delta)**k (1 - d(E)))-private, and no smaller
delta holds for all of them, where d is the curve of k randomised responses:

    d(E) = sum over j of C(k, j) p**(k - j) q**j max(0, 1 - exp(E - (k - 2 j) eps))

with p = e**eps / (1 + e**eps) the chance of the truth, q = 1 - p, and j the number of lies. The paper prints its values
at E = (k - 2 i) eps. Between two of these the same terms count, so the curve is A - e**E B with A and B running sums:
an epsilon for a given delta is one logarithm away.
"""

from __future__ import annotations

from itertools import accumulate
from math import exp, expm1, inf, lgamma, log, log1p

from discreet.accounting.query import Query, spare_delta

__all__ = ["kov", "kov_points"]


def kov(query: Query, k: int, delta: float) -> float:
    """The least epsilon of k such queries together at ``delta``."""
    spare = spare_delta([query] * k, delta)
    if spare < 0:
        return inf
    if query.epsilon == 0 or spare == 0:
        return k * query.epsilon
    likely, unlikely = _running(query.epsilon, k)
    last = len(likely) - 1
    i = next((i for i in range(last) if _missed(query.epsilon, k, i, likely, unlikely) > spare), last)
    return max(0.0, log(likely[i] - spare) - log(unlikely[i])) if likely[i] > spare else 0.0


def kov_points(query: Query, k: int) -> list[tuple[float, float]]:
    """The pairs that the theorem prints: ((k - 2 i) eps, 1 - (1 - delta)**k (1 - delta_i)) for i = 0 … k // 2."""
    likely, unlikely = _running(query.epsilon, k)
    found: list[tuple[float, float]] = []
    for i in range(k // 2 + 1):
        own = _missed(query.epsilon, k, i, likely, unlikely)
        found.append(((k - 2 * i) * query.epsilon, -expm1(k * log1p(-query.delta) + log1p(-own))))
    return found


def _missed(epsilon: float, k: int, i: int, likely: list[float], unlikely: list[float]) -> float:
    """The curve at (k - 2 i) eps. The factor can be huge where what it multiplies is tiny, so their logarithms meet."""
    if not unlikely[i]:
        return likely[i]
    return max(0.0, likely[i] - exp((k - 2 * i) * epsilon + log(unlikely[i])))


def _running(epsilon: float, k: int) -> tuple[list[float], list[float]]:
    """For i = 0, 1, …: the chances of the i least lies, under one neighbour and under the other."""
    lies = range(k // 2 + 1)
    log_p, log_q = -log1p(exp(-epsilon)), -epsilon - log1p(exp(-epsilon))
    ways = [lgamma(k + 1) - lgamma(j + 1) - lgamma(k - j + 1) for j in lies]
    likely = (exp(way + (k - j) * log_p + j * log_q) for j, way in zip(lies, ways, strict=True))
    unlikely = (exp(way + (k - j) * log_q + j * log_p) for j, way in zip(lies, ways, strict=True))
    return list(accumulate(likely, initial=0.0)), list(accumulate(unlikely, initial=0.0))
