"""Attacks 1, 2 and 5: noise goes from whole numbers to whole numbers, and nothing fractional or floating gets in."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from discreet.mechanisms import MECHANISMS
from discreet.mechanisms.gaussian import Gaussian
from discreet.mechanisms.laplace import Laplace
from discreet.mechanisms.perturb import perturb

NOT_WHOLE = [
    2.5,
    2.0,
    float("nan"),
    Fraction(5, 2),
    Fraction(2),
    Decimal(2),
    np.float64(2),
    np.int64(2),
    True,
    None,
    "2",
]


@pytest.fixture(params=sorted(MECHANISMS))
def noise(request: pytest.FixtureRequest):
    law = MECHANISMS[request.param]
    return law.calibrate(1, 1, Fraction(1, 8), "zcdp") or law.calibrate(1, 1, Fraction(1, 4), "gdp")


@pytest.mark.parametrize("value", NOT_WHOLE, ids=lambda value: f"{type(value).__name__} {value}")
def test_noise_on_what_is_not_a_whole_number_is_refused_unnamed(noise, value):
    with pytest.raises(TypeError) as refusal:
        perturb(noise, [1, value])
    assert str(refusal.value) == "integer noise takes whole numbers of the grid only"


@pytest.mark.parametrize("value", [0, 1, -1, 2**53 + 1, 2**200 + 1, -(2**80) - 3])
def test_every_answer_is_reachable_from_every_value(noise, value):
    """No size of the exact value thins out the low digits: they would tell which neighbour it was."""
    noised = perturb(noise, [value] * 3000)
    assert all(type(x) is int for x in noised)
    offsets = {x - value for x in noised}
    assert {-2, -1, 0, 1, 2} <= offsets


def test_each_cell_gets_noise_of_its_own(noise):
    assert len(set(perturb(noise, [10] * 200))) > 1
    assert perturb(noise, []) == []


@pytest.mark.parametrize("mechanism", [Gaussian, Laplace])
def test_calibration_takes_exact_numbers_only(mechanism):
    for l1, l2_squared in ((1.0, 1), (1, 1.0), (Fraction(1), 1), (1, Fraction(1)), (True, 1), (1, True)):
        with pytest.raises(TypeError):
            mechanism.calibrate(l1, l2_squared, Fraction(1), "zcdp")
    for amount in (0.5, 1, float("nan"), float("inf"), "1"):
        with pytest.raises(TypeError):
            mechanism.calibrate(1, 1, amount, "zcdp")
