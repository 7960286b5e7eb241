"""Whatever is sent, a plan or a refusal comes back: no other error, and no text that keeps the parser busy."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from discreet.errors import Refused
from discreet.plan.nodes import Project
from discreet.plan.show import show
from discreet.policy.catalogue import Catalogue
from discreet.sql import read
from golden.harness import CASES, sections

QUERIES = sorted(sections(file.read_text(encoding="utf-8"))["query"] for file in CASES.glob("*.txt"))
WORDS = sorted({word for query in QUERIES for word in query.split()})
ODD = [
    "'",
    '"',
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "--",
    "/*",
    "*/",
    ";",
    "$1",
    "?",
    ":x",
    "::",
    "@",
    "\\",
    "\x00",
    "1e999",
    "\u212a",
    "É",
    "𝒳",
    "$$",
    "E'",
]
QUIET = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])

mutations = st.lists(
    st.tuples(st.integers(0, 400), st.integers(0, 12), st.sampled_from(WORDS + ODD)), min_size=1, max_size=4
)


def mutated(query: str, changes: list[tuple[int, int, str]]) -> str:
    for at, length, word in changes:
        start = at % (len(query) + 1)
        query = query[:start] + f" {word} " + query[start + length :]
    return query


def plan_or_refusal(text: str, catalogue: Catalogue, dialect: str = "duckdb") -> None:
    try:
        found = read(text, catalogue, dialect).plan
    except Refused:
        return
    assert isinstance(found, Project)
    assert show(found)
    assert found == read(text, catalogue, dialect).plan


@QUIET
@given(text=st.text(max_size=200))
def test_any_text(text: str, catalogue: Catalogue) -> None:
    plan_or_refusal(text, catalogue)
    plan_or_refusal(f"SELECT COUNT(*) FROM users WHERE {text}", catalogue)


@pytest.mark.parametrize(
    "rest", ["@", "age IN ()", "CASE END", "age BETWEEN", "- ", "()", "EXTRACT()", "CAST()", "age ::", "NOT"]
)
def test_forms_with_a_part_missing(rest: str, catalogue: Catalogue) -> None:
    with pytest.raises(Refused):
        read(f"SELECT COUNT(*) FROM users WHERE {rest}", catalogue, "duckdb")


@QUIET
@given(words=st.lists(st.sampled_from(WORDS + ODD), max_size=25))
def test_words_of_sql_in_any_order(words: list[str], catalogue: Catalogue) -> None:
    plan_or_refusal(" ".join(words), catalogue)
    plan_or_refusal("SELECT COUNT(*) FROM users WHERE " + " ".join(words), catalogue)


@QUIET
@given(query=st.sampled_from(QUERIES), changes=mutations)
def test_mutated_questions(query: str, changes: list[tuple[int, int, str]], catalogue: Catalogue) -> None:
    plan_or_refusal(mutated(query, changes), catalogue)


@QUIET
@given(
    query=st.sampled_from(QUERIES),
    dialect=st.sampled_from(["postgres", "bigquery", "snowflake", "clickhouse", "spark", "mysql"]),
)
def test_other_dialects(query: str, dialect: str, catalogue: Catalogue) -> None:
    plan_or_refusal(query, catalogue, dialect)


def test_a_dialect_that_there_is_not(catalogue: Catalogue) -> None:
    with pytest.raises(Refused) as caught:
        read("SELECT COUNT(*) FROM users", catalogue, "cobol")
    assert caught.value.code == "unknown-dialect"


WHERE = "SELECT COUNT(*) FROM users WHERE "
DEEP = {
    "parentheses": WHERE + "(" * 5000 + "age > 1" + ")" * 5000,
    "open parentheses": "SELECT " + "(" * 50_000,
    "not": WHERE + "NOT " * 20_000 + "active",
    "minus": "SELECT SUM(" + "- " * 40_000 + "age) FROM users",
    "plus": "SELECT SUM(" + "+".join(["age"] * 20_000) + ") FROM users",
    "functions": "SELECT SUM(" + "ABS(" * 5000 + "age" + ")" * 5000 + ") FROM users",
    "cases": "SELECT SUM(" + "CASE WHEN active THEN " * 3000 + "1" + " END" * 3000 + ") FROM users",
    "subqueries": "SELECT COUNT(*) FROM " + "(SELECT 1 FROM " * 6000 + "users" + ")" * 6000,
    "types": "SELECT CAST(1 AS " + "STRUCT(a " * 9000 + "INT" + ")" * 9000 + ") FROM users",
    "lists": "SELECT " + "[" * 40_000 + "1" + "]" * 40_000 + " FROM users",
    "dots": "SELECT " + "a." * 40_000 + "a FROM users",
    "unions": "SELECT 1" + " UNION SELECT 1" * 6000,
    "joins": "SELECT COUNT(*) FROM users u" + "".join(f" JOIN users u{n} USING (user_id)" for n in range(1200)),
    "roots": WHERE + "SQRT(" * 40 + "age" + ")" * 40 + " > 1",
    "betweens": WHERE + "(" * 30 + "active" + " BETWEEN TRUE AND TRUE)" * 30,
    "dates": WHERE + "DATE_TRUNC('day', " * 30 + "signup" + ")" * 30 + " > DATE '2026-01-01'",
    "subjects": WHERE + "CASE " * 30 + "active" + " WHEN TRUE THEN TRUE WHEN FALSE THEN FALSE END" * 30,
    "nulls": WHERE + "NULLIF(" * 30 + "age" + ", 1)" * 30 + " > 1",
    "divisors": WHERE + "1 / (" * 30 + "age" + ")" * 30 + " > 1",
    "lists of few": WHERE + "(" * 20 + "active" + " IN (TRUE, FALSE, NULL))" * 20,
    "pieces": WHERE + f"CONCAT({', '.join(['email'] * 101)}) = 'a'",
    "pieces of pieces": WHERE + f"CONCAT({', '.join(['(email || city)'] * 51)}) = 'a'",
    "replaced again": WHERE + "REPLACE(REPLACE(email, 'a', 'aaaaaaaaaaa'), 'aa', 'aaaaaaaaaaaaaaaaaaaaa') = 'a'",
    "replaced by much": WHERE + f"REPLACE(email, 'a', '{'a' * 101}') = 'a'",
    "long texts": WHERE + f"CONCAT('{'a' * 60_000}', CASE WHEN active THEN '{'a' * 39_500}' END) = 'a'",
    "length": "SELECT COUNT(*) FROM users" + " " * 100_000,
}


@pytest.mark.parametrize("kind", DEEP)
def test_what_would_exhaust_the_parser_or_the_memory_is_refused(kind: str, catalogue: Catalogue) -> None:
    with pytest.raises(Refused) as caught:
        read(DEEP[kind], catalogue, "duckdb")
    assert caught.value.code in {"too-long", "not-a-select", "syntax"}


WIDE = {
    "or": WHERE + " OR ".join(f"age = {n}" for n in range(1200)),
    "and": WHERE + " AND ".join(f"age <> {n}" for n in range(1200)),
    "in": WHERE + f"age IN ({', '.join(map(str, range(5000)))})",
    "case": "SELECT SUM(CASE "
    + " ".join(f"WHEN age = {n} THEN {n % 2}" for n in range(1000))
    + " END) AS s FROM users",
    "nested": WHERE + "(" * 25 + "age > 1" + ")" * 25,
    "sum": "SELECT SUM(" + " + ".join(["age"] * 40) + ") AS s FROM users",
    "pieces": WHERE + f"CONCAT({', '.join(['email'] * 100)}) = 'a' AND REPLACE(email, 'a', '{'b' * 100}') <> 'a'",
    "nulls": WHERE + "NULLIF(" * 8 + "age" + ", 1)" * 8 + " > 1",
    "aggregates": "SELECT " + ", ".join(f"SUM(age + {n}) AS s{n}" for n in range(100)) + " FROM users",
}


@pytest.mark.parametrize("kind", WIDE)
def test_what_is_merely_long_is_answered(kind: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    """All the way down: bounded, priced, emitted and shown."""
    import discreet
    from golden.harness import build

    with discreet.connect(build(tmp_path_factory.mktemp("wide"), "")) as database:
        found = database.explain(WIDE[kind])
        assert found.error is None
        assert found.plan
        assert found.bounds
        assert len(list(database.query(WIDE[kind]))) == 1


def test_the_deepest_texts_do_not_end_the_process() -> None:
    """The compiled parser recurses on the C stack: too deep would not raise, it would kill."""
    code = "import sys; sys.path.insert(0, 'tests')\nfrom discreet.sql.read import _parse\nfrom discreet.errors import Refused\n"
    code += "for text in ('SELECT 1 FROM ' + '(SELECT 1 FROM ' * 6600, 'SELECT CAST(1 AS ' + 'STRUCT(a ' * 11000):\n"
    code += "    try: _parse(text, 'duckdb')\n    except Refused as error: print(error.code)\n"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["too-long", "too-long"]
