"""A good file becomes exactly the Policy that its owner wrote."""

from __future__ import annotations

import datetime as dt
import hashlib
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest

from discreet.errors import PolicyError
from discreet.plan.types import Type
from discreet.policy.load import load, loads
from discreet.policy.model import AUTO, Keys, Policy, Quota, Via

CONTRACT = """\
[dataset]
name   = "shop"
source = "duckdb:///shop.duckdb"      # relative: three slashes
ledger = "sqlite:///shop.ledger"

[budget]
epsilon    = 3.0
delta      = 1e-6
accounting = "zcdp"
per_query  = { epsilon = 0.1 }
renew      = "30d"
when_spent = "refuse"

[analysts.alice]
epsilon = 1.0

[tables.users]
unit          = "user_id"
rows_per_unit = 1
columns.age   = { range = [0, 120] }
columns.city  = { values_from = "regions.city" }

[tables.orders]
unit          = "user_id"
rows_per_unit = 10
groups_per_unit = 3
columns.amount = { range = [0, 500], step = 0.01 }

[tables.items]
via             = "order_id -> orders.order_id"
rows_per_parent = 5

[tables.regions]
public = true

[keys]
threshold_delta = 1e-8
min_units       = 10
"""

SHORT = """\
[dataset]
name = "shop"
source = "duckdb:///shop.duckdb"
[budget]
epsilon = 1
delta = 1e-6
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "discreet.toml"
    path.write_text(text, encoding="utf-8")
    return path


def with_table(body: str) -> Policy:
    return loads(SHORT + body, "/p/discreet.toml")


def test_the_contract_loads_as_it_is_written() -> None:
    policy = loads(CONTRACT, "/data/discreet.toml")
    assert (policy.name, policy.path) == ("shop", Path("/data/discreet.toml"))
    assert (policy.source, policy.ledger) == ("duckdb:////data/shop.duckdb", "sqlite:////data/shop.ledger")
    budget = policy.budget
    assert (budget.epsilon, budget.delta) == (Fraction(3), Fraction(1, 10**6))
    assert (budget.accounting, budget.when_spent) == ("zcdp", "refuse")
    assert (budget.per_query, budget.renew) == (Fraction(1, 10), dt.timedelta(days=30))
    assert policy.analysts == {"alice": Quota("alice", Fraction(1))}
    assert policy.keys == Keys(Fraction(1, 10**8), 10)
    assert list(policy.tables) == ["users", "orders", "items", "regions"]


def test_the_tables_of_the_contract() -> None:
    tables = loads(CONTRACT).tables
    users, orders, items = tables["users"], tables["orders"], tables["items"]
    assert (users.unit, users.rows_per_unit, users.public) == ("user_id", 1, False)
    assert users.columns["age"].range == (0, 120)
    assert users.columns["city"].values_from == ("regions", "city")
    assert (orders.rows_per_unit, orders.groups_per_unit) == (10, 3)
    assert orders.columns["amount"].step == Fraction(1, 100)
    assert (items.via, items.rows_per_parent) == (Via("order_id", "orders", "order_id"), 5)
    assert tables["regions"].public


def test_a_question_may_be_allowed_some_delta() -> None:
    policy = loads(SHORT + "per_query = { epsilon = 0.1, delta = 1e-9 }")
    assert (policy.budget.per_query_delta, policy.delta_aside) == (Fraction(1, 10**9), True)
    assert not loads(SHORT).delta_aside
    assert loads(SHORT + "[keys]\nthreshold_delta = 1e-8").delta_aside


def test_lines_are_kept_for_later_complaints() -> None:
    policy = loads(CONTRACT)
    lines = CONTRACT.splitlines()
    assert lines[policy.tables["orders"].line - 1] == "[tables.orders]"
    assert lines[policy.tables["orders"].columns["amount"].line - 1].startswith("columns.amount")


def test_the_digest_is_of_the_bytes_of_the_file(tmp_path: Path) -> None:
    path = write(tmp_path, CONTRACT)
    assert load(path).digest == hashlib.sha256(path.read_bytes()).hexdigest() == loads(CONTRACT).digest


def test_a_file_is_found_here_or_above(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, SHORT)
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    assert load().path == tmp_path / "discreet.toml"
    assert load(tmp_path).path == tmp_path / "discreet.toml"


def test_no_file_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for path in (None, "other.toml"):
        with pytest.raises(PolicyError) as refused:
            load(path)
        assert refused.value.code == "no-policy"
        assert "discreet init" in refused.value.hint


def test_windows_line_ends_count_as_one_line(tmp_path: Path) -> None:
    path = tmp_path / "discreet.toml"
    path.write_bytes((SHORT + "[tables.t]\npublic = 1\n").replace("\n", "\r\n").encode())
    with pytest.raises(PolicyError) as refused:
        load(path)
    assert refused.value.line == 8


def test_a_row_is_a_unit_of_its_own() -> None:
    table = with_table('[tables.t]\nunit = "row"').tables["t"]
    assert (table.unit, table.rows_per_unit) == ("row", 1)


def test_bounds_may_be_left_to_be_chosen() -> None:
    policy = loads(
        SHORT
        + '[tables.orders]\nunit = "user_id"\nrows_per_unit = "auto"\ncolumns.amount = { range = "auto" }\n'
        + 'columns.fee = { range = "auto", within = [-5, 1e3], step = 0.01 }\n'
        + '[tables.items]\nvia = "order_id -> orders.order_id"\nrows_per_parent = "auto"\n'
    )
    orders, items = policy.tables["orders"], policy.tables["items"]
    assert (orders.rows_per_unit, items.rows_per_parent) == (AUTO, AUTO)
    amount, fee = orders.columns["amount"], orders.columns["fee"]
    assert (amount.auto, amount.range, amount.within) == (True, None, None)
    assert (fee.auto, fee.within, fee.step) == (True, (-5, 1000), Fraction(1, 100))


def test_numbers_are_exact() -> None:
    policy = loads(SHORT.replace("epsilon = 1", "epsilon = 0.1"))
    assert policy.budget.epsilon == Fraction(1, 10)


def test_pure_accounting_needs_no_delta() -> None:
    policy = loads(SHORT.replace("delta = 1e-6", 'accounting = "pure"'))
    assert (policy.budget.accounting, policy.budget.delta) == ("pure", 0)


@pytest.mark.parametrize(
    ("written", "values"),
    [
        ('["A", "b"]', ("A", "b")),
        ("[1, 2]", (1, 2)),
        ("[0.5, 1.0]", (Decimal("0.5"), Decimal("1.0"))),
        ("[true, false]", (True, False)),
        ("[2026-01-31]", (dt.date(2026, 1, 31),)),
        ("[2026-01-31T12:00:00]", (dt.datetime(2026, 1, 31, 12),)),
    ],
)
def test_values(written: str, values: tuple[object, ...]) -> None:
    columns = with_table(f'[tables.t]\nunit = "row"\ncolumns.c = {{ values = {written} }}').tables["t"].columns
    assert columns["c"].values == values


def test_types_and_keys_are_additions_for_csv_and_for_choosing_rows() -> None:
    text = '[tables.t]\nunit = "u"\nrows_per_unit = 2\nkey = ["a", "b"]\ncolumns.c = { type = "decimal" }'
    table = with_table(text).tables["t"]
    assert table.key == ("a", "b")
    assert table.columns["c"].type is Type.DECIMAL
    assert with_table('[tables.t]\nunit = "row"\nkey = "a"').tables["t"].key == ("a",)


def test_names_meet_whatever_their_case_and_keep_the_spelling_of_their_declaration() -> None:
    policy = with_table(
        '[tables.Orders]\nunit = "u"\nrows_per_unit = 1\n'
        '[tables.items]\nvia = "o->ORDERS.id"\nrows_per_parent = 1\ncolumns.c.values_from = "R.c"\n'
        "[tables.r]\npublic = true"
    )
    assert policy.tables["items"].via == Via("o", "Orders", "id")
    assert policy.tables["items"].columns["c"].values_from == ("r", "c")


def test_tables_of_a_schema_are_quoted() -> None:
    policy = with_table(
        '[tables."sales.orders"]\nunit = "u"\nrows_per_unit = 1\n'
        '[tables."sales.items"]\nvia = "order_id -> sales.orders.id"\nrows_per_parent = 1'
    )
    assert policy.tables["sales.items"].via == Via("order_id", "sales.orders", "id")


@pytest.mark.parametrize(("text", "period"), [("12h", 12), ("30d", 720), ("4w", 672)])
def test_renewal(text: str, period: int) -> None:
    assert loads(f'{SHORT}renew = "{text}"').budget.renew == dt.timedelta(hours=period)
