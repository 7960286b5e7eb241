"""What is paid for and answered at once: one statement, or several, of which some may be planned as a list."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from discreet.ledger.events import Charge, Event
from discreet.mechanisms.strategies import Joint
from discreet.session.planning import Prepared, joined

__all__ = ["Listed", "Order"]


@dataclass(frozen=True, slots=True)
class Listed:
    """Statements of an order that have their noise together, and the SQL of each tally."""

    places: tuple[int, ...]
    joint: Joint
    engine_sql: tuple[str, ...]

    @property
    def name(self) -> str:
        """Equal lists, noised in the same way at whatever scale, have equal names."""
        joint = self.joint
        shape = (self.places, joint.name, joint.noise.name, joint.over_cells, joint.tallies)
        return hashlib.sha256(repr(shape).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Order:
    """Statements in the analyst's order. All of their price is reserved before any of them is run."""

    asked: tuple[Prepared, ...]
    lists: tuple[Listed, ...] = ()

    @property
    def alone(self) -> Iterator[tuple[int, Prepared]]:
        """The statements that have noise of their own, with their places."""
        together = {place for each in self.lists for place in each.places}
        return ((place, each) for place, each in enumerate(self.asked) if place not in together)

    @property
    def climbs(self) -> bool:
        """Whether it depends on the answer what it costs."""
        return any(each.program.climbs for each in self.asked)

    @property
    def events(self) -> list[Event]:
        own = [event for _, each in self.alone for event in each.program.events]
        return [*own, *(event for each in self.lists for event in each.joint.events)]

    @property
    def charge(self) -> Charge:
        own = [each.program.charge for _, each in self.alone]
        return sum([*own, *(each.joint.charge for each in self.lists)], Charge(Fraction(0)))

    @property
    def charges(self) -> list[Charge]:
        """What each statement costs: of a list, an equal share."""
        found = [each.program.charge for each in self.asked]
        for each in self.lists:
            whole, share = each.joint.charge, len(each.places)
            for place in each.places:
                found[place] = Charge(whole.amount / share, whole.delta / share)
        return found

    @property
    def question(self) -> str:
        """Equal orders have equal names, at whatever price."""
        return self.asked[0].question if len(self.asked) == 1 else joined([each.question for each in self.asked])

    @property
    def price(self) -> str:
        """That of each statement, and which of them have their noise together, in which way."""
        return ";".join([",".join(each.price for each in self.asked), *(each.name for each in self.lists)])

    @property
    def statement(self) -> str:
        return ";\n".join(each.asked.statement for each in self.asked)
