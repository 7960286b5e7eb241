"""``init`` and ``check``: from a schema to a policy that an owner has decided."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import duckdb
import pytest

CANARY = "canary-4b1d"


@pytest.fixture
def people(tmp_path, monkeypatch):
    """Three sources whose rows all hold a value that no draft may name."""
    monkeypatch.chdir(tmp_path)
    Path("tables").mkdir()
    with duckdb.connect("people.duckdb") as connection:
        connection.execute("CREATE TABLE users (user_id INTEGER PRIMARY KEY, city VARCHAR, age INTEGER)")
        connection.execute("INSERT INTO users VALUES (424242, ?, 77), (424243, ?, 78)", [CANARY, CANARY])
        connection.execute(
            "CREATE TABLE visits (visit_id INTEGER, user_id INTEGER REFERENCES users (user_id), note VARCHAR)"
        )
        connection.execute("INSERT INTO visits VALUES (1, 424242, ?)", [CANARY])
        connection.execute("COPY users TO 'tables/users.parquet'")
    with Path("users.csv").open("w", encoding="utf-8", newline="") as lines:
        csv.writer(lines).writerows([["user_id", "city", "age"], [424242, CANARY, 77]])
    return tmp_path


@pytest.mark.parametrize(
    "source", ["people.duckdb", "duckdb:///people.duckdb", "tables", "tables/users.parquet", "users.csv"]
)
def test_a_draft_holds_nothing_of_a_row(people, cli, source):
    done = cli("init", source)
    assert (done.code, done.out) == (0, "discreet.toml\n")
    text = Path("discreet.toml").read_text(encoding="utf-8")
    assert "users" in text
    assert "DECIDE" in text
    assert not re.search(rf"{CANARY}|42424|\b7[78]\b", text + done.err)


def test_a_draft_is_refused_until_it_is_decided(people, cli):
    cli("init", "people.duckdb")
    assert cli("check").code == 2
    assert "[undecided]" in cli("check").err
    decided = Path("discreet.toml").read_text(encoding="utf-8")
    for key, value in {"epsilon": "1.0", "delta": "1e-6", "rows_per_unit": "3", "rows_per_parent": "3"}.items():
        decided = re.sub(rf'^({key} *= *)"DECIDE"', rf"\g<1>{value}", decided, flags=re.MULTILINE)
    decided = re.sub(r'^(columns\.\w+ *= *\{ *range *= *)"DECIDE"', r"\g<1>[0, 120]", decided, flags=re.MULTILINE)
    Path("discreet.toml").write_text(decided, encoding="utf-8")
    done = cli("check")
    assert (done.code, done.err) == (0, "")
    assert "2 private tables" in done.out


def test_a_policy_that_is_there_is_not_overwritten(people, cli):
    Path("discreet.toml").write_text("mine", encoding="utf-8")
    done = cli("init", "people.duckdb")
    assert done.code == 1
    assert "--force" in done.err
    assert Path("discreet.toml").read_text(encoding="utf-8") == "mine"
    assert cli("init", "people.duckdb", "--force").code == 0


def test_the_source_is_named_from_the_policys_folder(people, cli):
    Path("etc").mkdir()
    assert cli("init", "people.duckdb", "-o", "etc/discreet.toml").code == 0
    assert f'source = "duckdb:///{people / "people.duckdb"}"' in Path("etc/discreet.toml").read_text(encoding="utf-8")
    assert cli("init", "people.duckdb", "-o", "here.toml").code == 0
    assert 'source = "duckdb:///people.duckdb"' in Path("here.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize("source", ["gone.duckdb", "nothing", "oracle:///x", "postgresql://x/y", "broken.db"])
def test_a_source_that_cannot_be_opened_is_1(people, cli, source):
    Path("broken.db").write_bytes(b"not a database" * 100)
    done = cli("init", source)
    assert (done.code, done.out) == (1, "")
    assert "hint: " in done.err
    assert not Path("discreet.toml").exists()


def test_check_accepts_the_demonstration(shop, cli):
    done = cli("check")
    assert (done.code, done.err) == (0, "")
    assert done.out == "discreet.toml fits its source: 3 private tables, 2 public ones\n"


def test_check_tells_every_mismatch_with_its_line(shop, cli):
    text = Path("discreet.toml").read_text(encoding="utf-8")
    text = text.replace("columns.age ", "columns.aeg ").replace("columns.channel ", "columns.chanel ")
    Path("discreet.toml").write_text(text, encoding="utf-8")
    done = cli("check")
    assert (done.code, done.out) == (2, "")
    assert re.findall(r"^discreet\.toml:(\d+): .*\[unknown-column\]$", done.err, re.MULTILINE) == ["17", "24"]
    assert 'did you mean "age"?' in done.err


def test_check_finds_a_source_that_is_gone(shop, cli):
    Path("shop.duckdb").unlink()
    done = cli("check")
    assert done.code == 2
    assert "[no-source]" in done.err
