"""Every case says today what it said when it was reviewed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import discreet
from golden.harness import CASES, answer, build, sections, written

FILES = sorted(CASES.glob("*.txt"))
UPDATE = bool(os.environ.get("UPDATE_GOLDEN"))


@pytest.fixture(scope="module")
def databases(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, discreet.Database]]:
    policies = ("", "without keys")
    found = {policy: discreet.connect(build(tmp_path_factory.mktemp("shop"), policy)) for policy in policies}
    yield found
    for database in found.values():
        database.close()


def test_there_are_cases() -> None:
    assert len(FILES) >= 60


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_case(file: Path, databases: dict[str, discreet.Database]) -> None:
    before = sections(file.read_text(encoding="utf-8"))
    after = answer(databases[before.get("policy", "")], before)
    if UPDATE:
        file.write_text(written(after), encoding="utf-8")
    assert after == before or UPDATE


def test_every_answered_case_prepares(databases: dict[str, discreet.Database], tmp_path: Path) -> None:
    """The emitted SQL is accepted by the engine's own binder."""
    import duckdb

    policy = build(tmp_path, "")
    refused: list[str] = []
    with duckdb.connect(str(policy.with_name("shop.duckdb"))) as connection:
        connection.execute("ATTACH ':memory:' AS other")
        for file in FILES:
            case = sections(file.read_text(encoding="utf-8"))
            for name in (name for name in case if name.startswith("sql duckdb")):
                sql = case[name].replace('"source".', '"shop".')
                parameters = {"secret": "s", "slices": 1, "slice": 0} if "$secret" in sql else {}
                try:
                    connection.execute(sql, parameters).fetchall()
                except duckdb.Error as error:
                    refused.append(f"{file.stem}: {error}")
    assert refused == []
