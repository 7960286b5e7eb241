"""Gaussian differential privacy: everything is told as one answer with normal noise, of which precision adds up.

Theory. A release is of precision m when it tells two neighbours apart no better than one draw from N(0, 1) or from
N(sqrt(m), 1) does (Dong, Roth, Su 2019). Normal noise of deviation s on what moves by D has precision (D / s)**2, and
precisions add up, also when they are chosen one after the other: docs/proofs/gdp-filter.md proves it. Two things
are needed beside sums:

- what a total comes to: m is (epsilon, delta)-private for delta = Phi(a) - exp(epsilon) Phi(a - sqrt(m)), where
  a = sqrt(m) / 2 - epsilon / sqrt(m) (Balle, Wang 2018);
- what other mechanisms come to: whatever is epsilon-private tells no more than one coin of chance
  e**epsilon / (1 + e**epsilon) does (Kairouz, Oh, Viswanath 2015), and that coin no more than precision
  (2 z)**2, where z is the normal quantile of its chance.

Floats are raised past their rounding, against the analyst.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

from discreet.accounting.formulas import falling_root, normal_above, normal_quantile_above

__all__ = ["capacity", "delta_above", "epsilon_above", "of_pure", "precision_below", "pure_below"]

_ROUNDING = 1e-12
"""A tail of the normal law beyond a computed point is known to within this part of itself, up to 38 deviations."""

_FINE_STEPS = 23 * (1 << 64)
"""Noise drawn on the fine grid and rounded is within (precision / this) of normal noise, in total variation."""

_SHORT = Fraction(1, 10**11)
_LARGEST = 600
"""Above this exp(epsilon) and its inverse are near where floats end."""


def delta_above(precision: float, epsilon: float) -> float:
    """At least the delta of this precision at epsilon."""
    mu = math.sqrt(precision)
    near, far = normal_above(epsilon / mu - mu / 2), normal_above(epsilon / mu + mu / 2)
    held = math.exp(epsilon) * far * (1 - _ROUNDING) if epsilon < _LARGEST else 0.0
    return near * (1 + _ROUNDING) - held


@lru_cache(maxsize=256)
def precision_below(epsilon: Fraction, delta: Fraction) -> Fraction:
    """The most precision that is (epsilon, delta)-private, rounded down."""
    wanted, limit = float(epsilon), float(delta) * (1 - _ROUNDING)
    found = falling_root(lambda m: limit - delta_above(m, wanted), 1e-24, 1e9)
    return Fraction(found) * (1 - _SHORT)


def capacity(epsilon: Fraction, delta: Fraction) -> Fraction:
    """The same for noise on the fine grid: how far it is from normal noise is taken off delta first. 0 is nothing."""
    if delta <= 0:
        return Fraction(0)
    lost = (1 + Fraction(math.exp(min(epsilon, _LARGEST)))) * precision_below(epsilon, delta) / _FINE_STEPS
    return precision_below(epsilon, delta - lost) if lost < delta / 2 else Fraction(0)


def epsilon_above(precision: float, delta: float) -> float:
    """The epsilon of this precision at delta, rounded up: for people to read."""
    if precision <= 0:
        return 0.0
    if delta <= 0:
        return math.inf
    if delta_above(precision, 0) <= delta:
        return 0.0
    high = 1.0
    while delta_above(precision, high) > delta:
        high *= 2
    return falling_root(lambda epsilon: delta_above(precision, epsilon) - delta, 0, high) * (1 + 1e-9)


def of_pure(ratio: Fraction) -> Fraction:
    """At least the precision of what is ``ratio``-private: (2 z)**2, where z is at most sqrt(2 ratio)."""
    if ratio <= 0:
        return Fraction(0)
    if ratio > _LARGEST:
        return 8 * ratio
    z = normal_quantile_above(1 / (1 + math.exp(float(ratio)))) if ratio > 1 else _near_the_middle(float(ratio))
    return Fraction(4 * z * z) * (1 + _SHORT)


def _near_the_middle(ratio: float) -> float:
    """The z with P(0 < N < z) = tanh(ratio / 2) / 2: for a small ratio the tail above z would hide it."""
    wanted = math.tanh(ratio / 2)
    return falling_root(lambda z: wanted - math.erf(z / math.sqrt(2)), 0, 1)


def pure_below(precision: Fraction) -> Fraction:
    """The largest ratio whose precision is at most this, rounded down."""
    guess = falling_root(lambda r: float(precision) - float(of_pure(Fraction(r))), 0, 1e12)
    found = Fraction(guess)
    while found and of_pure(found) > precision:
        found *= 1 - _SHORT
    return found
