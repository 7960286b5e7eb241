"""The totals side by side: which hold, which say nothing and why, and what is refused."""

from __future__ import annotations

import sys
from math import inf, nan
from typing import Any

import pytest

import discreet
from discreet import accounting
from discreet.accounting import compose


def test_all_theorems_stand_side_by_side():
    found = compose(0.1, 100, delta=1e-6)
    assert found.to_dict()["least"] in ("kov", "pld")
    assert [total.theorem for total in found.totals] == [
        *("basic", "advanced", "self-adaptive", "kov", "zcdp", "rdp", "pld", "gaussian", "parallel")
    ]
    assert found["gaussian"] is None
    assert found["parallel"] == 0.1


def test_unequal_queries_have_no_exact_total():
    found = compose([0.1, 0.2], 10, delta=1e-6)
    assert len(found.queries) == 20
    assert found["kov"] is None
    assert found.least.theorem == "pld"


def test_a_group_pays_for_all_its_units():
    assert compose(0.1, 4, delta=1e-6, units=3)["basic"] == pytest.approx(1.2)


def test_the_curve_has_every_number_of_queries_up_to_all():
    curve = compose(0.1, 30, delta=1e-6).curve(10)
    assert [k for k, _ in curve["kov"]][0::9] == [1, 30]
    assert all(low <= high for (_, low), (_, high) in zip(curve["basic"], curve["basic"][1:], strict=False))


def test_without_the_extra_the_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "dp_accounting.pld.privacy_loss_distribution", None)
    total = next(total for total in compose(0.1, 5, delta=1e-6).totals if total.theorem == "pld")
    assert total.epsilon is None
    assert "discreet[accounting]" in total.note


@pytest.mark.parametrize(
    "asked",
    [
        {"epsilon": nan},
        {"epsilon": inf},
        {"epsilon": -1},
        {"epsilon": 1e5},
        {"epsilon": []},
        {"k": 0},
        {"delta": 0},
        {"delta": 1},
        {"delta": nan},
        {"delta_each": 1},
        {"delta_each": nan},
        {"mechanism": "magic"},
        {"units": 0},
        {"units": 3, "mechanism": "gaussian", "delta_each": 1e-9},
        {"epsilon": 5, "delta_each": 1e-3, "units": 9},
    ],
)
def test_numbers_that_are_none_are_refused(asked: dict[str, Any]):
    with pytest.raises(ValueError, match=r"\w"):
        compose(**{"epsilon": 0.1, "delta": 1e-6, **asked})


def test_the_calculator_hangs_at_the_front_door():
    assert discreet.accounting is accounting
