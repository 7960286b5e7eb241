"""What a question is allowed to spend, in the dataset's currency: what an answer is kept under, too."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Self

from discreet.mechanisms.goal import Goal

__all__ = ["Spend"]


@dataclass(frozen=True, slots=True)
class Spend:
    """An amount that is spent, or a goal that is to be met for an amount at most (None: whatever it takes)."""

    amount: Fraction | None
    goal: Goal | None = None

    def __str__(self) -> str:
        """For the ledger: equal spends have equal texts, and ``read`` gives them back."""
        return str(self.amount) if self.goal is None else f"{self.goal.written()} for {self.amount}"

    @classmethod
    def read(cls, text: str) -> Self:
        goal, _, amount = text.rpartition(" for ")
        return cls(None if amount == "None" else Fraction(amount), Goal.read(goal) if goal else None)
