"""Questions over the golden shop, walked as far as the bounds."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from discreet.engines import open_engine
from discreet.errors import Refused
from discreet.policy.catalogue import Catalogue, resolve
from discreet.policy.load import load
from discreet.privacy import Bounded, bound
from discreet.sql import read
from golden.harness import build

Bounds = Callable[[str], Bounded]


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Catalogue, object]]:
    policy = load(build(tmp_path_factory.mktemp("shop"), ""))
    engine = open_engine(policy.source, {})
    yield resolve(policy, engine.schema()), engine
    engine.close()


@pytest.fixture(scope="session")
def bounds(shop: tuple[Catalogue, object]) -> Bounds:
    catalogue, engine = shop
    return lambda text: bound(read(text, catalogue, "duckdb").plan, catalogue, engine)  # type: ignore[arg-type]


@pytest.fixture(scope="session")
def not_bounded(bounds: Bounds) -> Callable[[str], Refused]:
    def ask(text: str) -> Refused:
        with pytest.raises(Refused) as caught:
            bounds(text)
        return caught.value

    return ask
