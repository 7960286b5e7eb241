"""The harness sees planted faults, each by the check that is named for it; without a fault it sees nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pkgutil import resolve_name
from unittest.mock import patch

import pytest

from discreet.engines import scalars
from discreet.plan.scalar import Op
from neighbours.harness import answered, violations
from neighbours.mutants import FAULTS, HARMLESS, Fault

ALL = [*FAULTS, *HARMLESS]


@contextmanager
def planted(fault: Fault) -> Iterator[None]:
    """The product with one function replaced, or one rule of the table of operations."""
    if fault.target.startswith("discreet.engines.scalars.RULES."):
        op = Op[fault.target.rpartition(".")[2]]
        with patch.dict(scalars.RULES, {op: fault.fault(scalars.RULES[op])}):
            yield
    else:
        with patch(fault.target, fault.fault(resolve_name(fault.target))):
            yield


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_planted_fault_is_seen(fault: Fault) -> None:
    with planted(fault):
        seen = {violation.check for violation in violations(fault.world, fault.question)}
    assert fault.check in seen


@pytest.mark.parametrize("fault", ALL, ids=lambda fault: fault.name)
def test_without_the_fault_nothing_is_seen(fault: Fault) -> None:
    assert answered(fault.world, fault.question)
    assert violations(fault.world, fault.question) == []


@pytest.mark.parametrize("fault", HARMLESS, ids=lambda fault: fault.name)
def test_what_breaks_no_promise_is_not_complained_about(fault: Fault) -> None:
    with planted(fault):
        assert violations(fault.world, fault.question) == []
