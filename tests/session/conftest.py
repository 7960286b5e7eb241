"""A small database of people and visits, opened through the front door."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import discreet
from attacks.worlds import POLICY, build

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    """A budget of fewer than twenty questions at epsilon 1 for the whole dataset, and a smaller quota for alice."""
    words = POLICY.replace("epsilon = 10000", "epsilon = 30\nper_query = { epsilon = 0.1 }")
    return build(tmp_path / "people", policy=words + "[analysts.alice]\nepsilon = 2\n")


@pytest.fixture
def db(policy: Path) -> Iterator[discreet.Database]:
    with discreet.connect(policy) as opened:
        yield opened
