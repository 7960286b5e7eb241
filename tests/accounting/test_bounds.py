"""Every theorem against brute force and against the others: what is exact is exact, and what bounds it lies above."""

from __future__ import annotations

from itertools import product
from math import comb, exp, inf, log, prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

from discreet import accounting
from discreet.accounting import Query
from discreet.accounting.renyi import CURVES

EPSILONS = st.floats(0.001, 3)
DELTAS = st.floats(1e-12, 0.3)
DIGITS = 1e-9
"""How far a calculator's doubles may be off."""


def missed(epsilons: list[float], total: float) -> float:
    """The exact delta of randomised responses at this total, over all outcomes."""
    found = 0.0
    for lies in product((False, True), repeat=len(epsilons)):
        chances = [1 / (1 + exp(e)) if lie else 1 / (1 + exp(-e)) for e, lie in zip(epsilons, lies, strict=True)]
        loss = sum(-e if lie else e for e, lie in zip(epsilons, lies, strict=True))
        found += prod(chances) * max(0.0, 1 - exp(total - loss))
    return found


@given(EPSILONS, st.integers(1, 9), DELTAS)
def test_the_exact_total_is_where_the_curve_meets_delta(epsilon: float, k: int, delta: float):
    total = accounting.kov(Query(epsilon), k, delta)
    assert missed([epsilon] * k, total + DIGITS) <= delta
    if total > 0:
        assert missed([epsilon] * k, total - DIGITS) >= delta


@given(EPSILONS, st.integers(1, 40))
def test_printed_points_lie_on_the_curve(epsilon: float, k: int):
    for i, (point, delta) in enumerate(accounting.kov_points(Query(epsilon), k)):
        terms = ((comb(k, j), k - j, j) for j in range(i))
        sums = (n * (exp(a * epsilon) - exp((k - 2 * i + j) * epsilon)) for n, a, j in terms)
        assert point == pytest.approx((k - 2 * i) * epsilon)
        assert delta == pytest.approx(sum(sums) / (1 + exp(epsilon)) ** k, rel=1e-6, abs=1e-15)


@settings(deadline=None, max_examples=40)
@given(st.lists(EPSILONS, min_size=1, max_size=8), st.floats(1e-10, 0.1))
def test_no_bound_lies_below_the_exact_total_of_an_unequal_list(epsilons: list[float], delta: float):
    queries = [Query(epsilon) for epsilon in epsilons]
    for theorem in (accounting.advanced, accounting.self_adaptive, accounting.zcdp, accounting.rdp, accounting.pld):
        assert missed(epsilons, theorem(queries, delta) + DIGITS) <= delta


@given(EPSILONS, st.floats(0.01, 60))
def test_curves_of_randomised_response_and_laplace_are_their_integrals(epsilon: float, excess: float):
    order, scale = 1 + excess, 1 / epsilon
    p = 1 / (1 + exp(-epsilon))
    response = log(p**order * (1 - p) ** (1 - order) + (1 - p) ** order * p ** (1 - order)) / excess
    assert CURVES["any"](Query(epsilon))(excess) == pytest.approx(response, rel=1e-9)

    def density(x: float) -> float:
        return exp(-(order * abs(x) - excess * abs(x - 1)) / scale) / (2 * scale)

    whole = sum(quad(density, low, high, limit=200)[0] for low, high in ((-inf, 0), (0, 1), (1, inf)))
    assert CURVES["laplace"](Query(epsilon))(excess) == pytest.approx(log(whole) / excess, rel=1e-6)


@pytest.mark.parametrize("mechanism", ["any", "laplace"])
def test_near_order_one_a_curve_is_the_mean_loss(mechanism: str):
    curve = CURVES[mechanism](Query(0.7))
    assert curve(1e-7) == pytest.approx(curve(1e-4), rel=1e-3)
    assert all(np.diff([curve(10.0**t) for t in range(-5, 3)]) >= 0)


def test_gaussian_noise_is_told_exactly_by_its_own_curve_and_by_losses():
    queries = [Query(0.3, 1e-7)] * 25
    exact = accounting.gaussian(queries, 1e-6)
    assert accounting.pld(queries, 1e-6, "gaussian") == pytest.approx(exact, rel=1e-3)
    assert exact < accounting.rdp(queries, 1e-6, "gaussian") <= accounting.zcdp(queries, 1e-6, "gaussian")
    assert accounting.gaussian([Query(1, 1e-6)], 1e-6) == pytest.approx(1)
    assert accounting.gaussian([Query(0.001, 0.01)], 0.5) == 0
    assert accounting.gaussian([Query(1)], 1e-6) == inf


def test_what_the_queries_spend_of_delta_is_missing_from_the_total():
    own = [Query(0.1, 1e-8)] * 100
    for theorem in (accounting.advanced, accounting.self_adaptive, accounting.zcdp, accounting.rdp):
        assert theorem(own, 1e-5) > theorem([Query(0.1)] * 100, 1e-5)
        assert theorem(own, 9.9e-7) == inf
    assert accounting.kov(own[0], 100, 1e-5) > accounting.kov(Query(0.1), 100, 1e-5)
    assert accounting.kov(own[0], 100, 9.9e-7) == inf


def test_extremes():
    assert accounting.kov(Query(0), 100, 1e-9) == 0
    assert accounting.kov(Query(0.1), 3, 0.5) == 0
    assert accounting.kov(Query(1e-6), 100_000, 1e-6) < 0.003
    assert accounting.advanced([Query(800)], 1e-6) == inf
    assert accounting.self_adaptive([Query(0.1)] * 3, 1e-300) == pytest.approx(0.3)
    assert accounting.zcdp([Query(0)], 1e-6) == 0
