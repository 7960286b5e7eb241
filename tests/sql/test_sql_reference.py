"""The reference of the SQL is complete, and each of its examples is true."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import discreet
from discreet.plan.nodes import Filter, aggregate_of
from discreet.plan.scalar import Call, Op, walk
from discreet.policy.catalogue import Catalogue
from discreet.privacy.aggregates import AGGREGATES
from discreet.sql import read
from discreet.sql.scalars import PARTS
from golden.harness import build
from house.sources import modules

PAGE = (Path(__file__).parents[2] / "docs" / "sql.md").read_text(encoding="utf-8")
QUERIES = re.findall(r"```sql\n(.*?)```", PAGE, re.DOTALL)
EXPRESSIONS = PAGE.partition("## Expressions")[2].partition("\n## ")[0]
EXAMPLES = re.findall(r"^\| `(.+?)` \|", EXPRESSIONS, re.MULTILINE)
WRITTEN = re.findall(r"^\| `(.+?)` \|", PAGE.partition("## Aggregates")[2].partition("\n## ")[0], re.MULTILINE)
REFUSALS = re.findall(r"^\| `([a-z-]+)` \| `(.+)` \|$", PAGE.partition("## What is refused")[2], re.MULTILINE)
OURS = {Op.CLAMP, Op.GRID, Op.SINCE_1970}
"""Operations that bounds put in; nobody writes them."""


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[discreet.Database]:
    with discreet.connect(build(tmp_path_factory.mktemp("reference"), "")) as found:
        yield found


def operations(example: str, catalogue: Catalogue) -> set[Op]:
    text = f"SELECT COUNT(CASE WHEN ({example}) IS NULL THEN 1 END) AS n FROM orders JOIN users USING (user_id)"
    argument = aggregate_of(read(text, catalogue, "duckdb").plan).aggregations[0].argument
    assert argument is not None
    return {part.op for part in walk(argument) if isinstance(part, Call)}


def test_there_is_something_to_test() -> None:
    assert (len(QUERIES) > 10, len(EXAMPLES) > 50, len(REFUSALS) > 30) == (True, True, True)


@pytest.mark.parametrize("query", QUERIES)
def test_a_question_of_the_page_is_answered(query: str, database: discreet.Database) -> None:
    assert database.explain(query).error is None


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_expression_of_the_page_is_read(example: str, database: discreet.Database) -> None:
    found = database.explain(f"SELECT COUNT({example}) AS n FROM orders JOIN users USING (user_id)")
    assert found.error is None


@pytest.mark.parametrize("part", PARTS)
def test_every_part_of_a_date_is_extracted(part: str, database: discreet.Database) -> None:
    assert database.explain(f"SELECT COUNT(EXTRACT({part} FROM ordered_at)) AS n FROM orders").error is None


@pytest.mark.parametrize("aggregate", WRITTEN)
def test_an_aggregate_of_the_page_is_answered(aggregate: str, database: discreet.Database) -> None:
    assert database.explain(f"SELECT {aggregate} AS n FROM orders").error is None


@pytest.mark.parametrize(("code", "query"), REFUSALS)
def test_a_refusal_of_the_page_is_refused_so(code: str, query: str, database: discreet.Database) -> None:
    error = database.explain(query.replace("\\|", "|")).error
    assert error is not None
    assert (error.code, bool(error.message)) == (code, True)


def test_every_operation_has_an_example(catalogue: Catalogue) -> None:
    shown = set[Op]().union(*(operations(example, catalogue) for example in EXAMPLES))
    intervals = (
        {Op.INTERVAL_LOW, Op.INTERVAL_HIGH}
        if "DP_INTERVAL_LOW(n)" in PAGE and "DP_INTERVAL_HIGH(n)" in PAGE
        else set[Op]()
    )
    assert set(Op) - shown - intervals == OURS


def test_every_aggregate_is_described(catalogue: Catalogue) -> None:
    plans = [aggregate_of(read(f"SELECT {each} AS n FROM orders", catalogue, "duckdb").plan) for each in WRITTEN]
    assert {plan.aggregations[0].function for plan in plans} == set(AGGREGATES)
    assert not any(isinstance(plan.input, Filter) for plan in plans)


def test_every_refusal_of_a_question_has_an_example() -> None:
    """Whatever the rooms of SQL and privacy refuse is on the page."""
    used = {
        word.value
        for file, tree in modules().items()
        if file.startswith(("sql/", "privacy/"))
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) in {"Refused", "refuse"}
        for word in node.args[:2]
        if isinstance(word, ast.Constant)
        and isinstance(word.value, str)
        and re.fullmatch(r"[a-z]+(-[a-z]+)*", word.value)
    }
    in_words = {"private-keys", "unknown-dialect"}
    assert used - {code for code, _ in REFUSALS} == in_words
    assert all(f"`{code}`" in PAGE for code in in_words)
