"""The exponential mechanism: the chance of a cell falls by one factor for each step away from what is wanted."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, log
from typing import TYPE_CHECKING, ClassVar, Self

from discreet.accounting.gaussian_dp import pure_below
from discreet.ledger.events import ExponentialChoice
from discreet.mechanisms import noise_source
from discreet.mechanisms.exactness import check_price
from discreet.mechanisms.rounding import sqrt_down

if TYPE_CHECKING:
    from discreet.mechanisms.scores import Scores

__all__ = ["Exponential", "slack"]


@dataclass(frozen=True, slots=True)
class Exponential:
    """A chance proportional to exp(-rate * distance)."""

    name: ClassVar[str] = "exponential"
    rate: Fraction
    event: ExponentialChoice

    @classmethod
    def calibrate(cls, moved: int, amount: Fraction, accounting: str) -> Self:
        """The sharpest choice at this price, where a unit moves no two distances apart by more than ``moved``."""
        check_price(amount)
        ratio = _largest_ratio(amount, accounting)
        return cls(ratio / moved, ExponentialChoice(ratio))

    def slack(self, cells: int, miss: float) -> int:
        """The distance that the cell chosen among so many has or passes with a chance of at most ``miss``."""
        return slack(self.rate, cells, miss)

    def choose(self, scores: Scores) -> int:
        return noise_source.weighted_cell(scores, self.rate)


def slack(rate: Fraction, cells: int, miss: float) -> int:
    """Weights of cells at distance s or more add up to at most cells * exp(-rate * s), beside one cell of weight 1."""
    return ceil(log(cells / miss) / float(rate)) + 1


def _largest_ratio(amount: Fraction, accounting: str) -> Fraction:
    """The largest r that is charged at most ``amount``: pure charges r, zCDP min(r**2 / 8, r)."""
    match accounting:
        case "pure":
            return amount
        case "gdp":
            return 2 * pure_below(amount)
        case "zcdp":
            return amount if amount >= 8 else sqrt_down(8 * amount)
        case _:
            raise ValueError(f"no rule that calibrates the exponential mechanism under {accounting!r} accounting")
