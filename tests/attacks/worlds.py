"""Small databases of people and visits that differ in one person, and everything about an answer that can be seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import duckdb

import discreet

if TYPE_CHECKING:
    from pathlib import Path

CANARY = "canary-7f3a9c"
CANARY_NUMBER = 987_654_321
"""They stand in private rows alone, so wherever else they turn up, something leaked."""

VICTIM = 999

SCHEMA = """
CREATE TYPE mood AS ENUM ('glad', 'sad');
CREATE TABLE cities (city VARCHAR, country VARCHAR);
INSERT INTO cities VALUES ('Oslo', 'Norway'), ('Rome', 'Italy'), ('Turin', 'Italy');
CREATE TABLE people (
    id BIGINT, name VARCHAR, age INTEGER, score DOUBLE, ratio FLOAT, city VARCHAR, mood mood, day DATE, met TIMESTAMP,
    met_ns TIMESTAMP_NS, met_s TIMESTAMP_S, met_tz TIMESTAMPTZ, uid UUID, doc JSON, raw BLOB, big HUGEINT, ubig UHUGEINT,
    money DECIMAL(38, 0), cents DECIMAL(38, 10), flag BOOLEAN
);
INSERT INTO people
SELECT i, CASE WHEN i % 2 = 0 THEN 'ann' ELSE 'bob' END, 20 + i, i / 3, i / 7, ['Oslo', 'Rome', 'Turin'][1 + i % 3],
    'glad', DATE '2024-01-01' + i::INTEGER, TIMESTAMP '2024-01-01 10:00:00' + to_days(i::INTEGER),
    TIMESTAMP_NS '2024-01-01 10:00:00', TIMESTAMP_S '2024-01-01 10:00:00', TIMESTAMPTZ '2024-01-01 10:00:00+00',
    '00000000-0000-0000-0000-000000000001', '"plain"', 'raw', i, i, i, i, i % 2 = 0
FROM range(1, 41) AS numbers(i);
CREATE TABLE visits (visit BIGINT, person BIGINT, page VARCHAR, seconds DOUBLE);
INSERT INTO visits SELECT i, 1 + i % 40, ['home', 'shop'][1 + i % 2], i FROM range(1, 121) AS numbers(i);
CREATE TABLE clicks (visit BIGINT, price DOUBLE);
INSERT INTO clicks SELECT 1 + i % 120, i FROM range(1, 241) AS numbers(i);
"""

POLICY = """
[dataset]
name   = "people"
source = "duckdb:///people.duckdb"
[budget]
epsilon = 10000
delta   = 1e-6
[tables.people]
unit           = "id"
rows_per_unit  = 3
columns.age    = { range = [0, 120] }
columns.score  = { range = [-5, 50], step = 0.5 }
columns.ratio  = { range = [0, 10] }
columns.big    = { range = [0, 100] }
columns.money  = { range = [0, 100] }
columns.cents  = { range = [0, 100], step = 0.01 }
columns.city   = { values_from = "cities.city" }
columns.mood   = { values = ["glad", "sad"] }
[tables.visits]
unit            = "person"
rows_per_unit   = 4
groups_per_unit = 1
columns.page    = { values = ["home", "shop"] }
columns.seconds = { range = [0, 100] }
[tables.clicks]
via             = "visit -> visits.visit"
rows_per_parent = 2
columns.price   = { range = [0, 20] }
[tables.cities]
public = true
[keys]
threshold_delta = 1e-9
"""


def person(**columns: str) -> str:
    """A row of the victim; a column that is not named is NULL."""
    row = {"id": str(VICTIM)} | columns
    return f"INSERT INTO people ({', '.join(row)}) VALUES ({', '.join(row.values())})"


EXTREMES = [
    person(name="''", age="2147483647", score="'NaN'", ratio="'Infinity'", day="'infinity'", met="'infinity'"),
    person(name=f"'{CANARY}'", age=str(CANARY_NUMBER), score="1.7e308", ratio="-3e38", day="'5874897-12-31'"),
    person(name="'5 apples'", age="-2147483648", score="-1.7e308", day="'5877642-06-25 (BC)'", met="'-infinity'"),
    person(
        name="'1e999'", score="'-Infinity'", met="'294247-01-10 04:00:54.775806'", met_ns="'2262-04-11 23:47:16.854775'"
    ),
    person(name="'2024-02-30'", score="4.9e-324", met="'290309-12-22 (BC) 00:00:00'", met_ns="'1677-09-22 00:00:00'"),
    person(name="'%_\\[('", score="-0.0", met_s="'290000-01-01 00:00:00'", day="'20000-01-01'", met="'20000-01-01'"),
    person(name="chr(0) || 'é' || chr(128512)", met_s="'infinity'", met_tz="'infinity'", doc="'null'"),
    person(
        name="repeat('a', 5000)",
        uid="'ffffffff-ffff-ffff-ffff-ffffffffffff'",
        doc="'{\"a\": [1]}'",
        raw="'\\xFF'::BLOB",
    ),
    person(big="170141183460469231731687303715884105727", ubig="340282366920938463463374607431768211455", mood="'sad'"),
    person(big="-170141183460469231731687303715884105728", money="99999999999999999999999999999999999999"),
    person(money="-99999999999999999999999999999999999999", cents="9999999999999999999999999999.9999999999"),
    person(city="'Atlantis'", cents="-9999999999999999999999999999.9999999999", flag="NULL", age="0"),
]
"""One unit with every value that makes a database stumble."""

VISIT = "INSERT INTO visits VALUES"

VICTIMS: dict[str, list[str]] = {
    "ordinary": [
        person(name="'ann'", age="30", city="'Rome'", day="'2024-05-05'"),
        f"{VISIT} (1000, {VICTIM}, 'home', 3)",
    ],
    "extremes": EXTREMES,
    "below zero": [*EXTREMES, f"UPDATE people SET id = -{VICTIM} WHERE id = {VICTIM}"],
    "alone with a key": [person(city="'Atlantis'", name=f"'{CANARY}'"), f"{VISIT} (1000, {VICTIM}, '{CANARY}', 1)"],
    "the same row again and again": [person(name="'ann'", age="120", city="'Oslo'")] * 40,
    "thousands of visits": [
        person(name="'bob'", age="1", city="'Turin'"),
        f"{VISIT[:-7]} SELECT 5000 + i, {VICTIM}, ['home', 'shop', NULL][1 + i % 3], 1e9 FROM range(3000) AS n(i)",
        "INSERT INTO clicks SELECT 5000 + i % 1500, 1e9 FROM range(6000) AS n(i)",
    ],
    "one visit number for all": [f"{VISIT} (1000, {VICTIM}, 'home', 1), (1000, {VICTIM}, 'shop', 100)"] * 20
    + ["INSERT INTO clicks SELECT 1000, i FROM range(500) AS n(i)"],
    "nobody": [
        person(id="NULL", name=f"'{CANARY}'", age="120"),
        f"{VISIT} (1000, NULL, 'home', 5), (NULL, NULL, NULL, NULL)",
    ],
    "nothing but NULL": [person(), f"{VISIT} (NULL, {VICTIM}, NULL, NULL)"],
}
"""What is added to the one database and not to the other: all rows of one unit."""


def build(folder: Path, *victim: str, policy: str = POLICY, empty: bool = False) -> Path:
    """The database and its policy in a folder of their own; the path of the policy."""
    folder.mkdir(parents=True)
    with duckdb.connect(str(folder / "people.duckdb")) as connection:
        connection.execute(SCHEMA)
        for table in ("people", "visits", "clicks") if empty else ():
            connection.execute(f"DELETE FROM {table}")
        for statement in victim:
            connection.execute(statement)
    (folder / "discreet.toml").write_text(policy, encoding="utf-8")
    return folder / "discreet.toml"


@dataclass(frozen=True)
class Seen:
    """What an analyst sees of one question, but for the numbers themselves."""

    error: tuple[str, str] | None
    columns: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    keys: tuple[tuple[Any, ...], ...] = ()
    notes: tuple[str, ...] = ()
    cost: object = None
    spent: object = None
    receipt: object = None
    explanation: object = None


def look(db: discreet.Database, sql: str, epsilon: object = 1) -> tuple[Seen, dict[str, list[Any]]]:
    """Everything that can be seen, and the released numbers by column."""
    explanation, before = db.explain(sql, epsilon=epsilon).to_dict(), db.budget().dataset.spent.amount
    try:
        answer = db.query(sql, epsilon=epsilon)
    except discreet.DiscreetError as error:
        spent = db.budget().dataset.spent.amount - before
        return Seen((type(error).__name__, str(error)), spent=spent, explanation=repr(explanation)), {}
    table = answer.to_arrow()
    numbers = {name: table.column(name).to_pylist() for name in answer.intervals()}
    keys = [table.column(name).to_pylist() for name in answer.columns if name not in numbers]
    seen = Seen(
        None,
        tuple(answer.columns),
        tuple(map(str, table.schema.types)),
        tuple(zip(*keys, strict=True)) if keys else ((),) * len(answer),
        tuple(answer.notes),
        answer.cost,
        db.budget().dataset.spent.amount - before,
        (answer.receipt.state, answer.repeated),
        repr(explanation),
    )
    return seen, numbers
