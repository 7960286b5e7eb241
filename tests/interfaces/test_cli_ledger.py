"""``budget``, ``history`` and ``verify``: what the ledger says, without the database."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

COUNT = "SELECT COUNT(*) AS n FROM users"
SUM = "SELECT SUM(amount) AS s FROM orders"


@pytest.fixture
def quotas(shop):
    policy = shop / "discreet.toml"
    policy.write_text(policy.read_text(encoding="utf-8") + "\n[analysts.ada]\nepsilon = 1.0\n", encoding="utf-8")
    return shop


def budget(cli, *arguments):
    return json.loads(cli("budget", "--json", *arguments).out)


def test_a_fresh_budget_is_whole(quotas, cli):
    found = budget(cli)
    assert found["promise"] == {"epsilon": 3.0, "delta": 1e-6}
    assert found["share_left"] == found["analysts"]["ada"]["share_left"] == 1
    assert found["guarantee"]["epsilon"] == 0
    shown = cli("budget").out
    assert shown.count("█" * 20 + " 100%") == 2
    assert "ada" in shown


def test_questions_run_it_down(quotas, cli):
    assert cli("query", COUNT, "--analyst", "ada").code == 0
    found = budget(cli)
    assert found["spent"]["rho"] == found["analysts"]["ada"]["spent"]["rho"] == pytest.approx(0.02)
    assert found["left"]["rho"] == pytest.approx(found["cap"]["rho"] - 0.02)
    assert 0 < found["guarantee"]["epsilon"] < 3
    assert found["analysts"]["ada"]["share_left"] < found["share_left"] < 1


def test_only_the_named_analyst_is_shown(quotas, cli):
    assert set(budget(cli, "--analyst", "ada")["analysts"]) == {"ada"}
    assert set(budget(cli, "--analyst", "bob")["analysts"]) == set()


def test_what_is_left_is_told_when_the_source_is_away(shop, cli):
    Path("shop.duckdb").unlink()
    assert [cli(command).code for command in ("budget", "history", "verify")] == [0, 0, 0]


def test_every_question_is_in_the_history(shop, cli):
    receipt = json.loads(cli("query", COUNT, "--analyst", "ada", "--format", "json").out)["receipt"]
    cli("query", SUM, "--analyst", "bob", "--epsilon", "0.1")
    cli("query", COUNT)  # a repeat: no entry
    cli("query", "SELECT * FROM users")  # refused: no entry
    lines = json.loads(cli("history", "--json").out)
    assert [line["state"] for line in lines] == ["terms", "answered", "answered"]
    assert [line.get("statement") for line in lines[1:]] == [COUNT, SUM]
    assert (lines[1]["id"], lines[1]["hash"]) == (receipt["id"], receipt["hash"])
    assert lines[2]["cost"]["epsilon"] == 0.1
    shown = cli("history").out
    assert COUNT in shown
    assert "bob" in shown


def test_history_of_one_analyst_and_the_newest(shop, cli):
    cli("query", COUNT, "--analyst", "ada")
    cli("query", SUM, "--analyst", "bob")
    assert [line["statement"] for line in json.loads(cli("history", "--json", "--analyst", "ada").out)] == [COUNT]
    assert [line["statement"] for line in json.loads(cli("history", "--json", "--limit", "1").out)] == [SUM]


def test_what_was_never_concluded_is_shown(shop, cli, monkeypatch):
    def vanish(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("discreet.ledger.Ledger.settle", vanish)
    assert cli("query", COUNT).code == 130
    last = json.loads(cli("history", "--json").out)[-1]
    assert last["statement"] == COUNT
    assert last["cost"]["epsilon"] == 0.2


def test_a_sound_ledger_verifies(shop, cli):
    answer = json.loads(cli("query", COUNT, "--format", "json").out)
    done = cli("verify")
    assert done.code == 0
    assert done.out == f"ok: 3 entries, head {answer['receipt']['hash']}\n"
    assert json.loads(cli("verify", "--json").out)["ok"] is True


def test_a_tampered_ledger_is_1(shop, cli):
    cli("query", COUNT)
    with sqlite3.connect("shop.ledger") as ledger:
        ledger.execute("DROP TRIGGER entries_are_never_changed")
        ledger.execute("UPDATE entries SET body = replace(body, 'COUNT', 'count') WHERE kind = 'reserved'")
    done = cli("verify")
    assert (done.code, done.out) == (1, "")
    assert "broken: entry 2 (reserved): its hash does not match its content" in done.err
    told = cli("verify", "--json")
    assert told.code == 1
    assert json.loads(told.out)["problems"]


def test_a_ledger_that_is_not_there_does_not_verify(shop, cli):
    done = cli("verify")
    assert (done.code, done.out) == (1, "")
    assert not Path("shop.ledger").exists()


def test_a_file_that_is_no_ledger_is_1(shop, cli):
    Path("shop.ledger").write_bytes(b"not a ledger" * 100)
    for command in ("budget", "history", "verify"):
        done = cli(command)
        assert (done.code, done.out) == (1, "")
        assert done.err.startswith("ledger: ")
