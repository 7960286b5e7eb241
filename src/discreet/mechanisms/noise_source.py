"""The only place that draws randomness: exact integers from the operating system's generator.

Theory. A float cannot hold the chance exp(-1/3), and a sampler that rounds it leaks (Mironov 2012).
So every choice here is a coin whose chance is decided exactly, with integers alone:

- a coin of chance p/q compares a uniform real, revealed one byte at a time, with the digits of p/q in base 256:
  the first digit that differs decides, so one byte nearly always suffices and no chance is ever rounded;
- a coin of chance exp(-g), 0 <= g <= 1, tosses coins of chance g/1, g/2, g/3, ... up to the first that fails. That
  it is the k-th has chance g^(k-1)/(k-1)! - g^k/k!; over the odd k this sums to the series of exp(-g);
- for g > 1 every whole part is a coin of chance exp(-1), and all have to hold;
- the two laws are built from such coins as in Canonne, Kamath and Steinke (2020); docs/proofs has the argument.

Bytes are fetched within a call and forgotten with it. Nothing is kept between calls, so a fork or a thread inherits
nothing and no seed exists that could be copied, logged or set.
"""

from __future__ import annotations

import os
from fractions import Fraction
from itertools import islice
from math import isqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["discrete_gaussian", "discrete_laplace", "secret"]

_BLOCK = 256
_KEY_BYTES = 16


def secret() -> str:
    """A fresh key of 128 bits, in hexadecimal, for one query's keyed hash."""
    return os.urandom(_KEY_BYTES).hex()


def discrete_laplace(scale: Fraction, n: int) -> list[int]:
    """``n`` independent integers, each x with a chance proportional to exp(-|x| / scale)."""
    _check(scale, n)
    source = _random_bytes()
    return [_laplace(scale.numerator, scale.denominator, source) for _ in range(n)]


def discrete_gaussian(sigma_squared: Fraction, n: int) -> list[int]:
    """``n`` independent integers, each x with a chance proportional to exp(-x**2 / (2 * sigma_squared))."""
    _check(sigma_squared, n)
    source = _random_bytes()
    return [_gaussian(sigma_squared.numerator, sigma_squared.denominator, source) for _ in range(n)]


def _check(spread: Fraction, n: int) -> None:
    """Refuse what has no exact law: floats, and spreads that are not positive."""
    if type(spread) is not Fraction or type(n) is not int:
        raise TypeError("noise takes an exact Fraction and a whole count")
    if spread <= 0 or n < 0:
        raise ValueError("noise needs a positive spread and a count of at least 0")


def _random_bytes() -> Iterator[int]:
    """Endless uniform bytes; the block lives no longer than the call that reads it."""
    while True:
        yield from os.urandom(_BLOCK)


def _below(bound: int, source: Iterator[int]) -> int:
    """A uniform integer in [0, bound): as many bits as bound - 1 has, again until they fall below it."""
    bits = (bound - 1).bit_length()
    size = (bits + 7) // 8
    while True:
        value = int.from_bytes(islice(source, size), "big") >> (8 * size - bits)
        if value < bound:
            return value


def _coin(p: int, q: int, source: Iterator[int]) -> bool:
    """True with chance p/q, 0 <= p <= q."""
    if p >= q:
        return True
    while True:
        digit, p = divmod(p << 8, q)
        byte = next(source)
        if byte != digit:
            return byte < digit


def _exp_coin(p: int, q: int, source: Iterator[int]) -> bool:
    """True with chance exp(-p/q), p >= 0."""
    whole, p = divmod(p, q)
    for _ in range(whole):
        if not _exp_coin_to_one(1, 1, source):
            return False
    return _exp_coin_to_one(p, q, source)


def _exp_coin_to_one(p: int, q: int, source: Iterator[int]) -> bool:
    """True with chance exp(-p/q), 0 <= p <= q: the first failing coin of the series is an odd one."""
    k = 1
    while _coin(p, q * k, source):
        k += 1
    return k % 2 == 1


def _laplace(p: int, q: int, source: Iterator[int]) -> int:
    """Discrete Laplace of scale p/q: a geometric integer of scale p, divided by q, with a sign but without a -0."""
    while True:
        low = _below(p, source)
        if not _exp_coin_to_one(low, p, source):
            continue
        high = 0
        while _exp_coin_to_one(1, 1, source):
            high += 1
        size = (low + high * p) // q
        negative = next(source) & 1
        if size or not negative:
            return -size if negative else size


def _gaussian(p: int, q: int, source: Iterator[int]) -> int:
    """Discrete Gaussian of variance parameter p/q, by rejection from a discrete Laplace of whole scale t.

    exp(-y**2 / 2v) = exp(-|y|/t) * exp(-(|y| - v/t)**2 / 2v) * constant, with v = p/q; the middle factor is the coin.
    """
    t = isqrt(p // q) + 1
    under = 2 * p * q * t * t
    while True:
        y = _laplace(t, 1, source)
        if _exp_coin((abs(y) * t * q - p) ** 2, under, source):
            return y
