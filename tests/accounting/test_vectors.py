"""The printed numbers of every composition theorem, to the last printed digit."""

from __future__ import annotations

from math import log, sqrt

import pytest

from discreet import accounting
from discreet.accounting import Query

TENTH, HALF = Query(0.1), Query(0.5)
PARAMETERS = [(0.1, 100), (0.01, 1000)]
PROTOCOL = (3.0, 1 / (1e5 * sqrt(1e5)))
"""Epsilon 3, and the delta of a hundred thousand units."""


def test_basic_composition_is_a_sum():
    total = accounting.basic([Query(0.1, 1e-8)] * 100)
    assert (total.epsilon, total.delta) == (pytest.approx(10), pytest.approx(1e-6))


def test_advanced_composition():
    assert accounting.advanced([TENTH] * 100, 1e-6) == pytest.approx(6.308231, abs=5e-7)


@pytest.mark.parametrize(("epsilon", "k", "total"), [(0.1, 100, 5.756106), (0.01, 1000, 1.641491)])
def test_the_least_of_three(epsilon: float, k: int, total: float):
    assert accounting.self_adaptive([Query(epsilon)] * k, 1e-6) == pytest.approx(total, abs=5e-7)


@pytest.mark.parametrize(("epsilon", "k", "total"), [(0.1, 100, 4.774568), (0.01, 1000, 1.365447)])
def test_the_exact_total(epsilon: float, k: int, total: float):
    assert accounting.kov(Query(epsilon), k, 1e-6) == pytest.approx(total, abs=5e-7)
    assert accounting.pld([Query(epsilon)] * k, 1e-6) == pytest.approx(total, abs=5e-7)


def test_the_points_that_the_theorem_prints():
    assert accounting.kov_points(TENTH, 100)[35] == (pytest.approx(3.0), pytest.approx(1.3613986948e-3, rel=1e-9))
    assert accounting.kov_points(HALF, 20)[6] == (pytest.approx(4.0), pytest.approx(0.12922196512, rel=1e-9))


def test_a_delta_of_a_private_count_would_leak_the_count():
    """Noise whose delta is 1 / (N sqrt N) differs between N and N + 1: so delta is a constant of the policy."""
    sigmas = [accounting.printed_slot_sigma(3, n**-1.5) for n in (1000, 1001)]
    assert sigmas == pytest.approx([1.6202894, 1.6203926], abs=5e-8)


def test_the_sigma_of_fixed_slots():
    assert accounting.printed_slot_sigma(*PROTOCOL) == pytest.approx(2.040663, abs=5e-7)
    assert accounting.slot_sigma(*PROTOCOL) == pytest.approx(1.753298, abs=5e-7)
    assert accounting.printed_slot_sigma(*PROTOCOL) * sqrt(2000) == pytest.approx(91.2612, abs=5e-5)
    assert accounting.slot_sigma(*PROTOCOL) * sqrt(2000) == pytest.approx(78.4099, abs=5e-5)


def test_groups_and_disjoint_parts():
    assert accounting.group(HALF, 3) == Query(1.5)
    grown = accounting.group(Query(log(2), 1e-6), 3)
    assert grown is not None
    assert grown.delta == pytest.approx(7e-6)
    assert accounting.group(Query(5, 1e-3), 3) is None
    assert accounting.parallel([TENTH, HALF, Query(0.2, 1e-9)]) == Query(0.5, 1e-9)


def test_a_thousand_unequal_queries_cost_what_others_found():
    """Not the published list itself, but one like it: the curves keep their order and their distance."""
    queries = [Query(0.001 + 0.00005 * (n % 20), 1e-12) for n in range(1000)]
    tight = accounting.pld(queries, 1e-6)
    assert tight < accounting.rdp(queries, 1e-6) <= accounting.zcdp(queries, 1e-6) < 1.1 * tight


def test_the_printed_guarantee_of_a_variance():
    bound = accounting.printed_variance_bound(1060, 20.4, -840, 20.4, 870, 20.4, 0.05)
    assert bound == pytest.approx(0.424335, abs=5e-7)
    assert bound == accounting.printed_variance_bound(1060, 20.4, 840, 20.4, 870, 20.4, 0.05), "the absolute value"
    assert accounting.printed_mean_bound(2 * sqrt(2 * log(80)) * 20.4, 20.4, 0, 20.4, 0.05) is None


@pytest.mark.parametrize("true", [(1000, -840, 870), (400, 3, 5), (5000, 4900, 4890)])
def test_the_printed_guarantees_hold_whatever_the_noise_within_its_bounds(true: tuple[int, int, int]):
    n, total, squares = true
    reach = sqrt(2 * log(80)) * 10
    for off_n in (-reach, 0, reach):
        for off_total in (-reach, 0, reach):
            for off_squares in (-reach, 0, reach):
                seen = n + off_n, 10.0, total + off_total, 10.0
                mean = accounting.printed_mean_bound(*seen, 0.05)
                spread = accounting.printed_variance_bound(*seen, squares + off_squares, 10.0, 0.05)
                assert mean is not None
                assert spread is not None
                assert abs(seen[2] / seen[0] - total / n) <= mean
                told = (squares + off_squares) / seen[0] - (seen[2] / seen[0]) ** 2
                assert abs(told - (squares / n - (total / n) ** 2)) <= spread
