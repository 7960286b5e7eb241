"""Watches are opened and asked here: paid for once, and every comparison begun, made and told in this order."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from discreet.errors import EngineError, Refused
from discreet.ledger import Ledger
from discreet.ledger.accountants import Accountant, accountant
from discreet.ledger.events import Charge
from discreet.ledger.watch import Begun, Compared, Outcome, Said, Watched
from discreet.ledger.written import read_charge, read_events
from discreet.mechanisms.explanation import Cost, cost_of
from discreet.mechanisms.watch_explanation import Counted, WatchExplanation
from discreet.mechanisms.watch_program import WatchProgram
from discreet.policy.model import Policy
from discreet.privacy.counting import counted
from discreet.release.compare import compare, drawn
from discreet.session.fetching import Fetcher
from discreet.session.planning import Asked, Planner
from discreet.session.wish import Wish
from discreet.sql import Options

__all__ = ["Lookout", "Opened"]


@dataclass(frozen=True, slots=True)
class Opened:
    """A watch that is paid for, and whether it had been before this call."""

    watched: Watched
    program: WatchProgram
    resumed: bool


class Lookout:
    """Where one analyst's watches are kept."""

    def __init__(self, policy: Policy, analyst: str | None, planner: Planner, fetcher: Fetcher, ledger: Ledger) -> None:
        self._analyst, self._planner, self._fetcher = analyst, planner, fetcher
        self.watches = ledger.watches
        self._accountant: Accountant = accountant(policy.budget.accounting)

    def open(self, wish: Wish) -> Opened:
        """The watch of this name, or a new one that is paid for now."""
        known = self._known(wish)
        watched = known or self._pay(wish)
        wish.check(watched, self._accountant)
        return Opened(watched, _program(watched), resumed=known is not None)

    def explain(self, wish: Wish, statements: Iterable[str], dialect: str | None) -> WatchExplanation:
        """One that is paid for already costs nothing more."""
        known = self._known(wish)
        if known is not None:
            wish.check(known, self._accountant)
        program, charge = self._plan(wish) if known is None else (_program(known), Charge(Fraction(0)))
        told = tuple(self.count(program, sql, dialect) for sql in statements)
        return WatchExplanation.of(program, cost_of(charge, self._accountant.name), told, resumed=known is not None)

    def count(self, program: WatchProgram, sql: str, dialect: str | None) -> Counted:
        return Counted.of(sql, self._count(sql, dialect)[1], program)

    def cost(self, opened: Opened) -> Cost:
        return cost_of(read_charge(opened.watched.opened.body["charge"]), self._accountant.name)

    def ask(self, opened: Opened, sql: str, dialect: str | None) -> Compared:
        """Whether the count is said to be above; what was said of it before is said again."""
        asked, moved = self._count(sql, dialect)
        watch, program = opened.watched.opened.seq, opened.program
        found = self.watches.begin(watch, asked.name, self._fetcher.version(), drawn(program))
        if isinstance(found, Begun):
            found = self.watches.conclude(found, self._look(asked, moved, program, found))
        if found.outcome is Outcome.FAILED:
            raise EngineError
        return found

    def _known(self, wish: Wish) -> Watched | None:
        """A call that names neither a watch nor a threshold means none that could be known."""
        epsilon = self._planner.epsilon(wish.price) if wish.price.is_named or wish.name is None else None
        if wish.name is None and wish.above is None:
            return None
        return self.watches.find(self._analyst, wish.name or wish.words(epsilon))

    def _plan(self, wish: Wish) -> tuple[WatchProgram, Charge]:
        """The program of this price, and the price: its last digits, which no noise can be had for, are paid too."""
        threshold, amount = wish.threshold, self._planner.single(wish.price)
        return WatchProgram.calibrate(threshold, amount, self._accountant.currency), Charge(amount)

    def _pay(self, wish: Wish) -> Watched:
        program, charge = self._plan(wish)
        words = wish.words(self._planner.epsilon(wish.price))
        return self.watches.open(
            self._analyst,
            wish.name or words,
            program.threshold,
            charge,
            program.events,
            statement=f"watch {words}" + (f" as {wish.name}" if wish.name else ""),
            price=str(charge.amount),
            noise=program.comparison.draw_threshold(),
        )

    def _count(self, sql: str, dialect: str | None) -> tuple[Asked, int]:
        """The question, and how far one unit moves the count that it is for."""
        asked = self._planner.ask(sql, dialect)
        if asked.options != Options():
            message = "a watch is paid for when it is opened: its statements take no options"
            raise Refused("bad-option", message, "leave OPTIONS (…) out")
        return asked, counted(asked.bounded).l1

    def _look(self, asked: Asked, moved: int, program: WatchProgram, begun: Begun) -> Said:
        """The only stretch with an exact value in hand: whatever goes wrong in it has one text, and takes an answer."""
        try:
            outcome, value = compare(program, moved, begun, self._fetcher.fetch(asked, begun.drawn.secret))
            return Said(asked.statement, moved, outcome, value)
        except KeyboardInterrupt:
            interrupted = True
        except Exception:
            interrupted = False
        # Raised out here, the interrupt has no frame with values in it; nothing was told, and the noise is kept.
        if interrupted:
            raise KeyboardInterrupt
        return Said(asked.statement, moved, Outcome.FAILED)


def _program(watched: Watched) -> WatchProgram:
    """What was paid for, and not what the same price would buy today."""
    return WatchProgram.of(watched.threshold, read_events(watched.opened.body["events"]))
