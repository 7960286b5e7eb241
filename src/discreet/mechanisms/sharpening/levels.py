"""How sharp each step is: whole numbers, of which twelve double, so that prices and weights are exact."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

__all__ = ["LEVELS", "SHARPEST", "apart"]

_OCTAVE = (64, 68, 72, 76, 81, 85, 91, 96, 102, 108, 114, 121)
"""64 times the powers of the twelfth root of two, rounded."""

_OCTAVES = 12

LEVELS = (*(level << octave for octave in range(_OCTAVES) for level in _OCTAVE), _OCTAVE[0] << _OCTAVES)
"""The noise of a step falls as one over its level: from the first to the last to a four thousandth."""

SHARPEST = Fraction(1, 8)
"""In grid steps: noise of that scale is nought for nearly every number, so none is made sharper."""


def apart(levels: Sequence[int], widths: Sequence[int]) -> tuple[int, ...]:
    """The levels at which a width falls, and the last: on a grid, many a step would take nothing off it."""
    falls = [step for step in range(len(levels)) if step == 0 or widths[step] < widths[step - 1]]
    return tuple(levels[step] for step in dict.fromkeys([*falls, len(levels) - 1]))
