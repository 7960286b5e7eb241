"""The page about the Python interface has every public name and every public member."""

from __future__ import annotations

import inspect
import re

import pytest

import discreet
from house.sources import REPOSITORY

PAGE = (REPOSITORY / "docs" / "python.md").read_text(encoding="utf-8")
FOR_PYTHON = {
    "Database.after_fork",
    "Explanation.answer",
    "Explanation.refuse",
    "Observation.of",
    "WatchExplanation.of",
}
"""Public by name, for other files of ours."""


def entry(name: str) -> str:
    """The section of a name."""
    return PAGE.partition(f"\n### `{name}`\n")[2].partition("\n##")[0]


def members(kind: type) -> set[str]:
    fields: dict[str, object] = getattr(kind, "__dataclass_fields__", {})
    named = {*fields, *vars(kind)} | set(inspect.getattr_static(kind, "_fields", ()))
    return {name for name in named if not name.startswith("_") and f"{kind.__name__}.{name}" not in FOR_PYTHON}


def named(text: str) -> set[str]:
    """Words in code quotes: a member, or a call of one."""
    return {match[1] for match in re.finditer(r"`(\w+)(?:\([^`]*\))?`", text)}


@pytest.mark.parametrize("name", discreet.__all__)
def test_every_public_name_has_its_entry(name: str) -> None:
    assert f"\n### `{name}`\n" in PAGE or f"\n| `{name}` |" in PAGE


@pytest.mark.parametrize(
    "kind",
    [
        discreet.Database,
        discreet.Release,
        discreet.Explanation,
        discreet.BatchExplanation,
        discreet.Cost,
        discreet.Watch,
        discreet.Observation,
        discreet.WatchExplanation,
    ],
)
def test_every_public_member_has_its_entry(kind: type) -> None:
    assert members(kind) - named(entry(kind.__name__)) == set()


def test_every_attribute_of_a_connection_has_its_entry() -> None:
    source = inspect.getsource(discreet.Database.__init__)
    public = set(re.findall(r"self\.([a-z]\w*)", source))
    assert {"policy", "analyst"} <= public
    assert public - named(entry("Database")) == set()


@pytest.mark.parametrize(
    "name", ["query", "batch", "explain", "explain_batch", "quote", "history", "watch", "explain_watch"]
)
def test_every_keyword_has_its_word(name: str) -> None:
    written = re.search(rf"`{name}\(([^)]*)\)`", entry("Database"))
    assert written is not None
    keywords = [word for word in inspect.signature(getattr(discreet.Database, name)).parameters if word != "self"]
    assert sorted(re.findall(r"[a-z_]+", written[1].replace("=None", ""))) == sorted(keywords)
