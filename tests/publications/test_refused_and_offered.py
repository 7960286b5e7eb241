"""What is not asked of a publication, what explain offers, and that nothing of ours reaches the data."""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb
import pytest

import discreet
from publications.clubs import SURE

if TYPE_CHECKING:
    from pathlib import Path

HISTOGRAM = "SELECT area, fit, age >= 40 AS old, COUNT(*) AS n FROM health GROUP BY ALL"

REFUSED = [
    ("not-linear", "SELECT MIN(n) FROM published.people"),
    ("not-linear", "SELECT MAX(CASE WHEN fit THEN 1 ELSE 0 END) FROM published.people"),
    ("not-linear", "SELECT AVG(n) FROM published.people"),
    ("not-linear", "SELECT SUM(n * 2) FROM published.people"),
    ("not-linear", "SELECT SUM(n) FROM published.people WHERE n > 3"),
    ("not-linear", "SELECT n, COUNT(*) FROM published.people GROUP BY n"),
    ("not-linear", "SELECT COUNT(n) FROM published.people"),
    ("not-linear", "SELECT COUNT(DISTINCT area) FROM published.people"),
    ("not-linear", "SELECT MODE(area) FROM published.people"),
    ("not-linear", "SELECT a.area, COUNT(*) FROM published.people AS p JOIN areas AS a ON p.n > a.rate GROUP BY a.area"),
    ("published-join", "SELECT COUNT(*) FROM published.people AS p JOIN health AS h ON p.area = h.area"),
    ("published-join", "SELECT COUNT(*) FROM health AS h JOIN published.people AS p ON p.area = h.area"),
    ("published-join", "SELECT COUNT(*) FROM published.people AS p JOIN published.people AS q ON p.area = q.area"),
    ("published-join", "SELECT COUNT(*) FROM areas AS a LEFT JOIN published.people AS p ON p.area = a.area"),
    ("unsupported", "SELECT p.area FROM published.people AS p JOIN areas AS a ON p.area = a.area"),
    ("unsupported", "SELECT area, ROW_NUMBER() OVER () FROM published.people"),
    ("unsupported", "SELECT COUNT(*) FROM (SELECT * FROM published.people) AS p"),
    ("unsupported", "SELECT COUNT(*) FROM health WHERE area IN (SELECT area FROM published.people)"),
    ("unsupported", "SELECT * EXCLUDE (n) FROM published.people"),
    ("unknown-column", "SELECT age FROM published.people"),
    ("unknown-column", 'SELECT "place~" FROM published.people'),
    ("unknown-column", "SELECT rowid FROM published.people"),
    ("unknown-table", "SELECT * FROM published.nothing"),
    ("unknown-table", "SELECT * FROM published.publications"),
    ("unknown-function", "SELECT getenv('HOME') FROM published.people"),
    ("unbounded-column", "SELECT SUM(a.rate) FROM published.people AS p JOIN areas AS a ON p.area = a.area"),
    ("type-mismatch", "SELECT SUM(area) FROM published.people"),
    ("not-grouped", "SELECT area, fit, COUNT(*) FROM published.people GROUP BY area"),
    ("not-released", "SELECT COUNT(*) AS c FROM published.people ORDER BY area"),
]  # fmt: skip


@pytest.mark.parametrize(("code", "sql"), REFUSED)
def test_refused_with_a_reason(db: discreet.Database, code: str, sql: str) -> None:
    db.publish("people", HISTOGRAM, epsilon=1)
    with pytest.raises(discreet.Refused) as refused:
        db.query(sql, epsilon=1)
    assert refused.value.code == code, refused.value
    assert refused.value.message
    assert db.explain(sql, epsilon=1).to_dict()["error"]["code"] == code
    assert len(db.history()) == 4


OFFERED = [
    "SELECT area, COUNT(*) AS n FROM health GROUP BY area",
    "SELECT COUNT(*) AS n FROM health",
    "SELECT h.area, h.fit, COUNT(*) AS n FROM health AS h GROUP BY h.fit, h.area HAVING n > 2 ORDER BY n LIMIT 3",
    "SELECT COUNT(*) AS n FROM health WHERE age >= 40 AND area IN ('north', 'west')",
    "SELECT area = 'north' AS north, COUNT(*) AS n FROM health WHERE NOT fit GROUP BY north",
    "SELECT COUNT(*) FILTER (WHERE area = 'north') AS n FROM health",
    "SELECT SUM(CASE WHEN fit THEN 1 ELSE 0 END) AS n FROM health",
]

NOT_OFFERED = [
    "SELECT COUNT(*) AS n FROM health WHERE age >= 41",
    "SELECT COUNT(*) AS n FROM health WHERE smokes",
    "SELECT grade, COUNT(*) AS n FROM health GROUP BY grade",
    "SELECT AVG(age) AS n FROM health",
    "SELECT COUNT(*) AS n FROM visits",
    "SELECT COUNT(DISTINCT member) AS n FROM health",
    "SELECT MEDIAN(age) AS n FROM health",
    "SELECT DISTINCT area FROM health",
    "SELECT COUNT(*) AS n FROM health AS h JOIN areas AS a ON h.area = a.area",
]


@pytest.mark.parametrize("sql", OFFERED)
def test_explain_offers_a_publication_that_holds_enough(db: discreet.Database, sql: str) -> None:
    db.publish("people", HISTOGRAM, epsilon=1)
    explained = db.explain(sql, epsilon=0.1)
    (offer,) = explained.to_dict()["published"]
    assert (offer["publication"], offer["outdated"]) == ("published.people", False)
    assert 0 < offer["half_width_95"]["n"] < explained.releases[-1].half_width_95
    answer = db.query(sql, epsilon=0.1)
    assert answer.cost.epsilon == 0.1, "a question to the data is asked of the data"
    same = db.query(sql.replace("FROM health", "FROM published.people").replace("age >= 40", "old"))
    assert max((ends.high - ends.low) / 2 for ends in same.intervals()["n"]) <= offer["half_width_95"]["n"]


@pytest.mark.parametrize("sql", NOT_OFFERED)
def test_explain_offers_nothing_where_that_is_not_enough(db: discreet.Database, sql: str) -> None:
    db.publish("people", HISTOGRAM, epsilon=1)
    assert db.explain(sql, epsilon=0.1).to_dict()["published"] == []


def test_what_was_published_under_a_condition_answers_questions_under_it(db: discreet.Database) -> None:
    made = "SELECT a.pole, h.area, COUNT(*) AS n FROM health AS h JOIN areas AS a ON h.area = a.area WHERE h.age > 30 GROUP BY ALL"
    db.publish("poles", made, epsilon=1)
    asked = "SELECT b.pole, COUNT(*) AS n FROM health AS g JOIN areas AS b ON g.area = b.area WHERE {} GROUP BY b.pole"
    assert db.explain(asked.format("g.age > 30"), epsilon=1).published
    assert db.explain(asked.format("g.area <> 'west' AND g.age > 30"), epsilon=1).published
    assert not db.explain(asked.format("g.area <> 'west'"), epsilon=1).published
    assert not db.explain(asked.format("g.age > 31"), epsilon=1).published
    turned = "SELECT b.pole, COUNT(*) AS n FROM areas AS b JOIN health AS g ON g.area = b.area WHERE g.age > 30 GROUP BY b.pole"
    assert not db.explain(turned, epsilon=1).published


def test_rows_are_offered_where_nobody_counts_for_nothing(db: discreet.Database) -> None:
    """FALSE is also what those say who are not there, so a count of FALSE is not that of the data."""
    db.publish("bits", "SELECT member, smokes, area FROM health", epsilon=1)
    count = "SELECT COUNT(*) AS n FROM health"
    for sql in (
        count,
        f"{count} WHERE smokes",
        f"{count} WHERE member < 9 AND area = 'west'",
        f"{count} WHERE NOT smokes",
    ):
        assert [offer.publication for offer in db.explain(sql).published] == ["published.bits"], sql
    db.publish("bits", "SELECT member, smokes FROM health", epsilon=2, replace=True)
    assert db.explain(f"{count} WHERE smokes").published
    assert not db.explain(f"{count} WHERE NOT smokes").published
    assert not db.explain(count).published


def test_what_explain_offers_is_right(db: discreet.Database) -> None:
    db.publish("people", HISTOGRAM, epsilon=SURE)
    sql = "SELECT area, COUNT(*) AS n FROM health WHERE age >= 40 GROUP BY area"
    exact = db.query(sql, epsilon=90)
    assert list(db.query(sql.replace("health", "published.people").replace("age >= 40", "old"))) == list(exact)


def test_a_question_to_a_publication_is_explained(db: discreet.Database) -> None:
    db.publish("people", HISTOGRAM, epsilon=1)
    found = db.explain(
        "SELECT area, COUNT(*) AS n, AVG(CASE WHEN fit THEN 1 ELSE 0 END) AS share FROM published.people GROUP BY area"
    )
    assert [(each.column, each.aggregate, each.l1, each.mechanism, each.scale) for each in found.releases] == [
        ("n", "count", 0, "gaussian", 1.0),
        ("share", "avg", 0, "gaussian", 1.0),
    ]
    assert (found.keys, found.groups, found.cost.rho) == ("public", 3, 0.0)
    assert "published.people" in found.bounds
    assert found.published == ()
    assert found.to_dict()["verdict"] == "answer"


def test_the_data_are_not_touched(policy: Path, db: discreet.Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the owner's engine gone, publications are still read; and theirs reaches nothing outside."""
    db.publish("people", HISTOGRAM, epsilon=1)
    db.query("SELECT COUNT(*) AS c FROM published.people")
    monkeypatch.setattr(type(db._engines.here()), "domain", lambda *_: pytest.fail("the data were asked"))
    assert db.query("SELECT area, COUNT(*) AS c FROM published.people GROUP BY area").cost.epsilon == 0
    (held, *_) = db._reader._held.values()
    with held._connection.cursor() as cursor:
        databases = {name for (name,) in cursor.execute("SELECT database_name FROM duckdb_databases()").fetchall()}
        tables = cursor.execute("SELECT schema_name, table_name FROM duckdb_tables()").fetchall()
        assert databases == {"memory", "system", "temp"}
        assert tables == [("published", "people")]
        for reach in (f"ATTACH '{policy.parent / 'club.duckdb'}'", "SET enable_external_access = true",
                      "SELECT * FROM read_csv('/etc/passwd')", "COPY (SELECT 1) TO '/tmp/x.csv'"):  # fmt: skip
            with pytest.raises(duckdb.Error):
                cursor.execute(reach)
