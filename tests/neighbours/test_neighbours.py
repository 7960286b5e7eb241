"""No question on any tiny database moves by more than it declares when a unit is dropped.

DISCREET_NEIGHBOURS asks for more cases than the usual number; they are then new ones each time.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from neighbours.cases import VIEWS, View, questions, worlds
from neighbours.harness import answered, violations

ASKED = int(os.environ.get("DISCREET_NEIGHBOURS", "0"))
USUAL = 18
CASES = settings(
    max_examples=max(ASKED // len(VIEWS), 1) if ASKED else USUAL,
    derandomize=not ASKED,
    database=None,
    deadline=None,
    phases=[Phase.explicit, Phase.generate, Phase.shrink],
    suppress_health_check=list(HealthCheck),
)


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.source)
@CASES
@given(data=st.data())
def test_a_unit_moves_no_part_by_more_than_is_declared(view: View, data: st.DataObject) -> None:
    question = data.draw(questions((view,)))
    assert violations(data.draw(worlds(question)), question) == []


NAMED = {
    "smooth": "MEDIAN(u.age)",
    "smooth-laplace": "QUANTILE_DISC(u.age, 0.9)",
    "ptr": "MEDIAN(u.age)",
    "stable": "MODE(u.age > 1)",
}


@pytest.mark.parametrize("name", NAMED)
@CASES
@given(data=st.data())
def test_a_named_mechanism_moves_no_more(name: str, data: st.DataObject) -> None:
    option = f"WITH DIFFERENTIAL_PRIVACY OPTIONS (mechanism = '{name}', delta = 1e-7)"
    question = f"SELECT {option} u.city, {NAMED[name]} AS n, COUNT(*) AS c FROM users u GROUP BY u.city"
    world = data.draw(worlds(question))
    assert answered(world, question)
    assert violations(world, question) == []


def test_most_questions_are_answered() -> None:
    """Otherwise the test above would prove nothing."""
    seen: list[bool] = []

    @CASES
    @given(data=st.data())
    def ask(data: st.DataObject) -> None:
        question = data.draw(questions())
        seen.append(answered(data.draw(worlds(question)), question))

    ask()
    assert sum(seen) >= len(seen) * 3 // 4
