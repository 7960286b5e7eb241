"""``discreet demo``: the tour runs from nothing, twice, and overwrites nobody's files."""

from __future__ import annotations

from pathlib import Path

import pytest

from discreet.interfaces.cli.demo import SCENES


@pytest.fixture
def empty(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_tour(empty, cli):
    done = cli("demo")
    assert (done.code, done.err) == (0, "")
    for scene in SCENES:
        assert scene.title in done.out
    assert "people, exact   people, private" in done.out
    assert "cost nothing" in done.out
    assert "refused: " in done.out
    assert "  |          ^\nhint: " in done.out
    assert "--policy demo/discreet.toml" in done.out
    assert Path("demo/people-by-city.svg").read_text(encoding="utf-8").startswith("<svg")


def test_the_second_tour_starts_with_a_whole_budget(empty, cli):
    first, second = cli("demo"), cli("demo")
    assert second.code == 0
    assert second.out.count("room for") == first.out.count("room for")
    assert second.out != first.out


@pytest.mark.parametrize("name", ["discreet.toml", "shop.duckdb", "shop.ledger"])
def test_files_of_somebody_else_are_left_alone(empty, cli, name):
    Path("demo").mkdir()
    Path("demo", name).write_text("mine", encoding="utf-8")
    done = cli("demo")
    assert (done.code, done.out) == (1, "")
    assert Path("demo", name).read_text(encoding="utf-8") == "mine"


def test_a_folder_that_cannot_be_made_is_1(empty, cli):
    Path("file").write_text("", encoding="utf-8")
    assert cli("demo", "file/below").code == 1


def test_the_exact_numbers_are_those_of_the_shop(empty, cli):
    import duckdb

    lines = cli("demo", "shop").out.splitlines()
    shown = {line.split()[0]: int(line.split()[1].replace(",", "")) for line in lines if line.endswith("±10")}
    with duckdb.connect("shop/shop.duckdb", read_only=True) as connection:
        true = connection.execute("SELECT city, COUNT(*) FROM users JOIN regions USING (city) GROUP BY city").fetchall()
    assert shown == dict(true)
