"""Every way in which Discreet says no.

    DiscreetError
    ├── PolicyError          the owner's file: code, message, hint, file, line
    ├── Refused              the analyst's question: code, message, hint, line, column
    │   └── BudgetExhausted  ... and what is left
    ├── EngineError          the database failed; one constant text, whatever happened
    └── LedgerError          the ledger cannot be used, or its chain is broken

A refusal is made from public things alone: the text of the question, the policy and the
schema. Nothing that was read from a private row may reach a message; that is why an
EngineError carries no cause that a caller could print.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["BudgetExhausted", "DiscreetError", "EngineError", "LedgerError", "PolicyError", "Refused", "Span"]


@dataclass(frozen=True, slots=True)
class Span:
    """A place in the analyst's text, both counted from one."""

    line: int
    column: int


class DiscreetError(Exception):
    """The root: catch this to catch everything that Discreet raises on purpose."""

    code = "error"


class PolicyError(DiscreetError):
    """The policy file cannot be used as it stands."""

    def __init__(
        self, code: str, message: str, hint: str = "", *, file: Path | str | None = None, line: int | None = None
    ) -> None:
        self.code, self.message, self.hint, self.file, self.line = code, message, hint, file, line
        super().__init__(str(self))

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}: " if self.line else f"{self.file}: " if self.file else ""
        return f"{place}{self.message}" + (f"\nhint: {self.hint}" if self.hint else "")


class Refused(DiscreetError):
    """The question is not answerable as asked; nothing was charged."""

    def __init__(self, code: str, message: str, hint: str = "", span: Span | None = None) -> None:
        self.code, self.message, self.hint = code, message, hint
        self.line = span.line if span else None
        self.column = span.column if span else None
        super().__init__(str(self))

    def __str__(self) -> str:
        place = f"line {self.line}, column {self.column}: " if self.line else ""
        return f"{place}{self.message} [{self.code}]" + (f"\nhint: {self.hint}" if self.hint else "")

    def to_dict(self) -> dict[str, str | int | None]:
        return {
            "code": self.code,
            "message": self.message,
            "hint": self.hint,
            "line": self.line,
            "column": self.column,
        }


class BudgetExhausted(Refused):
    """The price is more than what is left; nothing was charged and no data was read."""

    def __init__(self, message: str, hint: str = "", *, remaining: object = None) -> None:
        super().__init__("budget-exhausted", message, hint)
        self.remaining = remaining


class EngineError(DiscreetError):
    """The database could not run the question. The text never varies: a message is an output."""

    code = "engine"
    TEXT = "the engine could not answer; the price stays spent and the details are withheld"

    def __init__(self) -> None:
        super().__init__(self.TEXT)


class LedgerError(DiscreetError):
    """The ledger is missing, locked, damaged or belongs to another dataset."""

    def __init__(self, code: str, message: str, hint: str = "") -> None:
        self.code, self.message, self.hint = code, message, hint
        super().__init__(message + (f"\nhint: {hint}" if hint else ""))
