"""Real noise of a few laws, exactly, rounded to whole steps: as many digits are drawn as the step needs.

Theory. Let (U, V) be uniform on the set of all u > 0 and v with u <= sqrt(h(v / u)). Then V / U has a density
proportional to h (Kinderman and Monahan 1977). For the three densities here the set lies in 0 < u <= 1, -1 <= v <= 1:

- 1 / (1 + z**2): u**2 + v**2 <= 1, half a disc;
- exp(-|z|): u <= exp(-|v| / 2u);
- exp(-z**2 / 2): u <= exp(-v**2 / 4u**2).

U and |V| are uniform reals of which some bits are known. Whether they lie in the set, and to which whole number
``scale * V / U`` is rounded, is decided where every real with these bits agrees; until then both get more bits. So no
real is ever rounded before it is known, and what comes out is the rounded real noise itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import islice

from discreet.mechanisms.exponential import exp_minus

__all__ = ["Inside", "rounded", "under_cauchy", "under_gaussian", "under_laplace"]

_BITS = 64

Inside = Callable[[int, int, int], bool | None]
"""Whether all, or none (or only some: None) of the reals whose first bits are u and v lie in the set."""


def rounded(scale: Fraction, inside: Inside, most: int, source: Iterator[int]) -> int:
    """The nearest whole number to ``scale`` times a real of the law, but for those past ``most``, which become it."""
    while True:
        negative = next(source) & 1
        found = _size(scale, inside, most, source)
        if found is not None:
            return -found if negative else found


def _size(scale: Fraction, inside: Inside, most: int, source: Iterator[int]) -> int | None:
    """One pair of reals: None where it falls outside."""
    u = v = places = 0
    accepted = None
    while True:
        u, v, places = _longer(u, source), _longer(v, source), places + _BITS
        accepted = inside(u, v, places) if accepted is None else accepted
        if accepted is False:
            return None
        if accepted and u:
            least, greatest = _nearest(scale, v, u + 1, most), _nearest(scale, v + 1, u, most)
            if least == greatest:
                return least


def _nearest(scale: Fraction, v: int, u: int, most: int) -> int:
    return min(most, (2 * scale.numerator * v + scale.denominator * u) // (2 * scale.denominator * u))


def _longer(number: int, source: Iterator[int]) -> int:
    return number << _BITS | int.from_bytes(islice(source, _BITS // 8), "big")


def under_cauchy(u: int, v: int, places: int) -> bool | None:
    one = 1 << 2 * places
    if (u + 1) ** 2 + (v + 1) ** 2 <= one:
        return True
    return False if u * u + v * v >= one else None


def under_laplace(u: int, v: int, places: int) -> bool | None:
    return _under(u, places, Fraction(v, 2 * (u + 1)), Fraction(v + 1, 2 * u) if u else None)


def under_gaussian(u: int, v: int, places: int) -> bool | None:
    low, high = Fraction(v, 2 * (u + 1)), Fraction(v + 1, 2 * u) if u else None
    return _under(u, places, low * low, None if high is None else high * high)


def _under(u: int, places: int, least: Fraction, greatest: Fraction | None) -> bool | None:
    """Whether u is below exp(-x), for an x of which these are bounds; a computed power is off by a unit at most."""
    if u >= exp_minus(least, places) + 1:
        return False
    return True if greatest is not None and u + 1 <= exp_minus(greatest, places) - 1 else None
