"""Discreet: differentially private SQL for Python.

    import discreet

    db = discreet.connect("discreet.toml")
    r = db.query("SELECT city, COUNT(*) AS n FROM users GROUP BY city", epsilon=0.5)
    r.intervals(0.95), r.cost, r.remaining, r.receipt

Names are loaded when they are used, so that ``import discreet`` is quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from discreet import accounting
    from discreet.errors import BudgetExhausted, DiscreetError, EngineError, LedgerError, PolicyError, Refused
    from discreet.mechanisms.explanation import Cost, Explanation
    from discreet.mechanisms.watch_explanation import WatchExplanation
    from discreet.policy.model import Policy
    from discreet.release import BatchExplanation, Interval, Observation, Release, View
    from discreet.session import Database, Watch, connect

__version__ = "0.1.0"

__all__ = [
    "BatchExplanation",
    "BudgetExhausted",
    "Cost",
    "Database",
    "DiscreetError",
    "EngineError",
    "Explanation",
    "Interval",
    "LedgerError",
    "Observation",
    "Policy",
    "PolicyError",
    "Refused",
    "Release",
    "View",
    "Watch",
    "WatchExplanation",
    "accounting",
    "connect",
]

_HOMES = {
    "BatchExplanation": "discreet.release",
    "BudgetExhausted": "discreet.errors",
    "Cost": "discreet.mechanisms.explanation",
    "Database": "discreet.session",
    "DiscreetError": "discreet.errors",
    "EngineError": "discreet.errors",
    "Explanation": "discreet.mechanisms.explanation",
    "Interval": "discreet.release",
    "LedgerError": "discreet.errors",
    "Observation": "discreet.release",
    "Policy": "discreet.policy.model",
    "PolicyError": "discreet.errors",
    "Refused": "discreet.errors",
    "Release": "discreet.release",
    "View": "discreet.release",
    "Watch": "discreet.session",
    "WatchExplanation": "discreet.mechanisms.watch_explanation",
    "connect": "discreet.session",
}


def __getattr__(name: str) -> object:
    if name == "accounting":
        return import_module("discreet.accounting")
    if name not in _HOMES:
        raise AttributeError(f"module 'discreet' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
