"""Textbook formulas of continuous noise: for first guesses, for explanations, and to check against printed tables.

No guarantee rests on this file: the mechanisms draw and bound the discrete laws themselves. ``epsilon`` and ``delta``
have their usual meaning, ``beta`` is the chance that a stated error is exceeded, sensitivities are of one unit.
"""

from __future__ import annotations

from math import erfc, exp, fsum, log, sqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = [
    "discrete_gaussian_delta",
    "distance_threshold",
    "falling_root",
    "gaussian_accuracy",
    "gaussian_classical_sigma",
    "gaussian_delta",
    "gaussian_loss_above",
    "gaussian_sigma",
    "group_epsilon",
    "laplace_accuracy",
    "laplace_cdf",
    "movement",
    "normal_above",
    "normal_quantile_above",
]

_HALVINGS = 100


def movement(changes: Iterable[int]) -> tuple[int, int]:
    """How far a vector moves when its cells change by this much: its L1 norm, and its L2 norm squared."""
    cells = tuple(changes)
    return sum(abs(cell) for cell in cells), sum(cell * cell for cell in cells)


def group_epsilon(epsilon: float, distance: float) -> float:
    """The loss between databases that differ by ``distance`` units; a c-stable step before a query has distance c."""
    return epsilon * distance


def laplace_cdf(x: float, scale: float) -> float:
    """P(noise <= x)."""
    return exp(x / scale) / 2 if x < 0 else 1 - exp(-x / scale) / 2


def laplace_accuracy(scale: float, beta: float, answers: int = 1) -> float:
    """The error that all of ``answers`` stay within, but for a chance of at most ``beta``."""
    return scale * log(answers / beta)


def normal_quantile_above(chance: float) -> float:
    """The z with P(N >= z) = chance, for a standard normal N."""
    if not 0 < chance < 1:
        raise ValueError("a chance lies between 0 and 1")
    return falling_root(lambda z: normal_above(z) - chance, -40, 40)


def gaussian_accuracy(sigma: float, beta: float) -> float:
    """The error that an answer stays within, but for a chance of ``beta``: sqrt2 * sigma * erfinv(1 - beta)."""
    return sigma * normal_quantile_above(beta / 2)


def gaussian_classical_sigma(epsilon: float, delta: float, l2: float = 1) -> float:
    """The classical sigma, which holds for epsilon below 1 only and is refused elsewhere."""
    if not 0 < epsilon < 1:
        raise ValueError("the classical Gaussian formula holds for epsilon below 1 only")
    return l2 * sqrt(2 * log(1.25 / delta)) / epsilon


def gaussian_delta(sigma: float, epsilon: float, l2: float = 1) -> float:
    """The least delta at which Gaussian noise is (epsilon, delta)-private (Balle, Wang 2018)."""
    near, far = l2 / (2 * sigma), epsilon * sigma / l2
    return normal_above(far - near) - exp(epsilon) * normal_above(far + near)


def gaussian_loss_above(sigma: float, epsilon: float, l2: float = 1) -> float:
    """The chance that the privacy loss exceeds epsilon: more than delta, hence a stronger demand."""
    return normal_above(epsilon * sigma / l2 - l2 / (2 * sigma))


def gaussian_sigma(epsilon: float, delta: float, l2: float = 1) -> float:
    """The least sigma at which Gaussian noise is (epsilon, delta)-private."""
    if not (epsilon > 0 and 0 < delta < 1):
        raise ValueError("epsilon is above 0 and delta lies between 0 and 1")
    high = 1.0
    while gaussian_delta(high, epsilon) > delta:
        high *= 2
    return l2 * falling_root(lambda sigma: gaussian_delta(sigma, epsilon) - delta, high / 2**40, high)


def discrete_gaussian_delta(sigma: float, epsilon: float) -> float:
    """The least delta of *discrete* Gaussian noise on a count that moves by one: it is not the continuous one's."""
    reach = int(40 * sigma) + 2
    weight = {x: exp(-x * x / (2 * sigma * sigma)) for x in range(-reach - 1, reach + 1)}
    excess = (weight[x - 1] - exp(epsilon) * weight[x] for x in range(-reach, reach + 1))
    return fsum(e for e in excess if e > 0) / fsum(weight.values())


def distance_threshold(epsilon: float, delta: float) -> float:
    """What a distance with Laplace noise has to pass, so that one of 0 does with a chance of at most delta."""
    return log(1 / delta) / epsilon


def normal_above(z: float) -> float:
    """P(N > z) for a standard normal N."""
    return erfc(z / sqrt(2)) / 2


def falling_root(function: Callable[[float], float], low: float, high: float) -> float:
    """Where a falling function crosses zero, by halving until floats end."""
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if function(middle) > 0 else (low, middle)
    return high
