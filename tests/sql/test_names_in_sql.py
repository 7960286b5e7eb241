"""Which column a name means: case, quotes, look-alikes, aliases that shadow, schemas."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from discreet.errors import Refused
from discreet.plan.nodes import Plan, Project, aggregate_of
from discreet.plan.show import show

Asks = Callable[[str], Plan]
Refuses = Callable[[str], Refused]


@pytest.mark.parametrize(
    "text",
    [
        "SELECT COUNT(*) AS n FROM users WHERE age > 1",
        "select count(*) as n from users where age > 1",
        "SELECT COUNT(*) AS n FROM users WHERE AGE > 1",
        'SELECT COUNT(*) AS n FROM "users" WHERE "users"."age" > 1',
        'SELECT COUNT(*) AS n FROM users WHERE "AGE" > 1',
        "SELECT COUNT(*) AS n FROM main.users WHERE users.age > 1",
        "SELECT/**/COUNT(*)\n AS n -- people\nFROM users WHERE (((age)) > 1)",
        "SELECT COUNT(1) n FROM users WHERE age > 1;",
    ],
)
def test_equal_questions_are_equal_plans(text: str, plan: Asks) -> None:
    assert plan(text) == plan("SELECT COUNT(*) AS n FROM users WHERE age > 1")


def test_the_kelvin_sign_is_the_letter_that_it_folds_to(plan: Asks) -> None:
    """U+212A folds to k. There is one place where names are folded, so two tables can never be told apart by it."""
    assert plan('SELECT COUNT(*) AS n FROM users u JOIN orders "K" ON "\u212a".user_id = u.user_id') == plan(
        'SELECT COUNT(*) AS n FROM users u JOIN orders "K" ON "K".user_id = u.user_id'
    )


def test_two_aliases_that_fold_alike_are_refused(refused: Refuses) -> None:
    text = 'SELECT COUNT(*) FROM users "K" JOIN orders "\u212a" ON "K".user_id = "\u212a".user_id'
    assert refused(text).code == "duplicate-alias"


@pytest.mark.parametrize(
    "name",
    ["\u0430ge", "ag\u0435", "age\u200b", "\uff41ge", "age\u0301", "age ", " age", "age\x00"],
    ids=["cyrillic a", "cyrillic e", "zero width", "full width", "combining", "space after", "space before", "nul"],
)
def test_look_alikes_are_other_names(name: str, refused: Refuses) -> None:
    assert refused(f'SELECT SUM("{name}") FROM users').code == "unknown-column"


def test_an_alias_hides_the_name_of_its_table(plan: Asks, refused: Refuses) -> None:
    assert refused("SELECT COUNT(*) FROM users u WHERE users.age > 1").code == "unknown-table"
    swapped = (
        "SELECT SUM(users.amount) AS s FROM orders AS users JOIN users AS orders ON users.user_id = orders.user_id"
    )
    assert "Scan orders as users" in show(plan(swapped))


def test_where_never_sees_an_output(refused: Refuses) -> None:
    assert refused("SELECT COUNT(*) AS n FROM users WHERE n > 1").code == "unknown-column"


def test_in_where_and_group_by_a_column_comes_before_an_alias(plan: Asks) -> None:
    grouped = aggregate_of(plan("SELECT UPPER(city) AS age, COUNT(*) AS n FROM users GROUP BY UPPER(city)"))
    assert [key.name for key in grouped.keys] == ["age"]
    filtered = show(plan("SELECT COUNT(*) AS age FROM users WHERE age > 1"))
    assert "Filter >(users.age, 1)" in filtered


def test_in_having_and_order_by_an_alias_comes_first(plan: Asks) -> None:
    text = "SELECT city, COUNT(*) AS age FROM users GROUP BY city HAVING age > 1 ORDER BY age"
    shown = show(plan(text))
    assert "Having >(age, 1)" in shown
    assert "Sort age asc" in shown


def test_using_merges_the_column(plan: Asks) -> None:
    text = "SELECT COUNT(*) AS n FROM orders {} WHERE {} > 1"
    assert plan(text.format("JOIN users USING (user_id)", "user_id")) == plan(
        text.format("JOIN users ON orders.user_id = users.user_id", "orders.user_id")
    )


@pytest.mark.parametrize(
    "table",
    [
        "other.users",
        "information_schema.columns",
        "pg_catalog.pg_class",
        "sqlite_master",
        "other.main.users",
        "temp.users",
    ],
)
def test_there_are_no_other_schemas(table: str, refused: Refuses) -> None:
    assert refused(f"SELECT COUNT(*) FROM {table}").code in {"unknown-table", "unsupported"}


def test_outputs_have_the_names_that_duckdb_gives(plan: Asks) -> None:
    found = plan(
        'SELECT city, "city" AS "Stadt", COUNT(*), SUM(age), COUNT(DISTINCT user_id) people FROM users GROUP BY city'
    )
    assert isinstance(found, Project)
    assert [column.name for column in found.columns] == ["city", "Stadt", "count_star()", "sum(age)", "people"]


def test_outputs_of_one_name_are_told_apart(plan: Asks) -> None:
    found = plan("SELECT COUNT(*) AS n, SUM(age) AS n, AVG(age) AS N FROM users")
    assert isinstance(found, Project)
    assert len({column.name for column in found.columns}) == 3
    assert len({each.name for each in aggregate_of(found).aggregations}) == 3


def test_half_of_a_character_is_refused_before_it_is_paid_for(refused: Refuses) -> None:
    assert refused("SELECT COUNT(*) FROM users WHERE city = '\ud800'").code == "syntax"
