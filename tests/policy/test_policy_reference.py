"""The reference of the policy is complete, and its example is true."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from discreet.policy.columns import TYPES
from discreet.policy.keys import DECISIONS, KEYS
from discreet.policy.load import loads

PAGE = (Path(__file__).parents[2] / "docs" / "policy.md").read_text(encoding="utf-8")
HEADINGS = {
    "dataset": "## `[dataset]`",
    "budget": "## `[budget]`",
    "budget.per_query": "### `per_query`",
    "analysts.*": "## `[analysts.NAME]`",
    "tables.*": "## `[tables.NAME]`",
    "tables.*.columns.*": "## `columns.NAME`",
    "keys": "## `[keys]`",
}


def test_every_section_has_a_heading() -> None:
    assert set(HEADINGS) == set(KEYS) - {""}
    assert all(f"\n{heading}\n" in PAGE for heading in HEADINGS.values())
    assert set(KEYS[""]) == {kind.partition(".")[0] for kind in HEADINGS}


@pytest.mark.parametrize("kind", HEADINGS)
def test_every_key_has_a_row_and_every_row_a_key(kind: str) -> None:
    section = re.split(r"\n#{2,3} ", PAGE.partition(f"\n{HEADINGS[kind]}\n")[2])[0]
    table = section.partition("| key | meaning | default |\n")[2].partition("\n\n")[0]
    assert tuple(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)) == KEYS[kind]


def test_every_type_is_named() -> None:
    assert [name for name in TYPES if f'`"{name}"`' not in PAGE] == []


def test_every_decision_is_about_a_key() -> None:
    assert set(DECISIONS) <= {key for keys in KEYS.values() for key in keys}


def test_the_example_loads() -> None:
    example = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    assert len(loads(example[0]).tables) == 4
