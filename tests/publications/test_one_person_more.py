"""What is published of two databases that differ in one person: the same shape, and one row at most that can differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import discreet
from discreet.mechanisms import noise_source
from publications.clubs import build

if TYPE_CHECKING:
    from pathlib import Path

PERSON = "INSERT INTO health VALUES (27, 'west', 70, TRUE, TRUE, 1.25, DATE '1980-01-01')"

VICTIMS = {
    "an ordinary member": [PERSON],
    "somebody who is in no list": [PERSON.replace("(27", "(999").replace("west", "atlantis")],
    "nobody": [PERSON.replace("(27", "(NULL")],
    "somebody with nothing but a name": ["INSERT INTO health (member) VALUES (27)"],
    "somebody with forty rows": [PERSON] * 40,
    "somebody with forty rows that differ": [
        PERSON,
        *(f"INSERT INTO health VALUES (27, 'north', {n}, FALSE, FALSE, 2.50, NULL)" for n in range(39)),
    ],
    "somebody who is another": ["DELETE FROM health WHERE member = 3", PERSON.replace("(27", "(3")],
}

PUBLISHED = [
    ("SELECT area, fit, COUNT(*) AS n FROM health GROUP BY ALL", None, 1),
    ("SELECT place, COUNT(*) AS n FROM visits GROUP BY place", None, 4),
    ("SELECT a.pole, smokes IS TRUE AS smoker, COUNT(*) AS n FROM health AS h JOIN areas AS a ON h.area = a.area GROUP BY ALL", None, 1),
    ("SELECT member, smokes FROM health", None, 1),
    ("SELECT member, area, fit FROM health", None, 1),
    ("SELECT smokes FROM health", 40, 1),
    ("SELECT area, fit FROM health", 26, 1),
    ("SELECT area, smokes AND age > 20 AS wild FROM health WHERE age < 80", 26, 1),
    ("SELECT area FROM health", 5, 1),
]  # fmt: skip


@pytest.fixture
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is blurred, no row lies, and the first units are kept: what is left is what one person moves."""
    monkeypatch.setattr(noise_source, "discrete_laplace", lambda _scale, n: [0] * n)
    monkeypatch.setattr(noise_source, "discrete_gaussian", lambda _variance, n: [0] * n)
    monkeypatch.setattr(noise_source, "answer_shifts", lambda _ratio, _answers, n: [0] * n)
    monkeypatch.setattr(noise_source, "random_places", lambda of, n: list(range(n)))


def published(policy: Path, sql: str, rows: int | None) -> tuple[object, dict[tuple, float]]:
    """All that can be seen but the numbers, and the numbers."""
    with discreet.connect(policy) as db:
        release = db.publish("people", sql, rows=rows, epsilon=1)
        view = db.views["people"]
        listed = db.query("SELECT * FROM published.people")
        cells = view.cells().to_pylist()
        spent = db.budget().dataset.spent
        shape = (view.columns, view.law, [{**c, view.columns[-1]: 0} if view.content.counted else c for c in cells],
                 len(listed), str(listed.to_arrow().schema), listed.cost, release.cost, spent, release.columns)  # fmt: skip
        if view.content.counted:
            return shape, {tuple(row[:-1]): row[-1] for row in listed}
        counts: dict[tuple, float] = {}
        for row in listed:
            counts[tuple(row)] = counts.get(tuple(row), 0) + 1
        return shape, counts


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("victim", VICTIMS)
@pytest.mark.parametrize(("sql", "rows", "moved"), PUBLISHED)
def test_one_person_more(tmp_path: Path, sql: str, rows: int | None, moved: int, victim: str) -> None:
    before, found = published(build(tmp_path / "without"), sql, rows)
    after, grown = published(build(tmp_path / "with", *VICTIMS[victim]), sql, rows)
    assert before == after
    steps = [grown.get(key, 0) - found.get(key, 0) for key in grown.keys() | found.keys()]
    both_ways = 2 if rows is not None or "member" in sql or victim == "somebody who is another" else 1
    assert sum(map(abs, steps)) <= moved * both_ways


@pytest.mark.usefixtures("quiet")
def test_rows_that_are_too_few_leave_people_out_and_nothing_else(tmp_path: Path) -> None:
    for victim in ([], ["DELETE FROM health WHERE member > 3"], ["DELETE FROM health"]):
        policy = build(tmp_path / str(len(victim) + len(str(victim))), *victim)
        _, counts = published(policy, "SELECT area FROM health", 5)
        assert sum(counts.values()) == 5
