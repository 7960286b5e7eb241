"""Released values as JSON: what it has no form for stands under the name of its type."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from discreet.plan.types import Value

__all__ = ["read_written", "written"]


def written(value: object) -> dict[str, str]:
    match value:
        case dt.datetime():
            return {"timestamp": value.isoformat()}
        case dt.date():
            return {"date": value.isoformat()}
        case Decimal():
            return {"decimal": str(value)}
        case _:
            return {"text": str(value)}


READERS: dict[str, Callable[[str], Value]] = {
    "timestamp": dt.datetime.fromisoformat,
    "date": dt.date.fromisoformat,
    "decimal": Decimal,
    "text": str,
}


def read_written(found: dict[str, Any]) -> Any:
    [(kind, text)] = found.items() if len(found) == 1 else [("", "")]
    return READERS[kind](text) if kind in READERS else found
