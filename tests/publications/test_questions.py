"""A question to a publication is the question to the data: asked where nothing is blurred, the answers agree."""

from __future__ import annotations

from decimal import Decimal
from math import isclose
from typing import TYPE_CHECKING, Any

import pytest

import discreet
from publications.clubs import SURE, plainly

if TYPE_CHECKING:
    from pathlib import Path

HISTOGRAM = "SELECT area, fit, grade, born, CASE WHEN age >= 60 THEN 'old' ELSE 'young' END AS band, COUNT(*) AS n FROM health GROUP BY ALL"
SOURCE = "(SELECT *, CASE WHEN age >= 60 THEN 'old' ELSE 'young' END AS band FROM health)"

QUESTIONS = [
    "SELECT COUNT(*) AS c FROM {} AS h",
    "SELECT COUNT(*) AS c FROM {} AS h WHERE FALSE",
    "SELECT area, COUNT(*) AS c FROM {} AS h GROUP BY area",
    "SELECT area, fit, COUNT(*) AS c FROM {} AS h WHERE band = 'old' GROUP BY area, fit HAVING c > 1 ORDER BY c DESC, area, fit",
    "SELECT UPPER(area) AS u, COUNT(*) AS c FROM {} AS h WHERE area <> 'west' AND NOT fit GROUP BY u",
    "SELECT YEAR(born) AS y, DAY(born) AS d, COUNT(*) AS c FROM {} AS h GROUP BY ALL",
    "SELECT COUNT(*) FILTER (WHERE fit) AS c, COUNT(CASE WHEN area = 'north' THEN 1 END) AS d, COUNT_IF(grade > 2) AS e FROM {} AS h",
    "SELECT SUM(grade) AS s, AVG(grade) AS a FROM {} AS h",
    "SELECT area, SUM(grade * 2 - 1) AS s FROM {} AS h GROUP BY area",
    "SELECT area, AVG(CASE WHEN fit THEN grade ELSE 0 END) AS a FROM {} AS h GROUP BY area ORDER BY a",
    "SELECT SUM(CASE WHEN fit THEN 1 ELSE 0 END) AS s FROM {} AS h WHERE born = '1980-01-01'",
    "SELECT a.pole, COUNT(*) AS c FROM {} AS h JOIN areas AS a ON h.area = a.area GROUP BY a.pole",
    "SELECT a.pole, COUNT(*) AS c FROM {} AS h JOIN areas AS a USING (area) WHERE a.rate > 1 GROUP BY a.pole",
    "SELECT COUNT(*) AS c FROM {} AS h JOIN members AS m ON h.area <> m.plan",
    "SELECT COUNT(*) AS c FROM {} AS h LEFT JOIN areas AS a ON h.area = a.area AND a.rate > 1 WHERE a.area IS NULL",
    "SELECT COUNT(*) AS c FROM {} AS h, areas AS a WHERE h.area = a.area AND a.pole = 'S'",
    "SELECT DISTINCT area FROM {} AS h ORDER BY area LIMIT 2 OFFSET 1",
]


def agree(ours: Any, theirs: Any) -> bool:
    if isinstance(ours, float | int) and not isinstance(ours, bool) and isinstance(theirs, float | int | Decimal):
        return isclose(ours, float(theirs), rel_tol=1e-6, abs_tol=1e-6)
    return ours == theirs or (not ours and theirs is None)


def alike(ours: list[tuple[Any, ...]], theirs: list[tuple[Any, ...]]) -> bool:
    pairs = zip(sorted(ours, key=repr), sorted(theirs, key=repr), strict=True)
    return all(agree(a, b) for mine, other in pairs for a, b in zip(mine, other, strict=True))


def shown(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Groups that hold somebody: a publication also has those that hold nobody."""
    return (
        [row for row in rows if not isinstance(row[-1], float | int) or abs(row[-1]) > 1e-9] if len(rows) > 1 else rows
    )


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_histogram_answers_like_the_data(policy: Path, db: discreet.Database, question: str) -> None:
    db.publish("people", HISTOGRAM, epsilon=SURE)
    answer = db.query(question.format("published.people"))
    expected = plainly(policy, question.format(SOURCE))
    assert alike(shown([tuple(row) for row in answer]), shown(expected)), (list(answer), expected)
    assert answer.columns[-1] == question.partition(" FROM")[0].rpartition(" ")[2]


ROWS = "SELECT member, area, smokes, grade FROM health"
ASKED_OF_ROWS = [
    "SELECT COUNT(*) AS c FROM {} AS h WHERE smokes",
    "SELECT area, COUNT(*) AS c FROM {} AS h GROUP BY area",
    "SELECT area, smokes, COUNT(*) AS c FROM {} AS h WHERE member < 12 GROUP BY area, smokes",
    "SELECT m.plan, COUNT(*) AS c FROM {} AS h JOIN members AS m ON h.member = m.member WHERE h.smokes GROUP BY m.plan",
    "SELECT m.plan, SUM(h.grade) AS c FROM {} AS h JOIN members AS m USING (member) GROUP BY m.plan",
    "SELECT area, AVG(grade) AS a FROM {} AS h WHERE member % 2 = 0 GROUP BY area",
    "SELECT COUNT(*) AS c FROM {} AS h JOIN members AS m ON h.member = m.member WHERE m.joined < '2020-01-10' AND h.area = 'west'",
    "SELECT SUM(CASE WHEN smokes THEN member ELSE 0 END) AS s FROM {} AS h",
]


@pytest.mark.parametrize("question", ASKED_OF_ROWS)
def test_rows_answer_like_the_data(policy: Path, db: discreet.Database, question: str) -> None:
    db.publish("people", ROWS, epsilon=SURE)
    answer = [tuple(row) for row in db.query(question.format("published.people"))]
    assert alike(shown(answer), shown(plainly(policy, question.format("health"))))


@pytest.mark.parametrize(
    "question", ["SELECT area, COUNT(*) AS c FROM {} AS h GROUP BY area", "SELECT COUNT(*) AS c FROM {} AS h"]
)
def test_anonymous_rows_answer_like_the_data(policy: Path, db: discreet.Database, question: str) -> None:
    db.publish("people", "SELECT area, smokes FROM health", rows=40, epsilon=SURE)
    answer = [tuple(row) for row in db.query(question.format("published.people"))]
    assert alike(answer, plainly(policy, question.format("health")))


def test_rows_are_listed_as_they_were_published(policy: Path, db: discreet.Database) -> None:
    db.publish("people", ROWS, epsilon=SURE)
    listed = [tuple(row) for row in db.query("SELECT * FROM published.people ORDER BY member")]
    there = {row[0]: row for row in plainly(policy, ROWS)}
    assert listed == [there.get(n, (n, None, False, None)) for n in range(1, 31)]
    few = db.query(
        "SELECT smokes, member * 2 AS twice FROM published.people WHERE area = 'west' ORDER BY twice DESC LIMIT 3"
    )
    assert list(few) == [(True, 40.0), (True, 22.0), (True, 22.0)] or len(few) == 3
    assert few.intervals() == {}
    assert next(iter(db.query("SELECT smokes FROM published.people"))) in [(False,), (True,)]
    assert len(db.query("SELECT smokes FROM published.people")) == 30
    assert sorted(db.query("SELECT DISTINCT smokes FROM published.people")) == [(False,), (True,)]


def test_a_histogram_is_listed_with_its_intervals(db: discreet.Database) -> None:
    db.publish("people", HISTOGRAM, epsilon=1)
    listed = db.query("SELECT * FROM published.people")
    assert listed.columns == ["area", "fit", "grade", "born", "band", "n"]
    assert len(listed) == 3 * 2 * 2 * 2 * 2
    assert all(ends.low <= row[-1] <= ends.high for row, ends in zip(listed, listed.intervals()["n"], strict=True))
    best = db.query(
        "SELECT area, n AS people, DP_INTERVAL_LOW(people) AS low FROM published.people AS p WHERE p.n > 1 ORDER BY n DESC LIMIT 2"
    )
    counts = [row[1] for row in best]
    assert counts == sorted(counts, reverse=True)
    assert all(row[1] > 1 and row[2] == ends.low for row, ends in zip(best, best.intervals()["people"], strict=True))
    assert list(db.query("SELECT n FROM published.people WHERE n > 1000000")) == []
    assert len(db.query("SELECT p.*, UPPER(area) AS u FROM published.people AS p")) == len(listed)


def test_the_column_of_counts_adds_up_to_the_count(db: discreet.Database) -> None:
    db.publish("people", HISTOGRAM, epsilon=1)
    both = db.query(
        "SELECT area, COUNT(*) AS c, SUM(n) AS s, SUM(n) FILTER (WHERE fit) AS f, COUNT_IF(fit) AS g FROM published.people GROUP BY area"
    )
    assert all(row[1] == row[2] and row[3] == row[4] for row in both)
    assert both.intervals()["c"] == both.intervals()["s"]


def test_sums_are_as_sharp_as_independent_noises(db: discreet.Database) -> None:
    db.publish("people", "SELECT area, COUNT(*) AS n FROM health GROUP BY area", epsilon=0.1)
    one, three = (
        db.query(f"SELECT COUNT(*) AS c FROM published.people WHERE area IN ({areas})").intervals()["c"][0]
        for areas in ("'north'", "'north', 'south', 'west'")
    )
    assert (one.high - one.low) / 2 == 20
    assert (three.high - three.low) / 2 == 34, "the root of three, not three"
    nobody = db.query("SELECT COUNT(*) AS c FROM published.people WHERE area = 'nowhere'")
    assert (list(nobody), nobody.intervals()["c"]) == ([(0,)], [(0.0, 0.0)])


def test_randomised_bits_are_corrected(db: discreet.Database) -> None:
    """The printed vectors: what a single row that shows TRUE, or FALSE, counts as."""
    db.publish("bits", "SELECT member, smokes FROM health", epsilon=1)
    for member, told in list(db.query("SELECT * FROM published.bits"))[:10]:
        answer = db.query(f"SELECT COUNT(*) AS c FROM published.bits WHERE smokes AND member = {member}")
        ((count,),) = answer
        assert count == pytest.approx(1.5819767 if told else -0.5819767, abs=5e-8)
        (ends,) = answer.intervals()["c"]
        assert ends.low <= min(0, count)
        assert ends.high >= max(1, count)
    assert list(db.query("SELECT COUNT(*) AS c FROM published.bits")) == [(30.0,)]


def test_an_answer_says_where_it_is_from(db: discreet.Database) -> None:
    made = db.publish("people", HISTOGRAM, epsilon=1)
    answer = db.query("SELECT COUNT(*) AS c FROM published.people")
    assert answer.receipt == made.receipt
    assert answer.cost == discreet.Cost(0.0, 0.0, 0.0)
    assert "read from published.people" in answer.free
    assert "published.people: gaussian noise" in answer.notes[-1]
    assert "nothing: read from published.people" in repr(answer)
    assert (made.cost.epsilon, made.free) == (1.0, "")
    assert answer.to_arrow().num_rows == 1
    assert answer.plot().svg().startswith("<svg")


def test_a_grouped_answer_travels_and_is_drawn(db: discreet.Database) -> None:
    db.publish("people", ROWS, epsilon=1)
    answer = db.query("SELECT area, COUNT(*) AS c, AVG(grade) AS a FROM published.people GROUP BY area")
    assert [str(type_) for type_ in answer.to_arrow().schema.types] == ["string", "double", "double"]
    assert answer.keys == ["area"]
    assert "area" in answer._repr_html_()
    assert answer.plot().svg().startswith("<svg")
