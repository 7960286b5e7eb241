"""Every way in which a policy does not fit the live schema is found, with its code, line and hint."""

from __future__ import annotations

from fractions import Fraction

import pytest

from discreet.errors import PolicyError
from discreet.plan.types import ColumnSchema, TableSchema, Type
from discreet.policy.catalogue import problems, remarks, resolve
from discreet.policy.load import loads

TOP = '[dataset]\nname = "shop"\nsource = "a.csv"\n[budget]\nepsilon = 3.0\ndelta = 1e-6\n'
USERS = '[tables.users]\nunit = "user_id"\nrows_per_unit = 1\n'
ORDERS = '[tables.orders]\nunit = "user_id"\nrows_per_unit = 1\n'
REGIONS = "[tables.regions]\npublic = true\n"

COLUMNS = {
    "user_id": Type.INTEGER,
    "order_id": Type.INTEGER,
    "age": Type.INTEGER,
    "city": Type.TEXT,
    "amount": Type.DECIMAL,
    "score": Type.FLOAT,
    "active": Type.BOOLEAN,
    "born": Type.DATE,
    "seen": Type.TIMESTAMP,
    "blob": Type.OTHER,
}


def table(name: str, columns: dict[str, Type], foreign: tuple[tuple[tuple[str, ...], str, tuple[str, ...]], ...] = ()):
    live = {column: ColumnSchema(column, kind, 2 if kind is Type.DECIMAL else None) for column, kind in columns.items()}
    return TableSchema(name, live, foreign_keys=foreign)


LIVE = [
    table("users", COLUMNS),
    table("orders", COLUMNS),
    table("items", {"order_id": Type.INTEGER, "order_text": Type.TEXT, "ratio": Type.FLOAT, "row": Type.TEXT}),
    table("regions", {"city": Type.TEXT, "code": Type.INTEGER, "ratio": Type.FLOAT}),
    table("visits", {"user_id": Type.INTEGER}, ((("user_id",), "Users", ("user_id",)),)),
    table("sales.orders", COLUMNS),
    table("Twins", {"a": Type.TEXT}),
    table("twins", {"a": Type.TEXT}),
    table("mixed", {"Name": Type.TEXT, "name": Type.TEXT}),
]
SCHEMA = {found.name: found for found in LIVE}

CASES = [
    ("unknown-table", '[tables.user] #!\nunit = "user_id"\nrows_per_unit = 1'),
    ("unknown-column", '[tables.users] #!\nunit = "uesr_id"\nrows_per_unit = 1'),
    ("unknown-column", USERS + "columns.aeg = { range = [0, 1] } #!"),
    ("unknown-column", '[tables.users] #!\nunit = "user_id"\nrows_per_unit = 1\nkey = "nothing"'),
    ("unknown-column", ORDERS + '[tables.items] #!\nvia = "oder_id -> orders.order_id"\nrows_per_parent = 1'),
    ("unknown-column", ORDERS + '[tables.items] #!\nvia = "order_id -> orders.oder_id"\nrows_per_parent = 1'),
    ("unknown-column", REGIONS + USERS + 'columns.city = { values_from = "regions.ctiy" } #!'),
    ("ambiguous-name", '[tables.twins] #!\nunit = "row"'),
    ("ambiguous-name", '[tables.mixed] #!\nunit = "row"'),
    ("unit-type", '[tables.users] #!\nunit = "score"\nrows_per_unit = 1'),
    ("unit-row-column", '[tables.items] #!\nunit = "row"'),
    ("via-type", ORDERS + '[tables.items] #!\nvia = "order_text -> orders.order_id"\nrows_per_parent = 1'),
    ("via-type", ORDERS + '[tables.items] #!\nvia = "ratio -> orders.score"\nrows_per_parent = 1'),
    ("type-mismatch", USERS + 'columns.age = { type = "text" } #!'),
    *(
        ("range-type", f"{USERS}columns.{c} = {{ range = [0, 1] }} #!")
        for c in ("city", "active", "born", "seen", "blob")
    ),
    *(
        ("range-type", f"{USERS}columns.{c} = {{ range = [2020-01-01, 2021-01-01] }} #!")
        for c in ("city", "active", "age", "blob")
    ),
    ("range-type", USERS + "columns.born = { range = [2020-01-01T00:00:00, 2021-01-01T00:00:00] } #!"),
    ("range-off-grid", USERS + "columns.age = { range = [0, 1.5] } #!"),
    ("range-off-grid", USERS + "columns.age = { range = [0, 1], step = 0.5 } #!"),
    ("range-off-grid", USERS + "columns.amount = { range = [0, 0.005] } #!"),
    ("values-type", USERS + "columns.city = { values = [1] } #!"),
    ("values-type", USERS + 'columns.age = { values = ["1"] } #!'),
    ("values-type", USERS + "columns.age = { values = [true] } #!"),
    ("values-type", USERS + "columns.age = { values = [1.5] } #!"),
    ("values-type", USERS + "columns.amount = { values = [0.001] } #!"),
    ("values-type", USERS + "columns.active = { values = [1, 0] } #!"),
    ("values-type", USERS + "columns.born = { values = [2026-01-01T00:00:00] } #!"),
    ("values-type", USERS + "columns.seen = { values = [2026-01-01] } #!"),
    ("values-type", USERS + "columns.score = { values = [1.0] } #!"),
    ("values-type", USERS + 'columns.blob = { values = ["a"] } #!'),
    ("values-type", REGIONS + USERS + 'columns.city = { values_from = "regions.code" } #!'),
    ("values-type", REGIONS + USERS + 'columns.score = { values_from = "regions.ratio" } #!'),
    ("public-refers-to-private", USERS + "[tables.visits] #!\npublic = true"),
]


@pytest.mark.parametrize(("code", "body"), CASES)
def test_a_mismatch_is_the_one_problem_and_is_raised(code: str, body: str) -> None:
    policy = loads(TOP + body, "/p/discreet.toml")
    found = problems(policy, SCHEMA)
    marked = [line for line, written in enumerate((TOP + body).splitlines(), 1) if written.endswith("#!")]
    assert [(problem.code, problem.line) for problem in found] == [(code, marked[0])]
    assert found[0].hint
    assert str(found[0].file) == "/p/discreet.toml"
    with pytest.raises(PolicyError) as raised:
        resolve(policy, SCHEMA)
    assert str(raised.value) == str(found[0])


FITTING = """
columns.age = { range = [0, 120], step = 5, values = [1, 2], type = "integer" }
columns.amount = { range = [0, 0.005], step = 0.001, values = [1, 2] }
columns.score = { range = [0.5, 2] }
columns.active = { values = [true, false] }
columns.born = { values = [2026-01-01] }
columns.seen = { values = [2026-01-01T12:00:00] }
columns.CITY = { values_from = "REGIONS.City" }
"""


def test_what_fits_has_no_problem() -> None:
    policy = loads(TOP + REGIONS + USERS + FITTING)
    assert problems(policy, SCHEMA) == []
    users = resolve(policy, SCHEMA).table("users")
    assert users is not None
    assert users.columns["city"].values_from == ("regions", "city")
    assert users.columns["amount"].step == Fraction(1, 1000)
    assert users.columns["score"].step is None
    assert set(users.columns) == set(COLUMNS)


def test_all_problems_are_found_at_once() -> None:
    body = '[tables.user]\nunit = "user_id"\nrows_per_unit = 1\n' + ORDERS + "columns.city = { range = [0, 1] }"
    assert [problem.code for problem in problems(loads(TOP + body), SCHEMA)] == ["unknown-table", "range-type"]


def test_a_misspelt_table_is_also_found_in_a_schema() -> None:
    only = {"sales.orders": SCHEMA["sales.orders"]}
    problem = problems(loads(TOP + ORDERS), only)[0]
    assert problem.hint == 'did you mean "sales.orders"?'


def test_a_public_table_with_the_name_of_a_unit_is_remarked_and_not_refused() -> None:
    policy = loads(TOP + ORDERS + "[tables.users] #!\npublic = true")
    assert problems(policy, SCHEMA) == []
    assert [remark.code for remark in remarks(policy, SCHEMA)] == ["public-names-unit"]
    assert remarks(loads(TOP + ORDERS + REGIONS), SCHEMA) == []


def test_a_table_that_is_not_named_does_not_exist() -> None:
    catalogue = resolve(loads(TOP + USERS), SCHEMA)
    assert catalogue.table("orders") is None
    assert list(catalogue.tables) == ["users"]


def test_a_message_as_it_is_printed() -> None:
    problem = problems(loads(TOP + USERS + "columns.aeg = {}", "/p/discreet.toml"), SCHEMA)[0]
    assert str(problem) == (
        '/p/discreet.toml:10: columns of table "users": there is no column "aeg"\nhint: did you mean "age"?'
    )
