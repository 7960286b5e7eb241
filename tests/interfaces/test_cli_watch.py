"""``discreet watch``: what it says, where, and how it is gone on with."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

FILE = """\
-- which of these are many?
SELECT COUNT(*) FROM users
WHERE age > 200; SELECT COUNT(*) FROM orders WHERE amount > 10000;

/* everybody who ordered */
SELECT COUNT(DISTINCT user_id) FROM orders
SELECT COUNT(*) FROM users WHERE age > 30
SELECT COUNT(*) FROM users WHERE age > 20
"""
"""Of 20,000 users; only the last three are above 10,000, by thousands."""


@pytest.fixture
def counts(shop):
    Path("counts.sql").write_text(FILE, encoding="utf-8")
    return shop


def spent(cli):
    return json.loads(cli("budget", "--json").out)["spent"]["rho"]


def test_it_says_a_line_a_statement_until_its_last_answer(counts, cli):
    done = cli("watch", "counts.sql", "--above", "10_000")
    assert done.code == 0
    assert done.out == (
        "not above  SELECT COUNT(*) FROM users WHERE age > 200\n"
        "not above  SELECT COUNT(*) FROM orders WHERE amount > 10000\n"
        "above      SELECT COUNT(DISTINCT user_id) FROM orders\n"
    )
    assert done.err.splitlines()[:3] == [
        "watch    above 10000, 1 answer, epsilon 0.2",
        "left     ended: its answers are used up",
        "cost     epsilon 0.2, for all of it",
    ]
    assert spent(cli) == pytest.approx(0.02)


def test_the_same_command_goes_on_with_it_at_no_cost(counts, cli):
    command = ("watch", "counts.sql", "--above", "10000", "--answers", "4")
    first = cli(*command)
    assert [line.split("  ")[0] for line in first.out.splitlines()] == ["not above"] * 2 + ["above"] * 3
    assert "left     1 of 4 answers" in first.err
    again = cli(*command)
    assert (again.code, again.out) == (0, first.out)
    assert "epsilon 0.2, paid for before" in again.err
    assert spent(cli) == pytest.approx(0.02)


def test_a_name_is_enough(counts, cli):
    first = cli("watch", "counts.sql", "--above", "10000", "--epsilon", "0.3", "--name", "crowds")
    again = cli("watch", "counts.sql", "--name", "crowds")
    assert (again.code, again.out) == (0, first.out)
    other = cli("watch", "counts.sql", "--above", "9", "--name", "crowds")
    assert (other.code, other.out) == (2, "")
    assert "was opened with above=10000 [watch-differs]" in other.err
    assert cli("watch", "counts.sql", "--name", "crowd").code == 2


def test_csv_and_json_have_everything(counts, cli):
    command = ("watch", "counts.sql", "--above", "10000", "--answers", "3", "--release", "--format")
    lines = [json.loads(line) for line in cli(*command, "json").out.splitlines()]
    assert [(line["line"], line["above"], line["left"]) for line in lines] == [
        (2, False, 3),
        (3, False, 3),
        (6, True, 2),
        (7, True, 1),
        (8, True, 0),
    ]
    assert lines[0]["statement"] == "SELECT COUNT(*) FROM users\nWHERE age > 200"
    low, high = lines[2]["interval"]
    assert low < lines[2]["value"] < high
    rows = list(csv.DictReader(io.StringIO(cli(*command, "csv").out)))
    assert [int(row["line"]) for row in rows] == [2, 3, 6, 7, 8]
    assert [row["value"] for row in rows[:3]] == ["", "", str(lines[2]["value"])]
    assert {row["repeated"] for row in rows} == {"True"}
    text = cli(*command, "text").out
    assert f"above      {lines[2]['value']:,} ±{(high - low) // 2}" in text


def test_it_explains_for_nothing(counts, cli):
    command = ("watch", "counts.sql", "--above", "10000", "--explain")
    shown = cli(*command)
    assert shown.code == 0
    assert "±25 " in shown.out
    assert "±241 " in shown.out
    assert "epsilon 0.2, for all of it" in shown.out
    told = json.loads(cli(*command, "--format", "json").out)
    assert [(each["line"], each["moved"], each["margin_95"]) for each in told["statements"][:2]] == [
        (2, 1, 25),
        (3, 10, 241),
    ]
    rows = list(csv.DictReader(io.StringIO(cli(*command, "--format", "csv").out)))
    assert [row["margin_95"] for row in rows] == ["25", "241", "25", "25", "25"]
    assert spent(cli) == 0
    cli("watch", "counts.sql", "--above", "10000")
    assert "nothing more: it is paid for already" in cli(*command).out


@pytest.mark.parametrize(
    ("text", "place", "code"),
    [
        ("SELECT COUNT(*) FROM users;\n\n  SELECT COUNT(*) FRM users", "bad.sql:3:23", "syntax"),
        ("SELECT COUNT(*) FROM users; SELECT AVG(age) FROM users", "bad.sql:1:36", "not-a-count"),
        ("SELECT COUNT(*) FROM users\nDELETE FROM users;", "bad.sql:2:8", "syntax"),
        ("SELECT COUNT(*)\nFROM nobody", "bad.sql:2:6", "unknown-table"),
        ("SELECT COUNT(*) FROM users;\nSELECT 'open", "bad.sql:2:1", "syntax"),
    ],
)
def test_a_refusal_has_its_place_in_the_file_and_nothing_is_paid(shop, cli, text, place, code):
    Path("bad.sql").write_text(text, encoding="utf-8")
    for more in ((), ("--explain",)):
        done = cli("watch", "bad.sql", "--above", "10", *more)
        assert (done.code, done.out) == (2, "")
        assert f"[{code}]" in done.err
        assert f"--> {place}\n" in done.err
    assert spent(cli) == 0


def test_new_questions_for_a_watch_that_has_ended_are_refused(counts, cli):
    cli("watch", "counts.sql", "--above", "10000")
    Path("more.sql").write_text("SELECT COUNT(*) FROM users WHERE age > 21", encoding="utf-8")
    done = cli("watch", "more.sql", "--above", "10000")
    assert (done.code, done.out) == (2, "")
    assert "has given its last answer [watch-finished]" in done.err
    assert "--> more.sql:1:1" in done.err


def test_a_budget_that_has_no_room_is_3(counts, cli):
    done = cli("watch", "counts.sql", "--above", "10000", "--epsilon", "9")
    assert (done.code, done.out) == (3, "")
    assert done.err.startswith("budget spent: ")


def test_an_engine_that_fails_is_1_and_takes_an_answer(counts, cli, monkeypatch):
    def fail(*_):
        raise ValueError

    with monkeypatch.context() as patch:
        patch.setattr("discreet.engines.duckdb.DuckDB.fetch", fail)
        done = cli("watch", "counts.sql", "--above", "10000", "--answers", "2")
    assert (done.code, done.out) == (1, "")
    assert "left     1 of 2 answers" in done.err
    assert "failed: the engine could not answer" in done.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("counts.sql",), "no threshold is named"),
        (("counts.sql", "--above", "1e3"), "a whole number, not 1e3"),
        (("counts.sql", "--above", "-1"), "a whole number, not -1"),
        (("no.sql", "--above", "1"), "no.sql cannot be read"),
        (("empty.sql", "--above", "1"), "empty.sql holds no statement"),
        (("latin.sql", "--above", "1"), "latin.sql is not UTF-8 text"),
        (("--above", "1"), "required: FILE"),
    ],
)
def test_wrong_usage_is_1(counts, cli, arguments, said):
    Path("empty.sql").write_text("-- nothing yet\n", encoding="utf-8")
    Path("latin.sql").write_bytes(b"SELECT COUNT(*) FROM users WHERE city = '\xe9'")
    done = cli("watch", *arguments)
    assert (done.code, done.out) == (1, "")
    assert said in done.err
    assert spent(cli) == 0


def test_a_stream_is_answered_as_it_comes(counts):
    """The first line is read back before the second one is written, and the last answer ends the command."""
    command = [sys.executable, "-m", "discreet", "watch", "-", "--above", "10000", "--format", "json"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as watch:
        assert watch.stdin is not None
        assert watch.stdout is not None
        for sql, above in (
            ("SELECT COUNT(*) FROM users WHERE age > 200;", False),
            ("SELECT COUNT(*) FROM users;", True),
        ):
            watch.stdin.write(sql + "\n")
            watch.stdin.flush()
            assert json.loads(watch.stdout.readline())["above"] is above
        assert watch.wait() == 0


def test_a_stream_stops_at_what_is_refused_and_keeps_what_it_said(counts, cli, monkeypatch):
    lines = "SELECT COUNT(*) FROM users WHERE age > 200;\nSELECT age FROM users;\nSELECT COUNT(*) FROM users;\n"
    monkeypatch.setattr(sys, "stdin", io.StringIO(lines))
    done = cli("watch", "-", "--above", "10000")
    assert done.code == 2
    assert done.out == "not above  SELECT COUNT(*) FROM users WHERE age > 200\n"
    assert "--> <stdin>:2:8" in done.err
    assert "left     1 of 1 answers" in done.err


def test_history_budget_and_verify_know_it(counts, cli):
    cli("watch", "counts.sql", "--above", "10000", "--answers", "9", "--analyst", "ada", "--name", "crowds")
    lines = json.loads(cli("history", "--json").out)
    assert [line["state"] for line in lines] == ["terms", "watching", "not above", "not above", *["above"] * 3]
    assert [line["cost"] is None for line in lines[1:]] == [False, *[True] * 5]
    assert lines[1]["statement"] == "watch above 10000, 9 answers, epsilon 0.2 as crowds"
    assert len(json.loads(cli("history", "--json", "--analyst", "ada").out)) == 6
    told = json.loads(cli("budget", "--json").out)["watches"]
    assert told == [{"name": "crowds", "analyst": "ada", "left": 6, "above": 10000, "answers": 9, "values": False}]
    assert "watch crowds: 6 of 9 answers left, paid for already" in cli("budget").out
    assert json.loads(cli("budget", "--json", "--analyst", "bob").out)["watches"] == []
    assert cli("verify").code == 0


def test_no_terminal_command_gets_through(shop, cli):
    Path("odd.sql").write_text("SELECT COUNT(*) FROM users WHERE city = '\x1b[31m'", encoding="utf-8")
    for more in ((), ("--explain",)):
        done = cli("watch", "odd.sql", "--above", "10", *more)
        assert done.code == 0
        assert "\x1b" not in done.out + done.err
