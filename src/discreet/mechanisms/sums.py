"""How far many independent draws can be off together: exactly where they count alike, by a bound where they do not.

Theory. The characteristic function of a sum S of independent integers, f(t) = E exp(itS), is the product of its parts'.
From it at N points t = 2 pi k / N follows the law of S modulo N. Added up over half a turn from x on that is

    P(S mod N in [x, x + N/2)) = 1/2 + (2/N) sum over odd k, 0 < k < N/2, of Im(f(t) exp(-it(x - 1/2))) / sin(t/2),

which is P(S >= x) but for what lies more than N/4 from the mean; N is so large that hardly anything does. The terms
fall with |f|, so some hundred of them do, however wide S is.

Draws that count differently have no form that is as quick. By Chernoff's bound, for every u > 0,

    P(sum of w X >= x) <= exp(sum of log E exp(u w X) - u x),

so the best u gives a width that holds. Of many draws it is two fifths wider than it need be.

Draws of different noises are told from continuous laws. With Y of the same scale, P(X >= k) <= P(Y >= k - 1) for
k >= 1, since weights fall, and P(|X| >= k) >= P(|Y| >= k): P(|X| = k) never falls against P(k <= |Y| < k + 1).
Together X is below Y + 1 in stochastic order, and so a sum of weight times draw is below that of the Ys and the sum
of the weights. Of normal Ys that is normal. Of Laplace Ys with scales b that differ, P(sum >= x) is

    1/2 sum over b of exp(-x / b) product over the other scales c of b**2 / (b**2 - c**2),

and it only grows when a scale is made larger, as is done with those that lie too close to each other for floats.
"""

from __future__ import annotations

import cmath
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, cos, erf, erfc, exp, expm1, fsum, hypot, inf, log, log1p, pi, prod, sin, sinh, sqrt
from typing import TYPE_CHECKING, Self

from discreet.accounting.formulas import falling_root, normal_quantile_above
from discreet.mechanisms.fine_gaussian import FineGaussian
from discreet.mechanisms.gaussian import Gaussian
from discreet.mechanisms.laplace import Laplace
from discreet.mechanisms.rounding import LEAST_CHANCE
from discreet.mechanisms.search import least

if TYPE_CHECKING:
    from discreet.mechanisms import Mechanism

__all__ = ["FINEST", "LOST", "Sum", "half_width", "mixed_width", "weighted_half_width"]

Noise = Laplace | Gaussian | FineGaussian

FADED = 1e-8
"""Terms below this are left out, and a sum is outside of its reach with a chance below it."""

LOST = 1e-6
"""More than is lost of a chance by what is left out and by floats."""

FINEST = 1e-4
"""Chances below this are bounded and not computed."""


@dataclass(frozen=True, slots=True)
class Sum:
    """The law of a sum of independent integers, to within ``LOST``."""

    mean: float
    reach: int
    terms: tuple[tuple[float, complex], ...]

    @classmethod
    def of(cls, wave: Callable[[float], complex], mean: float, reach: int) -> Self:
        """``wave`` is the characteristic function, whose size falls from 0 to pi."""
        terms: list[tuple[float, complex]] = []
        points = 4 * reach + 4
        for k in range(1, points // 2, 2):
            t = 2 * pi * k / points
            value = wave(t) / sin(t / 2)
            if abs(value) < FADED:
                break
            terms.append((t, 2 * value / points))
        return cls(mean, reach, tuple(terms))

    def above(self, x: int) -> float:
        """P(S >= x)."""
        if abs(x - self.mean) > self.reach:
            return 0.0 if x > self.mean else 1.0
        return 0.5 + fsum((value * cmath.exp(-1j * t * (x - 0.5))).imag for t, value in self.terms)


@lru_cache(maxsize=4096)
def half_width(noise: Noise, n: int, confidence: float) -> int:
    """The least w for which the sum of n draws stays within -w..w with at least this chance."""
    if n <= 1 or not noise.spread:
        return noise.half_width(confidence) if n else 0
    miss = 1 - confidence
    if miss < FINEST:
        return _chernoff(noise, {1: n}, miss)
    wave, reach = _wave(noise), _chernoff(noise, {1: n}, FADED)
    law = Sum.of(lambda t: wave(t) ** n, 0.0, reach)
    return least(lambda w: w > reach or (w >= 0 and 2 * (law.above(w + 1) + LOST) <= miss), reach // 2)


def weighted_half_width(noise: Noise, weights: Mapping[int, int], confidence: float) -> int:
    """A w that the sum of weight times draw stays within; ``weights`` says how many draws have which weight."""
    sizes = Counter[int]()
    for weight, n in weights.items():
        sizes[abs(weight)] += n
    del sizes[0]
    if len(sizes) > 1:
        return _chernoff(noise, sizes, 1 - confidence)
    return sum(weight * half_width(noise, n, confidence) for weight, n in sizes.items())


@lru_cache(maxsize=4096)
def mixed_width(terms: tuple[tuple[float, Mechanism], ...], miss: float) -> float:
    """A width that the sum of weight times draw exceeds, upwards, with a chance of at most ``miss`` < 1/2."""
    laplace = [abs(weight) * noise.spread for weight, noise in terms if isinstance(noise, Laplace)]
    normal = [abs(weight) * noise.spread for weight, noise in terms if not isinstance(noise, Laplace)]
    each = miss / 2 if laplace and normal else miss
    width = fsum(abs(weight) for weight, _ in terms)
    if normal:
        width += normal_quantile_above(each) * hypot(*normal)
    if laplace:
        width += _laplace_width(_apart(laplace), each)
    return width


APART = 1.1


def _apart(scales: list[float]) -> list[float]:
    """The scales, each raised to so many times the one below it where it lies closer."""
    found: list[float] = []
    for scale in sorted(scales):
        found.append(max(scale, APART * found[-1]) if found else scale)
    return found


def _laplace_width(scales: list[float], miss: float) -> float:
    factors = [prod(b * b / (b * b - c * c) for c in scales if c != b) for b in scales]

    def above(x: float) -> float:
        return fsum(factor * exp(-x / b) for factor, b in zip(factors, scales, strict=True)) / 2

    return falling_root(lambda x: above(x) - miss, 0.0, -log(miss) * fsum(scales))


def _chernoff(noise: Noise, sizes: Mapping[int, int], miss: float) -> int:
    """A width that a sum exceeds on either side with a chance of ``miss`` at most."""
    wanted = log(2 / max(miss, LEAST_CHANCE))
    if isinstance(noise, Gaussian | FineGaussian):
        # E exp(uX) <= exp(u**2 sigma**2 / 2) for the discrete law too (Canonne, Kamath, Steinke 2020); rounding
        # to whole numbers adds no more than a number between -1/2 and 1/2 would, whose variance is a twelfth.
        squares = sum(n * weight * weight for weight, n in sizes.items())
        rounded = 1 / 12 if isinstance(noise, FineGaussian) else 0.0
        return ceil(sqrt((noise.spread**2 + rounded) * 2 * wanted * squares))
    widest = noise.spread * max(sizes)

    def width(share: float) -> float:
        u = share / widest
        return (wanted + fsum(n * _log_moment(noise, u * weight) for weight, n in sizes.items())) / u

    return ceil(width(_lowest(width)))


def _lowest(function: Callable[[float], float]) -> float:
    """Where a function on (0, 1) that falls and then rises is (nearly) lowest."""
    low, high = 0.0, 1.0
    for _ in range(60):
        a, b = low + (high - low) / 3, high - (high - low) / 3
        low, high = (low, b) if function(a) <= function(b) else (a, high)
    return (low + high) / 2


def _log_moment(noise: Laplace, u: float) -> float:
    """The logarithm of E exp(uX), which is infinite from u = 1 / scale on."""
    part = _odds(noise) * sinh(u / 2) ** 2
    return -log1p(-part) if part < 1 else inf


def _odds(noise: Laplace) -> float:
    """4 q / (1 - q)**2 with q = exp(-1 / scale)."""
    return 4 * exp(-1 / noise.spread) / expm1(-1 / noise.spread) ** 2


def _wave(noise: Noise) -> Callable[[float], float]:
    """The characteristic function of one draw."""
    if isinstance(noise, Laplace):
        odds = _odds(noise)
        return lambda t: 1 / (1 + odds * sin(t / 2) ** 2)
    variance = float(noise.sigma_squared)
    if variance <= 1:
        weights = _weights(noise)
        whole = weights[0] + 2 * fsum(weights[1:])
        return lambda t: (weights[0] + 2 * fsum(w * cos(t * x) for x, w in enumerate(weights[1:], 1))) / whole
    turns = [2 * pi * k for k in (-2, -1, 0, 1, 2)]
    if isinstance(noise, FineGaussian):
        return lambda t: fsum(exp(-variance * (t + turn) ** 2 / 2) * _spread_out(t + turn) for turn in turns)
    whole = fsum(exp(-variance * turn * turn / 2) for turn in turns)
    return lambda t: fsum(exp(-variance * (t + turn) ** 2 / 2) for turn in turns) / whole


def _weights(noise: Gaussian | FineGaussian) -> list[float]:
    """What 0, 1, 2, … weigh, for a deviation of at most 1; a normal number is rounded to x from x - 1/2 to x + 1/2."""
    if isinstance(noise, Gaussian):
        return [exp(-x * x / (2 * float(noise.sigma_squared))) for x in range(13)]
    scale = noise.spread * sqrt(2)
    return [erf(0.5 / scale), *(erfc((x - 0.5) / scale) / 2 - erfc((x + 0.5) / scale) / 2 for x in range(1, 13))]


def _spread_out(t: float) -> float:
    """The characteristic function of a number between -1/2 and 1/2: rounding folds the line as adding one would."""
    return sin(t / 2) / (t / 2) if t else 1.0
