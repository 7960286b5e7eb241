"""What one pick may cost, and what is said where that does not suffice."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from discreet.errors import Refused
from discreet.mechanisms import Mechanism
from discreet.mechanisms.permute_and_flip import PermuteAndFlip
from discreet.mechanisms.sharpest import sharpest_noise
from discreet.privacy.bounded import Pick

__all__ = ["Terms", "inner_share"]


@dataclass(frozen=True, slots=True)
class Terms:
    """A price for all groups together, of which a unit touches ``groups``."""

    amount: Fraction
    accounting: str
    groups: int
    delta: Fraction | None = None
    proposal: Fraction | None = None

    def epsilon(self, amount: Fraction) -> Fraction:
        """What each group may have of it: (epsilon, delta) costs what a pure choice of this epsilon does, and delta."""
        return PermuteAndFlip.calibrate(1, amount / self.groups, self.accounting).event.ratio

    def noise(self, moved: int, amount: Fraction) -> Mechanism:
        """For a number that a unit moves so far in each of its groups."""
        l1, l2_squared = self.groups * moved, self.groups * moved**2
        found = sharpest_noise(l1, l2_squared, amount, self.accounting)
        assert found is not None
        return found

    def need_delta(self, name: str, pick: Pick) -> Fraction:
        if self.delta is None:
            raise Refused(
                "no-delta",
                f"{name} needs a delta, and none is named, or none is kept for that in the account",
                "the owner can write per_query = { epsilon = 0.1, delta = 1e-9 }; with [keys] there, pass delta=1e-9",
                pick.span,
            )
        return self.delta


def inner_share(pick: Pick, name: str) -> Fraction:
    """The share of an inner quantile, which is all that these mechanisms can say something of."""
    if pick.share is None:
        message = f"{name} cannot release a MODE: there is no distance between its values"
        raise Refused("wrong-mechanism", message, "name stable, exponential or permute-and-flip, or none", pick.span)
    if pick.share in (0, 1):
        message = f"{name} cannot release a MIN or a MAX: one more row could always lie at the end of the range"
        raise Refused("wrong-mechanism", message, "name none; or ask for a quantile such as 0.99", pick.span)
    return pick.share
