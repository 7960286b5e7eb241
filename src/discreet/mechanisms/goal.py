"""How sharp the numbers of an answer shall be, as half widths at 95 %.

100              within ±100, in the units of the column
"5% of 10000"    the same as 500: a share of a number that the analyst names
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Self

from discreet.errors import Refused
from discreet.ledger.amount import parse_accuracy

__all__ = ["Goal", "parse_goal"]

_RELATIVE = re.compile(r"\s*(?P<percent>[^\s%]+)\s*%\s*(?:of\s+(?P<base>\S+)\s*)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Goal:
    """Every number has a half width of ``least`` at most."""

    least: Fraction

    def __str__(self) -> str:
        return f"±{float(self.least):.6g}"

    def written(self) -> str:
        """Exactly, as the ledger keeps it."""
        return f"accuracy {self.least}"

    @classmethod
    def read(cls, written: str) -> Self:
        return cls(Fraction(written.removeprefix("accuracy ")))


def parse_goal(value: object) -> Goal:
    """A wanted accuracy as a caller gave it, exactly."""
    found = _RELATIVE.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        return Goal(parse_accuracy(value))
    share = parse_accuracy(found["percent"]) / 100
    if found["base"] is None:
        hint = 'name an absolute half width at 95 %, such as accuracy=100, or a base, such as "5% of 2000"'
        raise Refused("accuracy-unknown", "an accuracy in percent depends on the data", hint)
    return Goal(share * parse_accuracy(found["base"]))
