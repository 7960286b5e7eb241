"""How values are written in an entry: exact, canonical and readable without this program.

Fractions are "p/q", times are ISO 8601 in UTC, events are objects named by their kind. A kind, once
written, keeps its name and fields for ever. Equal values give equal bytes, which the hash needs.
"""

from __future__ import annotations

import json
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from discreet.errors import LedgerError
from discreet.ledger.events import (
    AboveThreshold,
    Charge,
    Event,
    ExponentialChoice,
    FineGaussianNoise,
    GaussianNoise,
    KeyThreshold,
    LaplaceNoise,
    PermuteAndFlipChoice,
    RandomisedAnswer,
    SharpenedFineGaussian,
    SharpenedGaussian,
    SharpenedLaplace,
    SmoothNoise,
    StabilityThreshold,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = [
    "Body",
    "canonical",
    "read_charge",
    "read_events",
    "read_time",
    "write_charge",
    "write_events",
    "write_length",
    "write_time",
]

Body = dict[str, Any]
"""The content of an entry, as JSON has it."""

KINDS: dict[str, type[Event]] = {
    "above-threshold": AboveThreshold,
    "exponential": ExponentialChoice,
    "fine-gaussian": FineGaussianNoise,
    "gaussian": GaussianNoise,
    "key-threshold": KeyThreshold,
    "laplace": LaplaceNoise,
    "permute-and-flip": PermuteAndFlipChoice,
    "randomised-response": RandomisedAnswer,
    "smooth-noise": SmoothNoise,
    "stability-threshold": StabilityThreshold,
    "sharpened-fine-gaussian": SharpenedFineGaussian,
    "sharpened-gaussian": SharpenedGaussian,
    "sharpened-laplace": SharpenedLaplace,
}
NAMES: dict[type, str] = {kind: name for name, kind in KINDS.items()}


def canonical(value: object) -> str:
    """The one JSON text of a value: sorted keys, no spaces, ASCII alone."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def write_events(events: Iterable[Event]) -> list[dict[str, str]]:
    return [_write_event(event) for event in events]


def _write_event(event: Event) -> dict[str, str]:
    if type(event) not in NAMES:
        raise LedgerError("unknown-event", f"the ledger has no name for {type(event).__name__}")
    numbers = {each.name: str(getattr(event, each.name)) for each in fields(event)}
    return {"kind": NAMES[type(event)], **numbers}


def read_events(written: Iterable[Mapping[str, str]]) -> tuple[Event, ...]:
    return tuple(_read_event(each) for each in written)


def _read_event(written: Mapping[str, str]) -> Event:
    kind = KINDS.get(written["kind"])
    if kind is None:
        raise LedgerError("unknown-event", f"the ledger holds an event of unknown kind {written['kind'][:40]!r}")
    return kind(**{name: Fraction(number) for name, number in written.items() if name != "kind"})


def write_charge(charge: Charge) -> dict[str, str]:
    return {"amount": str(charge.amount), "delta": str(charge.delta)}


def read_charge(written: Mapping[str, str]) -> Charge:
    return Charge(Fraction(written["amount"]), Fraction(written["delta"]))


def write_time(moment: datetime) -> str:
    if moment.tzinfo is None:
        raise ValueError("the ledger's clock must tell its time zone")
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def read_time(written: str) -> datetime:
    return datetime.fromisoformat(written)


def write_length(length: timedelta | None) -> str | None:
    """A length of time as the policy writes it: 30d, 12h, 90s."""
    if length is None:
        return None
    seconds = length // timedelta(seconds=1)
    for unit, size in (("d", 86_400), ("h", 3_600), ("m", 60)):
        if seconds % size == 0:
            return f"{seconds // size}{unit}"
    return f"{seconds}s"
