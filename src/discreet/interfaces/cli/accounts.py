"""Amounts of the ledger as people read them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from discreet.ledger.balance import Account
    from discreet.mechanisms.explanation import Cost

__all__ = ["Purse", "purse_of"]


@dataclass(frozen=True, slots=True)
class Purse:
    """One account: each amount told as the dearest single question that it would pay for."""

    name: str
    cap: Cost
    spent: Cost
    left: Cost
    share_left: float

    def to_dict(self) -> dict[str, Any]:
        return {
            "cap": self.cap.to_dict(),
            "spent": self.spent.to_dict(),
            "left": self.left.to_dict(),
            "share_left": self.share_left,
        }


def purse_of(name: str, account: Account, accounting: str) -> Purse:
    from discreet.mechanisms.explanation import cost_of

    left, cap = account.remaining, account.cap
    share = float(left.amount / cap.amount) if cap.amount else 0.0
    costs = [cost_of(charge, accounting) for charge in (cap, account.spent, left)]
    return Purse(name, costs[0], costs[1], costs[2], share)
