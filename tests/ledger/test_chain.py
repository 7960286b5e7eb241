"""Somebody edits the file: verify says where."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import timedelta

import pytest

from discreet.ledger.receipts import GENESIS, seal

BIG = "9" * 48


@pytest.fixture
def ledger(shop, reserve):
    """opened, reserved 2, settled 3, reserved 4, failed 5, policy 6, period 7, reserved 8"""
    first = shop.open(quotas={"alice": 1}, renew=timedelta(days=1))
    first.settle(reserve(first, analyst="alice"), b"42")
    first.fail(reserve(first))
    ledger = shop.open(2, quotas={"alice": 1}, renew=timedelta(days=1), policy="p2")
    shop.clock.move(days=1)
    reserve(ledger, analyst="alice")
    return ledger


@pytest.fixture
def held(shop, hold, paid):
    """opened, held 2 (2/5), settled 3 (1/5), held 4, failed 5, held 6"""
    ledger = shop.open(2, quotas={"alice": 1})
    ledger.settle(hold(ledger, "2/5", "alice"), b"42", paid("1/5"))
    ledger.fail(hold(ledger))
    hold(ledger)
    return ledger


def tamper(ledger, *statements):
    with closing(sqlite3.connect(ledger._store.path)) as raw:
        names = raw.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for (name,) in names:
            raw.execute(f"DROP TRIGGER {name}")
        raw.execute("PRAGMA ignore_check_constraints = ON")
        for statement in statements:
            raw.execute(statement)
        raw.commit()
    return ledger.verify()


def test_an_honest_ledger_verifies(ledger):
    found = ledger.verify()
    assert (found.ok, found.entries, found.problems) == (True, 8, ())
    assert found.head == ledger.history()[-1].hash


def test_the_hash_is_what_the_documents_say(ledger):
    prev = GENESIS
    for entry in ledger.history():
        assert entry.prev == prev
        prev = entry.hash
        assert prev == seal(entry.seq, entry.kind, json.loads(json.dumps(entry.body)), entry.prev)


def test_the_hash_of_a_fixed_entry_never_changes():
    """Ledgers are for ever: this value may not be edited."""
    assert seal(1, "opened", {"dataset": "é", "n": [1, None]}, GENESIS) == (
        "2b8498998589d942802a993acd382de1282afa79dd408d55ea37ce2416cc8820"
    )


@pytest.mark.parametrize(
    ("statement", "named"),
    [
        ("UPDATE entries SET body = replace(body, 'SELECT q', 'SELECT 1') WHERE seq = 2", "entry 2 (reserved): its hash"),
        ("UPDATE entries SET body = 'garbage' WHERE seq = 2", "entry 2 (reserved): its hash"),
        ("UPDATE entries SET body = '[NaN]' WHERE seq = 2", "entry 2 (reserved): its content"),
        ("UPDATE entries SET body = '{}' WHERE seq = 1", "entry 1 (opened): its hash"),
        ("UPDATE entries SET kind = 'settled', reservation = 4 WHERE seq = 5", "entry 5 (settled): its hash"),
        ("UPDATE entries SET hash = prev WHERE seq = 3", "entry 4 (reserved): it does not carry the hash"),
        ("UPDATE entries SET prev = hash WHERE seq = 3", "entry 3 (settled): it does not carry the hash"),
        ("UPDATE entries SET reservation = 8 WHERE seq = 5", "entry 5 (failed): it is filed under another"),
        ("DELETE FROM entries WHERE seq = 4", "entry 5 (failed): it follows entry 3"),
        ("DELETE FROM entries WHERE seq = 8", "the chain should end at entry 8, and ends at 7"),
        ("UPDATE accounts SET spent = printf('%048d', 0) WHERE scope = 'dataset'", "account dataset of period 0"),
        (f"UPDATE accounts SET cap = '{BIG}' WHERE scope = 'analyst:alice'", "account analyst:alice of period 1"),
        (f"UPDATE accounts SET delta_cap = '{BIG}' WHERE period = 0", "account dataset of period 0"),
        ("UPDATE accounts SET spent = 'much'", "an account cannot be read"),
        ("DELETE FROM accounts WHERE period = 0", "account dataset of period 0"),
        ("UPDATE meta SET dataset = 'other'", "the dataset or its accounting"),
        ("UPDATE meta SET accounting = 'zcdp'", "the dataset or its accounting"),
        ("UPDATE meta SET period = 0", "the terms or the period"),
        ("UPDATE meta SET terms = replace(terms, '\"p2\"', '\"p3\"')", "the terms or the period"),
        ("UPDATE meta SET terms = 'x'", "the ledger's first row cannot be read"),
        ("UPDATE meta SET head_hash = 'x'", "the chain should end"),
        ("DELETE FROM meta", "does not say whose it is"),
        ("UPDATE answers SET payload = x'00'", "the answer kept for entry 3"),
        ("UPDATE answers SET version = 'v2'", "the answer kept for entry 3"),
    ],
)  # fmt: skip
def test_an_edit_is_found_and_named(ledger, statement, named):
    found = tamper(ledger, statement)
    assert not found.ok
    assert any(problem.startswith(named) or named in problem for problem in found.problems), found.problems


def rechain(ledger, change):
    """What a forger would do: change a body and make every later hash fit, and the head with them."""
    prev, statements = GENESIS, []
    for entry in ledger.history():
        body = change(entry) or entry.body
        own = seal(entry.seq, entry.kind, body, prev)
        text = json.dumps(body).replace("'", "''")
        statements.append(
            f"UPDATE entries SET body = '{text}', prev = '{prev}', hash = '{own}' WHERE seq = {entry.seq}"
        )
        prev = own
    return tamper(ledger, *statements, f"UPDATE meta SET head_hash = '{prev}'")


def test_a_chain_forged_to_the_end_still_has_to_add_up(ledger):
    def cheaper(entry):
        if entry.seq == 2:
            return entry.body | {"charge": {"amount": "1/100", "delta": "0"}}
        return None

    problems = rechain(ledger, cheaper).problems
    assert "entry 2 (reserved): it charges less than its events cost" in problems
    assert any("account analyst:alice of period 0" in each for each in problems)


def test_a_grant_beyond_the_cap_is_found(ledger):
    def dearer(entry):
        return entry.body | {"charge": {"amount": "5", "delta": "0"}} if entry.seq == 4 else None

    assert "entry 4 (reserved): it spends more than the cap of dataset" in rechain(ledger, dearer).problems


def test_a_period_that_goes_back_is_found(ledger):
    def back(entry):
        return entry.body | {"period": 0} if entry.seq == 7 else None

    assert "entry 7 (period): it goes back to an earlier period" in rechain(ledger, back).problems


def test_a_forged_chain_does_not_end_in_the_hash_that_others_hold(ledger):
    held = ledger.verify().head

    def renamed(entry):
        return entry.body | {"statement": "SELECT 1"} if entry.seq == 2 else None

    found = rechain(ledger, renamed)
    assert found.ok
    assert found.head != held


def paid_for(entry, amount, ratio=None):
    told = {"charge": {"amount": amount, "delta": "0"}, "events": [{"kind": "laplace", "ratio": ratio or amount}]}
    return entry.body | {"paid": told}


@pytest.mark.parametrize(
    ("seq", "change", "named"),
    [
        (3, lambda entry: paid_for(entry, "1/10"), "account dataset of period 0"),
        (3, lambda entry: paid_for(entry, "1/10", "1/5"), "entry 3 (settled): it charges less than its events cost"),
        (3, lambda entry: paid_for(entry, "1/2"), "entry 3 (settled): its content does not make sense here"),
        (3, lambda entry: {k: v for k, v in entry.body.items() if k != "paid"}, "entry 3 (settled): its content"),
        (5, lambda entry: paid_for(entry, "1/20"), "entry 5 (failed): it tells another price than was reserved"),
        (2, lambda entry: entry.body | {"scopes": ["dataset"]}, "entry 2 (held): it is charged to other accounts"),
        (6, lambda entry: entry.body | {"scopes": []}, "entry 6 (held): it is charged to other accounts"),
    ],
)
def test_a_price_that_is_forged_afterwards_is_found(held, seq, change, named):
    assert held.verify().ok
    problems = rechain(held, lambda entry: change(entry) if entry.seq == seq else None).problems
    assert any(named in each for each in problems), problems


def test_what_is_returned_follows_from_the_entries(held):
    problems = tamper(held, "UPDATE accounts SET returned = spent").problems
    assert any("account dataset of period 0" in each for each in problems)


def test_a_plain_reservation_has_no_second_price(ledger):
    problems = rechain(ledger, lambda entry: paid_for(entry, "1/20") if entry.seq == 3 else None).problems
    assert "entry 3 (settled): it tells another price than was reserved" in problems
