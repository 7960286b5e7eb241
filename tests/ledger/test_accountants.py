"""Accountants against printed vectors, against the conversion itself, and against what they must refuse."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.stats import norm

from discreet.accounting.gaussian_dp import delta_above
from discreet.errors import LedgerError
from discreet.ledger.accountants import ACCOUNTANTS, accountant
from discreet.ledger.events import (
    AboveThreshold,
    Charge,
    ExponentialChoice,
    GaussianNoise,
    KeyThreshold,
    LaplaceNoise,
    RandomisedAnswer,
    SmoothNoise,
    StabilityThreshold,
)

ZCDP, PURE, GDP = accountant("zcdp"), accountant("pure"), accountant("gdp")
COUNT = Fraction(1, 800)  # a count with sigma 20


def naive(epsilon, delta):
    return (math.sqrt(math.log(1 / delta) + epsilon) - math.sqrt(math.log(1 / delta))) ** 2


def log_delta(rho, epsilon, alpha):
    """The logarithm of delta at epsilon from the moment of one order, as the proof note derives it."""
    return (alpha - 1) * (alpha * rho - epsilon) - math.log(alpha - 1) + alpha * math.log1p(-1 / alpha)


@pytest.mark.parametrize(
    ("epsilon", "delta", "counts", "counts_naive"), [("3", "3.16e-8", 116, 96), ("1", "1e-6", 19, 13)]
)
def test_capacity_in_counts(epsilon, delta, counts, counts_naive):
    capacity = ZCDP.capacity(Fraction(epsilon), Fraction(delta), Fraction(0))
    assert capacity.amount // COUNT == counts
    assert naive(float(epsilon), float(delta)) // float(COUNT) == counts_naive


@given(
    st.fractions(Fraction(1, 100), 20).filter(lambda e: e > 0),
    st.integers(2, 15).map(lambda d: Fraction(1, 10**d)),
)
def test_capacity_meets_the_conversion_and_no_order_allows_more(epsilon, delta):
    rho = float(ZCDP.capacity(epsilon, delta, Fraction(0)).amount)
    alphas = [1 + math.exp(t / 50) for t in range(-500, 1000)]

    def least(at):
        return min(log_delta(at, float(epsilon), alpha) for alpha in alphas)

    assert least(rho) <= math.log(delta) + 0.01  # the grid of orders is coarse
    assert least(rho * 1.001) >= math.log(delta)


@given(st.fractions(Fraction(1, 10), 10), st.integers(2, 12).map(lambda d: Fraction(1, 10**d)))
def test_capacity_is_sound_for_the_gaussian_whose_true_cost_is_known(epsilon, delta):
    rho, e = float(ZCDP.capacity(epsilon, delta, Fraction(0)).amount), float(epsilon)
    mu = math.sqrt(2 * rho)
    true = norm.cdf(mu / 2 - e / mu) - math.exp(e) * norm.cdf(-mu / 2 - e / mu)
    assert true <= float(delta)


def test_capacity_is_near_the_true_gaussian_cost():
    def excess(mu):
        return norm.cdf(mu / 2 - 3 / mu) - math.exp(3) * norm.cdf(-mu / 2 - 3 / mu) - 3.16e-8

    best = brentq(excess, 1e-3, 3) ** 2 / 2
    assert 0.8 * best < float(ZCDP.capacity(Fraction(3), Fraction("3.16e-8"), Fraction(0)).amount) < best


def test_keys_delta_is_set_aside_before_the_conversion():
    aside = ZCDP.capacity(Fraction(1), Fraction("1.1e-6"), Fraction("1e-7"))
    assert aside == Charge(ZCDP.capacity(Fraction(1), Fraction("1e-6"), Fraction(0)).amount, Fraction("1e-7"))
    assert PURE.capacity(Fraction(1), Fraction("1e-6"), Fraction("1e-7")) == Charge(Fraction(1), Fraction("1e-7"))
    assert PURE.capacity(Fraction(1), Fraction(0), Fraction(0)) == Charge(Fraction(1))


@pytest.mark.parametrize("keys", [Fraction(0), Fraction("1e-6")])
def test_zcdp_needs_some_delta_for_its_conversion(keys):
    with pytest.raises(ValueError, match="zcdp accounting needs a delta above zero"):
        ZCDP.capacity(Fraction(1), keys, keys)


@pytest.mark.parametrize("name", sorted(ACCOUNTANTS))
@pytest.mark.parametrize(
    ("epsilon", "delta", "keys"), [(0, "1e-6", 0), (-1, "1e-6", 0), (1, 1, 0), (1, -1, 0), (1, "1e-6", "1e-5")]
)
def test_budgets_that_promise_nothing_are_refused(name, epsilon, delta, keys):
    with pytest.raises(ValueError, match=r"delta|epsilon"):
        accountant(name).capacity(Fraction(epsilon), Fraction(delta), Fraction(keys))


def test_zcdp_charges_exactly():
    assert ZCDP.charge([GaussianNoise(Fraction(1, 400))]) == Charge(COUNT)
    assert ZCDP.charge([LaplaceNoise(Fraction(1, 3))]) == Charge(Fraction(1, 18))
    assert ZCDP.charge([LaplaceNoise(Fraction(5))]) == Charge(Fraction(5)), "beyond two, epsilon itself is the smaller"
    events = [GaussianNoise(Fraction(1, 3)), LaplaceNoise(Fraction(1, 7)), KeyThreshold(Fraction(1, 10**8))]
    assert ZCDP.charge(events) == Charge(Fraction(1, 6) + Fraction(1, 98), Fraction(1, 10**8))
    assert ZCDP.charge([]) == Charge(Fraction(0))


@pytest.mark.parametrize(("ratio", "rho"), [("1/2", "3/8"), ("2", "6"), ("5", "15")])
def test_smooth_noise_costs_its_epsilon_and_delta_in_each_group(ratio, rho):
    event, delta = SmoothNoise(Fraction(ratio), Fraction(1, 10**9), Fraction(3)), Fraction(3, 10**9)
    assert ZCDP.charge([event]) == Charge(Fraction(rho), delta)
    assert PURE.charge([event]) == Charge(3 * Fraction(ratio), delta)
    pure = GDP.charge([LaplaceNoise(Fraction(ratio))]).amount
    assert GDP.charge([event]) == Charge(3 * pure, delta)


@pytest.mark.parametrize("name", sorted(ACCOUNTANTS))
def test_a_stability_threshold_costs_its_delta_alone(name):
    assert accountant(name).charge([StabilityThreshold(Fraction(1, 7))]) == Charge(Fraction(0), Fraction(1, 7))


def test_what_is_epsilon_delta_private_is_a_pure_pair_but_for_delta():
    """The proof of the price of smooth noise, carried out on random laws: parts of mass 1 - delta with bounded ratios."""
    draw, high = np.random.default_rng(4), math.exp(0.7)
    for _ in range(200):
        p, q = draw.dirichlet(np.full(6, 0.5)), draw.dirichlet(np.full(6, 0.5))
        delta = max(np.maximum(0, p - high * q).sum(), np.maximum(0, q - high * p).sum())
        parts = [np.minimum(p, high * q), np.minimum(q, high * p)]
        assert min(part.sum() for part in parts) >= 1 - delta - 1e-12
        larger = int(parts[1].sum() > parts[0].sum())
        least, mass = np.minimum(*parts), parts[1 - larger].sum()
        over = parts[larger].sum() - least.sum()
        mixed = (mass - least.sum()) / over if over > 1e-12 else 0.0
        parts[larger] = mixed * parts[larger] + (1 - mixed) * least
        parts = [part * (1 - delta) / mass for part in parts]
        assert all(abs(part.sum() - (1 - delta)) < 1e-9 for part in parts)
        assert (parts[0] <= p + 1e-12).all()
        assert (parts[1] <= q + 1e-12).all()
        assert (parts[0] <= high * parts[1] + 1e-12).all()
        assert (parts[1] <= high * parts[0] + 1e-12).all()


def test_pure_charges_exactly_and_refuses_gaussian():
    assert PURE.charge(
        [LaplaceNoise(Fraction(1, 3)), LaplaceNoise(Fraction(1, 6)), KeyThreshold(Fraction(1, 9))]
    ) == Charge(Fraction(1, 2), Fraction(1, 9))
    with pytest.raises(LedgerError) as refused:
        PURE.charge([GaussianNoise(Fraction(1))])
    assert refused.value.code == "unknown-event"


def test_a_watch_is_charged_once_for_its_threshold_and_its_answers():
    watch = AboveThreshold(Fraction(1, 2), Fraction(1, 4))
    assert PURE.charge([watch]) == Charge(Fraction(3, 4))
    assert ZCDP.charge([watch]) == Charge(Fraction(1, 8))
    assert ZCDP.charge([AboveThreshold(Fraction(5), Fraction(6))]) == Charge(Fraction(11))
    assert GDP.charge([watch]) == GDP.charge([ExponentialChoice(Fraction(1))]), (
        "both have log-ratios in an interval of 1"
    )
    assert ZCDP.charge([watch, watch]) == Charge(Fraction(1, 4)), "two watches are two prices"


@given(st.floats(0.01, 4), st.floats(0.01, 4), st.floats(1.001, 60))
def test_the_coin_that_a_watch_is_made_of_costs_no_more_than_it_is_charged(threshold, answers, alpha):
    """The proof note's coin: heads likelier here by exp(threshold + answers), tails there by exp(answers)."""
    there = -math.expm1(-answers) / (math.exp(threshold + answers) - math.exp(-answers))
    here = there * math.exp(threshold + answers)
    precision = float(GDP.charge([AboveThreshold(Fraction(threshold), Fraction(answers))]).amount)
    rho = float(ZCDP.charge([AboveThreshold(Fraction(threshold), Fraction(answers))]).amount)
    for p, q in (((here, 1 - here), (there, 1 - there)), ((there, 1 - there), (here, 1 - here))):
        divergence = math.log(sum(a**alpha * b ** (1 - alpha) for a, b in zip(p, q, strict=True))) / (alpha - 1)
        assert divergence <= alpha * rho * (1 + 1e-9) + 1e-9
        for epsilon in (0, 0.1, 0.5, 1, 3):
            delta = sum(max(0, a - math.exp(epsilon) * b) for a, b in zip(p, q, strict=True))
            assert delta <= delta_above(precision, epsilon) * (1 + 1e-9) + 1e-12


@pytest.mark.parametrize("name", sorted(ACCOUNTANTS))
def test_unknown_and_negative_events_are_refused(name):
    with pytest.raises(LedgerError) as unknown:
        accountant(name).charge([object()])
    assert unknown.value.code == "unknown-event"
    for event in (LaplaceNoise(Fraction(-1)), KeyThreshold(Fraction(-1)), RandomisedAnswer(Fraction(-1))):
        with pytest.raises(LedgerError) as negative:
            accountant(name).charge([event])
        assert negative.value.code == "bad-charge"


def test_randomised_answers_cost_their_ratio_or_their_mean_loss():
    assert PURE.charge([RandomisedAnswer(Fraction(1, 3))]) == Charge(Fraction(1, 3))
    cost = ZCDP.charge([RandomisedAnswer(Fraction(1))])
    assert cost.delta == 0
    assert float(cost.amount) == pytest.approx(0.4621171573, abs=5e-11)


@given(st.fractions(Fraction(1, 10**9), 10**4, max_denominator=10**9))
def test_randomised_answers_are_charged_hardly_more_than_their_rho_and_never_less(ratio):
    charged = ZCDP.charge([RandomisedAnswer(ratio)]).amount
    with localcontext() as context:
        context.prec = 80
        r = Decimal(ratio.numerator) / ratio.denominator
        exact = r * (1 - (-r).exp()) / (1 + (-r).exp())
        told = Decimal(charged.numerator) / charged.denominator
        assert exact * (1 - Decimal("1e-70")) <= told <= exact * (1 + Decimal("1e-15")) + Decimal("1e-30")
    assert charged <= min(ratio**2 / 2, ratio)
    assert (charged * 10**30).denominator == 1 or charged in (ratio**2 / 2, ratio)


@given(st.floats(1e-6, 100))
def test_laplace_never_costs_less_than_its_divergence(epsilon):
    """Every order of the worst pair, randomised response at epsilon, stays within rho times the order."""
    rho = float(ZCDP.charge([LaplaceNoise(Fraction(epsilon))]).amount)
    for order in (1.01, 1.5, 2, 5, 50):
        a, b = epsilon * (order - 0.5), epsilon / 2
        moment = a + math.log1p(math.exp(-2 * a)) - b - math.log1p(math.exp(-2 * b))
        assert moment / (order - 1) <= rho * order * (1 + 1e-9) + 1e-12


@given(st.fractions(Fraction(1, 10**6), 100))
def test_epsilon_inverts_price_from_below(epsilon):
    for each in ACCOUNTANTS.values():
        shown = each.epsilon(each.price(epsilon))
        assert float(epsilon) - 2e-12 <= shown <= float(epsilon)


def test_epsilon_of_round_prices_is_round():
    for each in ACCOUNTANTS.values():
        assert [each.epsilon(each.price(Fraction(text))) for text in ("0.1", "0.5", "3")] == [0.1, 0.5, 3.0]
        assert each.epsilon(Fraction(-1)) == 0.0


def test_guarantee():
    delta = Fraction("3.16e-8")
    assert ZCDP.guarantee(ZCDP.capacity(Fraction(3), delta, Fraction(0)), delta) == pytest.approx(3, rel=1e-6)
    assert ZCDP.guarantee(ZCDP.capacity(Fraction(3), delta, Fraction(0)), delta) >= 3
    assert ZCDP.guarantee(Charge(Fraction(0)), delta) == 0
    assert ZCDP.guarantee(Charge(Fraction(1), delta), delta) == math.inf
    assert PURE.guarantee(Charge(Fraction(1, 3), delta), delta) >= 1 / 3
    assert PURE.guarantee(Charge(Fraction(1), delta), Fraction(0)) == math.inf


def test_an_accounting_that_is_not_known_is_refused():
    with pytest.raises(LedgerError) as refused:
        accountant("moments")
    assert refused.value.code == "unknown-accounting"
    assert '"zcdp"' in refused.value.hint
