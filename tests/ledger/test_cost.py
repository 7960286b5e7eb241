"""What one question costs the store: one synced commit, and no statement that reads a whole table."""

from __future__ import annotations

from fractions import Fraction

import pytest

from discreet.ledger.events import AboveThreshold, Charge
from discreet.ledger.watch import Drawn, Outcome, Said, Threshold


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


def compare(ledger, watch, question, outcome):
    begun = ledger.watches.begin(watch.opened.seq, question, "v", Drawn(1, "secret"))
    ledger.watches.conclude(begun, Said("s", 1, outcome))


def open_watch(ledger, answers):
    half = Fraction(1, 2)
    events = [AboveThreshold(half / 2, half / 2)]
    threshold = Threshold(100, answers, values=False)
    return ledger.watches.open(None, "w", threshold, Charge(half), events, statement="w", price="1/2", noise=0)


def test_a_comparison_is_synced_when_it_begins_and_when_it_takes_an_answer(watched):
    ledger, seen = watched
    watch = open_watch(ledger, 2)
    for outcome, ends in ((Outcome.NOT_ABOVE, "NORMAL"), (Outcome.ABOVE, "FULL"), (Outcome.FAILED, "FULL")):
        seen.clear()
        compare(ledger, watch, outcome.value, outcome)
        assert [each for each in seen if each.startswith("PRAGMA")] == [
            "PRAGMA synchronous = FULL",
            f"PRAGMA synchronous = {ends}",
        ]


def test_no_statement_of_a_watch_reads_a_whole_table(watched):
    ledger, seen = watched
    ledger.watches.find(None, "w")
    watch = open_watch(ledger, 1)
    ledger.watches.all_open(None)
    compare(ledger, watch, "a", Outcome.NOT_ABOVE)
    compare(ledger, watch, "b", Outcome.ABOVE)
    ledger.watches.standing(watch.opened.seq)
    ledger.watches.compared(watch.opened.seq)
    connection = ledger._store._connection
    connection.set_trace_callback(None)
    asked = {each for each in seen if each.startswith(("SELECT", "UPDATE", "INSERT"))}
    assert len(asked) > 20
    plans = {each: [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {each}")] for each in asked}
    scans = {each: plan for each, plan in plans.items() if any("SCAN" in step and step != "SCAN meta" for step in plan)}
    assert scans == {}


def test_a_comparison_takes_as_many_statements_in_a_long_watch_as_in_a_short_one(watched):
    ledger, seen = watched
    watch, counts = open_watch(ledger, 1), []
    for number in range(30):
        seen.clear()
        compare(ledger, watch, str(number), Outcome.NOT_ABOVE)
        counts.append(len(seen))
    assert set(counts) == {counts[0]}
