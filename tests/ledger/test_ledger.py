"""Reserve, settle, fail, find, history, balance: one process, one thread."""

from __future__ import annotations

from datetime import timedelta
from fractions import Fraction

import pytest

from discreet.errors import BudgetExhausted, LedgerError
from discreet.ledger import Reservation, amount
from discreet.ledger.events import Charge, GaussianNoise, KeyThreshold, LaplaceNoise
from discreet.ledger.receipts import Paid


def test_a_receipt_says_everything(shop, reserve):
    ledger = shop.open(quotas={"alice": 1})
    receipt = ledger.settle(reserve(ledger, "1/3", "alice", "q1"), b"42")
    assert receipt.to_dict() == {
        "id": 3,
        "hash": receipt.hash,
        "reservation": 2,
        "time": "2026-01-01T00:00:00.000000+00:00",
        "dataset": "shop",
        "analyst": "alice",
        "statement": "SELECT q1",
        "events": [{"kind": "laplace", "ratio": "1/3"}],
        "accounting": "pure",
        "amount": "1/3",
        "delta": "0",
        "policy": "p1",
        "version": "v1",
        "renew": None,
        "state": "settled",
        "held": None,
    }
    assert ledger.receipt(receipt.id) == receipt
    assert ledger.verify().head == receipt.hash


def test_each_scope_is_charged_and_the_least_remains(shop, reserve):
    ledger = shop.open(1, quotas={"alice": "1/2", "bob": "9/10"})
    reserve(ledger, "2/5", "alice")
    reserve(ledger, "2/5", "bob")
    reserve(ledger, "1/10", "carol")
    reserve(ledger, "1/20")
    alice, bob = ledger.balance("alice"), ledger.balance("bob")
    assert alice.dataset.remaining == Charge(Fraction(1, 20))
    assert alice.analyst.remaining == Charge(Fraction(1, 10))
    assert alice.remaining == bob.remaining == ledger.balance("carol").remaining == Charge(Fraction(1, 20))
    assert bob.analyst.spent == bob.analyst.spent_ever == Charge(Fraction(2, 5))
    assert ledger.balance("carol").analyst is None


def test_a_price_that_is_exactly_what_is_left_is_granted(shop, reserve):
    ledger = shop.open("3/10")
    for _ in range(3):
        reserve(ledger, "1/10")
    assert ledger.balance().remaining == Charge(Fraction(0))


def test_a_charge_between_grains_is_rounded_up(shop, reserve):
    ledger = shop.open(1)
    reserve(ledger, "1/3")
    assert ledger.balance().dataset.spent == Charge(Fraction(10**30 // 3 + 1, 10**30))


def test_what_is_not_left_is_refused_and_leaves_no_trace(shop, reserve):
    ledger = shop.open(1, quotas={"alice": "1/2"})
    reserve(ledger, "2/5", "alice")
    before = ledger.history(), ledger.balance("alice")
    with pytest.raises(BudgetExhausted) as refused:
        reserve(ledger, "1/5", "alice")
    assert refused.value.remaining == before[1]
    assert "costs epsilon 0.2" in refused.value.message
    assert "0.1 at most" in refused.value.message
    assert "lower price" in refused.value.hint
    assert (ledger.history(), ledger.balance("alice")) == before
    reserve(ledger, "1/10", "alice")


def test_the_price_that_a_refusal_names_is_granted(shop, reserve):
    ledger = shop.open(1)
    for _ in range(2):
        reserve(ledger, "1/3")
    with pytest.raises(BudgetExhausted, match=r"allows a question of 0\.333333333333 at most"):
        reserve(ledger, "1/3")  # two charges were rounded up, so less than a third is left
    reserve(ledger, "0.333333333333")


def test_delta_runs_out_of_its_own(shop):
    ledger = shop.open(10, delta="1e-6")
    events = [LaplaceNoise(Fraction(1, 10)), KeyThreshold(Fraction("6e-7"))]
    asked = {"statement": "s", "question": "q", "price": "1/10", "version": "v"}
    ledger.reserve(None, Charge(Fraction(1, 10), Fraction("6e-7")), events, **asked)
    with pytest.raises(BudgetExhausted, match="private keys cost delta 6e-07 here, and 4e-07 is left") as refused:
        ledger.reserve(None, Charge(Fraction(1, 10), Fraction("6e-7")), events, **asked)
    assert "declares" in refused.value.hint
    ledger.reserve(None, Charge(Fraction(1, 10)), events[:1], **asked)


def test_a_failure_stays_spent_and_says_nothing_about_why(shop, reserve):
    ledger = shop.open()
    first, second = reserve(ledger), reserve(ledger, question="other")
    receipt = ledger.fail(first)
    ledger.fail(second)
    assert receipt.state == "failed"
    assert ledger.balance().dataset.spent == Charge(Fraction(1, 5))
    one, two = (each.body for each in ledger.history() if each.kind == "failed")
    assert one.keys() == two.keys() == {"time", "analyst", "reservation", "reserved"}


@pytest.mark.parametrize("again", ["settle", "fail"])
def test_a_reservation_concludes_once(shop, reserve, again):
    ledger = shop.open()
    for how in ("settle", "fail"):
        reservation = reserve(ledger)
        _conclude(ledger, how, reservation)
        with pytest.raises(LedgerError) as refused:
            _conclude(ledger, again, reservation)
        assert refused.value.code == "wrong-state"
    assert ledger.verify().ok


def _conclude(ledger, how, reservation):
    return ledger.settle(reservation, b"1") if how == "settle" else ledger.fail(reservation)


def test_a_reservation_of_another_ledger_is_refused(shop, reserve):
    ledger = shop.open()
    reserved = reserve(ledger)
    for false in (Reservation(1, ledger.history()[0].hash), Reservation(99, reserved.hash), Reservation(2, "0" * 64)):
        with pytest.raises(LedgerError) as refused:
            ledger.settle(false, b"1")
        assert refused.value.code == "no-such-reservation"


@pytest.mark.parametrize("entry", [0, 1, 2, 99])
def test_only_settled_and_failed_entries_are_receipts(shop, reserve, entry):
    ledger = shop.open()
    reserve(ledger)
    with pytest.raises(LedgerError) as refused:
        ledger.receipt(entry)
    assert refused.value.code == "no-such-receipt"


def test_an_underpaid_or_unknown_event_is_refused(shop):
    ledger = shop.open()
    asked = {"statement": "s", "question": "q", "price": "1/10", "version": "v"}
    for charge, events, code in (
        (Charge(Fraction(1, 10)), [LaplaceNoise(Fraction(1, 5))], "bad-charge"),
        (Charge(Fraction(1, 10)), [LaplaceNoise(Fraction(1, 10)), KeyThreshold(Fraction(1, 9))], "bad-charge"),
        (Charge(Fraction(-1)), [], "bad-charge"),
        (Charge(Fraction(1)), [GaussianNoise(Fraction(1))], "unknown-event"),
    ):
        with pytest.raises(LedgerError) as refused:
            ledger.reserve(None, charge, events, **asked)
        assert refused.value.code == code
    assert len(ledger.history()) == 1


def test_an_answer_is_found_by_question_price_and_version(shop, reserve):
    ledger = shop.open()
    receipt = ledger.settle(reserve(ledger, "1/10", question="q"), b"first")
    found = ledger.find("q", "1/10", "v1")
    assert (found.payload, found.price, found.receipt) == (b"first", "1/10", receipt)
    for other in (("Q", "1/10", "v1"), ("q", "1/5", "v1"), ("q", "1/10", "v2"), ("Q", None, "v1"), ("q", None, "v2")):
        assert ledger.find(*other) is None


def test_the_dearest_answer_is_found_whatever_its_price(shop, reserve):
    ledger = shop.open()
    for price in ("1/50", "3/10", "9/100"):
        ledger.settle(reserve(ledger, price), price.encode())
    assert ledger.find("q", None, "v1").payload == b"3/10"


def test_the_first_answer_stands(shop, reserve):
    ledger = shop.open()
    first, second = reserve(ledger), reserve(ledger)
    ledger.settle(second, b"second asked, first answered")
    assert ledger.settle(first, b"too late").state == "settled"
    assert ledger.find("q", "1/10", "v1").payload == b"second asked, first answered"
    assert ledger.verify().ok


def test_a_failed_question_has_no_answer(shop, reserve):
    ledger = shop.open()
    ledger.fail(reserve(ledger))
    assert ledger.find("q", None, "v1") is None


def test_history_is_newest_last_with_states(shop, reserve):
    ledger = shop.open(quotas={"alice": 1})
    ledger.settle(reserve(ledger, analyst="alice"), b"1")
    ledger.fail(reserve(ledger, analyst="bob"))
    reserve(ledger, analyst="alice")
    assert [(each.kind, each.state) for each in ledger.history()] == [
        ("opened", None),
        ("reserved", "settled"),
        ("settled", None),
        ("reserved", "failed"),
        ("failed", None),
        ("reserved", "reserved"),
    ]
    assert [each.seq for each in ledger.history("alice")] == [2, 3, 6]
    assert [each.seq for each in ledger.history("alice", limit=2)] == [3, 6]
    assert [each.seq for each in ledger.history(limit=1)] == [6]
    assert ledger.history(limit=0) == []


def test_text_of_any_kind_can_be_written(shop, reserve):
    ledger = shop.open()
    text = "'; DROP TABLE entries; -- \x00 \ud800 é 🦆"
    receipt = ledger.settle(reserve(ledger, question=text), b"\x00\xff")
    assert receipt.statement == f"SELECT {text}"
    assert ledger.find(text, "1/10", "v1").payload == b"\x00\xff"
    assert ledger.verify().ok


def test_private_bytes_are_in_the_answers_alone(shop, reserve):
    ledger = shop.open()
    ledger.settle(reserve(ledger), b"released-payload")
    assert all("released-payload" not in str(entry) for entry in ledger.history())


def test_a_hold_is_spent_until_its_price_is_told(shop, hold, paid):
    ledger = shop.open(1, quotas={"alice": "1/2"})
    held = hold(ledger, "2/5", "alice")
    assert ledger.balance("alice").remaining == Charge(Fraction(1, 10))
    receipt = ledger.settle(held, b"42", paid("1/5"))
    balance = ledger.balance("alice")
    assert (balance.dataset.spent, balance.analyst.spent) == (Charge(Fraction(1, 5)),) * 2
    assert balance.dataset.spent_ever == Charge(Fraction(1, 5))
    assert (receipt.amount, receipt.events) == ("1/5", ({"kind": "laplace", "ratio": "1/5"},))
    assert receipt.held == {
        "charge": {"amount": "2/5", "delta": "0"},
        "events": [{"kind": "laplace", "ratio": "2/5"}],
    }
    assert ledger.receipt(receipt.id) == receipt
    assert [(each.kind, each.state) for each in ledger.history()][1:] == [("held", "settled"), ("settled", None)]
    assert ledger.verify().ok


def test_what_was_returned_may_be_spent_again_and_no_more(shop, reserve, hold, paid):
    ledger = shop.open(1)
    for _ in range(4):
        ledger.settle(hold(ledger, "3/5"), b"42", paid("1/10"))
    with pytest.raises(BudgetExhausted):
        hold(ledger, "601/1000")
    reserve(ledger, "3/5")
    assert ledger.balance().remaining == Charge(Fraction(0))
    with pytest.raises(BudgetExhausted):
        reserve(ledger, "1/1000000")
    assert ledger.verify().ok


def test_the_store_itself_counts_what_was_returned(shop, hold, paid):
    """To the last grain, with carries: 2/3 and 1/7 fill every digit."""
    ledger = shop.open("2/3")
    ledger.settle(hold(ledger, "3/5"), b"42", paid("1/7"))
    with ledger._store.transaction("FULL") as tables:
        purse = tables.purse("dataset", 0)
        most = purse.cap + purse.returned
        assert tables._run("SELECT most_spent FROM accounts").fetchone() == (amount.write(most),)
        tables.spend("dataset", 0, most, 0)
    with pytest.raises(LedgerError, match="spent beyond the cap"), ledger._store.transaction("FULL") as tables:
        tables.spend("dataset", 0, most + 1, 0)


@pytest.mark.parametrize("conclude", ["fail", "leave"])
def test_a_hold_without_an_answer_stays_spent(shop, hold, conclude):
    ledger = shop.open(1)
    held = hold(ledger, "2/5")
    if conclude == "fail":
        receipt = ledger.fail(held)
        assert (receipt.state, receipt.amount) == ("failed", "2/5")
    assert shop.open(1).balance().dataset.spent == Charge(Fraction(2, 5))
    assert ledger.verify().ok


def test_what_is_returned_goes_where_it_came_from(shop, reserve, hold, paid):
    """Into the period of the hold, and to the accounts that it was charged to, whatever has changed since."""
    shop.open(1, renew=timedelta(days=1)).close()
    ledger = shop.open(1, quotas={"bob": "1/2"}, renew=timedelta(days=1), policy="p2")
    held = hold(ledger, "2/5", "alice")
    ledger = shop.open("1/10", quotas={"alice": "1/2"}, renew=timedelta(days=1), policy="p3")
    shop.clock.move(days=1)
    reserve(ledger, "1/20", "alice")
    ledger.settle(held, b"42", paid("1/5"))
    balance = ledger.balance("alice")
    assert (balance.dataset.spent, balance.analyst.spent) == (Charge(Fraction(1, 20)),) * 2
    assert balance.dataset.spent_ever == Charge(Fraction(1, 4))
    assert ledger.verify().ok


@pytest.mark.parametrize(
    ("taken", "told"),
    [
        ("hold", None),
        ("reserve", Paid(Charge(Fraction(1, 20)), [LaplaceNoise(Fraction(1, 20))])),
        ("hold", Paid(Charge(Fraction(1, 5)), [LaplaceNoise(Fraction(1, 5))])),
        ("hold", Paid(Charge(Fraction(1, 20)), [LaplaceNoise(Fraction(1, 10))])),
        ("hold", Paid(Charge(Fraction(1, 20), Fraction(1, 10**9)), [LaplaceNoise(Fraction(1, 20))])),
    ],
    ids=["no price", "a second price", "more than was held", "underpaid", "another delta"],
)
def test_a_price_that_does_not_fit_is_refused_and_changes_nothing(shop, reserve, hold, taken, told):
    ledger = shop.open(1, delta="1e-6")
    reservation = (hold if taken == "hold" else reserve)(ledger)
    before = ledger.history(), ledger.balance()
    with pytest.raises(LedgerError) as refused:
        ledger.settle(reservation, b"42", told)
    assert refused.value.code == "bad-charge"
    assert (ledger.history(), ledger.balance()) == before


def test_an_answer_is_kept_under_what_it_cost(shop, reserve, hold, paid):
    ledger = shop.open(1)
    ledger.settle(hold(ledger, "1/2"), b"cheap in the end", paid("1/100"))
    ledger.settle(reserve(ledger, "1/10"), b"dear")
    assert ledger.find("q", None, "v1").payload == b"dear"
    assert ledger.find("q", "1/2", "v1").payload == b"cheap in the end"
