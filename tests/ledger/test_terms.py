"""The owner changes the policy, and time passes."""

from __future__ import annotations

from datetime import timedelta
from fractions import Fraction

import pytest

from discreet.errors import BudgetExhausted
from discreet.ledger.events import Charge
from discreet.ledger.terms import Terms
from discreet.ledger.written import write_length

DAY = timedelta(days=1)


def kinds(ledger):
    return [each.kind for each in ledger.history()]


def test_the_same_terms_write_nothing(shop):
    shop.open(quotas={"alice": "1/2"}, renew=DAY).close()
    assert kinds(shop.open(quotas={"alice": "1/2"}, renew=DAY)) == ["opened"]


@pytest.mark.parametrize(
    "change", [{"epsilon": 2}, {"quotas": {"alice": 1}}, {"quotas": {}}, {"renew": DAY}, {"policy": "p2"}]
)
def test_changed_terms_are_written_with_the_old_ones(shop, change):
    before = {"epsilon": 1, "quotas": {"alice": "1/2"}, "renew": None, "policy": "p1"}
    shop.open(**before)
    ledger = shop.open(**(before | change))
    (entry,) = [each for each in ledger.history() if each.kind == "policy"]
    assert entry.body["old"] == {
        "policy": "p1",
        "capacity": {"amount": "1", "delta": "0"},
        "quotas": {"alice": {"amount": "1/2", "delta": "0"}},
        "renew": None,
    }
    assert entry.body["new"] != entry.body["old"]
    assert Terms.from_json(entry.body["new"]).to_json() == entry.body["new"]
    assert ledger.verify().ok


def test_spending_is_kept_when_the_caps_change(shop, reserve):
    reserve(shop.open(1, quotas={"alice": "1/2"}), "2/5", "alice")
    more = shop.open(2, quotas={"alice": 1, "bob": "1/10"}, policy="p2")
    assert more.balance("alice").remaining == Charge(Fraction(3, 5))
    assert more.balance("bob").remaining == Charge(Fraction(1, 10))
    without = shop.open(2, policy="p3")
    assert without.balance("alice").analyst is None
    again = shop.open(2, quotas={"alice": 1}, policy="p4")
    assert again.balance("alice").analyst.spent == Charge(Fraction(2, 5))
    assert again.verify().ok


def test_a_lowered_cap_holds_for_those_who_opened_before(shop, reserve):
    old = shop.open(1)
    reserve(old, "1/2")
    new = shop.open("1/4", policy="p2")
    for ledger in (old, new):
        with pytest.raises(BudgetExhausted, match="0 at most"):
            reserve(ledger, "1/1000000000")
    raised = shop.open("3/4", policy="p3")
    reserve(raised, "1/4")
    assert raised.verify().ok


def test_each_period_has_a_budget_of_its_own(shop, reserve):
    ledger = shop.open(1, quotas={"alice": "1/2"}, renew=30 * DAY)
    reserve(ledger, "1/2", "alice")
    with pytest.raises(BudgetExhausted, match="a new budget begins at 2026-01-31 00:00"):
        reserve(ledger, "1/2", "alice")
    shop.clock.move(days=30)
    reserve(ledger, "1/4", "alice")
    balance = ledger.balance("alice")
    assert balance.analyst.remaining == Charge(Fraction(1, 4))
    assert balance.dataset.spent == Charge(Fraction(1, 4))
    assert balance.dataset.spent_ever == balance.analyst.spent_ever == Charge(Fraction(3, 4))
    assert (balance.period.index, balance.periods) == (1, 2)
    assert (balance.period.start - shop.clock.now, balance.period.end - shop.clock.now) == (0 * DAY, 30 * DAY)
    assert kinds(ledger) == ["opened", "reserved", "period", "reserved"]
    assert ledger.verify().ok


def test_a_receipt_tells_that_the_budget_renews(shop, reserve):
    ledger = shop.open(renew=30 * DAY)
    assert ledger.settle(reserve(ledger), b"").renew == "30d"


def test_a_clock_set_back_opens_no_period(shop, reserve):
    ledger = shop.open(1, renew=DAY)
    shop.clock.move(days=5)
    reserve(ledger, 1)
    for days in (-1, -4, -100, 105):
        shop.clock.move(days=days)
        with pytest.raises(BudgetExhausted):
            reserve(ledger, "1/10")
    assert ledger.balance().period.index == 5
    shop.clock.move(days=1)
    reserve(ledger, 1)
    assert ledger.balance().period.index == 6
    assert ledger.verify().ok


def test_periods_are_counted_from_the_opening_however_long_nobody_asks(shop):
    ledger = shop.open(renew=7 * DAY)
    start = shop.clock.now
    shop.clock.move(days=7 * 4 + 3)
    period = ledger.balance().period
    assert (period.index, period.start) == (4, start + 28 * DAY)
    assert kinds(ledger) == ["opened", "period"]


def test_a_period_starts_again_when_its_length_changes(shop, reserve):
    reserve(shop.open(1, renew=30 * DAY), 1)
    shop.clock.move(days=10)
    ledger = shop.open(1, renew=DAY, policy="p2")
    with pytest.raises(BudgetExhausted):
        reserve(ledger, "1/10")
    shop.clock.move(days=1)
    reserve(ledger, 1)
    never = shop.open(1, renew=None, policy="p3")
    shop.clock.move(days=1000)
    with pytest.raises(BudgetExhausted):
        reserve(never, "1/10")
    assert never.balance().period.end is None
    assert never.verify().ok


@pytest.mark.parametrize("renew", [timedelta(0), -DAY, timedelta(milliseconds=500), timedelta(seconds=1.5)])
def test_lengths_that_are_no_whole_seconds_are_refused(shop, renew):
    with pytest.raises(ValueError, match="whole number of seconds"):
        shop.open(renew=renew)


@pytest.mark.parametrize(("seconds", "text"), [(86_400 * 30, "30d"), (43_200, "12h"), (60, "1m"), (61, "61s")])
def test_lengths_are_written_as_the_policy_writes_them(seconds, text):
    assert write_length(timedelta(seconds=seconds)) == text
