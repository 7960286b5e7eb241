"""Attacks 16, 17, 18 and 21: clauses that would look at exact values, other rows or unbounded numbers are refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import discreet
from attacks.worlds import build

if TYPE_CHECKING:
    from collections.abc import Iterator

REFUSED = {
    "SELECT COUNT(*) FROM people HAVING SKEWNESS(age) > 1": "unsupported",
    "SELECT city, COUNT(*) FROM people GROUP BY city HAVING age > 1": "not-grouped|not-released",
    "SELECT city, COUNT(*) FROM people GROUP BY city ORDER BY age": "not-released",
    "SELECT COUNT(*) FROM people LIMIT (SELECT COUNT(*) FROM people)": "not-constant",
    "SELECT COUNT(*) FROM people LIMIT 10 %": "unsupported|syntax",
    "SELECT COUNT(*) FROM (SELECT * FROM people LIMIT 1)": "unsupported",
    "SELECT COUNT(*) FROM people QUALIFY ROW_NUMBER() OVER () = 1": "unsupported",
    "SELECT ROW_NUMBER() OVER (ORDER BY age), COUNT(*) FROM people": "unsupported",
    "SELECT COUNT(*) FROM people TABLESAMPLE 10%": "unsupported|syntax",
    "SELECT DISTINCT ON (city) city FROM people": "unsupported",
    "SELECT * FROM people": "raw-rows",
    "SELECT age FROM people": "raw-rows",
    "SELECT id, name FROM people ORDER BY id LIMIT 1": "raw-rows",
    "SELECT age, COUNT(*) FROM people GROUP BY city": "not-grouped",
    "SELECT COUNT(DISTINCT name) FROM people": "unsupported",
    "SELECT COUNT(DISTINCT (id, name)) FROM people": "unsupported",
    "SELECT COUNT(DISTINCT id + 0) FROM people": "unsupported",
    "SELECT SUM(DISTINCT age) FROM people": "unsupported",
    "SELECT AVG(DISTINCT age) FROM people": "unsupported",
    "SELECT MAX(name) FROM people": "type-mismatch",
    "SELECT ANY_VALUE(name) FROM people": "unsupported",
    "SELECT LIST(name) FROM people": "unsupported",
    "SELECT STRING_AGG(name, ',') FROM people": "unsupported",
    "SELECT COUNT(*) FROM people WHERE id IN (SELECT person FROM visits)": "unsupported",
    "SELECT COUNT(*) FROM people WHERE id NOT IN (SELECT person FROM visits)": "unsupported",
    "SELECT COUNT(*) FROM people WHERE EXISTS (SELECT 1 FROM visits WHERE person = 999)": "unsupported",
    "SELECT COUNT(*) FROM people WHERE age > (SELECT AVG(age) FROM people)": "unsupported",
    "SELECT COUNT(*) FROM people WHERE age > ALL (SELECT age FROM people)": "unsupported",
    "SELECT (SELECT MAX(age) FROM people), COUNT(*) FROM people": "unsupported",
    "WITH a AS (SELECT * FROM people WHERE id = 999) SELECT COUNT(*) FROM a": "unsupported",
    "SELECT COUNT(*) FROM people UNION ALL SELECT age FROM people": "not-a-select",
    "SELECT COUNT(*) FROM people a JOIN people b ON a.age = b.age": "bad-join",
    "SELECT COUNT(*) FROM people a JOIN people b ON a.id <> b.id": "bad-join",
    "SELECT COUNT(*) FROM people a, visits b": "bad-join",
    "SELECT COUNT(*) FROM people JOIN visits ON id = person OR age > 0": "bad-join",
    "SELECT COUNT(*) FROM people JOIN cities ON people.city > cities.city": "bad-join",
    "SELECT COUNT(*) FROM people FULL JOIN visits ON id = person": "unsupported",
    "SELECT COUNT(*) FROM people RIGHT JOIN visits ON id = person": "unsupported",
    "SELECT COUNT(*) FROM people ASOF JOIN visits ON id >= person": "unsupported",
    "SELECT COUNT(*) FROM people SEMI JOIN visits ON id = person": "unsupported",
    "SELECT COUNT(*) FROM people POSITIONAL JOIN visits": "unsupported|syntax",
    "SELECT SUM(id) FROM people": "unbounded-column",
    "SELECT AVG(ubig) FROM people": "unbounded-column|type-mismatch",
    "SELECT SUM(age / score) FROM people": "unbounded-expression",
    "SELECT SUM(CAST(name AS DOUBLE)) FROM people": "unbounded-expression|unbounded-column",
    "SELECT SUM(LENGTH(name)) FROM people": "unbounded-expression",
    "SELECT SUM(EXTRACT(YEAR FROM day)) FROM people": "unbounded-expression",
    "SELECT SUM(GREATEST(id, 0)) FROM people": "unbounded-column|unbounded-expression",
    "SELECT SUM(age % score) FROM people GROUP BY id % 2 = 0 AND visits.page": "unknown-table",
    "SELECT city, COUNT(*) FROM people GROUP BY GROUPING SETS ((city), ())": "unsupported",
    "SELECT city, COUNT(*) FROM people GROUP BY ROLLUP (city)": "unsupported",
    "SELECT COUNT(*) FILTER (WHERE age > AVG(age)) FROM people": "nested-aggregate",
    "SELECT SUM(COUNT(*)) FROM people": "nested-aggregate",
    "SELECT uid, COUNT(*) FROM people GROUP BY uid": "type-mismatch",
}


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Iterator[discreet.Database]:
    with discreet.connect(build(tmp_path_factory.mktemp("clauses") / "db")) as opened:
        yield opened


@pytest.mark.parametrize(("sql", "codes"), REFUSED.items(), ids=REFUSED)
def test_refused_before_anything_is_paid(db: discreet.Database, sql: str, codes: str) -> None:
    with pytest.raises(discreet.Refused) as refused:
        db.query(sql, epsilon=1)
    assert refused.value.code in codes.split("|"), refused.value
    assert db.explain(sql).verdict == "refuse"
    assert db.budget().dataset.spent.amount == 0


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT COUNT(*) FROM people LIMIT 0",
        "SELECT COUNT(*) AS n FROM people HAVING n < 0",
        "SELECT city, COUNT(*) AS n FROM people GROUP BY city ORDER BY n DESC LIMIT 1 OFFSET 1",
    ],
)
def test_what_is_cut_away_from_the_answer_is_paid_for(db: discreet.Database, sql: str) -> None:
    """HAVING, ORDER BY and LIMIT look at noisy numbers, so all of these were released."""
    before = db.budget().dataset.spent.amount
    db.query(sql, epsilon=1)
    assert db.budget().dataset.spent.amount > before
    assert "HAVING" not in db.explain(sql, epsilon=1).engine_sql
    assert "LIMIT" not in db.explain(sql, epsilon=1).engine_sql
