"""Noise on a smooth bound: what each law owes, vectors, and the exact laws of answers on all tiny neighbours."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import FrozenInstanceError
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from discreet.errors import Refused
from discreet.ledger.accountants import ACCOUNTANTS
from discreet.ledger.events import SmoothNoise
from discreet.mechanisms import SMOOTH, Admissible
from discreet.mechanisms.jumps import quantile
from discreet.mechanisms.picks import MISS, Chosen, Sharpness
from discreet.mechanisms.scores import Rows
from discreet.mechanisms.sharpest import sharpest_choice
from discreet.mechanisms.smooth import SLACK, Smooth, smooth
from discreet.mechanisms.smooth_laplace import smooth_laplace_delta
from discreet.mechanisms.terms import Terms
from discreet.plan.scalar import Literal
from discreet.plan.types import Type
from discreet.privacy.bounded import Histogram, Pick

PROOFS = Path(__file__).parents[2] / "docs" / "proofs"
CDF = {"smooth-cauchy": stats.cauchy.cdf, "smooth-laplace": stats.laplace.cdf, "smooth-gaussian": stats.norm.cdf}
PDF = {"smooth-cauchy": stats.cauchy.pdf, "smooth-laplace": stats.laplace.pdf, "smooth-gaussian": stats.norm.pdf}
PRICES = [(Fraction(1, 10), Fraction(1, 10**9)), (Fraction(1), Fraction(1, 10**5)), (Fraction(3), Fraction(1, 1000))]
LARGE = (Fraction(20), Fraction(1, 100))
CELL = Literal(0, Type.INTEGER)
CURRENCIES = sorted({each.currency for each in ACCOUNTANTS.values()})
MEDIAN = Fraction(1, 2)


def calibrated(name: str, epsilon: Fraction, delta: Fraction, groups: int = 1) -> Admissible:
    found = SMOOTH[name].calibrate(epsilon, delta, groups)
    assert found is not None
    return found


def beyond(p: np.ndarray, q: np.ndarray, epsilon: Fraction) -> float:
    """The least delta at which q hides p."""
    return float(np.maximum(0, p - math.exp(epsilon) * q).sum())


def test_the_registry_says_each_name_once() -> None:
    assert [law.name for law in SMOOTH.values()] == list(SMOOTH)
    assert list(CDF) == list(SMOOTH)


@pytest.mark.parametrize("name", ["smooth-sensitivity", "stability"])
def test_a_proof_note_exists_and_has_its_four_parts(name: str) -> None:
    note = (PROOFS / f"{name}.md").read_text(encoding="utf-8")
    for part in ("## Statement", "## Proof", "## What the code does", "## Vectors"):
        assert part in note
    if name == "smooth-sensitivity":
        assert [law for law in SMOOTH if law not in note] == []


@pytest.mark.parametrize("name", SMOOTH)
@pytest.mark.parametrize(("epsilon", "delta"), [*PRICES, LARGE, (Fraction(10**4), Fraction(1, 10**9))])
def test_the_event_says_what_was_asked_and_no_more(name: str, epsilon: Fraction, delta: Fraction) -> None:
    found = calibrated(name, epsilon, delta, 3)
    event = found.event
    assert event == SmoothNoise(epsilon, Fraction(0) if name == "smooth-cauchy" else delta, Fraction(3))
    assert found.strength > 0
    assert found.rate > SLACK
    assert ACCOUNTANTS["pure"].charge([event]).amount == 3 * epsilon
    assert ACCOUNTANTS["zcdp"].charge([event]).amount == 3 * min(epsilon, epsilon**2 / 2)
    assert ACCOUNTANTS["zcdp"].charge([event]).delta == ACCOUNTANTS["pure"].charge([event]).delta == 3 * event.delta


@pytest.mark.parametrize("name", SMOOTH)
def test_what_needs_a_delta_is_not_to_be_had_without(name: str) -> None:
    assert (SMOOTH[name].calibrate(Fraction(1), None, 1) is None) == (name != "smooth-cauchy")


@pytest.mark.parametrize("name", SMOOTH)
def test_a_law_is_a_frozen_value(name: str) -> None:
    found = calibrated(name, Fraction(1), Fraction(1, 10**6))
    with pytest.raises(FrozenInstanceError):
        found.rate = Fraction(1)  # pyright: ignore[reportAttributeAccessIssue]
    assert found == calibrated(name, Fraction(1), Fraction(1, 10**6))


@pytest.mark.parametrize("name", SMOOTH)
def test_what_is_told_of_the_tails_is_so(name: str) -> None:
    tail = SMOOTH[name].tail_95
    assert CDF[name](tail) - CDF[name](-tail) == pytest.approx(0.95, abs=1e-5)


def test_the_printed_vector_of_laplace_noise() -> None:
    printed = 1 / (2 * math.log(2 / 1e-5))
    assert smooth_laplace_delta(1, 0.5, printed) == pytest.approx(4.83e-8, rel=1e-3)


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 1.0])
@pytest.mark.parametrize("delta", [1e-5, 1e-9, 1e-12])
def test_what_is_printed_is_never_sharper(epsilon: float, delta: float) -> None:
    """Strength and rate of each law, as far as the printed ones are private at all."""
    log2 = math.log(2 / delta)
    printed = {
        "smooth-cauchy": (epsilon / 6, epsilon / 6),
        "smooth-laplace": (epsilon / 2, epsilon / (2 * log2)),
        "smooth-gaussian": (epsilon / (5 * math.sqrt(2 * log2)), epsilon / (4 * (1 + log2))),
    }
    for name, (strength, rate) in printed.items():
        found = calibrated(name, Fraction(epsilon), Fraction(delta))
        assert found.strength >= strength * (1 - 1e-12)
        assert found.rate >= rate


def test_the_printed_rate_of_laplace_noise_is_not_private_at_a_large_epsilon() -> None:
    """Why the rate is calibrated, and not taken from the formula."""
    assert smooth_laplace_delta(20, 10, 20 / (2 * math.log(2 / 1e-5))) > 5e-5
    found = calibrated("smooth-laplace", Fraction(20), Fraction(1, 10**5))
    assert smooth_laplace_delta(20, float(found.strength), float(found.rate)) <= 1e-5


@pytest.mark.parametrize("name", SMOOTH)
@pytest.mark.parametrize(("epsilon", "delta"), [*PRICES[1:], LARGE])
def test_no_two_laws_that_may_be_neighbours_are_farther_apart(name: str, epsilon: Fraction, delta: Fraction) -> None:
    """Scales apart by up to the rate, a shift of up to the strength times the smaller one: by numerical integration."""
    found, worst, loss = calibrated(name, epsilon, delta), 0.0, 0.0
    grid = np.linspace(-60, 60, 240_001)
    for t in np.linspace(0, float(found.rate), 5):
        for shift in np.linspace(0, float(found.strength), 4):
            near = PDF[name](grid)
            far = PDF[name]((grid - shift) / math.exp(t)) / math.exp(t)
            worst = max(worst, *(beyond(p, q, epsilon) * 5e-4 for p, q in ((near, far), (far, near))))
            loss = max(loss, np.abs(np.log(near[near > 1e-280]) - np.log(far[near > 1e-280])).max())
    assert worst <= found.event.delta * Fraction(1001, 1000)
    assert name != "smooth-cauchy" or loss <= epsilon
    assert name != "smooth-laplace" or epsilon > 3 or worst >= found.event.delta * Fraction(9, 10)


def law(found: Smooth, counts: tuple[int, ...]) -> np.ndarray:
    """The exact chances of the cells that a noised quantile is rounded to."""
    last, rows = len(counts) - 1, Rows.of(enumerate(counts))
    edges = (np.arange(last) + 0.5 - quantile(rows, found.share)) / float(found.bound(rows) / found.noise.strength)
    return np.diff(np.array([0.0, *CDF[found.noise.name](edges), 1.0]))


def one_more(counts: tuple[int, ...], unit: int) -> Iterator[tuple[int, ...]]:
    for steps in product(range(unit + 1), repeat=len(counts)):
        if 0 < sum(steps) <= unit:
            yield tuple(a + b for a, b in zip(counts, steps, strict=True))


@pytest.mark.parametrize("unit", [1, 2])
@pytest.mark.parametrize("share", [MEDIAN, Fraction(3, 4), Fraction(1, 10)], ids=str)
@pytest.mark.parametrize("name", SMOOTH)
def test_neighbours_answer_alike_within_the_price(name: str, share: Fraction, unit: int) -> None:
    """Every histogram of four cells with up to three rows each, beside each with one unit more: exact laws."""
    nearest = 0.0
    for epsilon, delta in (*PRICES[1:], (Fraction(1, 2), Fraction(1, 100))):
        noise, sides = calibrated(name, epsilon, delta), sharpest_choice(1, Fraction(1), "pure")
        found = Smooth(pick(4, unit, share), share, noise, sides)
        laws = {counts: law(found, counts) for counts in product(range(4 + unit), repeat=4)}
        for counts in product(range(4), repeat=4):
            for other in one_more(counts, unit):
                p, q = laws[counts], laws[other]
                assert max(beyond(p, q, epsilon), beyond(q, p, epsilon)) <= noise.event.delta + 1e-12
                nearest = max(nearest, np.abs(np.log(p / q)).max() / epsilon)
    assert name != "smooth-cauchy" or nearest > 0.8, "the price is nearly used up, so it could not be lower"


def pick(cells: int = 1000, unit: int = 1, share: Fraction | None = MEDIAN) -> Pick:
    return Pick(Histogram(CELL, cells, unit), share)


def terms(amount: Fraction, accounting: str = "zcdp", groups: int = 1, delta: Fraction | None = None) -> Terms:
    return Terms(amount, accounting, groups, delta)


EVERY = tuple(SMOOTH.values())


def made(amount: Fraction, laws: tuple[type[Admissible], ...] = EVERY, **more: object) -> Smooth:
    return smooth(pick(), terms(amount, **more), laws)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("accounting", CURRENCIES)
@pytest.mark.parametrize("groups", [1, 3])
@pytest.mark.parametrize("name", SMOOTH)
def test_a_release_costs_what_it_was_given(name: str, groups: int, accounting: str) -> None:
    amount, delta = Fraction(1, 10), Fraction(1, 10**8)
    found = smooth(pick(unit=4), terms(amount, accounting, groups, delta), (SMOOTH[name],))
    charge = ACCOUNTANTS[accounting].charge(found.events)
    assert amount * (1 - Fraction(1, 10**9)) <= charge.amount <= amount
    assert charge.delta == (0 if name == "smooth-cauchy" else delta)
    assert found.name == name


def test_without_a_name_of_a_law_the_sharpest_for_even_rows_is_taken() -> None:
    assert made(Fraction(1, 2)).name == "smooth-cauchy"
    assert made(Fraction(1, 2), delta=Fraction(1, 10**9)).name == "smooth-cauchy"
    assert made(Fraction(1, 2), delta=Fraction(1, 100), accounting="pure").name == "smooth-laplace"


def test_a_law_that_needs_a_delta_is_refused_without() -> None:
    with pytest.raises(Refused) as refused:
        made(Fraction(1, 2), (SMOOTH["smooth-laplace"],))
    assert refused.value.code == "no-delta"


@pytest.mark.parametrize("share", [None, Fraction(0), Fraction(1)])
def test_modes_and_extremes_are_refused_with_the_reason(share: Fraction | None) -> None:
    with pytest.raises(Refused) as refused:
        smooth(pick(share=share), terms(Fraction(1)), EVERY)
    assert refused.value.code == "wrong-mechanism"


ROWS = {
    "spread": dict.fromkeys(range(100, 900), 1),
    "one value": {300: 500},
    "two heaps": {0: 30, 999: 40},
    "few": {10: 2, 700: 1},
}
TRIALS = 50


@pytest.mark.parametrize("share", [MEDIAN, Fraction(9, 10)], ids=str)
@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("name", SMOOTH)
def test_intervals_hold(name: str, rows: str, share: Fraction) -> None:
    found = smooth(pick(share=share), terms(Fraction(1, 10), delta=Fraction(1, 10**6)), (SMOOTH[name],))
    counts = Rows.of(ROWS[rows].items())
    true, wrong = quantile(counts, share), 0
    for _ in range(TRIALS):
        (chosen,) = found.pick(counts)
        assert isinstance(chosen, Chosen)
        assert 0 <= chosen.low <= chosen.value <= chosen.high <= 999
        wrong += not chosen.low <= true <= chosen.high
    assert wrong <= stats.binom.isf(1e-9, TRIALS, MISS)


def test_the_noise_has_its_scale_and_the_interval_cuts_its_tails() -> None:
    found, rows = made(Fraction(2)), Rows.of((cell, 1) for cell in range(1000))
    scale = float(found.bound(rows) / found.noise.strength)
    drawn = [abs(found.pick(rows)[0].value - 499) for _ in range(400)]
    within = stats.cauchy.cdf(3.5 / scale) - stats.cauchy.cdf(-3.5 / scale)
    assert abs(sum(each <= 3 for each in drawn) - 400 * within) < 7 * math.sqrt(400 * within * (1 - within) + 1)
    assert max(drawn) < 200
    assert found.sharpness == (Sharpness(1 / float(found.noise.strength), None),)


def test_a_column_of_one_value_has_that_value() -> None:
    found = smooth(pick(cells=1), terms(Fraction(1)), EVERY)
    assert found.pick(Rows.of([(0, 5)])) == (Chosen(0, 0, 0),)
    assert found.pick(Rows.of([])) == (Chosen(0, 0, 0),)
