"""Propose-test-release and stable answers: the exact laws of all answers on all tiny neighbours, silence included."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from scipy import stats

from discreet.accounting.formulas import distance_threshold
from discreet.errors import Refused
from discreet.ledger.accountants import ACCOUNTANTS
from discreet.ledger.events import StabilityThreshold
from discreet.mechanisms import Mechanism
from discreet.mechanisms.jumps import quantile, rows_until_jump, rows_until_other
from discreet.mechanisms.picks import MISS, Chosen, Steps
from discreet.mechanisms.proposal import Proposal, proposal
from discreet.mechanisms.scores import Rows
from discreet.mechanisms.stable import MarginTest, Stable, fullest, stable
from discreet.mechanisms.terms import Terms
from discreet.plan.scalar import Literal
from discreet.plan.types import Type
from discreet.privacy.bounded import Histogram, Pick
from noise.laws import Law

CELL = Literal(0, Type.INTEGER)
CURRENCIES = sorted({each.currency for each in ACCOUNTANTS.values()})
DELTA = Fraction(1, 1000)
SHARES = [Fraction(1, 2), Fraction(3, 4), Fraction(1, 10)]
Counts = tuple[int, ...]
Kind = Callable[[Pick, Terms], Stable | Proposal]


def pick(cells: int, unit: int = 1, share: Fraction | None = Fraction(1, 2)) -> Pick:
    return Pick(Histogram(CELL, cells, unit), share)


def terms(amount: Fraction, accounting: str = "pure", groups: int = 1, delta: Fraction | None = DELTA) -> Terms:
    return Terms(amount, accounting, groups, delta)


def law_of(noise: Mechanism) -> Law:
    return Law(noise.name, getattr(noise, "scale" if noise.name == "laplace" else "sigma_squared"))


def passing(test: MarginTest, margin: int) -> Decimal:
    """The exact chance that a margin reaches the threshold with its noise."""
    t, law = test.threshold - margin, law_of(test.noise)
    return law.above(t) if t > 0 else 1 - law.above(1 - t)


def ptr_law(found: Proposal, counts: Counts) -> dict[int | None, Decimal]:
    rows, last = Rows.of(enumerate(counts)), len(counts) - 1
    margin = found.margin(rows)
    passed = Decimal(1) if margin is None else passing(found.test, margin)
    law, here = law_of(found.noise), quantile(rows, found.share)
    upto = [law.below_or_at(cell - here) for cell in range(last)] + [Decimal(1)]
    cells = {cell: passed * (upto[cell] - (upto[cell - 1] if cell else 0)) for cell in range(last + 1)}
    return {**cells, None: 1 - passed}


def stable_law(found: Stable, counts: Counts) -> dict[int | None, Decimal]:
    here, margin = found.answer(Rows.of(enumerate(counts)))
    passed = Decimal(1) if margin is None else passing(found.test, margin)
    return {here: passed, None: 1 - passed}


def one_more(counts: Counts, unit: int) -> Iterator[Counts]:
    for steps in product(range(unit + 1), repeat=len(counts)):
        if 0 < sum(steps) <= unit:
            yield tuple(a + b for a, b in zip(counts, steps, strict=True))


Chances = Mapping[Any, Decimal]


def beyond(p: Chances, q: Chances, epsilon: Fraction) -> Decimal:
    factor = (Decimal(epsilon.numerator) / Decimal(epsilon.denominator)).exp()
    return sum((max(Decimal(0), p[x] - factor * q.get(x, Decimal(0))) for x in p), Decimal(0))


@pytest.mark.parametrize("unit", [1, 2])
@pytest.mark.parametrize("share", SHARES, ids=str)
@pytest.mark.parametrize(("cells", "most"), [(3, 7), (5, 2)])
def test_ptr_hides_a_unit_within_its_price(share: Fraction, unit: int, cells: int, most: int) -> None:
    """At 2 epsilon: one for the test, one for the number."""
    epsilon, worst = Fraction(2), Decimal(0)
    found = proposal(pick(cells, unit, share), terms(2 * epsilon))
    laws = {counts: ptr_law(found, counts) for counts in product(range(most + 1 + unit), repeat=cells)}
    assert max(law[None] for law in laws.values()) > Decimal("0.999")
    assert cells > 3 or min(law[None] for law in laws.values()) < Decimal("0.1")
    for counts in product(range(most + 1), repeat=cells):
        for other in one_more(counts, unit):
            worst = max(
                worst,
                beyond(laws[counts], laws[other], 2 * epsilon),
                beyond(laws[other], laws[counts], 2 * epsilon),
            )
    assert worst <= Decimal(DELTA.numerator) / Decimal(DELTA.denominator)


@pytest.mark.parametrize("share", SHARES, ids=str)
def test_ptr_costs_no_more_under_zcdp(share: Fraction) -> None:
    """But for neighbours on which hardly anything is ever told, the divergence of every order is within the price."""
    amount, silent = Fraction(1), 0
    found = proposal(pick(4, 1, share), terms(amount, "zcdp"))
    laws = {counts: ptr_law(found, counts) for counts in product(range(6), repeat=4)}
    for counts in product(range(5), repeat=4):
        for other in one_more(counts, 1):
            p, q = laws[counts], laws[other]
            if min(p[None], q[None]) >= 1 - Decimal(float(DELTA)) and p[None] == q[None]:
                silent += 1
                continue
            for order in (1.5, 2.0, 8.0):
                for a, b in ((p, q), (q, p)):
                    moment = sum(float(b[x]) * (float(a[x]) / float(b[x])) ** order for x in a if b[x])
                    assert math.log(moment) / (order - 1) <= order * amount + 1e-9
    assert 0 < silent < 5**4 * 4


@pytest.mark.parametrize("unit", [1, 2, 3])
@pytest.mark.parametrize("share", [None, *SHARES], ids=str)
def test_a_stable_answer_hides_a_unit_within_its_price(share: Fraction | None, unit: int) -> None:
    epsilon, worst = Fraction(3, 2), Decimal(0)
    found = stable(pick(3, unit, share), terms(epsilon))
    laws = {counts: stable_law(found, counts) for counts in product(range(9 + unit), repeat=3)}
    assert min(law[None] for law in laws.values()) < Decimal("0.99")
    for counts in product(range(9), repeat=3):
        for other in one_more(counts, unit):
            p, q = laws[counts], laws[other]
            worst = max(worst, beyond(p, q, epsilon), beyond(q, p, epsilon))
    assert Decimal("0.05") * Decimal(float(DELTA)) < worst <= Decimal(DELTA.numerator) / Decimal(DELTA.denominator)


def test_two_groups_of_one_unit_share_the_price_and_the_delta() -> None:
    """A unit with a row in each of two groups: the laws of both answers together."""
    epsilon, worst = Fraction(2), Decimal(0)
    found = stable(pick(2, 2, None), terms(epsilon, groups=2))
    laws = {counts: stable_law(found, counts) for counts in product(range(12), repeat=2)}
    for first, second in product(product(range(0, 10, 3), repeat=2), product(range(0, 10, 2), repeat=2)):
        for more_first, more_second in product([(1, 0), (0, 1)], repeat=2):
            here = together(laws[first], laws[second])
            there = together(
                laws[first[0] + more_first[0], first[1] + more_first[1]],
                laws[second[0] + more_second[0], second[1] + more_second[1]],
            )
            worst = max(worst, beyond(here, there, epsilon), beyond(there, here, epsilon))
    assert 0 < worst <= Decimal(DELTA.numerator) / Decimal(DELTA.denominator)


def together(p: Chances, q: Chances) -> Chances:
    return {(a, b): p[a] * q[b] for a, b in product(p, q)}


def test_the_fullest_cell_is_as_far_from_another_as_brute_force_says() -> None:
    for counts in product(range(4), repeat=3):
        rows = Rows.of(enumerate(counts))
        here, away = fullest(rows, 2)
        assert here == max(range(3), key=lambda cell: (counts[cell], -cell))
        ring, seen, steps = {counts}, {counts}, 0
        while not any(fullest(Rows.of(enumerate(each)), 2)[0] != here for each in ring):
            ring = {other for each in ring for other in near(each)} - seen
            seen, steps = seen | ring, steps + 1
        assert away == steps


def near(counts: Counts) -> Iterator[Counts]:
    for cell, step in product(range(len(counts)), (-1, 1)):
        if counts[cell] + step >= 0:
            yield (*counts[:cell], counts[cell] + step, *counts[cell + 1 :])


def test_a_lone_value_of_a_wide_range_is_far_from_the_next() -> None:
    assert fullest(Rows.of([(10**8, 40)]), 10**9) == (10**8, 40)
    assert fullest(Rows.of([(0, 40)]), 10**9) == (0, 41)
    assert fullest(Rows.of([]), 10**9) == (0, 1)
    assert fullest(Rows.of([(0, 3)]), 0) == (0, None)


def test_margins_count_units_and_not_rows() -> None:
    rows = Rows.of([(3, 41)])
    for unit in (1, 2, 5):
        assert stable(pick(9, unit, None), terms(Fraction(1))).answer(rows) == (3, math.ceil(41 / unit))
        assert stable(pick(9, unit), terms(Fraction(1))).answer(rows)[1] == math.ceil(rows_until(rows) / unit)
        found = proposal(pick(9, unit), terms(Fraction(1)))
        away = rows_until_jump(rows, 8, found.share, unit, found.bound)
        assert away is not None
        assert found.margin(rows) == 1 + math.ceil(away / unit)


def rows_until(rows: Rows) -> int:
    found = rows_until_other(rows, 8, Fraction(1, 2))
    assert found is not None
    return found


def test_the_printed_threshold() -> None:
    assert distance_threshold(1, 1e-6) == pytest.approx(13.815511)


@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1), Fraction(3)], ids=str)
@pytest.mark.parametrize("delta", [Fraction(1, 10**6), Fraction(1, 10**9)])
def test_the_threshold_is_the_least_that_keeps_delta_and_hardly_above_the_printed_one(
    epsilon: Fraction, delta: Fraction
) -> None:
    """The margin is 1 where the printed distance is 0."""
    test = MarginTest.calibrate(terms(epsilon), epsilon, delta)
    exact = Decimal(delta.numerator) / Decimal(delta.denominator)
    assert passing(test, 1) <= exact < law_of(test.noise).above(test.threshold - 2)
    assert test.threshold - 1 <= distance_threshold(float(epsilon), float(delta)) + 1


@pytest.mark.parametrize("accounting", CURRENCIES)
@pytest.mark.parametrize("groups", [1, 3])
@pytest.mark.parametrize("share", [None, Fraction(1, 2)])
def test_a_release_costs_what_it_was_given(share: Fraction | None, groups: int, accounting: str) -> None:
    amount = Fraction(1, 10)
    kinds: list[Kind] = [stable] if share is None else [stable, proposal]
    for kind in kinds:
        found = kind(pick(1000, 4, share), terms(amount, accounting, groups))
        charge = ACCOUNTANTS[accounting].charge(found.events)
        assert amount * (1 - Fraction(1, 10**9)) <= charge.amount <= amount
        assert charge.delta == DELTA
        assert StabilityThreshold(DELTA) in found.events
        assert (found.name, found.picks) == ("stable" if kind is stable else "ptr", (pick(1000, 4, share),))


def test_the_proposal_is_public_and_its_noise_a_twentieth_of_the_range() -> None:
    found = proposal(pick(10_001), terms(Fraction(1)))
    (told,) = found.sharpness
    assert told == Steps(found.bound, found.noise.spread, found.noise.half_width(1 - MISS), found.test.threshold)
    assert 400 < told.half_width <= 500
    assert proposal(pick(3), terms(Fraction(1))).bound == 1


@pytest.mark.parametrize("kind", [stable, proposal])
def test_without_a_delta_they_are_refused(kind: Kind) -> None:
    with pytest.raises(Refused) as refused:
        kind(pick(10), terms(Fraction(1), delta=None))
    assert refused.value.code == "no-delta"
    assert "per_query" in refused.value.hint


@pytest.mark.parametrize(("kind", "share"), [(stable, 0), (stable, 1), (proposal, 0), (proposal, 1), (proposal, None)])
def test_what_they_can_say_nothing_of_is_refused(kind: Kind, share: int | None) -> None:
    wanted = pick(10, share=None if share is None else Fraction(share))
    with pytest.raises(Refused) as refused:
        kind(wanted, terms(Fraction(1)))
    assert refused.value.code == "wrong-mechanism"


class TestDraws:
    """What is drawn follows the laws that were checked above."""

    TRIALS = 2000

    def drawn(self, found: Proposal | Stable, counts: Counts) -> Counter[int | None]:
        return Counter(
            each and each.value for _ in range(self.TRIALS) for each in found.pick(Rows.of(enumerate(counts)))
        )

    def agree(self, seen: Counter[int | None], law: dict[int | None, Decimal]) -> None:
        assert set(seen) <= set(law)
        cells = [(seen[x], float(chance) * self.TRIALS) for x, chance in law.items() if chance * self.TRIALS > 5]
        statistic = sum((got - wanted) ** 2 / wanted for got, wanted in cells)
        assert statistic < stats.chi2.isf(1e-10, len(cells))

    @pytest.mark.parametrize("counts", [(0, 9, 9, 0, 0), (4, 4, 4, 4, 4), (0, 0, 40, 0, 0)])
    def test_ptr(self, counts: Counts) -> None:
        found = proposal(pick(5), terms(Fraction(2), delta=Fraction(1, 50)))
        self.agree(self.drawn(found, counts), ptr_law(found, counts))

    @pytest.mark.parametrize("share", [None, Fraction(1, 2)])
    @pytest.mark.parametrize("counts", [(0, 9, 2), (4, 4, 4), (0, 0, 40), (0, 0, 0)])
    def test_stable(self, counts: Counts, share: Fraction | None) -> None:
        found = stable(pick(3, share=share), terms(Fraction(1), delta=Fraction(1, 50)))
        self.agree(self.drawn(found, counts), stable_law(found, counts))

    def test_the_interval_of_ptr_holds(self) -> None:
        found, rows = proposal(pick(200), terms(Fraction(4))), Rows.of((cell, 30) for cell in range(200))
        drawn = [found.pick(rows)[0] for _ in range(300)]
        known = [each for each in drawn if each is not None]
        assert len(known) > 290
        missed = sum(not each.low <= 99 <= each.high for each in known)
        assert missed <= stats.binom.isf(1e-9, len(known), MISS)

    def test_a_stable_answer_is_exact(self) -> None:
        found = stable(pick(200), terms(Fraction(4)))
        assert found.pick(Rows.of([(77, 500)])) == (Chosen(77, 77, 77),)
        assert found.sharpness == (Steps(0, 0.0, 0, found.test.threshold),)
