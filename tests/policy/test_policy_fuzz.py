"""Whatever stands in the file, the answer is a Policy or a PolicyError, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.errors import PolicyError
from discreet.policy.codes import Code
from discreet.policy.keys import KEYS
from discreet.policy.load import loads
from discreet.policy.model import Policy

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

GOOD = """\
[dataset]
name = "shop"
source = "duckdb:///shop.duckdb"
[budget]
epsilon = 3.0
delta = 1e-6
[tables.regions]
public = true
[tables.users]
unit = "user_id"
rows_per_unit = 1
[tables.items]
via = "user_id -> users.user_id"
rows_per_parent = 5
"""

SCALARS = st.sampled_from(
    [
        "0",
        "1",
        "-1",
        "3.0",
        "1e-6",
        "nan",
        "inf",
        "1e999",
        "1e99999999999999999999",
        "true",
        "false",
        '""',
        '"auto"',
        '"DECIDE"',
        '"row"',
        '"user_id"',
        '"zcdp"',
        '"pure"',
        '"30d"',
        '"0d"',
        '"regions.city"',
        '"users.x"',
        '"a->users.b"',
        '"a->items.b"',
        '"duckdb:///x"',
        '"csv://"',
        '"${HOME}"',
        '"${"',
        '"integer"',
        "2026-01-01",
        "2026-01-01T00:00:00",
        "2026-01-01T00:00:00Z",
        "12:00:00",
    ]
)
VALUES: SearchStrategy[str] = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda items: f"[{', '.join(items)}]"),
        st.dictionaries(st.sampled_from(["epsilon", "range", "step", "values", "x"]), inner, max_size=2).map(
            lambda pairs: "{" + ", ".join(f"{key} = {value}" for key, value in pairs.items()) + "}"
        ),
    ),
    max_leaves=6,
)
NAMES = st.sampled_from([*{key for keys in KEYS.values() for key in keys}, "columns.age", "columns.c.range", '"a.b"'])
SECTIONS = st.sampled_from(
    [
        "dataset",
        "budget",
        "analysts.a",
        "analysts.A",
        "keys",
        "tables.users",
        "tables.USERS",
        "tables.t",
        "tables.t.columns.c",
    ]
)
PAIRS = st.tuples(NAMES, VALUES).map(" = ".join)
BLOCKS = st.tuples(SECTIONS, st.lists(PAIRS, max_size=4)).map(lambda block: "\n".join([f"[{block[0]}]", *block[1]]))


def outcome(text: str) -> Policy | PolicyError:
    try:
        return loads(text, "/p/discreet.toml")
    except PolicyError as error:
        return error


def check(text: str) -> None:
    found = outcome(text)
    if isinstance(found, PolicyError):
        assert found.code in get_args(Code)
        assert found.hint
        assert found.line is None or 1 <= found.line <= text.count("\n") + 1


@given(st.text())
def test_any_text(text: str) -> None:
    check(text)


@given(st.text(alphabet="[]{}=,.\"'#\\\n ab1-_>"))
def test_text_that_looks_like_toml(text: str) -> None:
    check(text)


@settings(max_examples=300)
@given(st.lists(PAIRS, max_size=3), st.lists(BLOCKS, max_size=4))
def test_keys_of_the_grammar_with_any_values(pairs: list[str], blocks: list[str]) -> None:
    check(GOOD + "\n".join([*pairs, *blocks]))


@given(st.integers(0, len(GOOD)), st.integers(0, 12), st.text(alphabet='[]{}=,."\n 01ax', max_size=4))
def test_a_good_file_with_a_slip_of_the_hand(start: int, length: int, typed: str) -> None:
    check(GOOD[:start] + typed + GOOD[start + length :])


def test_brackets_without_end() -> None:
    for text in ("x = " + "[" * 100_000, "x = " + "[" * 100_000 + "]" * 100_000, "x = " + "{a=" * 50_000):
        assert isinstance(outcome(text), PolicyError)
