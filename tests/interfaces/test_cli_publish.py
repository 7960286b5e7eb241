"""``discreet publish`` and ``discreet views``: what is printed, where, and with which exit code."""

from __future__ import annotations

import json

import pytest

PEOPLE = "SELECT city, COUNT(*) AS n FROM users GROUP BY city"


def test_a_histogram_is_published_and_asked(shop, cli):
    made = cli("publish", "people", PEOPLE, "--epsilon", "0.2")
    assert made.code == 0
    assert "±" in made.out
    assert "epsilon 0.2" in made.err
    asked = cli("query", "SELECT COUNT(*) AS people FROM published.people", "--analyst", "alice")
    assert (asked.code, "nothing: read from published.people" in asked.err) == (0, True)
    again = cli("publish", "people", PEOPLE, "--epsilon", "0.2")
    assert (again.code, again.out) == (0, made.out)
    assert "nothing: answered before" in again.err
    assert "room for a question of epsilon" in cli("explain", PEOPLE).out
    assert "published.people answers this at no cost: n ±" in cli("explain", PEOPLE).out
    assert cli("verify").code == 0


def test_rows_are_published(shop, cli):
    sql = "SELECT age >= 65 AS senior FROM users"
    assert cli("publish", "seniors", sql, "--epsilon", "0.2").code == 2
    assert cli("publish", "seniors", sql, "--epsilon", "0.2", "--rows", "30000").code == 0
    listed = cli("query", "SELECT * FROM published.seniors", "--format", "csv")
    assert len(listed.out.splitlines()) == 30_001
    assert set(listed.out.splitlines()[1:]) == {"True", "False"}


def test_views_lists_them(shop, cli):
    assert cli("views").out == "nothing is published\n"
    assert json.loads(cli("views", "--json").out) == []
    cli("publish", "people", PEOPLE, "--epsilon", "0.2")
    assert "published.people" in cli("views").out
    (view,) = json.loads(cli("views", "--json").out)
    assert view.keys() == {"name", "columns", "law", "statement", "time", "receipt"}
    assert (view["name"], view["columns"], view["statement"]) == ("published.people", ["city", "n"], PEOPLE)


def test_history_tells_of_it(shop, cli):
    cli("publish", "people", PEOPLE, "--epsilon", "0.2")
    assert "answer 3 is published as people" in cli("history").out
    last = json.loads(cli("history", "--json").out)[-1]
    assert (last["state"], last["name"], last["answer"]) == ("published", "people", 3)


def test_the_result_is_written_in_every_format(shop, cli):
    cli("publish", "people", PEOPLE, "--epsilon", "0.2")
    for name in ("csv", "json", "arrow", "parquet"):
        assert cli("publish", "people", PEOPLE, "--epsilon", "0.2", "--format", name, "-o", f"people.{name}").code == 0
        assert (shop / f"people.{name}").stat().st_size > 0
    (shop / "people.sql").write_text(PEOPLE)
    assert cli("publish", "people", "-f", "people.sql", "--epsilon", "0.2").code == 0


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("publish", "people"), 1, "required"),
        (("publish", "people", PEOPLE, "--rows", "many"), 1, "a whole number"),
        (("publish", "people", PEOPLE, "--epsilon", "0.1", "--accuracy", "5"), 2, "accuracy"),
        (("publish", "a b", PEOPLE), 2, "[bad-name]"),
        (("publish", "people", PEOPLE, "--analyst", "alice"), 2, "[owners-act]"),
        (("publish", "people", "SELECT name FROM users", "--rows", "5"), 2, "refused"),
        (("publish", "people", PEOPLE, "--epsilon", "2.9"), 3, "budget spent"),
        (("publish", "people", PEOPLE, "-o", "/nowhere/x"), 1, "cannot be written"),
    ],
)
def test_what_goes_wrong_has_its_exit_code(shop, cli, arguments, code, words):
    done = cli(*arguments)
    assert (done.code, done.out) == (code, "")
    assert words in done.err
    assert cli("views").out == "nothing is published\n"
