"""What streams of comparisons owe: a price that their event keeps, the best split of it, honest margins, a proof note."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest

from discreet.ledger.accountants import ACCOUNTANTS
from discreet.ledger.events import AboveThreshold, GaussianNoise, KeyThreshold, LaplaceNoise
from discreet.ledger.watch import Threshold
from discreet.mechanisms.sparse_vector import SparseVector, is_above
from discreet.mechanisms.watch_program import WatchProgram
from noise.harness import misfit
from noise.laws import Law

PROOF = Path(__file__).parents[2] / "docs" / "proofs" / "sparse-vector.md"
PRICES = [Fraction(1, 200), Fraction(1, 8), Fraction(1), Fraction(2), Fraction(7, 3), Fraction(50), Fraction(1, 10**9)]
ANSWERS = [1, 2, 3, 10, 1000]
CURRENCIES = sorted({each.currency for each in ACCOUNTANTS.values()})
everywhere = pytest.mark.parametrize("accounting", CURRENCIES)


def beyond(noise: SparseVector, t: int) -> Decimal:
    """P(r - n >= t), summed."""
    kept, fresh = (Law("laplace", scale) for scale in (noise.threshold_scale, noise.comparison_scale))
    far = int(60 * max(noise.threshold_scale, noise.comparison_scale)) + t
    return sum((kept.chance(z) * fresh.below_or_at(z - t) for z in range(-far, far + 1)), Decimal(0))


def test_the_proof_note_has_its_four_parts():
    note = PROOF.read_text(encoding="utf-8")
    for part in ("## Statement", "## Proof", "## What the code does", "## Vectors"):
        assert part in note


@everywhere
@pytest.mark.parametrize("amount", PRICES, ids=str)
@pytest.mark.parametrize("answers", ANSWERS)
def test_the_event_is_charged_no_more_than_the_price_and_hardly_less(accounting, amount, answers):
    charged = ACCOUNTANTS[accounting].charge([SparseVector.calibrate(answers, amount, accounting).event])
    assert charged.delta == 0
    assert amount * (1 - Fraction(1, 10**9)) <= charged.amount <= amount


def test_the_vectors_of_the_proof_note():
    one = SparseVector.calibrate(1, Fraction(1), "pure")
    assert (one.threshold_scale, one.comparison_scale) == (2, 2)
    ten = SparseVector.calibrate(10, Fraction(1), "pure").event
    assert float(ten.answers / ten.threshold) == pytest.approx(100 ** (1 / 3), abs=1e-5)
    rho = SparseVector.calibrate(1, Fraction(1, 8), "zcdp").event
    assert rho.threshold + 2 * rho.answers == 1
    assert (float(rho.threshold), float(rho.answers)) == pytest.approx((0.3864883, 0.3067559), abs=1e-7)


@everywhere
@pytest.mark.parametrize("answers", [1, 4, 30])
def test_no_other_split_of_the_price_has_less_variance(accounting, answers):
    amount = Fraction(1, 2)
    best = SparseVector.calibrate(answers, amount, accounting)
    for percent in range(1, 100):
        share, total = Fraction(percent, 100), best.event.threshold + best.event.answers
        other = SparseVector(answers, AboveThreshold(total * share, total * (1 - share)))
        if ACCOUNTANTS[accounting].charge([other.event]).amount <= amount:
            assert other.variance >= best.variance * (1 - Fraction(1, 10**6))


def test_under_zcdp_a_stream_is_sharper_than_its_epsilon_alone_would_make_it():
    for answers in ANSWERS:
        by_epsilon = SparseVector.calibrate(answers, Fraction(1, 2), "pure")
        assert SparseVector.calibrate(answers, Fraction(1, 8), "zcdp").variance < by_epsilon.variance


@everywhere
def test_a_price_of_nothing_no_answer_and_no_accounting_are_refused(accounting):
    with pytest.raises(ValueError, match="price"):
        SparseVector.calibrate(1, Fraction(0), accounting)
    with pytest.raises(TypeError, match="price"):
        SparseVector.calibrate(1, 0.5, accounting)
    with pytest.raises(ValueError, match="answer"):
        SparseVector.calibrate(0, Fraction(1), accounting)
    with pytest.raises(TypeError, match="whole"):
        SparseVector.calibrate(1.0, Fraction(1), accounting)
    with pytest.raises(ValueError, match="accounting"):
        SparseVector.calibrate(1, Fraction(1), "no such accounting")


@pytest.mark.parametrize(("threshold", "answers"), [(0, 1), (1, 0), (-1, 3), (3, -1)])
def test_an_event_without_noise_cannot_be(threshold, answers):
    with pytest.raises(ValueError, match="noise"):
        AboveThreshold(Fraction(threshold), Fraction(answers))


def test_it_is_a_frozen_value():
    noise = SparseVector.calibrate(1, Fraction(1), "pure")
    with pytest.raises(FrozenInstanceError):
        noise.answers = 2


@pytest.mark.parametrize("moved", [1, 2, 10])
def test_without_noise_a_count_is_above_just_where_it_is(moved):
    for count in range(40):
        assert is_above(count, 20, moved, 0, 0) is (count > 20)


def test_a_step_of_noise_is_what_one_unit_can_move():
    for moved in (1, 7):
        for noise in range(-3, 4):
            least = next(count for count in range(-100, 200) if is_above(count, 20, moved, noise, 0))
            assert least == 21 + noise * moved
            assert is_above(least, 20, moved, 0, -noise)
            assert not is_above(least - 1, 20, moved, 0, -noise)


@pytest.mark.parametrize("what", [1.0, True, Fraction(1)])
def test_only_whole_numbers_are_compared(what):
    with pytest.raises(TypeError, match="whole"):
        is_above(what, 1, 1, 0, 0)


@everywhere
@pytest.mark.parametrize("answers", [1, 3])
@pytest.mark.parametrize("amount", [Fraction(1, 8), Fraction(1), Fraction(9)])
@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
def test_the_margin_holds_and_is_the_least(accounting, answers, amount, confidence):
    noise = SparseVector.calibrate(answers, amount, accounting)
    steps = noise.margin(1, confidence)
    assert beyond(noise, steps) <= Decimal(1) - Decimal(confidence)
    assert steps == 1 or beyond(noise, steps - 1) > Decimal(1) - Decimal(confidence)
    assert noise.margin(10, confidence) == 10 * (steps - 1) + 1


@everywhere
def test_a_tail_is_never_told_too_small(accounting):
    for answers in (1, 2, 10):
        noise = SparseVector.calibrate(answers, Fraction(1), accounting)
        for t in (1, 2, 5, 20, 60):
            exact = beyond(noise, t)
            assert exact <= Decimal(noise.upper_tail(t)) <= exact * Decimal("1.000000001")
        assert noise.upper_tail(0) == noise.upper_tail(-5) == 1


def test_margins_of_extreme_prices():
    assert SparseVector.calibrate(1, Fraction(10**4), "pure").margin(1, 0.95) == 1
    wide = SparseVector.calibrate(1, Fraction(1, 10**9), "pure").margin(1, 0.95)
    assert 5e9 < wide < 1e10


@pytest.mark.parametrize("confidence", [0, 1, -0.5, 1.5])
def test_a_confidence_lies_between_nought_and_one(confidence):
    with pytest.raises(ValueError, match="confidence"):
        SparseVector.calibrate(1, Fraction(1), "pure").margin(1, confidence)


def test_both_noises_are_drawn_with_their_scales():
    noise = SparseVector.calibrate(8, Fraction(3, 10), "pure")
    for scale, draw in (
        (noise.threshold_scale, noise.draw_threshold),
        (noise.comparison_scale, noise.draw_comparison),
    ):
        law = Law("laplace", scale)
        draws = [draw() for _ in range(4000)]
        assert all(type(x) is int for x in draws)
        assert misfit(draws, lambda x, law=law: float(law.below_or_at(x)), float(scale)) < 1


@everywhere
@pytest.mark.parametrize("answers", ANSWERS)
def test_a_program_pays_for_every_value_it_may_tell(accounting, answers):
    amount = Fraction(1, 3)
    program = WatchProgram.calibrate(Threshold(100, answers, values=True), amount, accounting)
    assert len(program.events) == 1 + answers
    assert ACCOUNTANTS[accounting].charge(program.events).amount <= amount
    assert ACCOUNTANTS[accounting].charge(program.events[:1]).amount <= amount / 2
    for moved in (1, 10):
        blur = program.blur(moved)
        assert blur.event == program.events[1]
        assert blur.calibrate(moved, moved**2, amount / 2 / answers, accounting) == blur


@everywhere
@pytest.mark.parametrize("values", [False, True])
def test_a_program_is_had_again_from_its_events(accounting, values):
    threshold = Threshold(100, 3, values)
    program = WatchProgram.calibrate(threshold, Fraction(1, 3), accounting)
    assert WatchProgram.of(threshold, program.events) == program
    assert (program.blur(1) is None) is not values


@pytest.mark.parametrize(
    "events",
    [
        [],
        [LaplaceNoise(Fraction(1))],
        [AboveThreshold(Fraction(1), Fraction(1)), KeyThreshold(Fraction(1, 10))],
        [AboveThreshold(Fraction(1), Fraction(1)), GaussianNoise(Fraction(1))],
        [AboveThreshold(Fraction(1), Fraction(1)), GaussianNoise(Fraction(1)), GaussianNoise(Fraction(2))],
    ],
)
def test_other_events_are_no_watch(events):
    with pytest.raises(ValueError, match="watch"):
        WatchProgram.of(Threshold(100, 2, values=True), events)
