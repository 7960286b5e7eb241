"""What every accountant can do, and how it says that it does not know an event."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Protocol

from discreet.errors import LedgerError
from discreet.ledger.events import Charge

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from discreet.ledger.events import Event

__all__ = ["Accountant", "add_up", "check_budget", "unknown_event"]


class Accountant(Protocol):
    """A currency: how it is bought with (epsilon, delta), and what each event costs in it."""

    @property
    def name(self) -> str: ...
    @property
    def currency(self) -> str:
        """What amounts are of; accountings of one currency price every event alike."""
        ...

    def capacity(self, epsilon: Fraction, delta: Fraction, keys_delta: Fraction) -> Charge:
        """All that may ever be spent under the promise (epsilon, delta)."""
        ...

    def keys_share(self, delta: Fraction) -> Fraction:
        """How much of a promise's delta is set aside for private keys and mechanisms that need some."""
        ...

    def at_once(self, left: Fraction, cap: Fraction) -> Fraction:
        """The most that one question may take of what is left of a cap."""
        ...

    def charge(self, events: Sequence[Event]) -> Charge:
        """What the events cost together, exactly; an event that is not known is refused."""
        ...

    def price(self, epsilon: Fraction) -> Fraction:
        """The amount that a statement of this price may use."""
        ...

    def epsilon(self, amount: Fraction) -> float:
        """The price whose amount this is, rounded down: for people to read."""
        ...

    def guarantee(self, spent: Charge, delta: Fraction) -> float:
        """The total epsilon so far at ``delta``, rounded up: for people to read."""
        ...


def add_up(events: Sequence[Event], cost: Callable[[Event], Charge]) -> Charge:
    """The sum of the events' costs. An event that would give budget back is none that we know."""
    total = Charge(Fraction(0))
    for event in events:
        part = cost(event)
        if part.amount < 0 or part.delta < 0:
            raise LedgerError("bad-charge", f"the event {event!r} has a negative cost")
        total += part
    return total


def check_budget(epsilon: Fraction, delta: Fraction, keys_delta: Fraction) -> None:
    """A promise needs 0 < epsilon and 0 <= keys_delta <= delta < 1."""
    if epsilon <= 0:
        raise ValueError(f"the budget's epsilon must be above zero, not {epsilon}")
    if not 0 <= delta < 1:
        raise ValueError(f"the budget's delta must be at least zero and below one, not {delta}")
    if not 0 <= keys_delta <= delta:
        raise ValueError(f"the share of delta for private keys must lie between zero and delta, not {keys_delta}")


def unknown_event(accountant: str, event: object) -> LedgerError:
    """An accountant prices only what it has a proof for."""
    return LedgerError(
        "unknown-event",
        f"{accountant} accounting has no price for {type(event).__name__}",
        "use a mechanism that this accounting knows, or keep the dataset under another accounting",
    )
