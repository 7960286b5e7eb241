"""Attacks 3, 4, 8, 9, 15-20: two databases that differ in one person look alike in all but bounded numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

import discreet
from attacks.worlds import EXTREMES, VICTIM, VICTIMS, build, look

if TYPE_CHECKING:
    from collections.abc import Iterator

NUMBERS = ["age", "score", "ratio", "big", "money", "cents"]
TIMES = ["day", "met", "met_ns", "met_s"]
TEXTS = ["name", "city", "mood", "doc"]
OTHERS = ["uid", "raw", "ubig", "met_tz", "flag"]

SCALARS = [
    *(
        f"{x} {op} {y}"
        for op in ("+", "-", "*", "/", "//", "%")
        for x in NUMBERS
        for y in ("age", "score", "0", "1e300")
    ),
    *(f"{f}({x})" for f in ("ABS", "FLOOR", "CEIL", "SIGN", "SQRT", "ROUND") for x in NUMBERS),
    *(f"ROUND({x}, {n})" for x in NUMBERS for n in (-15, 15)),
    *(
        f"CAST({x} AS {t})"
        for x in [*NUMBERS, "name", "flag", "day"]
        for t in ("INTEGER", "BIGINT", "DOUBLE", "VARCHAR")
    ),
    *(f"CAST({x} AS {t})" for x in [*TIMES, "name", "doc"] for t in ("DATE", "TIMESTAMP", "VARCHAR")),
    *(f"CAST({x} AS VARCHAR)" for x in OTHERS),
    "CAST(name AS BOOLEAN)",
    *(f"COALESCE({x}, {y})" for x in NUMBERS for y in ("big", "money", "cents", "score", "0.5")),
    *(f"CASE WHEN id > 0 THEN {x} ELSE {y} END" for x in NUMBERS for y in ("cents", "age")),
    *(f"NULLIF({x}, {y})" for x, y in (("age", "score"), ("big", "money"), ("day", "met"), ("name", "mood"))),
    *(f"{f}({x}, cents, 3)" for f in ("GREATEST", "LEAST") for x in NUMBERS),
    *(
        f"EXTRACT({part} FROM {x})"
        for part in ("YEAR", "QUARTER", "WEEK", "DOW", "DOY", "HOUR", "SECOND")
        for x in TIMES
    ),
    *(f"DATE_TRUNC('{unit}', {x})" for unit in ("year", "quarter", "week", "day", "second") for x in TIMES),
    *(f"EXTRACT(YEAR FROM CAST({x} AS TIMESTAMP))" for x in ("name", "day", "doc")),
    *(f"CASE WHEN id > 0 THEN day ELSE {x} END" for x in TIMES),
    *(f"COALESCE({x}, day)" for x in TIMES),
    *(f"{f}({x})" for f in ("UPPER", "LOWER", "LENGTH", "TRIM") for x in TEXTS),
    *(f"{f}({x}, 1000000)" for f in ("LEFT", "RIGHT") for x in TEXTS),
    "SUBSTRING(name, 0, 1000000)",
    "SUBSTRING(name, 1000000)",
    "REPLACE(name, 'a', 'bb')",
    "REPLACE(name, '', 'b')",
    "name || doc || uid",
    "CONCAT(name, age, day)",
]
"""Scalar expressions whose plain form in the database can fail on a row, and others to be sure."""

CONDITIONS = [
    *(f"{x} = {n}" for x in ["id", *NUMBERS] for n in (2**31, 2**63, 2**64, 2**127, 10**39, -(2**127), 10**200, "0.1")),
    *(f"{x} IN (1, {2**127})" for x in ("id", "big")),
    *(f"{x} > {y}" for x in NUMBERS for y in NUMBERS if x < y),
    *(f"{x} < {y}" for x in TIMES for y in TIMES if x < y),
    *(f"{x} > TIMESTAMP '9999-12-31 23:59:59'" for x in TIMES),
    *(f"{x} BETWEEN DATE '0001-01-01' AND '9999-12-31'" for x in TIMES),
    *(f"{x} = {y}" for x in TEXTS for y in [*TEXTS, *OTHERS] if x < y and y != "flag"),
    *(f"{x} IN ('', 'nobody')" for x in TEXTS),
    *(f"{x} LIKE '%\\' OR {x} ILIKE '_%[('" for x in TEXTS),
    "ubig = uid",
    *(f"{x} = {y}" for x in ["uid", "raw", "ubig", "met_tz"] for y in ["uid", "raw", "ubig", "met_tz"] if x < y),
    *(f"'2024-01-01' IN ({x}, {y})" for x in ["day", "met"] for y in ["name", "doc", "uid", "raw"]),
    *(f"{x} IN ('2024-01-01', {y})" for x in ["uid", "raw", "met_tz"] for y in ["uid", "met_tz"]),
    "(CASE WHEN id > 0 THEN NULL ELSE ABS(NULL) END) IN (name, age)",
    "name IN ('a', CASE WHEN id > 0 THEN NULL ELSE ABS(NULL) END)",
    "flag OR NOT flag",
    "1 / age > 0",
    "age NOT IN (1, NULL)",
]


@pytest.fixture(scope="module")
def databases(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, discreet.Database]]:
    """One database for each victim, one without any, and one with nothing in its private tables."""
    folder = tmp_path_factory.mktemp("twins")
    worlds = {name: build(folder / name, *victim) for name, victim in VICTIMS.items()}
    worlds |= {"nobody more": build(folder / "-"), "empty": build(folder / "empty", empty=True)}
    open_ones = {name: discreet.connect(path) for name, path in worlds.items()}
    yield open_ones
    for db in open_ones.values():
        db.close()


def same_to_all(databases: dict[str, discreet.Database], names: list[str], sql: str) -> None:
    """Each database answers alike, but for numbers, and an answer is what it is (a refusal comes before the data)."""
    seen = {name: look(databases[name], sql)[0] for name in names}
    first = seen[names[0]]
    assert first.error is None or first.error[0] == "Refused", (sql, first)
    assert {name: each for name, each in seen.items() if each != first} == {}, sql


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("scalar", SCALARS)
def test_no_value_makes_an_expression_fail(databases: dict[str, discreet.Database], scalar: str) -> None:
    for sql in (f"SELECT COUNT({scalar}) FROM people", f"SELECT COUNT(*) FROM people WHERE ({scalar}) IS NOT NULL"):
        same_to_all(databases, ["nobody more", "empty", "extremes", "below zero"], sql)


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("condition", CONDITIONS)
def test_no_value_makes_a_condition_fail(databases: dict[str, discreet.Database], condition: str) -> None:
    sql = f"SELECT COUNT(*), COUNT(DISTINCT id) FROM people WHERE {condition}"
    same_to_all(databases, ["nobody more", "empty", "extremes", "below zero"], sql)


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize(
    "key", [*TEXTS, *TIMES, *NUMBERS, *OTHERS, "DATE_TRUNC('month', met)", "age / 3", "UPPER(name)"]
)
def test_a_key_of_one_person_is_not_seen(databases: dict[str, discreet.Database], key: str) -> None:
    """Attack 15: the key that only one person has shows neither as a group nor as an error."""
    sql = f"SELECT {key} AS k, COUNT(*) AS n FROM people GROUP BY 1"
    same_to_all(databases, ["nobody more", "alone with a key", "extremes", "below zero", "nobody"], sql)


QUESTIONS = [
    "SELECT COUNT(*) AS n FROM people",
    "SELECT COUNT(*) AS n, COUNT(DISTINCT id) AS u FROM people WHERE age > 18",
    "SELECT SUM(age) AS n FROM people",
    "SELECT SUM(score) AS n FROM people",
    "SELECT SUM(score * age) AS n FROM people",
    "SELECT SUM(money) AS n, SUM(cents) AS c FROM people",
    "SELECT SUM(CASE WHEN id = 999 THEN 1000 ELSE 0 END) AS n FROM people",
    "SELECT SUM(LEAST(GREATEST(1 / score, -10), 10)) AS n FROM people",
    "SELECT city, COUNT(*) AS n FROM people GROUP BY city",
    "SELECT city, SUM(age) AS n FROM people GROUP BY city HAVING SUM(age) > -1000 ORDER BY city DESC",
    "SELECT mood, COUNT(*) AS n FROM people GROUP BY mood ORDER BY mood LIMIT 1",
    "SELECT age > 50 AS old, COUNT(*) AS n FROM people GROUP BY 1",
    "SELECT CASE WHEN day < DATE '2024-01-20' THEN 'early' ELSE 'late' END AS k, COUNT(*) AS n FROM people GROUP BY 1",
    "SELECT MONTH(met) AS m, COUNT(*) AS n FROM people GROUP BY 1",
    "SELECT country, COUNT(*) AS n FROM people JOIN cities USING (city) GROUP BY country",
    "SELECT country, COUNT(*) AS n FROM people LEFT JOIN cities USING (city) GROUP BY country",
    "SELECT name, COUNT(*) AS n FROM people GROUP BY name",
    "SELECT name, city, COUNT(DISTINCT id) AS n FROM people GROUP BY ALL",
    "SELECT page, COUNT(*) AS n, SUM(seconds) AS s FROM visits GROUP BY page",
    "SELECT COUNT(*) AS n, SUM(price) AS s FROM clicks",
    "SELECT page, SUM(price) AS s FROM clicks JOIN visits USING (visit) GROUP BY page",
    "SELECT city, SUM(seconds) AS s FROM people JOIN visits ON id = person GROUP BY city",
    "SELECT COUNT(*) AS n FROM clicks JOIN visits USING (visit) JOIN people ON id = person WHERE age > 0",
    "SELECT COUNT(*) AS n FROM people WHERE age NOT IN (1, NULL)",
    "SELECT COUNT(*) AS n FROM people WHERE NOT (score > 1 OR score IS NULL) IS TRUE",
    "SELECT COUNT(*) AS n FROM visits LEFT JOIN people ON person = id WHERE id IS NULL",
    "SELECT DISTINCT city FROM people",
]


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("sql", QUESTIONS)
def test_numbers_move_by_what_was_declared_and_nothing_else_moves(
    databases: dict[str, discreet.Database], sql: str
) -> None:
    before, numbers = look(databases["nobody more"], sql)
    assert before.error is None, before
    declared = {each.column: each.l1 for each in databases["nobody more"].explain(sql, epsilon=1).releases}
    for victim in VICTIMS:
        after, moved = look(databases[victim], sql)
        assert after == before, victim
        for column, values in numbers.items():
            change = sum(abs(a - b) for a, b in zip(values, moved[column], strict=True))
            assert change <= declared[column] * (1 + 1e-12), (victim, column)
    empty = look(databases["empty"], sql)[0]
    private = "'keys': 'private'" in str(before.explanation)
    assert replace(empty, keys=()) == replace(before, keys=()) if private else empty == before


@pytest.mark.usefixtures("quiet")
def test_a_victim_is_really_there(databases: dict[str, discreet.Database]) -> None:
    """The twins differ: otherwise nothing above would mean anything."""
    sql = f"SELECT COUNT(*) AS n FROM people WHERE id = {VICTIM}"
    assert look(databases["nobody more"], sql)[1]["n"] == [0]
    assert look(databases["extremes"], sql)[1]["n"] == [3]
    assert len(EXTREMES) > 3
