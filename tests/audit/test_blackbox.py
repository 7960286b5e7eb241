"""A sound build is not convicted, a faulty one is, and the bounds are what they say."""

from __future__ import annotations

from fractions import Fraction
from math import exp, log
from typing import TYPE_CHECKING

import pytest
from scipy.stats import beta

from discreet.audit.binomial import at_least, at_most
from discreet.audit.blackbox import audit, proven_epsilon
from discreet.audit.twins import QUESTIONS, Question, attack
from discreet.mechanisms import noise_source

if TYPE_CHECKING:
    from pathlib import Path

BY_NAME = {question.name: question for question in QUESTIONS}
COUNT = BY_NAME["COUNT(*), rows beyond the bound"]
PURE = BY_NAME["SUM in pure accounting"]


@pytest.mark.parametrize("trials", [1, 2, 30, 500])
@pytest.mark.parametrize("doubt", [0.05, 1e-6])
def test_bounds_are_those_of_clopper_and_pearson(trials: int, doubt: float) -> None:
    for seen in {0, 1, trials // 3, trials - 1, trials}:
        low = beta.ppf(doubt, seen, trials - seen + 1) if seen else 0
        high = beta.ppf(1 - doubt, seen + 1, trials - seen) if seen < trials else 1
        assert at_least(seen, trials, doubt) == pytest.approx(low, abs=1e-12)
        assert at_most(seen, trials, doubt) == pytest.approx(high, abs=1e-12)


@pytest.mark.parametrize(("seen", "trials", "doubt"), [(-1, 5, 0.1), (6, 5, 0.1), (1, 5, 0.0), (1, 5, 1.0)])
def test_what_cannot_be_counted(seen: int, trials: int, doubt: float) -> None:
    with pytest.raises(ValueError, match="doubt"):
        at_least(seen, trials, doubt)


def test_what_two_chances_prove() -> None:
    p = exp(1) / (1 + exp(1))
    assert proven_epsilon(p, 1 - p, "pure") == pytest.approx(1)
    assert proven_epsilon(0.3, 0.3, "zcdp") == proven_epsilon(0.1, 0.3, "pure") == 0
    assert proven_epsilon(1, 0.5, "zcdp") == pytest.approx((2 * log(2) / 1.01) ** 0.5)
    assert proven_epsilon(0.2, 0.0, "pure") == float("inf")


def test_randomised_response_proves_at_most_its_epsilon() -> None:
    """Any event of a mechanism of ratio e has chances within exp(e), and a zCDP price of at most e."""
    for epsilon in (0.1, 0.5, 1, 2, 5):
        p = exp(epsilon) / (1 + exp(epsilon))
        assert proven_epsilon(p, 1 - p, "zcdp") <= epsilon * (1 + 1e-12)


def test_answers_that_tell_everything_are_convicted() -> None:
    found = audit([1.0] * 400, [0.0] * 400, 2, "pure")
    assert not found.sound
    assert found.event in {"answer > 0.5", "answer <= 0.5"}


def test_answers_that_tell_nothing_prove_nothing() -> None:
    assert audit([0.0, 1.0] * 200, [0.0, 1.0] * 200, 2, "pure").proven == 0


@pytest.mark.parametrize(("question", "asked", "doubt"), [(COUNT, 400, 1e-3), (PURE, 600, 1e-6)], ids=["zcdp", "pure"])
def test_the_build_is_not_convicted(tmp_path: Path, question: Question, asked: int, doubt: float) -> None:
    """No event of zCDP's noise comes near what is claimed, so there the doubt may be larger."""
    found = attack(question, tmp_path, asked, doubt)
    assert found.sound, found
    assert found.proven > 0.1 * found.claimed, "the attack has lost its teeth"


def test_a_third_of_the_noise_is_convicted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = noise_source.discrete_gaussian
    monkeypatch.setattr(noise_source, "discrete_gaussian", lambda variance, n: real(variance / Fraction(9), n))
    assert not attack(COUNT, tmp_path, 400, doubt=1e-3).sound


def test_a_forgotten_clamp_is_convicted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discreet.engines.scalars._held", lambda value, _low, _high: value)
    assert not attack(BY_NAME["SUM, values beyond the range"], tmp_path, 200, doubt=1e-3).sound
