"""A price in the terms that people compare."""

from __future__ import annotations

from dataclasses import dataclass

from discreet.ledger.accountants import accountant
from discreet.ledger.events import Charge

__all__ = ["FREE", "Cost", "cost_of"]


@dataclass(frozen=True, slots=True)
class Cost:
    """A price in the terms that people compare: under zCDP epsilon is that of one pure mechanism of this rho."""

    epsilon: float
    rho: float
    delta: float

    def to_dict(self) -> dict[str, float]:
        return {"epsilon": self.epsilon, "rho": self.rho, "delta": self.delta}

    def __str__(self) -> str:
        extra = f", delta {self.delta:.3g}" if self.delta else ""
        return f"epsilon {self.epsilon:.4g}{extra}"


FREE = Cost(0.0, 0.0, 0.0)


def cost_of(charge: Charge, accounting: str) -> Cost:
    epsilon = accountant(accounting).epsilon(charge.amount)
    rho = float(charge.amount) if accounting == "zcdp" else epsilon**2 / 2
    return Cost(float(f"{epsilon:.12g}"), float(f"{rho:.12g}"), float(charge.delta))
