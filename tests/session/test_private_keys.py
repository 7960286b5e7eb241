"""Private group keys end to end: what explain says of the threshold is what decides, under both laws of noise."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import duckdb
import pytest

import discreet
from noise.laws import Law

if TYPE_CHECKING:
    from pathlib import Path

DELTA, EPSILON, GROUPS, MIN_UNITS = Fraction(1, 10**6), Fraction(1, 2), 3, 20
SQL = "SELECT tag, COUNT(*) AS n FROM visits GROUP BY tag ORDER BY tag"
TAGS = {"common": 600, "many rows of one unit": 1, "rare": 5}
"""How many units have each tag."""

POLICY = """
[dataset]
name = "visits"
source = "duckdb:///visits.duckdb"
[budget]
epsilon = 1000
delta = 1e-3
accounting = "{accounting}"
[tables.visits]
unit = "person"
rows_per_unit = 4
groups_per_unit = {groups}
[keys]
threshold_delta = {delta}
min_units = {min_units}
"""


@pytest.fixture(params=["zcdp", "pure"])
def db(request: pytest.FixtureRequest, tmp_path: Path):
    with duckdb.connect(str(tmp_path / "visits.duckdb")) as connection:
        connection.execute("CREATE TABLE visits (person INTEGER, tag TEXT)")
        for tag, units in TAGS.items():
            connection.execute("INSERT INTO visits SELECT i, $1 FROM range($2) AS r(i)", [tag, units])
        connection.execute("INSERT INTO visits SELECT 0, 'many rows of one unit' FROM range(5000)")
    words = POLICY.format(accounting=request.param, groups=GROUPS, delta=float(DELTA), min_units=MIN_UNITS)
    (tmp_path / "discreet.toml").write_text(words, encoding="utf-8")
    with discreet.connect(tmp_path / "discreet.toml") as opened:
        yield opened


def law(db: discreet.Database) -> Law:
    """The noise on counts of units, from its definition: two parts share the price, and a unit has one in 3 groups."""
    if db.policy.budget.accounting == "pure":
        return Law("laplace", GROUPS / (EPSILON / 2))
    return Law("gaussian", GROUPS / (EPSILON**2 / 2))


def test_delta_pays_for_exactly_this_threshold(db: discreet.Database) -> None:
    found = db.explain(SQL, epsilon=EPSILON).key_selection
    assert found is not None
    noise = law(db)
    assert (found.mechanism, found.groups_per_unit, found.min_units) == (noise.name, GROUPS, MIN_UNITS)
    assert GROUPS * Fraction(noise.above(found.least - 1)) <= DELTA < GROUPS * Fraction(noise.above(found.least - 2))
    assert found.threshold == found.least + MIN_UNITS - 1
    assert found.delta == float(DELTA) == db.quote(SQL, epsilon=EPSILON).delta


def test_the_selection_is_in_the_json_and_only_where_there_is_one(db: discreet.Database) -> None:
    told = db.explain(SQL, epsilon=EPSILON).to_dict()
    assert told["key_selection"]["threshold"] == told["threshold"]
    assert db.explain("SELECT COUNT(*) FROM visits", epsilon=EPSILON).to_dict()["key_selection"] is None


def test_groups_of_few_units_are_not_shown_however_many_rows_they_have(db: discreet.Database) -> None:
    """The common tag is some hundred units above the threshold, twenty times the scale or more."""
    threshold = db.explain(SQL, epsilon=EPSILON).threshold
    assert threshold is not None
    assert TAGS["rare"] < threshold < TAGS["common"] / 2
    answer = db.query(SQL, epsilon=EPSILON)
    assert [row[0] for row in answer] == ["common"]
    assert db.budget().dataset.spent.delta == DELTA


def test_without_a_minimum_the_threshold_is_the_least_that_keeps_delta(tmp_path: Path, db: discreet.Database) -> None:
    before = db.explain(SQL, epsilon=EPSILON).key_selection
    place = tmp_path / "discreet.toml"
    place.write_text(place.read_text().replace(f"min_units = {MIN_UNITS}\n", ""), encoding="utf-8")
    with discreet.connect(place) as other:
        after = other.explain(SQL, epsilon=EPSILON).key_selection
    assert before is not None
    assert after is not None
    assert (after.least, after.threshold, after.min_units) == (before.least, before.least, 1)
