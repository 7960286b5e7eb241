"""Many counting queries: the printed numbers, and that the rows are the least at which the error is small enough."""

from __future__ import annotations

from math import tanh

import pytest

from discreet.accounting import linear
from discreet.accounting.formulas import gaussian_delta


def test_printed_vectors():
    assert linear.laplace_error(100, 0.5, 0.05) == pytest.approx(1520.18, abs=5e-3)
    assert linear.response_error(10_000, 0.1, 0.05) == pytest.approx(0.271847, abs=5e-7)


def test_the_rows_are_the_least_that_do():
    for alpha in (0.5, 0.01, 1e-4):
        rows = linear.laplace_rows(100, 0.5, 0.05, alpha)
        assert linear.laplace_error(100, 0.5, 0.05) / rows <= alpha < linear.laplace_error(100, 0.5, 0.05) / (rows - 1)
        rows = linear.gaussian_rows(100, 0.5, 1e-6, 0.05, alpha)
        error = linear.gaussian_error(100, 0.5, 1e-6, 0.05)
        assert error / rows <= alpha < error / (rows - 1)
        rows = linear.response_rows(0.1, 0.05, alpha)
        assert linear.response_error(rows, 0.1, 0.05) <= alpha < linear.response_error(rows - 1, 0.1, 0.05)


def test_the_mission_formula_of_rows():
    """Rows: |Q| ln(|Q| / d) / (alpha eps)."""
    assert linear.laplace_rows(100, 0.5, 0.05, 0.01) == 152_019


def test_conditions_that_exclude_each_other_are_a_histogram():
    assert linear.laplace_error(100, 0.5, 0.05, overlap=1) == pytest.approx(15.2018, abs=5e-5)
    one = linear.gaussian_error(100, 0.5, 1e-6, 0.05, overlap=1)
    assert linear.gaussian_error(100, 0.5, 1e-6, 0.05, overlap=4) == pytest.approx(2 * one)


def test_the_gaussian_of_a_list_is_private():
    from discreet.accounting.formulas import normal_quantile_above

    sigma = linear.gaussian_error(25, 1, 1e-6, 0.05) / normal_quantile_above(0.05 / 50)
    assert gaussian_delta(sigma, 1, 5) == pytest.approx(1e-6)


def test_responses_of_one_row_are_near_its_lie():
    """With one row the share is its bit: debiased by 2p - 1, which is tanh(eps / 2)."""
    assert linear.response_error(1, 50, 0.05) == pytest.approx(linear.response_error(1, 1, 0.05) * tanh(0.5))


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: linear.laplace_error(0, 1, 0.05),
        lambda: linear.laplace_error(5, 0, 0.05),
        lambda: linear.laplace_error(5, float("nan"), 0.05),
        lambda: linear.laplace_error(5, 1, 1),
        lambda: linear.laplace_error(5, 1, 0.05, overlap=6),
        lambda: linear.laplace_rows(5, 1, 0.05, 0),
        lambda: linear.gaussian_error(5, 1, 0, 0.05),
        lambda: linear.response_rows(1, 0.05, 1.5),
    ],
)
def test_what_is_no_question_is_refused(wrong):
    with pytest.raises(ValueError, match=r"."):
        wrong()
