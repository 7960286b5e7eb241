"""From the reservation to the release: what is asked is paid for once, run, kept, and repeated for nothing."""

from __future__ import annotations

from fractions import Fraction

from discreet.errors import BudgetExhausted, EngineError
from discreet.ledger import Answer, Ledger, Reservation
from discreet.ledger.bundle import pack, unpack
from discreet.ledger.events import Charge, Event
from discreet.ledger.written import write_events
from discreet.mechanisms.explanation import Cost, cost_of
from discreet.mechanisms.noise_source import secret
from discreet.policy.model import Policy
from discreet.release import Groups, Release, draw
from discreet.session.fetching import Fetcher
from discreet.session.planning import Planner, Prepared, joined

__all__ = ["Desk"]


class Desk:
    """Where one analyst's questions are paid for and answered."""

    def __init__(self, policy: Policy, analyst: str | None, planner: Planner, fetcher: Fetcher, ledger: Ledger) -> None:
        self._policy, self._analyst = policy, analyst
        self._planner, self._fetcher, self._ledger = planner, fetcher, ledger

    def answer(self, asked: list[Prepared]) -> list[Release]:
        """Pay once for all that is asked, run it, and keep the answers; or give what was released before."""
        question = asked[0].question if len(asked) == 1 else joined([each.question for each in asked])
        price = ",".join(each.price for each in asked)
        version = self._fetcher.version()
        before = self._before(asked, question, None if self._policy.budget.accounting == "decaying" else price, version)
        if before is not None:
            return before
        try:
            reservation = self._reserve(asked, question, price, version)
        except BudgetExhausted as error:
            return self._exhausted(asked, question, version, error)
        groups, payload = self._draw(asked, reservation)
        receipt = self._ledger.settle(reservation, payload)
        left, whole = self._purse()
        return [
            Release(each.program, found, self._cost(each.program.charge), left, whole, receipt)
            for each, found in zip(asked, groups, strict=True)
        ]

    def _reserve(self, asked: list[Prepared], question: str, price: str, version: str) -> Reservation:
        charge = sum((each.program.charge for each in asked), Charge(Fraction(0)))
        statement = ";\n".join(each.asked.statement for each in asked)
        return self._ledger.reserve(
            self._analyst,
            charge,
            _events(asked),
            statement=statement,
            question=question,
            price=price,
            version=version,
        )

    def _before(self, asked: list[Prepared], question: str, price: str | None, version: str) -> list[Release] | None:
        """What was released for the question at this price, or (for None) at the dearest that it was asked at."""
        kept = self._ledger.find(question, price, version)
        if kept is None:
            return None
        asked = [self._planner.at(each, price) for each, price in zip(asked, kept.price.split(","), strict=True)]
        return self._repeat(asked, kept) if _same_noise(asked, kept) else None

    def _exhausted(self, asked: list[Prepared], question: str, version: str, error: BudgetExhausted) -> list[Release]:
        """The budget has no room: where the owner allows it, what was released at another price is given again.

        A price that the accounting sets may have fallen while others were asking: then it is asked again.
        """
        kept = self._before(asked, question, None, version) if self._policy.budget.when_spent == "cached" else None
        if kept is not None:
            return kept
        cheaper = self._planner.again(asked)
        if cheaper is not None:
            return self.answer(cheaper)
        raise self._planner.refusal(error, asked, self._ledger.balance(self._analyst))

    def _draw(self, asked: list[Prepared], reservation: Reservation) -> tuple[list[Groups], bytes]:
        """The only stretch with exact values in hand: whatever goes wrong in it has one text and no refund."""
        trouble: type[BaseException] = EngineError
        try:
            groups = [draw(each.program, self._fetcher.fetch(each.asked, secret())) for each in asked]
            return groups, pack([each.to_bytes() for each in groups])
        except KeyboardInterrupt:
            trouble = KeyboardInterrupt
        except Exception:
            trouble = EngineError
        # Raised out here, the error has no context: neither the database's message nor a frame with values in it.
        self._ledger.fail(reservation)
        raise trouble

    def _repeat(self, asked: list[Prepared], before: Answer) -> list[Release]:
        """The same numbers again: telling them twice tells nothing new, so it costs nothing."""
        free = self._cost(Charge(Fraction(0)))
        left, whole = self._purse()
        kept = [Groups.from_bytes(each) for each in unpack(before.payload)]
        return [
            Release(each.program, groups, free, left, whole, before.receipt, repeated=True)
            for each, groups in zip(asked, kept, strict=True)
        ]

    def _purse(self) -> tuple[Cost, Cost]:
        """What this analyst may still spend, and the whole that it is left of."""
        balance = self._ledger.balance(self._analyst)
        return self._cost(balance.remaining), self._cost(balance.tightest.cap)

    def _cost(self, charge: Charge) -> Cost:
        return cost_of(charge, self._policy.budget.accounting)


def _events(asked: list[Prepared]) -> list[Event]:
    return [event for each in asked for event in each.program.events]


def _same_noise(asked: list[Prepared], kept: Answer) -> bool:
    """A kept answer can be read only with the noise that it has; another release of ours may calibrate otherwise."""
    return write_events(_events(asked)) == list(kept.receipt.events)
