"""How sharp the numbers of an answer shall be, as half widths at 95 %.

100              within ±100, in the units of the column
"5% of 10000"    the same as 500: a share of a number that the analyst names
"5%"             within a twentieth of the released number itself
"5% or 20"       ... or within ±20, whichever is the wider: numbers near nought can never be within 5 %
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Self

from discreet.errors import Refused
from discreet.ledger.amount import parse_accuracy

__all__ = ["Goal", "parse_goal"]

_RELATIVE = re.compile(r"\s*(?P<percent>[^\s%]+)\s*%\s*(?:(?P<how>of|or)\s+(?P<number>\S+)\s*)?", re.IGNORECASE)
_FINEST, _WIDEST = Fraction(1, 10_000), Fraction(1)


@dataclass(frozen=True, slots=True)
class Goal:
    """A half width of at most ``share`` of the number, or of at most ``least``."""

    least: Fraction
    share: Fraction = Fraction(0)

    def __str__(self) -> str:
        """As it may be asked for."""
        least = f"±{float(self.least):.6g}"
        if not self.share:
            return least
        return f"{float(self.share * 100):.6g}%" + (f" or {least}" if self.least else "")

    def met(self, value: Fraction | float, half_width: Fraction | float) -> bool:
        return half_width <= max(self.share * abs(Fraction(value)), self.least)

    def written(self) -> str:
        """Exactly, as the ledger keeps it."""
        return f"accuracy {self.least} {self.share}"

    @classmethod
    def read(cls, written: str) -> Self:
        _, least, share = written.split()
        return cls(Fraction(least), Fraction(share))


def parse_goal(value: object) -> Goal:
    """A wanted accuracy as a caller gave it, exactly."""
    found = _RELATIVE.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        return Goal(parse_accuracy(value))
    share, how = parse_accuracy(found["percent"]) / 100, (found["how"] or "").lower()
    if how == "of":
        return Goal(share * parse_accuracy(found["number"]))
    if not _FINEST <= share <= _WIDEST:
        raise Refused(
            "bad-price", "this is not a usable accuracy: it is out of range", "give 0.01% to 100%, such as 5%"
        )
    return Goal(parse_accuracy(found["number"]) if how else Fraction(0), share)
