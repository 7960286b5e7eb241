"""Private group keys: a key is shown where its noisy count of distinct units reaches a threshold.

A key held by no unit is never seen, so a key held by one unit alone would tell of that unit by being there. The
threshold makes the chance of that at most delta for all lone keys of one unit together; docs/proofs has the argument.
"""

from __future__ import annotations

from fractions import Fraction
from math import expm1, log, log1p
from typing import TYPE_CHECKING

from discreet.accounting.formulas import normal_quantile_above
from discreet.mechanisms.exactness import check_whole
from discreet.mechanisms.rounding import LEAST_CHANCE
from discreet.mechanisms.search import least

if TYPE_CHECKING:
    from discreet.mechanisms import Mechanism

__all__ = ["gaussian_threshold", "laplace_threshold", "threshold"]


def threshold(mechanism: Mechanism, groups_per_unit: int, delta: Fraction, min_units: int = 1) -> int:
    """The least whole tau for which one unit's lone keys reach it with a chance of at most ``delta`` in all.

    A minimum frequency moves tau up by ``min_units - 1``: then a key of ``min_units`` units or fewer is shown with a
    chance of at most ``delta / groups_per_unit``. What is compared with tau is the noised integer itself.
    """
    check_whole((groups_per_unit, min_units))
    if groups_per_unit < 1 or min_units < 1:
        raise ValueError("a unit touches at least one group, and a key has at least one unit")
    if mechanism.spread == 0:
        raise ValueError("private keys need noise")
    each = delta / groups_per_unit
    if not LEAST_CHANCE < each < Fraction(1, 2):
        raise ValueError("the delta of private keys is out of range: 1e-300 < delta / groups < 1/2")
    near = int(mechanism.spread * -log(each))
    return 1 + least(lambda t: mechanism.upper_tail(t) <= each, near) + (min_units - 1)


def laplace_threshold(scale: float, groups_per_unit: int, delta: float) -> float:
    """The same for continuous Laplace noise, to compare with printed tables."""
    return 1 - scale * log(2 * _each(groups_per_unit, delta))


def gaussian_threshold(sigma: float, groups_per_unit: int, delta: float) -> float:
    """The same for continuous Gaussian noise, to compare with printed tables."""
    return 1 + sigma * normal_quantile_above(_each(groups_per_unit, delta))


def _each(groups_per_unit: int, delta: float) -> float:
    """The chance p of a single key for which 1 - (1 - p)**groups is delta."""
    return -expm1(log1p(-delta) / groups_per_unit)
