"""Every mistake in a policy file is refused with its code, its line and what to write instead.

The line that must be named ends in ``#!``; a case without one is about the file as a whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

import pytest

from discreet.errors import PolicyError
from discreet.policy.codes import Code
from discreet.policy.load import load, loads

if TYPE_CHECKING:
    from pathlib import Path

DATASET = '[dataset]\nname = "shop"\nsource = "duckdb:///shop.duckdb"\n'
BUDGET = "[budget]\nepsilon = 3.0\ndelta = 1e-6\n"
TOP = DATASET + BUDGET
USERS = '[tables.users]\nunit = "user_id"\nrows_per_unit = 1\n'
ORDERS = '[tables.orders]\nunit = "user_id"\nrows_per_unit = 10\n'
REGIONS = "[tables.regions]\npublic = true\n"

FILE = [
    ("toml-syntax", "[dataset]\nname = shop #!"),
    ("toml-syntax", "[dataset]\nname = 1\nname = 2 #!"),
    ("toml-syntax", "[dataset #!"),
    ("toml-syntax", 'x = """ #!'),
    ("toml-syntax", "x = " + "9" * 5000 + " #!"),
    ("unknown-key", TOP + "[bugdet] #!\n"),
    ("unknown-key", DATASET + 'sorce = "x" #!\n' + BUDGET),
    ("unknown-key", TOP + "slot = 2000 #!"),
    ("unknown-key", TOP + "per_query = { epsilon = 0.1, rho = 1e-9 } #!"),
    ("unknown-key", TOP + "[analysts.alice]\nepsilon = 1\ndelta = 1e-9 #!"),
    ("unknown-key", TOP + USERS + "rows_per_units = 1 #!"),
    ("unknown-key", TOP + USERS + "columns.age = { rnage = [0, 1] } #!"),
    ("unknown-key", TOP + "[tables.sales.orders] #!\npublic = true"),
    ("unknown-key", TOP + "[keys]\nthreshold_delta = 1e-8\nmin_unit = 1 #!"),
    ("missing-key", BUDGET),
    ("missing-key", DATASET),
    ("missing-key", DATASET + "[budget] #!\ndelta = 1e-6"),
    ("missing-key", '[dataset] #!\nsource = "a.csv"\n' + BUDGET),
    ("missing-key", '[dataset] #!\nname = "shop"\n' + BUDGET),
    ("missing-key", TOP + "[analysts.alice] #!"),
    ("missing-key", TOP + "per_query = {} #!"),
    ("missing-key", TOP + "[keys] #!"),
    ("wrong-type", "dataset = 1 #!"),
    ("wrong-type", "[dataset]\nname = 1 #!\n" + BUDGET),
    ("wrong-type", '[dataset]\nname = "shop"\nsource = ["a"] #!\n' + BUDGET),
    ("wrong-type", DATASET + '[budget]\nepsilon = "3" #!'),
    ("wrong-type", DATASET + "[budget]\nepsilon = true #!"),
    ("wrong-type", TOP + "per_query = 0.1 #!"),
    ("wrong-type", TOP + "renew = 30 #!"),
    ("wrong-type", TOP + "[tables]\nusers = 1 #!"),
    ("wrong-type", TOP + "[[tables]] #!\nusers = 1"),
    ("wrong-type", TOP + "[[tables.users]] #!\npublic = true"),
    ("wrong-type", TOP + '[tables.t]\npublic = "yes" #!'),
    ("wrong-type", TOP + USERS + "columns.age = [0, 120] #!"),
    ("wrong-type", TOP + USERS + "key = [] #!"),
    ("wrong-type", TOP + USERS + "key = 1 #!"),
    ("wrong-type", TOP + USERS + 'key = ["a", "A"] #!'),
    ("undecided", TOP + '[tables.users]\nunit = "user_id"\nrows_per_unit = "DECIDE" #!'),
    ("undecided", TOP + USERS + 'columns.age = { range = [0, "DECIDE"] } #!'),
    ("undecided", DATASET + '[budget]\nepsilon = "DECIDE" #!\ndelta = "DECIDE"'),
    ("bad-name", '[dataset]\nname = "my shop/.." #!\nsource = "a.csv"\n' + BUDGET),
    ("bad-name", '[dataset]\nname = "" #!\nsource = "a.csv"\n' + BUDGET),
    ("bad-name", TOP + '[tables.""] #!\npublic = true'),
    ("bad-name", TOP + '[tables."a\\u0000b"] #!\npublic = true'),
    ("duplicate-name", TOP + REGIONS + "[tables.Regions] #!\npublic = true"),
    ("duplicate-name", TOP + USERS + "columns.age = {}\ncolumns.AGE = {} #!"),
    ("duplicate-name", TOP + "[analysts.al]\nepsilon = 1\n[analysts.Al] #!\nepsilon = 1"),
    ("number-size", DATASET + "[budget]\nepsilon = 1e99999 #!"),
    ("number-size", DATASET + "[budget]\nepsilon = 1\ndelta = 1e-99 #!"),
    ("number-size", TOP + USERS + f"columns.age = {{ range = [0, {10**40}] }} #!"),
]

ADDRESS = [
    ("missing-env", '[dataset]\nname = "shop"\nsource = "duckdb:///${NO_SUCH_VARIABLE}" #!\n' + BUDGET),
    ("missing-env", '[dataset]\nname = "shop"\nsource = "duckdb:///${not closed" #!\n' + BUDGET),
    ("missing-env", DATASET + 'ledger = "sqlite:///${NO_SUCH_VARIABLE}" #!\n' + BUDGET),
    *(
        ("unsupported", f'[dataset]\nname = "shop"\nsource = "{source}" #!\n{BUDGET}')
        for source in (
            "postgresql://h/d",
            "clickhouse://h",
            "chdb:///d",
            "spark://h",
            "sc://h",
            "postgresql+psycopg://h",
        )
    ),
    *(
        ("bad-source", f'[dataset]\nname = "shop"\nsource = "{source}" #!\n{BUDGET}')
        for source in (
            "duckdb://shop",
            "duckdb:///",
            "duckdb:///:memory:",
            "duckbd:///a",
            "shop.xlsx",
            "no-such-folder",
        )
    ),
    ("unsupported", DATASET + 'ledger = "postgresql://h/d" #!\n' + BUDGET),
    ("bad-ledger", DATASET + 'ledger = "shop.ledger" #!\n' + BUDGET),
    ("bad-ledger", DATASET + 'ledger = "sqlite:///:memory:" #!\n' + BUDGET),
    ("bad-ledger", DATASET + 'ledger = "sqllite:///x" #!\n' + BUDGET),
]

ALLOWANCE = [
    *(
        ("bad-epsilon", f"{DATASET}[budget]\nepsilon = {epsilon} #!\ndelta = 1e-6")
        for epsilon in ("0", "0.0", "-1", "nan", "inf", "-inf", "10001", "1e-30")
    ),
    ("bad-epsilon", DATASET + "[budget]\nepsilon = 1e99999999999999999999 #!"),
    ("bad-epsilon", TOP + "per_query = { epsilon = 4 } #!"),
    ("bad-epsilon", TOP + "[analysts.alice]\nepsilon = -1 #!"),
    *(
        ("bad-delta", f"{DATASET}[budget]\nepsilon = 1\ndelta = {delta} #!")
        for delta in ("0", "-1e-9", "nan", "inf", "1", "1.5")
    ),
    ("bad-delta", DATASET + "[budget] #!\nepsilon = 1"),
    ("bad-delta", DATASET + '[budget]\nepsilon = 1\naccounting = "pure"\ndelta = 2 #!'),
    ("bad-delta", TOP + "[keys]\nthreshold_delta = 1e-5 #!"),
    ("bad-delta", TOP + "[keys]\nthreshold_delta = 0 #!"),
    ("bad-delta", TOP + "per_query = { epsilon = 0.1, delta = 1e-5 } #!"),
    ("bad-delta", TOP + "per_query = { epsilon = 0.1, delta = 0 } #!"),
    ("bad-delta", TOP + "[keys]\nthreshold_delta = nan #!"),
    ("bad-delta", f'{DATASET}[budget]\nepsilon = 1\naccounting = "pure"\n[keys]\nthreshold_delta = 1e-8 #!'),
    ("bad-count", TOP + "[keys]\nthreshold_delta = 1e-8\nmin_units = 0 #!"),
    ("bad-slots", TOP + 'accounting = "slots" #!'),
    ("bad-slots", TOP + "slots = 2000 #!"),
    ("bad-slots", TOP + 'accounting = "decaying"\nslots = 2000 #!'),
    ("bad-slots", TOP + 'accounting = "gdp"\nsigma = "tight" #!'),
    ("bad-slots", TOP + 'accounting = "slots"\nslots = 5\nsigma = "loose" #!'),
    ("bad-count", TOP + 'accounting = "slots"\nslots = 0 #!'),
    ("bad-accounting", TOP + 'accounting = "slots"\nslots = 5\nper_query = { epsilon = 0.1 } #!'),
    ("bad-accounting", TOP + 'accounting = "decaying"\nper_query = { epsilon = 0.1 } #!'),
    ("bad-delta", DATASET + '[budget]\nepsilon = 40\naccounting = "gdp"\ndelta = 1e-6 #!'),
    ("bad-delta", DATASET + '[budget] #!\nepsilon = 4\naccounting = "gdp"'),
    ("bad-quota", TOP + 'accounting = "slots"\nslots = 5\n[analysts.a]\nepsilon = 1 #!'),
    ("bad-quota", TOP + 'accounting = "slots"\nslots = 5\n[analysts.a]\nslots = 6 #!'),
    ("bad-quota", TOP + 'accounting = "slots"\nslots = 5\n[analysts.a] #!'),
    ("bad-quota", TOP + "[analysts.a]\nepsilon = 1\nslots = 5 #!"),
    ("bad-accounting", TOP + 'accounting = "zCDP" #!'),
    *(("bad-renew", f'{TOP}renew = "{text}" #!') for text in ("30", "d", "0d", "-1d", "1.5d", "30 days", "9999999w")),
    ("bad-when-spent", TOP + 'when_spent = "cache" #!'),
    ("bad-quota", TOP + "[analysts.alice]\nepsilon = 10 #!"),
]

TABLES = [
    ("no-unit", TOP + "[tables.users] #!"),
    ("no-unit", TOP + "[tables.users] #!\npublic = false\nrows_per_unit = 1"),
    ("contradiction", f'{TOP}{ORDERS}[tables.items]\nunit = "u"\nvia = "a -> orders.b" #!\nrows_per_unit = 1'),
    ("contradiction", TOP + USERS + "rows_per_parent = 5 #!"),
    ("contradiction", f'{TOP}{ORDERS}[tables.i]\nvia = "a -> orders.b"\nrows_per_parent = 1\nrows_per_unit = 1 #!'),
    ("contradiction", TOP + '[tables.t]\nunit = "row"\nrows_per_unit = 2 #!'),
    *(
        ("contradiction", f"{TOP}{REGIONS}{line} #!")
        for line in (
            'unit = "x"',
            "rows_per_unit = 1",
            'via = "a -> b.c"',
            "rows_per_parent = 1",
            "groups_per_unit = 1",
            'key = "a"',
        )
    ),
    ("missing-bound", TOP + '[tables.t] #!\nunit = "user_id"'),
    ("missing-bound", TOP + ORDERS + '[tables.items] #!\nvia = "a -> orders.b"'),
    *(
        ("bad-count", f'{TOP}[tables.t]\nunit = "user_id"\nrows_per_unit = {count} #!')
        for count in ("0", "-1", "true", "1.0", '"10"', "1000000001", "nan", "[1]")
    ),
    ("bad-count", TOP + USERS + "groups_per_unit = 0 #!"),
    ("bad-count", TOP + ORDERS + '[tables.items]\nvia = "a -> orders.b"\nrows_per_parent = 0 #!'),
    ("unsupported", TOP + '[tables.t]\nunit = "user_id"\nrows_per_unit = "auto" #!'),
    ("unsupported", TOP + '[tables.t]\nvia = ["a -> b.c", "d -> e.f"] #!\nrows_per_parent = 1'),
    *(
        ("bad-via", f'{TOP}{ORDERS}[tables.items]\nvia = "{via}" #!\nrows_per_parent = 1')
        for via in (
            "order_id",
            "a -> b",
            "-> orders.b",
            "a -> orders.",
            "a -> .b",
            "a => orders.b",
            "a -> b -> orders.c",
        )
    ),
    ("bad-via", TOP + ORDERS + '[tables.items]\nvia = "order_id -> order.id" #!\nrows_per_parent = 1'),
    ("bad-via", TOP + REGIONS + '[tables.items]\nvia = "a -> regions.id" #!\nrows_per_parent = 1'),
    ("via-row", f'{TOP}[tables.o]\nunit = "row"\n[tables.i]\nvia = "a -> o.id" #!\nrows_per_parent = 1'),
    ("via-cycle", TOP + '[tables.a]\nvia = "x -> a.y" #!\nrows_per_parent = 1'),
    (
        "via-cycle",
        f'{TOP}[tables.a]\nvia = "x -> b.y" #!\nrows_per_parent = 1\n[tables.b]\nvia = "x -> a.y"\nrows_per_parent = 1',
    ),
]

COLUMNS = [
    *(
        ("bad-range", f"{TOP}{USERS}columns.age = {{ range = {written} }} #!")
        for written in (
            "[]",
            "[0]",
            "[0, 1, 2]",
            "[1, 0]",
            "[1, 1]",
            "[0, inf]",
            "[nan, 1]",
            '["0", "1"]',
            "[false, true]",
            "120",
            '"0-1"',
            "[2026-02-01, 2026-01-01]",
            "[2026-01-01, 1]",
            "[2026-01-01T00:00:00Z, 2026-02-01T00:00:00Z]",
            "[12:00:00, 13:00:00]",
        )
    ),
    ("unsupported", TOP + USERS + 'columns.age = { range = "auto" } #!'),
    *(
        ("bad-step", f"{TOP}{USERS}columns.age = {{ range = [0, 1], step = {step} }} #!")
        for step in ("0", "-1", "nan", "inf")
    ),
    ("bad-step", TOP + USERS + "columns.age = { step = 1 } #!"),
    ("bad-step", TOP + USERS + "columns.born = { range = [2026-01-01, 2026-02-01], step = 1 } #!"),
    ("range-off-grid", TOP + USERS + "columns.age = { range = [0.5, 2], step = 1 } #!"),
    ("range-off-grid", TOP + USERS + "columns.age = { range = [0, 100], step = 7 } #!"),
    *(
        ("bad-values", f"{TOP}{USERS}columns.city = {{ values = {values} }} #!")
        for values in (
            "[]",
            '"A"',
            '["A", "A"]',
            '["A", 1]',
            "[1, 1.0]",
            "[1, true]",
            "[nan]",
            "[[1]]",
            "[12:00:00]",
            "[2026-01-01T00:00:00Z]",
        )
    ),
    ("contradiction", TOP + REGIONS + USERS + 'columns.city = { values = ["A"], values_from = "regions.city" } #!'),
    ("bad-values-from", TOP + USERS + 'columns.city = { values_from = "city" } #!'),
    ("bad-values-from", TOP + USERS + 'columns.city = { values_from = "regions.city" } #!'),
    ("bad-values-from", TOP + REGIONS + USERS + 'columns.city = { values_from = "region.city" } #!'),
    ("bad-values-from", TOP + ORDERS + USERS + 'columns.city = { values_from = "orders.city" } #!'),
    ("bad-type", TOP + USERS + 'columns.age = { type = "int" } #!'),
    ("wrong-type", TOP + USERS + "columns.age = { type = 1 } #!"),
    ("bad-range", TOP + USERS + "[tables.users.columns.age]\ntype = 'integer'\nrange = [ #!\n 1,\n 0,\n]"),
]

CASES = [*FILE, *ADDRESS, *ALLOWANCE, *TABLES, *COLUMNS]


def refusal(text: str) -> PolicyError:
    with pytest.raises(PolicyError) as refused:
        loads(text, "/p/discreet.toml")
    return refused.value


@pytest.mark.parametrize(("code", "text"), CASES)
def test_a_mistake_is_refused_by_code_and_line_and_with_a_hint(code: str, text: str) -> None:
    error = refusal(text)
    marked = [line for line, written in enumerate(text.splitlines(), 1) if written.rstrip().endswith("#!")]
    assert error.code == code, error
    assert [error.line] == (marked or [None])
    assert error.hint
    assert str(error.file) == "/p/discreet.toml"


SEEN_AGAINST_A_SOURCE = {
    "no-source",
    "unknown-table",
    "unknown-column",
    "ambiguous-name",
    "type-mismatch",
    "unit-type",
    "unit-row-column",
    "via-type",
    "range-type",
    "values-type",
    "public-refers-to-private",
    "public-names-unit",
}


def test_every_code_has_a_case() -> None:
    assert {code for code, _ in CASES} | SEEN_AGAINST_A_SOURCE | {"no-policy"} == set(get_args(Code))


RENDERED = [
    (
        TOP + USERS + "rows_per_units = 1",
        "/p/discreet.toml:10: tables.users.rows_per_units is not a key of the policy\n"
        'hint: did you mean "rows_per_unit"?',
    ),
    (
        TOP + '[tables.t]\nunit = "user_id"',
        "/p/discreet.toml:7: tables.t.rows_per_unit is missing: without it one unit could move an answer by any amount\n"
        "hint: write rows_per_unit = 10, the most rows of one unit that count",
    ),
    (
        TOP + USERS + "columns.age = { range = [0.5, 2], step = 1 }",
        "/p/discreet.toml:10: the low end of tables.users.columns.age.range is not a multiple of its step\n"
        "hint: write 0 in place of 0.5, or a finer step",
    ),
    (
        TOP + '[tables."a b"]\nunit = "row"\nrows_per_unit = 2',
        '/p/discreet.toml:9: tables."a b".rows_per_unit must be 1 where unit = "row": a row has one row\n'
        "hint: remove rows_per_unit",
    ),
    (
        DATASET + '[budget]\nepsilon = "DECIDE"\ndelta = "DECIDE"',
        "/p/discreet.toml:5: budget.epsilon is not decided yet (and 1 more)\n"
        "hint: write the privacy that all answers together may spend; 1 is strong, 3 is common, 10 is weak",
    ),
    (
        "[dataset]\nname = shop",
        "/p/discreet.toml:2: this is not TOML: Invalid value\n"
        'hint: write key = value: text in "quotes", numbers bare, lists in [ ], a section under [its.name]',
    ),
    (
        TOP + "[tables.sales.orders]\npublic = true",
        "/p/discreet.toml:7: tables.sales.orders is a table inside the table sales\n"
        'hint: for a table of a schema write [tables."sales.orders"]; for a column write columns.orders = { … }',
    ),
    (
        BUDGET,
        "/p/discreet.toml: dataset is missing\nhint: write [dataset] with name and source",
    ),
]


@pytest.mark.parametrize(("text", "message"), RENDERED)
def test_messages_as_they_are_printed(text: str, message: str) -> None:
    assert str(refusal(text)) == message


def test_a_file_that_is_not_utf_8(tmp_path: Path) -> None:
    path = tmp_path / "discreet.toml"
    path.write_bytes(b"[dataset]\nname = '\xff'\n")
    with pytest.raises(PolicyError) as refused:
        load(path)
    assert (refused.value.code, refused.value.line) == ("toml-syntax", 2)
