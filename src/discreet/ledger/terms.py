"""What the owner grants: the caps, for whom, and for how long. It is written when it changes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from discreet.ledger.written import read_charge, write_charge

if TYPE_CHECKING:
    from collections.abc import Mapping

    from discreet.ledger.events import Charge
    from discreet.ledger.written import Body

__all__ = ["DATASET", "Terms", "owner_of", "scope_of"]

DATASET = "dataset"
"""The account that every statement is charged to."""


def scope_of(analyst: str) -> str:
    """The account of one analyst's quota."""
    return f"analyst:{analyst}"


def owner_of(analyst: str | None) -> str:
    """Whose a watch is: an analyst's own, or (of nobody in particular) the dataset's."""
    return DATASET if analyst is None else scope_of(analyst)


@dataclass(frozen=True, slots=True)
class Terms:
    """The caps of one policy; ``renew`` is the length of a period, in whole seconds."""

    policy: str
    capacity: Charge
    quotas: Mapping[str, Charge]
    renew: timedelta | None

    def __post_init__(self) -> None:
        if self.renew is not None and (self.renew < timedelta(seconds=1) or self.renew.microseconds):
            raise ValueError("a budget renews after a whole number of seconds, at least one")

    @property
    def caps(self) -> dict[str, Charge]:
        """Every account that these terms open, with its cap."""
        return {DATASET: self.capacity} | {scope_of(name): quota for name, quota in self.quotas.items()}

    def scopes(self, analyst: str | None) -> tuple[str, ...]:
        """The accounts that a statement of this analyst is charged to."""
        return (DATASET, scope_of(analyst)) if analyst is not None and analyst in self.quotas else (DATASET,)

    def to_json(self) -> Body:
        return {
            "policy": self.policy,
            "capacity": write_charge(self.capacity),
            "quotas": {name: write_charge(quota) for name, quota in self.quotas.items()},
            "renew": None if self.renew is None else self.renew // timedelta(seconds=1),
        }

    @classmethod
    def from_json(cls, written: Mapping[str, Any]) -> Terms:
        return cls(
            policy=written["policy"],
            capacity=read_charge(written["capacity"]),
            quotas={name: read_charge(quota) for name, quota in written["quotas"].items()},
            renew=None if written["renew"] is None else timedelta(seconds=written["renew"]),
        )
