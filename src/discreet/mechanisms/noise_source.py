"""The only place that draws randomness: exact integers from the operating system's generator.

Theory. Both laws of noise are drawn exactly, from uniform bits, in two ways that agree in law:

- short vectors draw by draw, from coins that are decided by integers (``coins``), on the system's own bytes;
- long vectors from rectangles under and across the curve of weights (``strips``), all at once (``vectors``), on the
  key stream of AES-256 in counter mode. What floats do there is bounded, and what they leave open is decided exactly.

Every block of that stream has a key of its own, fresh from the system, and is forgotten with the call that asked for
it. Nothing is kept between blocks: a fork or a thread inherits nothing, and no seed exists that could be copied,
logged or set. No path of noise depends on what it will be added to: this file never sees it. docs/proofs has
the argument, and what is assumed of AES. What is chosen among cells is chosen as exactly (``lots``), and so are the
shifts of randomised answers (``shifts``).
"""

from __future__ import annotations

import os
from fractions import Fraction
from typing import TYPE_CHECKING

from discreet.mechanisms import coins, lots, ratios, shifts
from discreet.mechanisms.law import Law

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from discreet.mechanisms.scores import Scores

__all__ = [
    "answer_shifts",
    "discrete_gaussian",
    "discrete_laplace",
    "heads",
    "random_head",
    "random_places",
    "rounded_real",
    "secret",
    "weighted_cell",
]

_LONG = 256
"""From here on a vector is worth a table; shorter ones load neither numpy nor cryptography."""

_WIDEST = 1 << 56
"""Up to this scale all that is drawn at once fits in 64 bits; wider laws are drawn one by one."""

_BLOCK = 256
_KEY_BYTES = 16
_WORD = 8
_AES_KEY_BYTES, _AES_BLOCK_BYTES = 32, 16


def secret() -> str:
    """A fresh key of 128 bits, in hexadecimal, for one query's keyed hash."""
    return os.urandom(_KEY_BYTES).hex()


def discrete_laplace(scale: Fraction, n: int) -> list[int]:
    """``n`` independent integers, each x with a chance proportional to exp(-|x| / scale)."""
    _check(scale, n)
    if n >= _LONG and scale < _WIDEST:
        return _at_once(Law.laplace(scale), n)
    source = _random_bytes()
    return [coins.laplace(scale.numerator, scale.denominator, source) for _ in range(n)]


def discrete_gaussian(sigma_squared: Fraction, n: int) -> list[int]:
    """``n`` independent integers, each x with a chance proportional to exp(-x**2 / (2 * sigma_squared))."""
    _check(sigma_squared, n)
    if n >= _LONG and sigma_squared < _WIDEST**2:
        return _at_once(Law.gaussian(sigma_squared), n)
    source = _random_bytes()
    return [coins.gaussian(sigma_squared.numerator, sigma_squared.denominator, source) for _ in range(n)]


def weighted_cell(scores: Scores, rate: Fraction) -> int:
    """One cell, with a chance proportional to exp(-rate * distance)."""
    return lots.by_weight(scores, rate, _random_bytes())


def random_head(scores: Scores, rate: Fraction) -> int:
    """One of the cells whose coins, each of chance exp(-rate * distance), show heads."""
    return lots.by_coins(scores, rate, _tosses, _random_bytes())


def answer_shifts(ratio: Fraction, answers: int, n: int) -> list[int]:
    """``n`` independent integers modulo ``answers``: 0 with odds of exp(ratio) against each other one."""
    _check(ratio, n)
    if type(answers) is not int or answers < 2:
        raise ValueError("a shift needs two answers at least")
    return shifts.shifts(ratio, answers, n, _tosses, _random_bytes())


def random_places(of: int, number: int) -> list[int]:
    """So many different places of 0 to ``of - 1``, each set of them as likely."""
    return lots.some(of, number, _random_bytes())


def rounded_real(scale: Fraction, inside: ratios.Inside, most: int) -> int:
    """``scale`` times one real of a law, rounded to the nearest whole number and cut off at ``most`` either way."""
    _check(scale, 1)
    return ratios.rounded(scale, inside, most, _random_bytes())


def heads(chance: Callable[[int], tuple[int, int]], n: int) -> list[bool]:
    """``n`` independent coins; ``chance(places)`` has whole numbers around 2**places times the chance of heads."""
    low, high = chance(lots.PLACES)
    source = _random_bytes()
    return [v < low or (v <= high and coins.falls_below(v, lots.PLACES, chance, source)) for v in _tosses(n)]


def _tosses(n: int) -> Sequence[int]:
    """Uniform integers of ``lots.PLACES`` bits: views of it are no copies."""
    return memoryview(_random_block(_WORD * n)).cast("Q")


def _check(spread: Fraction, n: int) -> None:
    """Refuse what has no exact law: floats, and spreads that are not positive."""
    if type(spread) is not Fraction or type(n) is not int:
        raise TypeError("noise takes an exact Fraction and a whole count")
    if spread <= 0 or n < 0:
        raise ValueError("noise needs a positive spread and a count of at least 0")


def _at_once(law: Law, n: int) -> list[int]:
    from discreet.mechanisms import vectors

    return vectors.draw(law, n, vectors.Randomness(_random_block, _random_bytes()))


def _random_bytes() -> Iterator[int]:
    """Endless uniform bytes of the system's; what was fetched lives no longer than the call that reads it."""
    while True:
        yield from os.urandom(_BLOCK)


def _random_block(size: int) -> bytes:
    """The first bytes of the key stream of AES-256 in counter mode, under a key that is used for this block alone."""
    from cryptography.hazmat.primitives.ciphers import Cipher
    from cryptography.hazmat.primitives.ciphers.algorithms import AES
    from cryptography.hazmat.primitives.ciphers.modes import CTR

    cipher = Cipher(AES(os.urandom(_AES_KEY_BYTES)), CTR(bytes(_AES_BLOCK_BYTES)))
    return cipher.encryptor().update(bytes(size))
