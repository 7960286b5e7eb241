"""What one question costs the store: one synced commit, and no statement that reads a whole table."""

from __future__ import annotations

import pytest


@pytest.fixture
def watched(shop):
    ledger, seen = shop.open(quotas={"alice": 1}), []
    ledger._store._connection.set_trace_callback(seen.append)
    return ledger, seen


def test_a_reservation_is_synced_and_a_settlement_waits_for_no_disk(watched, reserve):
    ledger, seen = watched
    reserved = reserve(ledger, analyst="alice")
    assert [each for each in seen if each.startswith(("PRAGMA", "BEGIN", "COMMIT"))] == [
        "PRAGMA synchronous = FULL",
        "BEGIN IMMEDIATE",
        "COMMIT",
    ]
    seen.clear()
    ledger.settle(reserved, b"1")
    assert [each for each in seen if each.startswith(("PRAGMA", "BEGIN", "COMMIT"))] == [
        "PRAGMA synchronous = NORMAL",
        "BEGIN IMMEDIATE",
        "COMMIT",
    ]


def test_no_statement_of_a_question_reads_a_whole_table(watched, reserve):
    ledger, seen = watched
    ledger.find("q", "1/10", "v1")
    ledger.find("q", None, "v1")
    ledger.settle(reserve(ledger, analyst="alice"), b"1")
    ledger.fail(reserve(ledger))
    connection = ledger._store._connection
    connection.set_trace_callback(None)
    asked = {each for each in seen if each.startswith(("SELECT", "UPDATE", "INSERT"))}
    assert len(asked) > 10
    plans = {each: [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {each}")] for each in asked}
    scans = {each: plan for each, plan in plans.items() if any("SCAN" in step and step != "SCAN meta" for step in plan)}
    assert scans == {}


def test_a_question_takes_as_many_statements_in_a_long_ledger_as_in_a_short_one(watched, reserve):
    ledger, seen = watched
    counts = []
    for number in range(30):
        seen.clear()
        ledger.settle(reserve(ledger, "1/100", question=str(number)), b"1")
        counts.append(len(seen))
    assert set(counts) == {counts[0]}
