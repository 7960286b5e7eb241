"""The watches of a ledger: paid once, run down once, told again for nothing, and never more than they have."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import timedelta
from fractions import Fraction

import pytest

from discreet.errors import BudgetExhausted, LedgerError, Refused
from discreet.ledger.events import AboveThreshold, Charge
from discreet.ledger.receipts import GENESIS, seal
from discreet.ledger.watch import Begun, Drawn, Outcome, Said, Threshold, commitment

NOISE = -7
SECRET = "5ec2e7"
HALF = Fraction(1, 2)


def open_watch(ledger, answers=2, name="w", analyst=None, price=HALF, noise=NOISE):
    event = AboveThreshold(price / 2, price / 2)
    return ledger.watches.open(
        analyst,
        name,
        Threshold(100, answers, values=False),
        Charge(price),
        [event],
        statement=f"watch {name}",
        price=str(price),
        noise=noise,
    )


def begin(ledger, watched, question="q", version="v", noise=3):
    return ledger.watches.begin(watched.opened.seq, question, version, Drawn(noise, SECRET))


def say(ledger, begun, outcome, value=None):
    return ledger.watches.conclude(begun, Said("SELECT COUNT(*) FROM t", 1, outcome, value))


def compare(ledger, watched, question, outcome, version="v"):
    return say(ledger, begin(ledger, watched, question, version), outcome)


@pytest.fixture
def ledger(shop):
    return shop.open(1, quotas={"alice": HALF})


@pytest.fixture
def watched(ledger):
    return open_watch(ledger)


def standing(ledger, watched):
    return ledger.watches.standing(watched.opened.seq)


def test_it_is_paid_once_and_its_price_is_spent_at_once(ledger, watched):
    assert ledger.balance().dataset.spent == Charge(HALF)
    assert open_watch(ledger) == watched
    assert ledger.balance().dataset.spent == Charge(HALF)
    assert (watched.name, watched.left, watched.over, watched.until) == ("w", 2, False, None)
    assert ledger.verify().ok


def test_it_is_charged_to_the_quota_of_its_analyst_and_is_theirs_alone(ledger):
    own = open_watch(ledger, analyst="alice")
    assert ledger.balance("alice").analyst.remaining == Charge(Fraction(0))
    assert ledger.watches.find("alice", "w") == own
    assert ledger.watches.find(None, "w") is None
    assert ledger.watches.find("bob", "w") is None
    assert open_watch(ledger, name="w").opened.seq != own.opened.seq
    assert [each.name for each in ledger.watches.all_open("alice")] == ["w"]
    assert len(ledger.watches.all_open(None)) == 2


def test_one_that_cannot_be_paid_is_not_opened(ledger):
    with pytest.raises(BudgetExhausted):
        open_watch(ledger, price=Fraction(3, 2))
    assert ledger.watches.find(None, "w") is None
    with pytest.raises(LedgerError) as refused:
        ledger.watches.open(
            None,
            "w",
            Threshold(1, 1, values=False),
            Charge(Fraction(1, 10)),
            [AboveThreshold(HALF, HALF)],
            statement="s",
            price="1/10",
            noise=0,
        )
    assert refused.value.code == "bad-charge"


def test_what_is_not_above_costs_nothing_however_often(ledger, watched):
    for number in range(50):
        assert compare(ledger, watched, f"q{number}", Outcome.NOT_ABOVE).outcome is Outcome.NOT_ABOVE
    assert standing(ledger, watched).left == 2
    assert ledger.balance().dataset.spent == Charge(HALF)
    assert ledger.verify().ok


@pytest.mark.parametrize("taking", [Outcome.ABOVE, Outcome.FAILED])
def test_above_and_failed_take_an_answer_and_the_last_one_ends_it(ledger, watched, taking):
    compare(ledger, watched, "a", taking)
    assert standing(ledger, watched).left == 1
    assert ledger.watches.receipt(watched.opened.seq).state == "reserved"
    last = compare(ledger, watched, "b", taking)
    assert (standing(ledger, watched).left, last.entry.body["left"]) == (0, 0)
    assert ledger.watches.receipt(watched.opened.seq).state == "settled"
    assert ledger.watches.all_open(None) == []
    with pytest.raises(Refused) as refused:
        begin(ledger, watched, "c")
    assert refused.value.code == "watch-finished"
    assert ledger.verify().ok


def test_what_was_said_is_said_again_also_when_it_has_ended(ledger, watched):
    first = compare(ledger, watched, "a", Outcome.NOT_ABOVE)
    value = say(ledger, begin(ledger, watched, "b"), Outcome.ABOVE, 123)
    compare(ledger, watched, "c", Outcome.ABOVE)
    entries = len(ledger.history())
    again = begin(ledger, watched, "a")
    assert (again.entry, again.repeated, first.repeated) == (first.entry, True, False)
    assert begin(ledger, watched, "b").value == value.value == 123
    assert len(ledger.history()) == entries
    assert [each.entry.body["outcome"] for each in ledger.watches.compared(watched.opened.seq)] == [
        "not above",
        "above",
        "above",
    ]


def test_other_data_are_another_comparison(ledger, watched):
    compare(ledger, watched, "a", Outcome.NOT_ABOVE)
    assert isinstance(begin(ledger, watched, "a", version="v2"), Begun)


def test_a_comparison_that_was_begun_keeps_its_noise_and_its_secret(shop, watched, ledger):
    first = begin(ledger, watched, "a", noise=3)
    other = shop.open(1, quotas={"alice": HALF})
    again = other.watches.begin(watched.opened.seq, "a", "v", Drawn(99, "another"))
    assert (again.drawn.noise, again.drawn.secret, again.threshold_noise) == (3, SECRET, NOISE)
    said = say(ledger, first, Outcome.NOT_ABOVE)
    late = say(other, again, Outcome.ABOVE)
    assert (late.entry, late.repeated) == (said.entry, True), "the first word that is written down is the word"
    assert standing(ledger, watched).left == 2


def test_who_comes_too_late_for_the_last_answer_is_told_the_same_whatever_it_found(ledger):
    watched = open_watch(ledger, answers=1)
    late = {outcome: begin(ledger, watched, outcome.value) for outcome in Outcome}
    compare(ledger, watched, "quick", Outcome.ABOVE)
    told = set()
    for outcome, begun in late.items():
        with pytest.raises(Refused) as refused:
            say(ledger, begun, outcome)
        told.add((refused.value.code, refused.value.message))
    assert len(told) == 1
    assert standing(ledger, watched).used == 1
    assert ledger.verify().ok


def test_the_noise_is_in_no_entry_and_no_repr_and_is_dropped_in_the_end(ledger, watched):
    begun = begin(ledger, watched, noise=424_242)
    told = repr([watched, begun, *ledger.history()])
    for secret in ("424242", SECRET, f"'{NOISE}'", f"noise={NOISE}"):
        assert secret not in told
    say(ledger, begun, Outcome.ABOVE)
    begin(ledger, watched, "left behind", noise=424_242)
    compare(ledger, watched, "last", Outcome.ABOVE)
    with closing(sqlite3.connect(ledger._store.path)) as raw:
        assert raw.execute("SELECT noise, nonce FROM watches").fetchall() == [(None, None)]
        assert raw.execute("SELECT DISTINCT noise, secret FROM comparisons").fetchall() == [(None, None)]
    assert ledger.verify().ok


def test_the_opening_is_bound_to_its_noise(ledger, watched):
    with closing(sqlite3.connect(ledger._store.path)) as raw:
        noise, nonce = raw.execute("SELECT noise, nonce FROM watches").fetchone()
    assert noise == str(NOISE)
    assert watched.opened.body["watch"]["commitment"] == commitment(NOISE, nonce)
    assert commitment(NOISE, nonce) != commitment(NOISE + 1, nonce)


def test_it_ends_with_its_period_and_its_name_is_free_again(shop):
    ledger = shop.open(1, renew=timedelta(days=1))
    watched = open_watch(ledger)
    kept = compare(ledger, watched, "a", Outcome.NOT_ABOVE)
    begun = begin(ledger, watched, "b")
    assert watched.until == shop.clock.now + timedelta(days=1)
    shop.clock.move(days=1)
    over = standing(ledger, watched)
    assert (over.over, over.left, over.until) == (True, 0, None)
    for late in (lambda: say(ledger, begun, Outcome.ABOVE), lambda: begin(ledger, watched, "c")):
        with pytest.raises(Refused) as refused:
            late()
        assert refused.value.code == "watch-over"
    assert begin(ledger, watched, "a").entry == kept.entry
    assert ledger.watches.find(None, "w") is None
    assert open_watch(ledger).opened.seq != watched.opened.seq
    assert ledger.balance().dataset.spent == Charge(HALF)
    with closing(sqlite3.connect(ledger._store.path)) as raw:
        kept = raw.execute("SELECT noise IS NULL FROM watches ORDER BY reservation").fetchall()
        assert kept == [(1,), (0,)]
    assert ledger.verify().ok


def test_a_watch_that_there_is_not_is_a_defect(ledger):
    with pytest.raises(LedgerError) as refused:
        ledger.watches.begin(99, "q", "v", Drawn(0, SECRET))
    assert refused.value.code == "no-such-reservation"


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE watches SET used = 0",
        "UPDATE watches SET used = 3",
        "UPDATE watches SET answers = 9",
        "UPDATE watches SET noise = '0'",
        "UPDATE watches SET nonce = randomblob(32)",
        "DELETE FROM watches",
        "UPDATE comparisons SET noise = '0' WHERE entry IS NULL",
        "UPDATE comparisons SET entry = 1 WHERE entry IS NOT NULL",
        "UPDATE comparisons SET version = 'x'",
        "DELETE FROM comparisons",
        "INSERT INTO watches VALUES (1, 'dataset', 'x', 0, 1, 1, '0', randomblob(32))",
        "INSERT INTO watches VALUES (1, 'dataset', 'x', 0, 1, 0, NULL, randomblob(32))",
    ],
)
def test_the_store_itself_refuses_to_give_anything_back(ledger, watched, statement):
    compare(ledger, watched, "a", Outcome.ABOVE)
    begin(ledger, watched, "b")
    with closing(sqlite3.connect(ledger._store.path)) as raw, pytest.raises(sqlite3.IntegrityError):
        raw.execute(statement)


def tamper(ledger, *statements):
    with closing(sqlite3.connect(ledger._store.path)) as raw:
        for (name,) in raw.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            raw.execute(f"DROP TRIGGER {name}")
        raw.execute("PRAGMA ignore_check_constraints = ON")
        for statement in statements:
            raw.execute(statement)
        raw.commit()
    return ledger.verify()


@pytest.mark.parametrize(
    ("statement", "named"),
    [
        ("UPDATE watches SET used = 0", "the watch of entry 2 is not as the entries say"),
        ("UPDATE watches SET answers = 9", "the watch of entry 2 is not as the entries say"),
        ("UPDATE watches SET noise = '0'", "the watch of entry 2 is not as the entries say"),
        ("UPDATE watches SET noise = 'x'", "a watch cannot be read"),
        ("UPDATE watches SET scope = 'analyst:eve'", "the watch of entry 2 is not as the entries say"),
        ("UPDATE watches SET name = 'x'", "the watch of entry 2 is not as the entries say"),
        ("DELETE FROM watches", "the watch of entry 2 is not as the entries say"),
        ("DELETE FROM comparisons WHERE entry IS NOT NULL", "what was compared is not what the entries say"),
        ("UPDATE comparisons SET entry = NULL", "what was compared is not what the entries say"),
        ("UPDATE comparisons SET version = 'x'", "what was compared is not what the entries say"),
    ],
)  # fmt: skip
def test_an_edit_is_found_and_named(ledger, watched, statement, named):
    compare(ledger, watched, "a", Outcome.ABOVE)
    begin(ledger, watched, "b")
    assert ledger.verify().ok
    assert named in tamper(ledger, statement).problems


def rechain(ledger, seq, **changes):
    """What a forger would do: change a body and make every later hash fit, and the head with them."""
    prev, statements = GENESIS, []
    for entry in ledger.history():
        body = entry.body | (changes if entry.seq == seq else {})
        own = seal(entry.seq, entry.kind, body, prev)
        text = json.dumps(body).replace("'", "''")
        statements.append(
            f"UPDATE entries SET body = '{text}', prev = '{prev}', hash = '{own}' WHERE seq = {entry.seq}"
        )
        prev = own
    return tamper(ledger, *statements, f"UPDATE meta SET head_hash = '{prev}'")


@pytest.mark.parametrize(
    ("seq", "changes", "problem"),
    [
        (4, {"outcome": "above"}, "entry 4 (compared): it does not leave as many answers as are left"),
        (4, {"outcome": "perhaps"}, "entry 4 (compared): its content does not make sense here"),
        (4, {"watch": 1}, "entry 4 (compared): its content does not make sense here"),
        (4, {"question": "a", "opened": "x"}, "entry 4 (compared): it names another watch than it is filed under"),
        (3, {"outcome": "not above", "left": 2}, "entry 6 (settled): it ends a watch that has answers left"),
    ],
)
def test_a_chain_forged_to_the_end_still_has_to_add_up(ledger, watched, seq, changes, problem):
    """Opened 1, reserved 2, compared 3 (above), compared 4 (not above), compared 5 (above), settled 6"""
    for question, outcome in (("a", Outcome.ABOVE), ("b", Outcome.NOT_ABOVE), ("c", Outcome.ABOVE)):
        compare(ledger, watched, question, outcome)
    assert [entry.seq for entry in ledger.history()] == [1, 2, 3, 4, 5, 6]
    assert problem in rechain(ledger, seq, **changes).problems


def test_a_ledger_from_before_there_were_watches_can_have_them(shop, reserve):
    ledger = shop.open(1)
    ledger.settle(reserve(ledger), b"42")
    ledger.close()
    with closing(sqlite3.connect(shop.path)) as raw:
        for table in ("comparisons", "watches"):
            raw.execute(f"DROP TABLE {table}")
        raw.execute("PRAGMA user_version = 3")
        raw.commit()
    ledger = shop.open(1)
    assert ledger.find("q", "1/10", "v1").payload == b"42"
    compare(ledger, open_watch(ledger), "a", Outcome.NOT_ABOVE)
    assert ledger.verify().ok
