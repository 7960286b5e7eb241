"""The accountants: one file each, and each with a proof note of its own in docs/proofs.

A dataset is kept under one accountant for ever: taking the smaller of two results is not sound
when the analyst adapts. To add one, write its file, its proof note, and its line in ACCOUNTANTS.
"""

from __future__ import annotations

from discreet.errors import LedgerError
from discreet.ledger.accountants.gdp import DECAYING, GDP, SLOTS
from discreet.ledger.accountants.protocol import Accountant
from discreet.ledger.accountants.pure import PURE
from discreet.ledger.accountants.zcdp import ZCDP

__all__ = ["ACCOUNTANTS", "Accountant", "accountant"]

ACCOUNTANTS: dict[str, Accountant] = {
    "decaying": DECAYING,
    "gdp": GDP,
    "pure": PURE,
    "slots": SLOTS,
    "zcdp": ZCDP,
}


def accountant(name: str) -> Accountant:
    """The accountant of this name, as the policy spells it."""
    if name not in ACCOUNTANTS:
        known = ", ".join(f'"{each}"' for each in ACCOUNTANTS)
        raise LedgerError("unknown-accounting", f"there is no accounting {name[:40]!r}", f"use one of {known}")
    return ACCOUNTANTS[name]
