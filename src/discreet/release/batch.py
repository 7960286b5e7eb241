"""What a batch would release and cost, and how its counting queries would best be answered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from discreet.mechanisms.explanation import Cost, Explanation

if TYPE_CHECKING:
    from discreet.errors import Refused
    from discreet.mechanisms.list_plan import ListPlan

__all__ = ["BatchExplanation"]

FREE = Cost(0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class BatchExplanation:
    """``verdict`` is "answer" or "refuse"; a refusal has an error, and nothing is planned."""

    statements: tuple[Explanation, ...] = ()
    """Each as the batch would answer it."""
    lists: tuple[ListPlan, ...] = ()
    """Statements that are counting queries over one relation, and the ways to answer all of them together."""
    notes: tuple[str, ...] = ()
    """Why other statements are answered for themselves."""
    cost: Cost = FREE

    error: Refused | None = None
    refused: int | None = None
    """The number, from one on, of the first statement that cannot be asked at any price."""

    @property
    def verdict(self) -> Literal["answer", "refuse"]:
        return "refuse" if self.error else "answer"

    def to_dict(self) -> dict[str, Any]:
        return {
            "verdict": self.verdict,
            "error": self.error.to_dict() if self.error else None,
            "refused": self.refused,
            "statements": [each.to_dict() for each in self.statements],
            "lists": [each.to_dict() for each in self.lists],
            "notes": list(self.notes),
            "cost": self.cost.to_dict(),
        }

    def __rich__(self) -> Any:
        from discreet.release.show_batch import batch_table

        return batch_table(self)

    def __repr__(self) -> str:
        from discreet.release.show_batch import batch_text

        return batch_text(self)
