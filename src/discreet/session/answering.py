"""From the reservation to the release: what is asked is paid for once, run, kept, and repeated for nothing."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from discreet.errors import BudgetExhausted, EngineError
from discreet.ledger import Answer, Ledger, Reservation
from discreet.ledger.bundle import pack, unpack
from discreet.ledger.events import Charge
from discreet.ledger.written import write_events
from discreet.mechanisms.explanation import Cost, cost_of
from discreet.mechanisms.noise_source import secret
from discreet.policy.model import Policy
from discreet.privacy.probe import Ends
from discreet.release import Groups, Release, draw, draw_list, find
from discreet.session.batches import order_again, order_at
from discreet.session.fetching import Fetcher
from discreet.session.orders import Order
from discreet.session.planning import Planner, Prepared

__all__ = ["Desk"]


class Desk:
    """Where one analyst's questions are paid for and answered."""

    def __init__(self, policy: Policy, analyst: str | None, planner: Planner, fetcher: Fetcher, ledger: Ledger) -> None:
        self._policy, self._analyst = policy, analyst
        self._planner, self._fetcher, self._ledger = planner, fetcher, ledger

    def answer(self, order: Order) -> list[Release]:
        """Pay once for all that is asked, run it, and keep the answers; or give what was released before."""
        version = self._fetcher.version()
        price = None if self._policy.budget.accounting == "decaying" else order.price
        before = self._before(order, price, version)
        if before is not None:
            return before
        try:
            reservation = self._reserve(order, version)
        except BudgetExhausted as error:
            return self._exhausted(order, version, error)
        groups, payload = self._draw(order, reservation)
        receipt = self._ledger.settle(reservation, payload)
        left, whole = self._purse()
        return [
            Release(self._planner.as_found(each, found.found), found, self._cost(charge), left, whole, receipt)
            for each, charge, found in zip(order.asked, order.charges, groups, strict=True)
        ]

    def _reserve(self, order: Order, version: str) -> Reservation:
        return self._ledger.reserve(
            self._analyst,
            order.charge,
            order.events,
            statement=order.statement,
            question=order.question,
            price=order.price,
            version=version,
        )

    def _before(self, order: Order, price: str | None, version: str) -> list[Release] | None:
        """What was released for the question at this price, or (for None) at the dearest that it was asked at."""
        kept = self._ledger.find(order.question, price, version)
        if kept is None:
            return None
        then = order_at(order, kept.price, self._planner)
        return self._repeat(then, kept) if then.price == kept.price and _same_noise(then, kept) else None

    def _exhausted(self, order: Order, version: str, error: BudgetExhausted) -> list[Release]:
        """The budget has no room: where the owner allows it, what was released at another price is given again.

        A price that the accounting sets may have fallen while others were asking: then it is asked again.
        """
        kept = self._before(order, None, version) if self._policy.budget.when_spent == "cached" else None
        if kept is not None:
            return kept
        cheaper = self._planner.again(order.asked)
        if cheaper is not None:
            return self.answer(order_again(cheaper, self._planner))
        raise self._planner.refusal(error, order.asked, self._ledger.balance(self._analyst))

    def _draw(self, order: Order, reservation: Reservation) -> tuple[list[Groups], bytes]:
        """The only stretch with exact values in hand: whatever goes wrong in it has one text and no refund."""
        trouble: type[BaseException] = EngineError
        try:
            groups = self._noised(order)
            return groups, pack([each.to_bytes() for each in groups])
        except KeyboardInterrupt:
            trouble = KeyboardInterrupt
        except Exception:
            trouble = EngineError
        # Raised out here, the error has no context: neither the database's message nor a frame with values in it.
        self._ledger.fail(reservation)
        raise trouble

    def _noised(self, order: Order) -> list[Groups]:
        """The released groups of every statement, in their order."""
        found = {place: self._run(each) for place, each in order.alone}
        for each in order.lists:
            exact = self._fetcher.fetch_list(each, (order.asked[place].asked for place in each.places))
            found.update(zip(each.places, draw_list(each.joint, exact), strict=True))
        return [found[place] for place in range(len(order.asked))]

    def _run(self, each: Prepared) -> Groups:
        """Bounds that are lacking are chosen first: each probe is made with what the ones before it found."""
        program, ends = each.program, list[Ends]()
        for place in range(len(program.preludes)):
            prelude = program.preludes[place]
            ends += find(prelude, self._fetcher.fetch(each.asked, secret(), prelude.probe.question))
            program = self._planner.as_found(each, ends)
        groups = draw(program, self._fetcher.fetch(each.asked, secret(), program.bounded))
        return replace(groups, found=ends)

    def _repeat(self, order: Order, before: Answer) -> list[Release]:
        """The same numbers again: telling them twice tells nothing new, so it costs nothing."""
        free = self._cost(Charge(Fraction(0)))
        left, whole = self._purse()
        kept = [Groups.from_bytes(each) for each in unpack(before.payload)]
        programs = [self._planner.as_found(each, groups.found) for each, groups in zip(order.asked, kept, strict=True)]
        return [
            Release(program, groups, free, left, whole, before.receipt, repeated=True)
            for program, groups in zip(programs, kept, strict=True)
        ]

    def _purse(self) -> tuple[Cost, Cost]:
        """What this analyst may still spend, and the whole that it is left of."""
        balance = self._ledger.balance(self._analyst)
        return self._cost(balance.remaining), self._cost(balance.tightest.cap)

    def _cost(self, charge: Charge) -> Cost:
        return cost_of(charge, self._policy.budget.accounting)


def _same_noise(order: Order, kept: Answer) -> bool:
    """A kept answer can be read only with the noise that it has; another release of ours may calibrate otherwise."""
    return write_events(order.events) == list(kept.receipt.events)
