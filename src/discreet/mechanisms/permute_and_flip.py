"""Permute-and-flip: never worse than the exponential mechanism of the same epsilon, and dearer under zCDP."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, Self

from discreet.accounting.gaussian_dp import pure_below
from discreet.ledger.events import PermuteAndFlipChoice
from discreet.mechanisms import noise_source
from discreet.mechanisms.exactness import check_price
from discreet.mechanisms.exponential_choice import slack
from discreet.mechanisms.rounding import sqrt_down

if TYPE_CHECKING:
    from discreet.mechanisms.scores import Scores

__all__ = ["PermuteAndFlip"]


@dataclass(frozen=True, slots=True)
class PermuteAndFlip:
    """A random one of the cells whose coins, of chance exp(-rate * distance), show heads."""

    name: ClassVar[str] = "permute-and-flip"
    rate: Fraction
    event: PermuteAndFlipChoice

    @classmethod
    def calibrate(cls, moved: int, amount: Fraction, accounting: str) -> Self:
        """The sharpest choice that is charged at most ``amount``; ``moved`` is as for the exponential mechanism."""
        check_price(amount)
        ratio = _largest_ratio(amount, accounting)
        return cls(ratio / moved, PermuteAndFlipChoice(ratio))

    def slack(self, cells: int, miss: float) -> int:
        """The distance that the cell chosen among so many has or passes with a chance of at most ``miss``."""
        return slack(self.rate, cells, miss)

    def choose(self, scores: Scores) -> int:
        return noise_source.random_head(scores, self.rate)


def _largest_ratio(amount: Fraction, accounting: str) -> Fraction:
    """The largest r that is charged at most ``amount``: pure charges r, zCDP min(r**2 / 2, r)."""
    match accounting:
        case "pure":
            return amount
        case "gdp":
            return pure_below(amount)
        case "zcdp":
            return amount if amount >= 2 else sqrt_down(2 * amount)
        case _:
            raise ValueError(f"no rule that calibrates permute-and-flip under {accounting!r} accounting")
