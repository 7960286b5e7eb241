"""Publications: a name for what was released, once, chained, and without a price of its own."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import pytest

from discreet.errors import LedgerError, Refused


@pytest.fixture
def ledger(shop):
    return shop.open()


@pytest.fixture
def settled(ledger, reserve):
    return ledger.settle(reserve(ledger), b"42")


def test_what_was_released_gets_a_name(ledger, settled):
    before = ledger.balance()
    published = ledger.publish("people", b"table", settled)
    assert (published.name, published.payload, published.receipt) == ("people", b"table", settled)
    (entry,) = ledger.names().values()
    assert ledger.publication(entry) == published
    assert ledger.history()[-1].kind == "published"
    assert ledger.balance() == before
    assert ledger.verify().ok


def test_a_name_is_given_once_unless_it_is_given_anew(ledger, settled, reserve):
    ledger.publish("people", b"table", settled)
    with pytest.raises(Refused) as refused:
        ledger.publish("people", b"other", settled)
    assert refused.value.code == "already-published"
    again = ledger.settle(reserve(ledger, question="r"), b"43")
    ledger.publish("people", b"other", again, replace=True)
    ledger.publish("more", b"table", settled)
    assert {name: ledger.publication(entry).payload for name, entry in ledger.names().items()} == {
        "people": b"other",
        "more": b"table",
    }
    assert [entry.body["name"] for entry in ledger.history() if entry.kind == "published"] == [
        "people",
        "people",
        "more",
    ]
    assert ledger.verify().ok


def test_only_what_is_settled_is_published(ledger, settled, reserve):
    failed = ledger.fail(reserve(ledger))
    for receipt in (failed,):
        with pytest.raises(LedgerError) as refused:
            ledger.publish("people", b"table", receipt)
        assert refused.value.code == "no-such-receipt"
    assert ledger.names() == {}
    with pytest.raises(LedgerError, match="no publication"):
        ledger.publication(settled.id)


def test_another_connection_sees_it(shop, ledger, settled):
    other = shop.open()
    assert other.names() == {}
    ledger.publish("people", b"table", settled)
    assert list(other.names()) == ["people"]


def tamper(ledger, statement):
    with closing(sqlite3.connect(ledger._store.path)) as raw:
        for (name,) in raw.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            raw.execute(f"DROP TRIGGER {name}")
        raw.execute(statement)
        raw.commit()
    return ledger.verify()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE publications SET payload = x'00'",
        "UPDATE publications SET name = 'others'",
        "UPDATE publications SET answer = 1",
        "UPDATE publications SET entry = 3",
        "DELETE FROM publications",
        "INSERT INTO publications VALUES (2, 'more', 3, x'00')",
    ],
)
def test_a_change_is_noticed(ledger, settled, statement):
    ledger.publish("people", b"table", settled)
    found = tamper(ledger, statement)
    assert not found.ok
    assert any("not the one that was published" in each for each in found.problems)


def test_a_forged_entry_is_noticed(ledger, settled):
    ledger.publish("people", b"table", settled)
    last = ledger.history()[-1]
    body = json.dumps(last.body | {"answer": 2}).replace("'", "''")
    problems = tamper(ledger, f"UPDATE entries SET body = '{body}' WHERE seq = {last.seq}").problems
    assert any("its hash does not match" in each for each in problems)
    assert any("it publishes what was not released" in each for each in problems)


@pytest.mark.parametrize("statement", ["UPDATE publications SET payload = x'00'", "DELETE FROM publications"])
def test_the_file_itself_refuses_a_change(ledger, settled, statement):
    ledger.publish("people", b"table", settled)
    with closing(sqlite3.connect(ledger._store.path)) as raw, pytest.raises(sqlite3.IntegrityError, match="never"):
        raw.execute(statement)


def test_names_are_found_without_reading_what_they_name(ledger, settled):
    ledger.publish("people", b"table", settled)
    seen = []
    ledger._store._connection.set_trace_callback(seen.append)
    ledger.names()
    ledger._store._connection.set_trace_callback(None)
    (asked,) = [each for each in seen if each.startswith("SELECT")]
    plan = [row[3] for row in ledger._store._connection.execute(f"EXPLAIN QUERY PLAN {asked}")]
    assert plan == ["SCAN publications USING COVERING INDEX publications_by_name"]
