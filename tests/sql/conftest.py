"""The shop of the golden cases, as the SQL room sees it: a catalogue, and no data."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from discreet.engines import open_engine
from discreet.errors import Refused
from discreet.plan.nodes import Plan
from discreet.policy.catalogue import Catalogue, resolve
from discreet.policy.load import load
from discreet.sql import read
from golden.harness import build

Asks = Callable[[str], Plan]
Refuses = Callable[[str], Refused]


@pytest.fixture(scope="session")
def catalogue(tmp_path_factory: pytest.TempPathFactory) -> Catalogue:
    policy = load(build(tmp_path_factory.mktemp("shop"), ""))
    engine = open_engine(policy.source, {})
    known = resolve(policy, engine.schema())
    engine.close()
    return known


@pytest.fixture(scope="session")
def plan(catalogue: Catalogue) -> Asks:
    return lambda text: read(text, catalogue, "duckdb").plan


@pytest.fixture(scope="session")
def refused(catalogue: Catalogue) -> Refuses:
    def ask(text: str) -> Refused:
        with pytest.raises(Refused) as caught:
            read(text, catalogue, "duckdb")
        return caught.value

    return ask
