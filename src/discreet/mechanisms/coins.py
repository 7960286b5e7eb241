"""Exact coins, and the two laws of noise made of them, one draw at a time.

Theory. A float cannot hold the chance exp(-1/3), and a sampler that rounds it leaks (Mironov 2012).
So every choice here is a coin whose chance is decided exactly, with integers alone:

- a coin of chance p/q compares a uniform real, revealed one byte at a time, with the digits of p/q in base 256:
  the first digit that differs decides, so one byte nearly always suffices and no chance is ever rounded;
- a coin of chance exp(-g), 0 <= g <= 1, tosses coins of chance g/1, g/2, g/3, ... up to the first that fails. That
  it is the k-th has chance g^(k-1)/(k-1)! - g^k/k!; over the odd k this sums to the series of exp(-g);
- for g > 1 every whole part is a coin of chance exp(-1), and all have to hold;
- the two laws are built from such coins as in Canonne, Kamath and Steinke (2020); docs/proofs has the argument.

``source`` is an endless stream of uniform bytes. Some ten microseconds a draw: right for short vectors, and the
reference for long ones (``strips``).
"""

from __future__ import annotations

from fractions import Fraction
from itertools import islice
from math import isqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["below", "exp_coin", "falls_below", "gaussian", "laplace", "runs"]

_MORE = 64
"""Bits that are revealed where those so far leave doubt."""


def below(bound: int, source: Iterator[int]) -> int:
    """A uniform integer in [0, bound): as many bits as bound - 1 has, again until they fall below it."""
    bits = (bound - 1).bit_length()
    size = (bits + 7) // 8
    while True:
        value = int.from_bytes(islice(source, size), "big") >> (8 * size - bits)
        if value < bound:
            return value


def coin(p: int, q: int, source: Iterator[int]) -> bool:
    """True with chance p/q, 0 <= p <= q."""
    if p >= q:
        return True
    while True:
        digit, p = divmod(p << 8, q)
        byte = next(source)
        if byte != digit:
            return byte < digit


def exp_coin(p: int, q: int, source: Iterator[int]) -> bool:
    """True with chance exp(-p/q), p >= 0."""
    whole, p = divmod(p, q)
    for _ in range(whole):
        if not exp_coin_to_one(1, 1, source):
            return False
    return exp_coin_to_one(p, q, source)


def exp_coin_to_one(p: int, q: int, source: Iterator[int]) -> bool:
    """True with chance exp(-p/q), 0 <= p <= q: the first failing coin of the series is an odd one."""
    k = 1
    while coin(p, q * k, source):
        k += 1
    return k % 2 == 1


def falls_below(v: int, places: int, chance: Callable[[int], tuple[int, int]], source: Iterator[int]) -> bool:
    """Whether the uniform real whose first ``places`` bits are v lies below a chance that is known between two whole
    numbers of any places."""
    while True:
        low, high = chance(places)
        if v + 1 <= low or v >= high:
            return v < low
        v, places = v << _MORE | int.from_bytes(islice(source, _MORE // 8), "big"), places + _MORE


def runs(exponent: Fraction, source: Iterator[int]) -> int:
    """How many coins of chance exp(-exponent) hold before one fails."""
    held = 0
    while exp_coin(exponent.numerator, exponent.denominator, source):
        held += 1
    return held


def laplace(p: int, q: int, source: Iterator[int]) -> int:
    """Discrete Laplace of scale p/q: a geometric integer of scale p, divided by q, with a sign but without a -0."""
    while True:
        low = below(p, source)
        if not exp_coin_to_one(low, p, source):
            continue
        high = 0
        while exp_coin_to_one(1, 1, source):
            high += 1
        size = (low + high * p) // q
        negative = next(source) & 1
        if size or not negative:
            return -size if negative else size


def gaussian(p: int, q: int, source: Iterator[int]) -> int:
    """Discrete Gaussian of variance parameter p/q, by rejection from a discrete Laplace of whole scale t.

    exp(-y**2 / 2v) = exp(-|y|/t) * exp(-(|y| - v/t)**2 / 2v) * constant, with v = p/q; the middle factor is the coin.
    """
    t = isqrt(p // q) + 1
    under = 2 * p * q * t * t
    while True:
        y = laplace(t, 1, source)
        if exp_coin((abs(y) * t * q - p) ** 2, under, source):
            return y
