"""Zero-concentrated privacy: rho adds up, and is turned into (epsilon, delta) once, by the best order.

A mechanism is rho-zCDP when its Renyi divergence of every order a is at most a rho. One that is epsilon-private has
rho <= epsilon**2 / 2 (Bun, Steinke 2016), and never more than epsilon. The conversion is that of Canonne, Kamath and
Steinke (2020): a divergence D of order a gives, at delta,

    epsilon = D + ln((a - 1) / a) - (ln(delta) + ln(a)) / (a - 1)

for any one order a > 1, so orders are searched for in floats, and the one that is found is used once, exactly.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction

from discreet.accounting.gaussian import sigma_of
from discreet.accounting.query import Query, check_delta

__all__ = ["best_order", "conversion", "epsilon_of", "response_rho", "rho_of", "zcdp"]

DIGITS = 60
MARGIN = Decimal("1e-40")
"""Far more than sixty-digit arithmetic can lose, far less than one grain of the ledger."""

STEPS = 32
"""Of the continued fraction of tanh: an even number, since those end above it."""

GRAINS = 10**30


def zcdp(queries: Sequence[Query], delta: float, mechanism: str = "any") -> float:
    """The epsilon at ``delta``; ``mechanism`` is "any", "laplace" (of which no more is used) or "gaussian"."""
    check_delta(delta)
    if mechanism == "gaussian":
        return epsilon_of(math.fsum(1 / (2 * sigma_of(query) ** 2) for query in queries), delta)
    spare = delta - math.fsum(query.delta for query in queries)
    return epsilon_of(math.fsum(min(query.epsilon**2 / 2, query.epsilon) for query in queries), spare)


def rho_of(epsilon: Fraction, delta: Fraction) -> Fraction:
    """The most rho whose conversion at delta stays within epsilon, rounded down."""
    approximate, log_delta = float(epsilon), log_of(delta)
    order = best_order(lambda t: (approximate + conversion(log_delta, t)) / (1 + math.exp(t)))
    with localcontext() as context:
        context.prec = DIGITS
        excess = Decimal(math.exp(order))  # alpha - 1
        alpha = excess + 1
        gained = (_decimal(delta) * excess).ln() - alpha * (excess / alpha).ln()
        rho = (_decimal(epsilon) + gained / excess) / alpha
        return max(Fraction(0), Fraction(rho - MARGIN))


def epsilon_of(rho: float, delta: float | Fraction) -> float:
    """The epsilon at delta, rounded up: for people to read."""
    if rho <= 0 and delta >= 0:
        return 0.0
    if delta <= 0:
        return math.inf
    log_delta = log_of(Fraction(delta))
    found = best_order(lambda t: conversion(log_delta, t) - (1 + math.exp(t)) * rho)
    return max(0.0, (1 + math.exp(found)) * rho - conversion(log_delta, found)) * (1 + 1e-9)


def response_rho(epsilon: Fraction) -> Fraction:
    """The rho of randomised response at an epsilon above 0: epsilon tanh(epsilon / 2), rounded up by a grain at most.

    Of two answers it is the very rho, of more an upper bound. Lambert's fraction tanh x = x / (1 + x² / (3 + x² / ...))
    is cut where it is too large; it falls from x on, so that this is never above epsilon**2 / 2, nor above epsilon.
    """
    x = epsilon / 2
    below = Fraction(2 * STEPS + 1)
    for odd in range(2 * STEPS - 1, 0, -2):
        below = odd + x * x / below
    rho = epsilon * min(x / below, Fraction(1))
    return min(Fraction(math.ceil(rho * GRAINS), GRAINS), epsilon**2 / 2, epsilon)


def conversion(log_delta: float, t: float) -> float:
    """(log(delta (alpha-1)) - alpha log(1 - 1/alpha)) / (alpha-1) at alpha = 1 + e**t."""
    excess = math.exp(t)
    return (log_delta + t + (1 + excess) * math.log1p(math.exp(-t))) / excess


def best_order(value: Callable[[float], float]) -> float:
    """Where value is (nearly) largest over -20 <= t <= 45: a coarse grid, then finer ones."""
    low, high = -20.0, 45.0
    best = low
    while high - low > 1e-9:
        step = (high - low) / 64
        best = max((low + step * i for i in range(65)), key=value)
        low, high = best - step, best + step
    return best


def log_of(value: Fraction) -> float:
    return math.log(value.numerator) - math.log(value.denominator)


def _decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)
