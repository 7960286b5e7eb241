"""Counting queries that are planned together: no unit moves what gets noise by more than is declared, and sums are right."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pkgutil import resolve_name
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from discreet.privacy import lists as product
from discreet.privacy.tallies import alone
from neighbours import mutants
from neighbours.cases import ORDERS, USERS, VIEWS, View, worlds
from neighbours.lists import differences, lists, violations, wide

ASKED = int(os.environ.get("DISCREET_NEIGHBOURS", "0"))
CASES = settings(
    max_examples=max(ASKED // len(VIEWS), 1) if ASKED else 10,
    derandomize=not ASKED,
    database=None,
    deadline=None,
    phases=[Phase.explicit, Phase.generate, Phase.shrink],
    suppress_health_check=list(HealthCheck),
)


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.source)
@CASES
@given(data=st.data())
def test_a_unit_moves_no_list_by_more_than_is_declared(view: View, data: st.DataObject) -> None:
    statements = data.draw(lists((view,)))
    assert violations(data.draw(worlds(" ".join(statements))), statements) == []


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.source)
@CASES
@given(data=st.data())
def test_sums_of_cells_are_what_each_statement_counts_alone(view: View, data: st.DataObject) -> None:
    statements = data.draw(lists((view,)))
    assert differences(wide(data.draw(worlds(" ".join(statements)))), statements)[1] == []


def test_most_lists_are_planned() -> None:
    """Otherwise the tests above would prove nothing."""
    seen: list[int] = []

    @CASES
    @given(data=st.data())
    def ask(data: st.DataObject) -> None:
        statements = data.draw(lists((USERS, ORDERS)))
        seen.append(differences(wide(data.draw(worlds(" ".join(statements)))), statements)[0])

    ask()
    assert sum(found > 1 for found in seen) >= len(seen) // 2


STATEMENTS = (
    "SELECT COUNT(*) FROM orders WHERE amount < 3.5",
    "SELECT COUNT(*) FROM orders WHERE amount >= 3.5 AND amount < 9",
    "SELECT COUNT(*) FROM orders WHERE amount < 9",
)
"""A row counts in two of the three."""


def told(**moved: Callable[[product.Tally], Any]) -> Callable[..., Any]:
    """The tallies of the product with other declarations."""

    def planted(tally: Callable[..., Any]) -> Callable[..., Any]:
        def wrong(*arguments: Any) -> Any:
            found = tally(*arguments)
            return replace(found, **{name: change(found) for name, change in moved.items()})

        return wrong

    return planted


def uncut(question: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *arguments: replace(question(*arguments), levels=())


def overlapping(runs: Callable[..., Any]) -> Callable[..., Any]:
    return lambda lengths: tuple((*cell, 0) for cell in runs(lengths))


def asked_singly(apart: Callable[..., Any]) -> Callable[..., Any]:
    """Each statement keeps rows of its own, and the list is declared as if they were the same."""

    def wrong(group: Any, together: Any) -> Any:
        first, *rest = (alone(each) for each in group)
        return [
            replace(first, numbers_moved=together.numbers_moved),
            *(replace(each, numbers_moved=()) for each in rest),
        ]

    return wrong


FAULTS = {
    "a row counts once, it is said": ("lists.tally", told(numbers_moved=lambda each: each.cells_moved), "l1"),
    "the square is forgotten": ("lists.tally", told(numbers_moved=lambda each: (product.Moved(4, 4),)), "l2"),
    "a unit has one row, it is said": ("lists.tally", told(cells_moved=lambda each: (product.Moved(1, 1),)), "l1"),
    "no row is cut": ("tallies._question", uncut, "l1"),
    "cells overlap": ("tallies._runs", overlapping, "l1"),
    "statements cut for themselves": ("lists._apart", asked_singly, "l1"),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_seen(name: str) -> None:
    target, fault, check = FAULTS[name]
    target = f"discreet.privacy.{target}"
    with patch(target, fault(resolve_name(target))):
        assert check in {violation.check for violation in violations(mutants.SHOP, STATEMENTS)}


def test_without_a_fault_nothing_is_seen() -> None:
    assert violations(mutants.SHOP, STATEMENTS) == []
    assert differences(wide(mutants.SHOP), STATEMENTS) == (5, [])


def test_wrong_classes_cost_accuracy_and_no_privacy() -> None:
    """Which cell a row lies in is the database's word; what it counts in there is bounded by the declared sums alone."""
    with patch("discreet.privacy.classes.Class.against", lambda self, written: 0):
        assert violations(mutants.SHOP, STATEMENTS) == []
        assert differences(wide(mutants.SHOP), STATEMENTS)[1] != []
