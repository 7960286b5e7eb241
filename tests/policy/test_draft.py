"""A draft is valid, guesses well, and cannot be used before its owner has decided."""

from __future__ import annotations

import re
import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import PolicyError
from discreet.plan.types import ColumnSchema, TableSchema, Type
from discreet.policy.catalogue import problems
from discreet.policy.draft import draft
from discreet.policy.load import loads

Foreign = tuple[tuple[tuple[str, ...], str, tuple[str, ...]], ...]

DECIDED = {
    'epsilon = "DECIDE"': "epsilon = 3.0",
    'delta   = "DECIDE"': "delta = 1e-6",
    'range = "DECIDE"': "range = [0, 100]",
    'public = "DECIDE"': "public = true",
    '\nunit = "DECIDE"': '\nunit = "row"',
    'rows_per_parent = "DECIDE"': "rows_per_parent = 5",
    'type = "DECIDE"': 'type = "text"',
}


def table(name: str, columns: dict[str, Type], key: tuple[str, ...] = (), foreign: Foreign = ()) -> TableSchema:
    return TableSchema(name, {c: ColumnSchema(c, kind) for c, kind in columns.items()}, key, (), foreign)


SHOP = [
    table(
        "items",
        {"order_id": Type.INTEGER, "qty": Type.INTEGER, "at": Type.DATE},
        (),
        ((("order_id",), "orders", ("id",)),),
    ),
    table("regions", {"id": Type.INTEGER, "city": Type.TEXT}, ("id",)),
    table(
        "orders",
        {"id": Type.INTEGER, "buyer": Type.INTEGER, "amount": Type.DECIMAL, "employee_id": Type.INTEGER},
        ("id",),
        ((("buyer",), "users", ("id",)),),
    ),
    table(
        "users",
        {"id": Type.INTEGER, "city": Type.TEXT, "age": Type.INTEGER, "active": Type.BOOLEAN, "region_id": Type.INTEGER},
        ("id",),
        ((("region_id",), "regions", ("id",)),),
    ),
    table("sales.log", {"at": Type.TIMESTAMP, "score": Type.FLOAT}),
]


def schema(tables: list[TableSchema]) -> dict[str, TableSchema]:
    return {found.name: found for found in tables}


def tables_of(*tables: TableSchema) -> dict[str, dict[str, Any]]:
    return tomllib.loads(draft("duckdb:///x", schema(list(tables)), name="x"))["tables"]


def decide(text: str) -> str:
    for mark, decision in DECIDED.items():
        text = text.replace(mark, decision)
    text = re.sub(r'(unit = "row"\n(?:#.*\n)*)rows_per_unit = "DECIDE"', r"\1rows_per_unit = 1", text)
    return text.replace('rows_per_unit = "DECIDE"', "rows_per_unit = 10")


def test_a_shop_as_it_is_drafted() -> None:
    assert tables_of(*SHOP) == {
        "users": {
            "unit": "id",
            "rows_per_unit": 1,
            "columns": {"age": {"range": "DECIDE"}, "active": {"values": [True, False]}},
        },
        "orders": {"unit": "buyer", "rows_per_unit": "DECIDE", "columns": {"amount": {"range": "DECIDE"}}},
        "items": {
            "via": "order_id -> orders.id",
            "rows_per_parent": "DECIDE",
            "columns": {"qty": {"range": "DECIDE"}},
        },
        "regions": {"public": "DECIDE"},
        "sales.log": {"unit": "DECIDE", "rows_per_unit": "DECIDE", "columns": {"score": {"range": "DECIDE"}}},
    }


def test_people_come_first_and_decisions_are_explained() -> None:
    text = draft("duckdb:///x", schema(SHOP), name="shop")
    assert re.findall(r"^\[tables\.(.*)\]", text, re.MULTILINE) == [
        "users",
        "orders",
        "items",
        "regions",
        '"sales.log"',
    ]
    assert 'Rows also name "employee_id"' in text
    assert '# columns.region_id = { values_from = "regions.id" }' in text
    for line, after in zip(text.splitlines(), text.splitlines()[1:], strict=False):
        assert not re.match(r'(epsilon|delta|rows_per_unit|rows_per_parent) += "DECIDE"', after) or line.startswith("#")


def test_a_draft_is_refused_until_it_is_decided() -> None:
    text = draft("duckdb:///shop.duckdb", schema(SHOP), name="shop")
    with pytest.raises(PolicyError) as refused:
        loads(text)
    assert refused.value.code == "undecided"
    assert "DECIDE" in text.splitlines()[(refused.value.line or 0) - 1]
    policy = loads(decide(text))
    assert len(policy.tables) == len(SHOP)
    assert problems(policy, schema(SHOP)) == []


@pytest.mark.parametrize("name", ["user_id", "customer_id", "PatientID", "client_uuid", "member key", "device_id"])
def test_columns_that_name_units(name: str) -> None:
    assert tables_of(table("events", {name: Type.TEXT, "at": Type.TIMESTAMP}))["events"]["unit"] == name


def test_a_user_outranks_a_device() -> None:
    columns = {"device_id": Type.TEXT, "user_id": Type.TEXT, "at": Type.TIMESTAMP}
    assert tables_of(table("events", columns))["events"]["unit"] == "user_id"


@pytest.mark.parametrize("name", ["users", "Customer", "app.patients", "people"])
def test_tables_of_people_are_named_by_their_key(name: str) -> None:
    found = tables_of(table(name, {"code": Type.TEXT}, ("code",)))[name]
    assert (found["unit"], found["rows_per_unit"]) == ("code", 1)


def test_without_a_declared_key_the_rows_of_a_person_are_a_decision() -> None:
    found = tables_of(table("users", {"user_id": Type.TEXT}))["users"]
    assert (found["unit"], found["rows_per_unit"]) == ("user_id", "DECIDE")


def test_ways_to_a_unit_are_also_guessed_from_names() -> None:
    orders = table("orders", {"order_id": Type.INTEGER, "user_id": Type.INTEGER})
    found = tables_of(table("items", {"order_id": Type.INTEGER, "at": Type.DATE}), orders)
    assert found["items"]["via"] == "order_id -> orders.order_id"


def test_a_float_names_nobody() -> None:
    assert tables_of(table("events", {"user_id": Type.FLOAT, "at": Type.DATE}))["events"]["unit"] == "DECIDE"


def test_types_of_csv_columns_are_decisions() -> None:
    text = draft("csv:///in", schema([table("users", {"user_id": Type.TEXT, "age": Type.TEXT})]), name="x")
    columns = tomllib.loads(text)["tables"]["users"]["columns"]
    assert columns == {"user_id": {"type": "DECIDE"}, "age": {"type": "DECIDE"}}
    assert loads(decide(text)).tables["users"].columns["age"].type is Type.TEXT


NAMES = st.one_of(
    st.sampled_from(["users", "orders", "user_id", "order_id", "id", "a.b", 'q"', "DECIDE"]), st.text(max_size=6)
)
TABLES = st.builds(
    table,
    NAMES,
    st.dictionaries(NAMES, st.sampled_from(Type), max_size=4),
    st.lists(NAMES, max_size=2).map(tuple),
    st.lists(st.tuples(NAMES.map(lambda n: (n,)), NAMES, NAMES.map(lambda n: (n,))), max_size=2).map(tuple),
)


@given(st.lists(TABLES, max_size=5), NAMES)
def test_whatever_the_names_a_draft_is_toml_and_undecided(tables: list[TableSchema], source: str) -> None:
    text = draft(source, schema(tables), name="x")
    assert tomllib.loads(text)["dataset"]["source"] == source
    with pytest.raises(PolicyError) as refused:
        loads(text)
    assert refused.value.code == "undecided"
