"""Ways to answer a list of counting queries at one price, and how far off the worst of its numbers is in each.

    one by one          each statement with its own share of the price, as if it were asked alone
    gaussian, laplace   every number has noise of its own, calibrated to what a unit moves in all numbers together
    histogram           every cell has noise, once; a number is the sum of its cells

They are compared by the error that all numbers keep at once with 95 %. It is known before any data are read, since
noise does not depend on them, and so is the sharpest way. Of ways that are as good but for a hundredth the first is
taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from discreet.ledger.accountants import accountant
from discreet.ledger.events import Charge, Event, LaplaceNoise
from discreet.mechanisms import Mechanism, sums
from discreet.mechanisms.choose import choose
from discreet.mechanisms.fine_gaussian import FineGaussian
from discreet.mechanisms.gaussian import Gaussian
from discreet.mechanisms.laplace import Laplace
from discreet.mechanisms.program import Program
from discreet.mechanisms.search import nearest
from discreet.mechanisms.sharpest import half_width
from discreet.privacy.lists import Moved, Tally, Workload

__all__ = ["DOUBT", "HISTOGRAM", "NOISES", "Joint", "OneByOne", "Strategy", "sharpest", "strategies"]

DOUBT = 0.05
"""The chance that some number of the list is further off than is told."""

AS_GOOD = 1.01
HISTOGRAM = "histogram"
NOISES: dict[str, tuple[type[Mechanism], ...]] = {"gaussian": (Gaussian, FineGaussian), "laplace": (Laplace,)}
"""The laws behind a way's name: of two forms of one law an accounting has a price for one at most."""


@dataclass(frozen=True)
class OneByOne:
    """Each statement for itself."""

    workload: Workload
    programs: tuple[Program, ...]
    name = "one by one"

    @property
    def charge(self) -> Charge:
        return sum((program.charge for program in self.programs), Charge(Fraction(0)))

    @cached_property
    def error(self) -> int:
        """What no number is further off than, but for a chance of ``DOUBT``."""
        each = 1 - DOUBT / self.workload.numbers
        return max(half_width(noise, each) for program in self.programs for noise in program.noises)


@dataclass(frozen=True)
class Joint:
    """A whole list with one scale of noise, and the price of all of it in one value."""

    name: str
    workload: Workload
    tallies: tuple[Tally, ...]
    over_cells: bool
    """The noise is added to cells, and numbers are sums of them; else to the numbers."""
    noise: Mechanism
    events: tuple[Event, ...]
    charge: Charge

    @cached_property
    def error(self) -> int:
        """What no number is further off than, but for a chance of ``DOUBT``."""
        each = 1 - DOUBT / self.workload.numbers
        return sums.half_width(self.noise, max(map(self.terms, range(self.workload.numbers))), each)

    @cached_property
    def _cells(self) -> dict[int, int]:
        return {number: len(cells) for tally in self.tallies for number, cells in tally.numbers.items()}

    @property
    def cells(self) -> int:
        return sum(len(tally.cells) for tally in self.tallies)

    def terms(self, number: int) -> int:
        """How many draws of the noise are in a number."""
        return self._cells[number] if self.over_cells else 1

    def program(self, statement: int) -> Program:
        """A statement of the list as it is answered here; the price is that of the whole list."""
        bounded = self.workload.asked[statement]
        return Program(
            bounded,
            (self.noise,) * len(bounded.parts),
            (),
            None,
            self.events,
            self.charge,
            terms=tuple(tuple(map(self.terms, places)) for places in self.workload.places(statement)),
        )


Strategy = OneByOne | Joint


def strategies(workload: Workload, amount: Fraction, accounting: str) -> list[Strategy]:
    """Every way that there is, at one price; where a way has several forms, its sharpest."""
    each = amount / len(workload.asked)
    found: list[Strategy] = [
        OneByOne(workload, tuple(choose(bounded, each, accounting, None) for bounded in workload.asked))
    ]
    for name, laws in NOISES.items():
        ways = [_joint(name, workload, workload.apart, False, law, amount, accounting) for law in laws]
        found += [way for way in ways if way]
    histograms = [
        histogram
        for tallies in _histograms(workload)
        for laws in NOISES.values()
        for law in laws
        if (histogram := _joint(HISTOGRAM, workload, tallies, True, law, amount, accounting))
    ]
    return [*found, *([min(histograms, key=lambda way: way.error)] if histograms else [])]


def sharpest(ways: Sequence[Strategy]) -> Strategy:
    least = min(way.error for way in ways)
    return next(way for way in ways if way.error <= AS_GOOD * least)


def _histograms(workload: Workload) -> list[tuple[Tally, ...]]:
    whole = [(workload.whole,)] if workload.whole else []
    return [*whole, *([workload.linked] if workload.linked and len(workload.linked) > 1 else [])]


def _joint(
    name: str,
    workload: Workload,
    tallies: tuple[Tally, ...],
    over_cells: bool,
    law: type[Mechanism],
    amount: Fraction,
    accounting: str,
) -> Joint | None:
    moved = [each for tally in tallies for each in (tally.cells_moved if over_cells else tally.numbers_moved)]
    calibrated = _calibrated(law, moved, amount, accounting)
    if calibrated is None:
        return None
    noise, events = calibrated
    return Joint(name, workload, tallies, over_cells, noise, events, accountant(accounting).charge(events))


def _calibrated(
    law: type[Mechanism], moved: Sequence[Moved], amount: Fraction, accounting: str
) -> tuple[Mechanism, tuple[Event, ...]] | None:
    """One scale of noise for all vectors: each of them moves by itself, so what they move by adds up."""
    l1, l2_squared = sum(each.l1 for each in moved), sum(each.l2_squared for each in moved)
    whole = law.calibrate(l1, l2_squared, amount, accounting)
    if whole is None:
        return None
    if not isinstance(whole, Laplace) or len(moved) == 1 or not l1:
        return whole, (whole.event,)
    return _vector_by_vector(whole, [each.l1 for each in moved if each.l1], amount, accounting)


def _vector_by_vector(
    whole: Laplace, moved: Sequence[int], amount: Fraction, accounting: str
) -> tuple[Mechanism, tuple[Event, ...]]:
    """Priced as a vector for each: where squares add up that is less than the square of the sum, so a smaller scale
    will do. No closed form is needed, since what the accountant charges falls as the scale grows."""
    fits = nearest(
        lambda scale: accountant(accounting).charge(_events(moved, scale)).amount <= amount, whole.scale, Fraction(0)
    )
    if fits * Fraction(AS_GOOD) > whole.scale:
        return whole, (whole.event,)
    events = _events(moved, fits)
    return Laplace(fits, events[0]), tuple(events)


def _events(moved: Iterable[int], scale: Fraction) -> list[LaplaceNoise]:
    return [LaplaceNoise(l1 / scale) for l1 in moved]
