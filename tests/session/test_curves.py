"""Error against price as a picture: the curves are what a question would have at each price, and the present one is marked."""

from __future__ import annotations

import json
from typing import Any

import pytest

import discreet

COUNT = "SELECT COUNT(*) AS n FROM people"
MEAN = "SELECT AVG(age) AS a FROM people"
MIDDLE = "SELECT MEDIAN(age) AS m FROM people"


def panels(picture: Any) -> list[dict[str, Any]]:
    json.dumps(picture.spec, allow_nan=False)
    assert picture.svg().startswith("<svg")
    return picture.spec["vconcat"]


def points(panel: dict[str, Any], mechanism: str) -> list[tuple[float, float]]:
    return [(each["price"], each["error"]) for each in panel["data"]["values"] if each["mechanism"] == mechanism]


def test_a_curve_is_the_half_width_at_each_price(db: discreet.Database) -> None:
    explanation = db.explain(COUNT, epsilon=0.5)
    (panel,) = panels(explanation.plot())
    for name in ("gaussian", "laplace"):
        found = points(panel, name)
        assert len(found) > 15
        assert [error for _, error in found] == sorted((error for _, error in found), reverse=True)
        for price, error in found[::5]:
            (planned,) = db.explain(COUNT, epsilon=f"{price:.9g}", mechanism=name).releases
            assert planned.half_width_95 == pytest.approx(error, rel=0.01, abs=1)


def test_the_present_price_is_marked_on_its_own_curve(db: discreet.Database) -> None:
    explanation = db.explain(COUNT, epsilon=0.5)
    (panel,) = panels(explanation.plot())
    (text,) = [layer["mark"]["text"] for layer in panel["layer"] if str(layer["mark"].get("text")).startswith("now")]
    assert text == f"now: epsilon 0.5, ±{explanation.releases[0].half_width_95:g}"
    assert (0.5, explanation.releases[0].half_width_95) in points(panel, "gaussian")


def test_every_part_has_a_panel(db: discreet.Database) -> None:
    assert [panel["title"]["text"] for panel in panels(db.explain(MEAN, epsilon=1).plot())] == ["a: sum", "a: count"]


def test_what_is_picked_has_its_rank_and_both_choices(db: discreet.Database) -> None:
    (panel,) = panels(db.explain(MIDDLE, epsilon=1).plot())
    assert panel["layer"][0]["encoding"]["y"]["title"].startswith("rows by which")
    assert {each["mechanism"] for each in panel["data"]["values"]} == {"exponential", "permute-and-flip"}
    ours = db.explain(MIDDLE, epsilon=1).releases[0]
    assert (1, ours.rank_error_95) in points(panel, ours.mechanism)


def test_what_has_no_picture_says_so(db: discreet.Database) -> None:
    with pytest.raises(ValueError, match="no picture"):
        db.explain("SELECT * FROM people").plot()
    with pytest.raises(ValueError, match="no number"):
        db.explain("SELECT DISTINCT city FROM people", epsilon=1).plot()
    batch = db.explain_batch([COUNT, f"{COUNT} WHERE age < 3"], epsilon=1)
    with pytest.raises(ValueError, match="planned with others"):
        batch.statements[0].plot()
