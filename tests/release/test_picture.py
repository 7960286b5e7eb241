"""Pictures: what is drawn where, and that every one of them renders without a network."""

from __future__ import annotations

import json
import sys
from unittest.mock import patch

import duckdb
import pytest

import discreet
from discreet.release.picture import MOST_GROUPS

POLICY = """
[dataset]
name = "people"
source = "duckdb:///people.duckdb"

[budget]
epsilon = 30.0
delta = 1e-6
per_query = { epsilon = 0.5 }

[tables.people]
unit = "id"
rows_per_unit = 1
columns.age = { range = [0, 100] }
columns.town = { values = ["Aa", "Bb", "</svg><script>"] }
columns.year = { values = [2023, 2024, 2025] }
columns.day = { values = [2024-01-01, 2024-01-02] }
columns.n = { values_from = "numbers.n" }
columns.wide = { values = [1267650600228229401496703205376, 5], range = [0, 1267650600228229401496703205376] }

[tables.numbers]
public = true
"""


@pytest.fixture(scope="module")
def db(tmp_path_factory):
    folder = tmp_path_factory.mktemp("people")
    with duckdb.connect(str(folder / "people.duckdb")) as connection:
        connection.execute("CREATE TABLE numbers AS SELECT i::INTEGER AS n FROM range(100) AS r(i)")
        connection.execute(
            "CREATE TABLE people AS SELECT i AS id, i % 90 AS age, CASE i % 2 WHEN 0 THEN 'Aa' ELSE 'Bb' END AS town, "
            "2023 + i % 3 AS year, DATE '2024-01-01' + (i % 2)::INTEGER AS day, (i % 100)::INTEGER AS n, "
            "CASE i % 2 WHEN 0 THEN 5 ELSE 2::HUGEINT ** 100 END::HUGEINT AS wide FROM range(3000) AS r(i)"
        )
    (folder / "discreet.toml").write_text(POLICY, encoding="utf-8")
    calm = patch("discreet.release.draw.perturb", lambda noise, column: list(column))
    with calm, discreet.connect(folder / "discreet.toml") as database:
        yield database


QUESTIONS = {
    "one number": "SELECT COUNT(*) AS n FROM people",
    "two numbers": "SELECT COUNT(*) AS n, AVG(age) AS age FROM people",
    "names": "SELECT town, COUNT(*) AS n, AVG(age) AS age FROM people GROUP BY town",
    "whole numbers": "SELECT year, COUNT(*) AS n FROM people GROUP BY year",
    "days": "SELECT day, COUNT(*) AS n FROM people GROUP BY day",
    "two keys": "SELECT town, year, COUNT(*) AS n FROM people GROUP BY town, year",
    "many groups": "SELECT n AS key, COUNT(*) AS people FROM people GROUP BY n",
    "wide numbers": "SELECT wide, SUM(wide) AS s, COUNT(*) AS n FROM people GROUP BY wide",
    "no rows": "SELECT town, COUNT(*) AS n FROM people GROUP BY town HAVING COUNT(*) > 100000",
}


def drawing(db, name):
    release = db.query(QUESTIONS[name])
    return release, release.plot().spec


def panels(spec):
    return spec.get("hconcat") or spec["vconcat"]


def axes(panel):
    return {channel: each.get("type") for channel, each in panel["encoding"].items()}


@pytest.mark.parametrize("name", QUESTIONS)
def test_every_picture_renders(db, name, tmp_path):
    picture = db.query(QUESTIONS[name]).plot()
    for file in ("p.svg", "p.png"):
        picture.save(tmp_path / file)
    svg = (tmp_path / "p.svg").read_text(encoding="utf-8")
    assert svg.startswith("<svg")
    assert "http" not in svg.replace("http://www.w3.org/", "")
    assert (tmp_path / "p.png").read_bytes().startswith(b"\x89PNG")
    json.dumps(picture.spec, allow_nan=False)


def test_the_points_are_the_release(db):
    release, spec = drawing(db, "names")
    assert [panel["layer"][0]["encoding"]["x"]["title"] for panel in panels(spec)] == ["n", "age"]
    for place, panel in enumerate(panels(spec)):
        points = panel["data"]["values"]
        assert [point["value"] for point in points] == [row[1 + place] for row in release]
        ends = release.intervals()[release.columns[1 + place]]
        assert [(p["low"], p["high"]) for p in points if "low" in p] == [tuple(each) for each in ends if each]


def test_what_is_too_noisy_is_named(db):
    _, spec = drawing(db, "names")
    (empty,) = [point for point in panels(spec)[1]["data"]["values"] if point["value"] is None]
    assert empty["key"] == "</svg><script>"
    assert "low" not in empty
    assert "too noisy" in db.query(QUESTIONS["names"]).plot().svg()


def test_amounts_are_bars_from_zero_and_averages_are_points(db):
    _, spec = drawing(db, "names")
    marks = [
        (panel["layer"][0]["mark"]["type"], panel["layer"][0]["encoding"]["x"]["scale"]["zero"])
        for panel in panels(spec)
    ]
    assert marks == [("bar", True), ("point", False)]


@pytest.mark.parametrize(
    ("name", "channels"),
    [
        ("one number", {}),
        ("names", {"y": "nominal"}),
        ("whole numbers", {"x": "ordinal"}),
        ("days", {"x": "temporal"}),
        ("two keys", {"y": "nominal", "yOffset": None}),
    ],
)
def test_the_first_key_is_the_axis(db, name, channels):
    assert axes(panels(drawing(db, name)[1])[0]) == channels


def test_a_lone_number_is_a_point(db):
    _, spec = drawing(db, "one number")
    assert panels(spec)[0]["layer"][0]["mark"]["type"] == "point"


def test_of_many_groups_the_first_are_drawn_and_that_is_said(db):
    _, spec = drawing(db, "many groups")
    assert len(panels(spec)[0]["data"]["values"]) == MOST_GROUPS
    assert f"the first {MOST_GROUPS} of 100 groups" in spec["title"]["subtitle"]


def test_group_keys_are_escaped(db):
    assert "<script>" not in db.query(QUESTIONS["names"]).plot().svg()


def test_a_notebook_gets_the_drawing(db):
    picture = db.query(QUESTIONS["one number"]).plot()
    bundle = picture._repr_mimebundle_()
    assert bundle["image/svg+xml"] == picture._repr_svg_() == picture.svg()
    assert bundle["application/vnd.vegalite.v5+json"] == picture.spec


@pytest.mark.parametrize("name", ["p.pdf", "p", "p.svg.txt"])
def test_other_suffixes_are_refused(db, tmp_path, name):
    with pytest.raises(ValueError, match=r"\.svg or \.png"):
        db.query(QUESTIONS["one number"]).plot().save(tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_without_the_extra_the_error_says_what_to_install(db, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(ModuleNotFoundError, match=r'pip install "discreet\[plot\]"'):
        db.query(QUESTIONS["one number"]).plot().save(tmp_path / "p.svg")
