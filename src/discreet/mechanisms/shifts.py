"""Wrong answers by lot: a shift among K answers is 0 with odds of exp(ratio) against each other one, exactly.

Theory. An answer x becomes x + s modulo K. So s is noise like any other, drawn without a look at x, and right and wrong
answers have the chances that randomised response asks for. s is 0 with the chance

    1 / (1 + (K - 1) exp(-ratio))

which no float holds. A uniform real U, of which 62 bits are known, is compared with it, itself known to within two
units of the last place; where that does not decide, more bits of the same U and more places do. All other shifts are
equally likely.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import islice

from discreet.mechanisms.coins import below
from discreet.mechanisms.exponential import exp_minus
from discreet.mechanisms.lots import PLACES, Tosses

__all__ = ["shifts", "stays"]

_MORE = 64

_OFF = 2
"""How far the chance may be from its exact value, in units of the last place."""


def shifts(ratio: Fraction, answers: int, n: int, toss: Tosses, source: Iterator[int]) -> list[int]:
    """``n`` independent shifts among so many answers."""
    return [0 if stays(v, PLACES, ratio, answers, source) else 1 + below(answers - 1, source) for v in toss(n)]


def stays(v: int, places: int, ratio: Fraction, answers: int, source: Iterator[int]) -> bool:
    """Whether the uniform real whose first ``places`` bits are v lies below the chance of the right answer."""
    while True:
        bound = _chance(ratio, answers, places)
        if abs(v - bound) > _OFF:
            return v < bound
        v = v << _MORE | int.from_bytes(islice(source, _MORE // 8), "big")
        places += _MORE


@lru_cache(maxsize=64)
def _chance(ratio: Fraction, answers: int, places: int) -> int:
    """Within 2 of 2**places / (1 + (answers - 1) exp(-ratio)).

    The weight of a wrong answer is off by less than 2**-unit. So the denominator, which is 1 at least, is off by less
    than answers * 2**-unit, and the quotient by less than 2**-8 before it is cut to a whole number.
    """
    unit = places + answers.bit_length() + 8
    return (1 << places + unit) // ((1 << unit) + (answers - 1) * exp_minus(ratio, unit))
