"""The club, opened by its owner."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import discreet
from publications.clubs import build

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    return build(tmp_path / "club")


@pytest.fixture
def db(policy: Path) -> Iterator[discreet.Database]:
    with discreet.connect(policy) as opened:
        yield opened
