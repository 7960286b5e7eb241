"""Exact whole numbers in, noised whole numbers out."""

from __future__ import annotations

from operator import add
from typing import TYPE_CHECKING

from discreet.mechanisms.exactness import check_whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from discreet.mechanisms import Mechanism

__all__ = ["perturb"]


def perturb(mechanism: Mechanism, values: Sequence[int]) -> list[int]:
    """Each value with fresh noise of its own; whatever is not a Python integer is refused unnamed."""
    check_whole(values)
    noise = mechanism.draw(len(values))
    if len(noise) != len(values):
        raise ValueError("every value needs a noise of its own")
    return list(map(add, values, noise))
