"""What every mechanism in the registry owes: a price that its event keeps, honest widths and tails, a proof note."""

from __future__ import annotations

import math
from dataclasses import FrozenInstanceError, fields
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest

from discreet.ledger.accountants import ACCOUNTANTS
from discreet.mechanisms import MECHANISMS, Mechanism
from noise.laws import EXPONENTS, Law, RoundedNormal

PROOFS = Path(__file__).parents[2] / "docs" / "proofs"
PRICES = [Fraction(1, 200), Fraction(1, 8), Fraction(1), Fraction(2), Fraction(7, 3), Fraction(50), Fraction(1, 10**9)]
MOVEMENTS = [(1, 1), (3, 3), (4, 16), (10, 52), (500, 250_000)]
CONFIDENCES = [0.01, 0.5, 0.95, 0.99, 1 - 1e-9]
EPSILONS = [Fraction(4), Fraction(1), Fraction(1, 4), Fraction(1, 19), Fraction(1, 25), Fraction(1, 200)]

CURRENCIES = sorted({each.currency for each in ACCOUNTANTS.values()})

PRICED = [
    (name, accounting)
    for name, kind in sorted(MECHANISMS.items())
    for accounting in CURRENCIES
    if kind.calibrate(1, 1, Fraction(1), accounting) is not None
]
"""Which mechanism can be had under which accounting."""


def parameter(mechanism: Mechanism) -> Fraction:
    """The one field beside the event: a scale or a variance."""
    (name,) = (field.name for field in fields(mechanism) if field.name != "event")
    return getattr(mechanism, name)


def at(name: str, epsilon: Fraction) -> Mechanism:
    """A mechanism for a count, at a price for which every one of them can be had."""
    currency = currency_of(name)
    found = MECHANISMS[name].calibrate(1, 1, epsilon**2 / (1 if currency == "gdp" else 2), currency)
    assert found is not None
    return found


def currency_of(name: str) -> str:
    """One in which it can be had."""
    return next(currency for currency in ("zcdp", "gdp") if (name, currency) in PRICED)


def law(mechanism: Mechanism) -> Law | RoundedNormal:
    if mechanism.name == "fine-gaussian":
        return RoundedNormal(parameter(mechanism))
    return Law(mechanism.name, parameter(mechanism))


@pytest.fixture(params=sorted(MECHANISMS))
def name(request: pytest.FixtureRequest) -> str:
    return request.param


def test_the_registry_says_each_name_once(name: str):
    assert MECHANISMS[name].name == name
    assert name in (*EXPONENTS, "fine-gaussian"), "write the law of a new mechanism down in tests/noise/laws.py"


def test_a_proof_note_exists_and_has_its_four_parts(name: str):
    note = (PROOFS / (f"{name}.md" if name == "fine-gaussian" else f"discrete-{name}.md")).read_text(encoding="utf-8")
    for part in ("## Statement", "## Proof", "## What the code does", "## Vectors"):
        assert part in note


@pytest.mark.parametrize(("name", "accounting"), PRICED)
@pytest.mark.parametrize("amount", PRICES, ids=str)
@pytest.mark.parametrize(("l1", "l2_squared"), MOVEMENTS)
def test_the_event_is_charged_no_more_than_the_price_and_hardly_less(name, accounting, amount, l1, l2_squared):
    mechanism = MECHANISMS[name].calibrate(l1, l2_squared, amount, accounting)
    charged = ACCOUNTANTS[accounting].charge([mechanism.event])
    assert charged.delta == 0
    assert amount * (1 - Fraction(1, 10**9)) <= charged.amount <= amount


@pytest.mark.parametrize("accounting", CURRENCIES)
def test_every_accounting_has_a_mechanism(accounting: str):
    assert accounting in {priced for _, priced in PRICED}


def test_an_accounting_that_it_does_not_know_is_refused(name: str):
    with pytest.raises(ValueError, match="accounting"):
        MECHANISMS[name].calibrate(1, 1, Fraction(1), "no such accounting")


@pytest.mark.parametrize(("name", "accounting"), PRICED)
def test_what_nobody_can_move_is_released_as_it_is_and_costs_nothing(name: str, accounting: str):
    mechanism = MECHANISMS[name].calibrate(0, 0, Fraction(1), accounting)
    assert ACCOUNTANTS[accounting].charge([mechanism.event]).amount == 0
    assert mechanism.draw(3) == [0, 0, 0]
    assert (mechanism.spread, mechanism.half_width(0.99)) == (0, 0)
    assert (mechanism.upper_tail(0), mechanism.upper_tail(1)) == (1, 0)


def test_noise_is_left_out_only_together_with_its_price(name: str):
    kind, real = MECHANISMS[name], at(name, Fraction(1))
    nothing = kind.calibrate(0, 0, Fraction(1), currency_of(name))
    for size, event in ((Fraction(0), real.event), (Fraction(1), nothing.event), (Fraction(-1), real.event)):
        with pytest.raises(ValueError, match="only where nothing can move"):
            kind(size, event)


@pytest.mark.parametrize(("l1", "l2_squared"), [(0, 1), (1, 0), (-1, 1), (1, -1)])
def test_sensitivities_that_contradict_each_other_are_refused(name: str, l1: int, l2_squared: int):
    with pytest.raises(ValueError, match="sensitivities"):
        MECHANISMS[name].calibrate(l1, l2_squared, Fraction(1), currency_of(name))


@pytest.mark.parametrize("amount", [Fraction(0), Fraction(-1, 2)])
def test_a_price_of_nothing_is_refused(name: str, amount: Fraction):
    with pytest.raises(ValueError, match="price"):
        MECHANISMS[name].calibrate(1, 1, amount, currency_of(name))


def test_a_mechanism_is_a_frozen_value(name: str):
    mechanism = at(name, Fraction(1))
    with pytest.raises(FrozenInstanceError):
        mechanism.event = None
    assert mechanism == at(name, Fraction(1))


def test_draws_are_whole_fresh_and_on_both_sides(name: str):
    mechanism = at(name, Fraction(1, 50))
    first, second = mechanism.draw(200), mechanism.draw(200)
    assert len(first) == 200
    assert all(type(x) is int for x in first)
    assert first != second
    assert min(first) < 0 < max(first)
    assert mechanism.draw(0) == []


@pytest.mark.parametrize("epsilon", EPSILONS, ids=str)
def test_half_width_covers_and_is_the_least(name: str, epsilon: Fraction):
    mechanism = at(name, epsilon)
    truth = law(mechanism)
    slack = 0 if parameter(mechanism) <= 400 else 1
    for confidence in CONFIDENCES:
        width = mechanism.half_width(confidence)
        assert truth.inside(width) >= Decimal(confidence)
        assert width <= slack or truth.inside(width - 1 - slack) < Decimal(confidence)


def test_half_width_grows_with_confidence_and_with_noise(name: str):
    for epsilon in EPSILONS:
        widths = [at(name, epsilon).half_width(c) for c in CONFIDENCES]
        assert widths == sorted(widths)
    for confidence in CONFIDENCES:
        widths = [at(name, epsilon).half_width(confidence) for epsilon in EPSILONS]
        assert widths == sorted(widths)


@pytest.mark.parametrize("confidence", [0, 1, -0.5, 1.5, math.nan])
def test_a_confidence_lies_between_nought_and_one(name: str, confidence: float):
    with pytest.raises(ValueError, match="confidence"):
        at(name, Fraction(1)).half_width(confidence)


@pytest.mark.parametrize("epsilon", EPSILONS, ids=str)
def test_the_upper_tail_is_never_below_the_truth_and_hardly_above(name: str, epsilon: Fraction):
    mechanism = at(name, epsilon)
    truth = law(mechanism)
    summed = parameter(mechanism) <= 400
    told = [mechanism.upper_tail(t) for t in range(1, int(9 * mechanism.spread) + 3)]
    for t, tail in enumerate(told, start=1):
        exact = truth.above(t)
        assert Decimal(tail) >= exact
        loose = Decimal("1.00000002") if summed or name != "gaussian" else Decimal("1.05")
        assert Decimal(tail) <= max(exact * loose, Decimal("2e-300"))
    assert told == sorted(told, reverse=True)
    assert mechanism.upper_tail(0) == mechanism.upper_tail(-7) == 1


@pytest.mark.parametrize("amount", [Fraction(1, 10**24), Fraction(10**6), Fraction(10**30 + 7, 10**31 + 9)], ids=str)
def test_extreme_prices_work(name: str, amount: Fraction):
    mechanism = MECHANISMS[name].calibrate(7, 21, amount, currency_of(name))
    assert mechanism is not None
    assert len(mechanism.draw(5)) == 5
    width = mechanism.half_width(0.95)
    assert 2 * mechanism.upper_tail(width + 1) <= 0.05 + 1e-12
    assert mechanism.upper_tail(10**40) == 1e-300
