"""Exit codes, which stream says what, and how errors look."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from discreet.interfaces.cli.parser import COMMANDS

COUNT = "SELECT COUNT(*) AS n FROM users"
DISCREET = [sys.executable, "-m", "discreet"]


def test_an_answer_is_on_standard_output_and_the_rest_is_not(shop, cli):
    done = cli("query", COUNT)
    assert done.code == 0
    assert done.out.split()[0] == "n"
    assert "±" in done.out
    assert not any(word in done.out for word in ("cost", "left", "receipt"))
    assert all(word in done.err for word in ("cost", "left", "receipt", "█"))


def test_a_repeat_costs_nothing_and_gives_the_same(shop, cli):
    first = cli("query", COUNT, "--format", "csv")
    again = cli("query", COUNT.lower(), "--format", "csv")
    assert again.out == first.out
    assert "nothing: answered before" in again.err


@pytest.mark.parametrize(
    ("sql", "shown"),
    [
        ("SELECT COUNT(*),\n       age\nFROM users", "line.sql:2:8\n2 |        age\n  |        ^"),
        (
            "SELECT COUNT(*) FROM users WHERE city = '漢' AND x",
            "line.sql:1:49\n1 | SELECT COUNT(*) FROM users WHERE city = '漢' AND x\n  |"
            "                                                  ^",
        ),
        ("SELECT\tno_such\tFROM users", "line.sql:1:8\n1 | SELECT no_such FROM users\n  |        ^"),
    ],
    ids=["second line", "wide characters", "tabs"],
)
def test_a_refusal_has_a_caret_under_its_place(shop, cli, sql, shown):
    Path("line.sql").write_text(sql, encoding="utf-8")
    done = cli("query", "-f", "line.sql")
    assert done.code == 2
    assert done.out == ""
    assert done.err.startswith("refused: ")
    assert f"  --> {shown}\n" in done.err


def test_a_refusal_reads_like_this(shop, cli):
    done = cli("query", "SELECT user_id, SUM(amount) AS spent\nFROM orders\nGROUP BY user_id")
    assert done.err == (
        "refused: the groups of user_id are not public, and the policy has no rule for private keys [private-keys]\n"
        "3 | GROUP BY user_id\n"
        "  |          ^\n"
        "hint: group by columns with declared values, or ask the owner for a [keys] section\n"
    )


def test_a_long_line_is_cut_around_its_place(shop, cli):
    done = cli(
        "query", f"SELECT COUNT(*) AS n FROM users WHERE age IN ({', '.join(map(str, range(90)))}) AND no_such = 1"
    )
    line, caret = done.err.splitlines()[1:3]
    assert len(line) < 90
    assert line[caret.index("^") :].startswith("no_such")
    assert line.startswith("1 | …")


def test_no_terminal_command_gets_through(shop, cli):
    done = cli("query", "SELECT '\x1b[31m', * FROM users")
    assert done.code == 2
    assert "\x1b" not in done.err


def test_a_spent_budget_is_3(shop, cli):
    done = cli("query", COUNT, "--epsilon", "2")
    assert done.code == 3
    assert done.out == ""
    assert done.err.startswith("budget spent: the question costs epsilon 2")


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["nonsense"],
        ["query"],
        ["query", COUNT, "-f", "x.sql"],
        ["query", COUNT, "--format", "xml"],
        ["history", "--limit", "0"],
    ],
)
def test_wrong_usage_is_1(shop, cli, arguments):
    done = cli(*arguments)
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("usage: discreet")


def test_an_accuracy_is_quoted_before_it_is_paid(shop, cli):
    done = cli("query", COUNT, "--accuracy", "40", "--epsilon", "1")
    assert done.code == 0
    first, *rest = done.err.splitlines()
    cost = next(line for line in rest if line.startswith("cost"))
    assert first == f"quote: {cost.removeprefix('cost').strip()} for 40 at 95 %"
    beyond = cli("query", COUNT, "--accuracy", "2")
    assert beyond.code == 3
    assert beyond.err.splitlines()[0].startswith("quote: epsilon ")
    assert ", which reaches ±" in beyond.err.splitlines()[1]


def test_a_share_is_quoted_as_the_most_and_told_as_it_was_paid(shop, cli):
    done = cli("query", COUNT, "--accuracy", "5%")
    assert done.code == 0
    lines = done.err.splitlines()
    assert lines[0] == "quote: at most epsilon 0.2 for 5% at 95 %"
    cost = next(line for line in lines if line.startswith("cost"))
    assert cost.rstrip().endswith("(at most epsilon 0.2 was held until that was known)")
    assert float(cost.split()[2]) < 0.02
    again = cli("query", COUNT, "--accuracy", "5%")
    assert (again.code, again.out) == (0, done.out)
    assert "nothing: answered before" in again.err
    assert "answered" in cli("history").out
    assert cli("verify").code == 0


def test_explain_shows_what_a_share_may_cost(shop, cli):
    done = cli("explain", "SELECT COUNT(*) AS n, AVG(age) AS a FROM users", "--accuracy", "5% or 10")
    assert done.code == 0
    assert "cost    at most epsilon 0.2" in done.out
    assert "n: sharper and sharper, until within 5% or ±10" in done.out
    assert "enough for numbers from" in done.out
    assert "a: sharper and sharper, until within 5% or ±10" in done.out


def test_the_most_for_an_accuracy_holds(shop, cli):
    done = cli("query", COUNT, "--accuracy", "2", "--epsilon", "0.1")
    assert (done.code, done.out) == (2, "")
    assert "[accuracy-unreachable]" in done.err
    assert "hint: epsilon 0.1 reaches ±" in done.err


def test_a_price_that_is_none_is_refused(shop, cli):
    done = cli("query", COUNT, "--epsilon", "nan")
    assert done.code == 2
    assert "[bad-price]" in done.err


def test_a_missing_policy_is_1(tmp_path, monkeypatch, cli):
    monkeypatch.chdir(tmp_path)
    for command in (["query", COUNT], ["explain", COUNT], ["budget"], ["history"], ["verify"]):
        done = cli(*command)
        assert (done.code, done.out) == (1, "")
        assert "[no-policy]" in done.err


def test_a_policy_error_names_its_file_and_line(shop, cli):
    text = Path("discreet.toml").read_text(encoding="utf-8")
    Path("discreet.toml").write_text(text.replace("rows_per_unit   = 10", "rows_per_unit   = -1"), encoding="utf-8")
    done = cli("query", COUNT)
    assert done.code == 1
    assert done.err.startswith("discreet.toml:22: tables.orders.rows_per_unit must be a whole number")


def test_a_policy_may_be_named_before_or_after_the_command(shop, cli, monkeypatch):
    policy = str(shop / "discreet.toml")
    monkeypatch.chdir("/")
    assert cli("--policy", policy, "budget").code == 0
    assert cli("budget", "--policy", policy).code == 0
    assert cli("budget").code == 1


def test_a_question_is_read_from_standard_input(shop, cli, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO(COUNT))
    assert cli("query", "-f", "-").code == 0


@pytest.mark.parametrize("content", [None, b"\xff\xfe"], ids=["missing", "not text"])
def test_a_file_that_cannot_be_read_is_1(shop, cli, content):
    if content:
        Path("q.sql").write_bytes(content)
    done = cli("query", "-f", "q.sql")
    assert done.code == 1
    assert done.err.startswith("discreet: q.sql ")


def test_what_is_unexpected_gives_one_constant_line(shop, cli, monkeypatch):
    def burst(*_, **__):
        raise RuntimeError("user 4242 has 3000 orders")

    monkeypatch.setattr("discreet.session.Database.query", burst)
    done = cli("query", COUNT)
    assert (done.code, done.out) == (1, "")
    assert "4242" not in done.err
    assert len(done.err.splitlines()) == 1


def test_an_interrupt_is_quiet(shop, cli, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("discreet.session.Database.query", interrupt)
    done = cli("query", COUNT)
    assert (done.code, done.out, done.err) == (130, "", "")


def test_explain_shows_the_privacy_plan_and_costs_nothing(shop, cli):
    before = cli("budget", "--json").out
    done = cli("explain", "SELECT channel, AVG(amount) AS a FROM orders GROUP BY channel")
    assert done.code == 0
    assert all(word in done.out for word in ("gaussian", "±", "public: all 4 groups", "epsilon 0.2", "Scan orders"))
    assert "SELECT" not in done.out
    assert "SELECT" in cli("explain", COUNT, "--sql").out
    assert cli("budget", "--json").out == before


def test_explain_says_what_delta_pays_for(shop, cli):
    """Private keys: the noise of a count of units, the groups that share delta, the threshold and the minimum."""
    policy = shop / "discreet.toml"
    policy.write_text(
        policy.read_text(encoding="utf-8") + "[keys]\nthreshold_delta = 1e-8\nmin_units = 10\n", encoding="utf-8"
    )
    done = cli("explain", "SELECT age, COUNT(*) AS n FROM users GROUP BY age", "--epsilon", "1")
    lines = [line.strip() for line in done.out.splitlines()]
    place = lines.index("keys    private: a group is shown where its noisy count of units reaches 19")
    assert lines[place + 1 : place + 3] == [
        "delta 1e-08 pays for it: of a unit that is alone in 1 group none is shown, but for this chance",
        "10 is the least that keeps it under gaussian noise of scale 1.41421, and min_units = 10 adds 9",
    ]


def test_explain_as_json(shop, cli):
    done = cli("explain", COUNT, "--epsilon", "0.5", "--json")
    plan = json.loads(done.out)
    assert done.code == 0
    assert plan["verdict"] == "answer"
    assert plan["error"] is None
    assert plan["cost"] == {"epsilon": 0.5, "rho": 0.125, "delta": 0.0}
    assert [release["column"] for release in plan["releases"]] == ["n"]
    assert "SELECT" in plan["engine_sql"]


def test_explain_of_what_is_refused_is_2(shop, cli):
    done = cli("explain", "SELECT * FROM users")
    assert (done.code, done.out) == (2, "")
    assert "[raw-rows]" in done.err
    told = cli("explain", "SELECT * FROM users", "--json")
    assert told.code == 2
    assert told.err == ""
    error = json.loads(told.out)["error"]
    assert (error["code"], error["line"], error["column"]) == ("raw-rows", 1, 8)


def test_the_commands_are_those_that_exist(cli):
    names = [command.name for command in COMMANDS]
    assert names == ["demo", "init", "check", "query", "watch", "explain", "budget", "history", "verify", "compose"]
    text = cli("--help").out
    assert all(f"    {name} " in text for name in names)
    for name in names:
        assert cli(name, "--help").code == 0


def test_the_version_is_told(cli):
    from discreet import __version__

    assert cli("--version").out == f"discreet {__version__}\n"


def test_a_process_of_its_own(shop):
    done = subprocess.run([*DISCREET, "query", COUNT, "--format", "csv"], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert done.stdout.splitlines()[0] == "n"
    refused = subprocess.run([*DISCREET, "query", "SELECT * FROM users"], capture_output=True, text=True, check=False)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "Traceback" not in refused.stderr


def test_a_reader_that_leaves_is_no_error(shop):
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as closed:
        done = subprocess.run(
            [*DISCREET, "query", COUNT], stdout=closed, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 1
    assert "receipt" in done.stderr
    assert "rror" not in done.stderr
