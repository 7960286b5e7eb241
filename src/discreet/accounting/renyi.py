"""Renyi accounting (Mironov 2017): for each order the divergences add up; the best order is turned into epsilon.

The curve of an epsilon-private mechanism is nowhere above that of randomised response; where the noise is known to be
Laplace's or Gauss's, it is that law's own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import exp, expm1, fsum, inf, log, log1p

from discreet.accounting.concentrated import best_order, conversion
from discreet.accounting.gaussian import sigma_of
from discreet.accounting.query import Query, check_delta

__all__ = ["CURVES", "rdp"]

Curve = Callable[[Query], Callable[[float], float]]
"""Of a query: its divergence at the order 1 + excess."""


def rdp(queries: Sequence[Query], delta: float, mechanism: str = "any") -> float:
    """The epsilon at ``delta``; ``mechanism`` is "any", "laplace" or "gaussian"."""
    check_delta(delta)
    spare = delta if mechanism == "gaussian" else delta - fsum(query.delta for query in queries)
    if spare <= 0:
        return inf
    counts = {query: queries.count(query) for query in dict.fromkeys(queries)}
    curves = [(count, CURVES[mechanism](query)) for query, count in counts.items()]

    def epsilon(t: float) -> float:
        return fsum(count * curve(exp(t)) for count, curve in curves) - conversion(log(spare), t)

    return max(0.0, epsilon(best_order(lambda t: -epsilon(t))))


def _response(query: Query) -> Callable[[float], float]:
    """(1 / (a - 1)) ln(p**a q**(1 - a) + q**a p**(1 - a)), with p / q = e**epsilon."""
    eps, log_p = query.epsilon, log(query.coin)

    def at(excess: float) -> float:
        # The larger power is p e**((a - 1) eps); the other is e**(-(2 a - 1) eps) of it.
        return (log_p + excess * eps + log1p(exp(-(2 * excess + 1) * eps))) / excess

    return lambda excess: min(eps, at(excess)) if excess > _TINY else query.drift


def _laplace(query: Query) -> Callable[[float], float]:
    """Of noise of scale 1 / epsilon on a number that moves by one (Mironov 2017, table II)."""
    eps = query.epsilon

    def at(excess: float) -> float:
        order = 1 + excess
        near, far = log(order / (2 * order - 1)) + excess * eps, log(excess / (2 * order - 1)) - order * eps
        return (near + log1p(exp(far - near))) / excess

    return lambda excess: min(eps, at(excess)) if excess > _TINY else eps + expm1(-eps)


def _gaussian(query: Query) -> Callable[[float], float]:
    """Order / (2 sigma**2), with the sigma that the query's guarantee needs."""
    sigma = sigma_of(query)
    return lambda excess: (1 + excess) / (2 * sigma * sigma)


_TINY = 1e-6
"""Nearer to order 1 the formulas lose their digits; there the divergence is the mean loss."""

CURVES: dict[str, Curve] = {"any": _response, "laplace": _laplace, "gaussian": _gaussian}
