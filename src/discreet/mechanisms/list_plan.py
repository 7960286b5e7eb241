"""What each way to answer a list of counting queries gives: for people who choose, before anything is paid."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, sqrt
from typing import Any, Self

from discreet.ledger.accountants import accountant
from discreet.ledger.events import RandomisedAnswer
from discreet.mechanisms.randomised_response import RandomisedResponse
from discreet.mechanisms.search import nearest
from discreet.mechanisms.strategies import DOUBT, HISTOGRAM, NOISES, Joint, OneByOne, Strategy, sharpest, strategies
from discreet.plan.nodes import scans
from discreet.privacy.lists import Workload
from discreet.privacy.tallies import MOST_CELLS

__all__ = ["ListPlan", "Wanted", "Way", "plan_list"]


@dataclass(frozen=True, slots=True)
class Way:
    """One way to answer the whole list at the same price; what it cannot say is None, and ``note`` has why."""

    name: str
    noise: str | None = None
    scale: float | None = None
    """Of each draw, in rows."""
    cells: int | None = None
    """Of a histogram: how many cells have noise."""
    error_95: int | None = None
    """What no number of the list is further off than, with 95 %, in rows."""
    rows_needed: int | None = None
    """From how many rows on that is no more than the wanted share of them."""
    note: str = ""

    def to_dict(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class ListPlan:
    """Statements of a batch that are planned together."""

    statements: tuple[int, ...]
    """Their numbers in the batch, from one on."""
    tables: tuple[str, ...]
    numbers: int
    """How many numbers they ask for together."""
    l1: float
    l2: float
    """How far one unit moves all of them together, where each has noise of its own."""
    within: float
    """The wanted error, as a share of the rows."""
    ways: tuple[Way, ...]
    used: str
    """The way that a batch takes."""

    def to_dict(self) -> dict[str, Any]:
        found = {name: getattr(self, name) for name in self.__slots__}
        lists = {"statements": list(self.statements), "tables": list(self.tables)}
        return found | lists | {"ways": [way.to_dict() for way in self.ways]}


RESPONSE = "randomised response"
TOO_MANY = f"the conditions tell more than {MOST_CELLS:,} cells apart"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is known or wanted of the rows without looking at any: their number, and an error as a share of them."""

    within: Fraction
    rows: int | None

    @classmethod
    def named(cls, within: object, rows: object) -> Self:
        """As a caller gives them: a share such as "1%" or 0.01, and a whole number."""
        if rows is not None and (type(rows) is not int or rows < 1):
            raise ValueError(f"rows are a whole number of at least 1, not {rows!r}")
        text = str(within).strip()
        try:
            share = Fraction(text[:-1]) / 100 if text.endswith("%") else Fraction(text)
        except (ValueError, ZeroDivisionError):
            share = Fraction(0)
        if not 0 < share < 1:
            raise ValueError(f'an error is a share of the rows such as "1%" or 0.01, not {text[:40]!r}')
        return cls(share, rows)


def plan_list(
    places: tuple[int, ...], workload: Workload, amount: Fraction, accounting: str, wanted: Wanted
) -> ListPlan:
    """All ways side by side; ``places`` are those of the statements in the batch, from nought on."""
    found = strategies(workload, amount, accounting)
    ways, there = [_way(each, wanted) for each in found], {each.name for each in found}
    moved = [each for tally in workload.apart for each in tally.numbers_moved]
    missing = [_missing(name, accounting) for name in (*NOISES, HISTOGRAM) if name not in there]
    return ListPlan(
        tuple(place + 1 for place in places),
        tuple(dict.fromkeys(scan.table for scan in scans(workload.asked[0].relation))),
        workload.numbers,
        sum(each.l1 for each in moved),
        sqrt(sum(each.l2_squared for each in moved)),
        float(wanted.within),
        (*ways, *missing, _response(workload, amount, accounting, wanted)),
        sharpest(found).name,
    )


def _way(strategy: Strategy, wanted: Wanted) -> Way:
    needed = ceil(strategy.error / wanted.within)
    match strategy:
        case OneByOne():
            laws = sorted({noise.name for program in strategy.programs for noise in program.noises})
            return Way(strategy.name, " and ".join(laws), None, None, strategy.error, needed)
        case Joint(noise=noise):
            cells = strategy.cells if strategy.over_cells else None
            return Way(strategy.name, noise.name, noise.spread, cells, strategy.error, needed)


def _missing(name: str, accounting: str) -> Way:
    """A way that there is not, and why."""
    return Way(name, note=TOO_MANY if name == HISTOGRAM else f"it has no price under {accounting} accounting")


def _response(workload: Workload, amount: Fraction, accounting: str, wanted: Wanted) -> Way:
    """Each row tells its cell itself, as ``discreet publish`` asks it to. A batch never does that."""
    if workload.rows > 1:
        return Way(RESPONSE, note=f"a unit may have {workload.rows:,} rows, and it hides one")
    if workload.whole is None:
        return Way(RESPONSE, note=TOO_MANY)
    cells, each = len(workload.whole.cells), 1 - DOUBT / workload.numbers
    law = RandomisedResponse.at(_response_price(amount, accounting), cells + 1)
    needed = ceil((law.half_width(1, each) / wanted.within) ** 2)
    if wanted.rows is None:
        note = "it is off by more the more rows there are: name about how many"
        return Way(RESPONSE, None, None, cells, None, needed, note)
    return Way(RESPONSE, None, None, cells, ceil(law.half_width(wanted.rows, each)), needed, "by discreet publish")


def _response_price(amount: Fraction, accounting: str) -> Fraction:
    """The largest epsilon at which randomised rows are charged this amount."""
    books = accountant(accounting)
    return nearest(
        lambda epsilon: books.charge([RandomisedAnswer(epsilon)]).amount <= amount, Fraction(0), 2 + 2 * amount
    )
