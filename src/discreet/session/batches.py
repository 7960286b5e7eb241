"""Several statements for one price: counting queries over one relation are planned as a list, all others alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from discreet.mechanisms.explanation import Explanation, cost_of
from discreet.mechanisms.list_plan import Wanted, plan_list
from discreet.mechanisms.strategies import Joint, Strategy, sharpest, strategies
from discreet.privacy.lists import Workload, base_of, no_list, workload
from discreet.release import BatchExplanation
from discreet.session.orders import Listed, Order
from discreet.session.planning import Planner, Prepared
from discreet.session.spend import Spend

__all__ = ["Family", "explained", "families", "order", "order_at"]

NOTHING_ELSE = "nothing else is counted over its tables"


@dataclass(frozen=True, slots=True)
class Family:
    """Statements of a batch that are planned together, and the price of all of them."""

    places: tuple[int, ...]
    workload: Workload
    amount: Fraction


def families(asked: Sequence[Prepared], planner: Planner) -> list[Family]:
    """Counting queries over one relation, at one price each, for which no mechanism is named.

    A single number has nothing to be planned with.
    """
    found: dict[object, list[int]] = {}
    for place, each in enumerate(asked):
        if not _alone(each, planner):
            found.setdefault((base_of(each.asked.bounded), each.price), []).append(place)
    return [
        Family(
            tuple(places),
            workload([asked[place].asked.bounded for place in places], planner.catalogue),
            len(places) * Fraction(asked[places[0]].price),
        )
        for places in found.values()
        if sum(len(asked[place].asked.bounded.parts) for place in places) > 1
    ]


def order(asked: Sequence[Prepared], planner: Planner) -> Order:
    """The statements with the sharpest noise for each family; what is public alone decides."""
    found = [(family, sharpest(_strategies(family, planner))) for family in families(asked, planner)]
    return _order(asked, [_listed(family, best, planner) for family, best in found if isinstance(best, Joint)])


def order_at(asked: Order, price: str, planner: Planner) -> Order:
    """The same statements with the noise of another price, which an answer was released with, in the same way."""
    prices, *names = price.split(";")
    statements = [planner.at(each, amount) for each, amount in zip(asked.asked, prices.split(","), strict=True)]
    possible = [
        _listed(family, way, planner)
        for family in (families(statements, planner) if names else ())
        for way in _strategies(family, planner)
        if isinstance(way, Joint)
    ]
    return _order(statements, [each for each in possible if each.name in names])


def order_again(statements: Sequence[Prepared], planner: Planner) -> Order:
    """The same statements at prices that have fallen since."""
    return order(statements, planner) if len(statements) > 1 else Order(tuple(statements))


def _strategies(family: Family, planner: Planner) -> list[Strategy]:
    return strategies(family.workload, family.amount, planner.currency)


def _listed(family: Family, joint: Joint, planner: Planner) -> Listed:
    return Listed(family.places, joint, tuple(planner.emit(tally.question) for tally in joint.tallies))


def _order(asked: Sequence[Prepared], lists: Sequence[Listed]) -> Order:
    statements = list(asked)
    for each in lists:
        for n, place in enumerate(each.places):
            statements[place] = replace(statements[place], program=each.joint.program(n))
    return Order(tuple(statements), tuple(lists))


def explained(asked: Sequence[Prepared], planner: Planner, wanted: Wanted) -> BatchExplanation:
    """What an order of these statements would release, and the other ways that its lists could be answered."""
    found = order(asked, planner)
    lists = tuple(
        plan_list(family.places, family.workload, family.amount, planner.currency, wanted)
        for family in families(asked, planner)
    )
    planned = {place for each in lists for place in each.statements}
    notes = (
        f"statement {place} is answered for itself: {_alone(each, planner) or NOTHING_ELSE}"
        for place, each in enumerate(asked, 1)
        if place not in planned
    )
    return BatchExplanation(_statements(found, planner), lists, tuple(notes), cost_of(found.charge, planner.accounting))


def _alone(each: Prepared, planner: Planner) -> str:
    """Why a statement is not planned with others, if it is not."""
    if not planner.plans_lists:
        return "each number has the noise of its slot"
    if each.method.name:
        return "it names its mechanism"
    if Spend.read(each.price).goal is not None:
        return "its price follows from an accuracy"
    return no_list(each.asked.bounded, planner.catalogue)


def _statements(found: Order, planner: Planner) -> tuple[Explanation, ...]:
    sql = [each.asked.engine_sql for each in found.asked]
    for listed in found.lists:
        for place in listed.places:
            sql[place] = ";\n".join(listed.engine_sql)
    return tuple(
        replace(
            Explanation.answer(each.program, planner.accounting, text, each.keys),
            cost=cost_of(charge, planner.accounting),
            program=None,
        )
        for each, charge, text in zip(found.asked, found.charges, sql, strict=True)
    )
