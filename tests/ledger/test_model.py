"""The ledger against a reference of thirty lines: any order of asking, ending, reopening and waiting."""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from discreet.errors import BudgetExhausted, LedgerError
from discreet.ledger import Ledger
from discreet.ledger.events import Charge, LaplaceNoise
from discreet.ledger.receipts import Paid

WEEK = timedelta(days=7)
PRICES = st.integers(1, 60).map(lambda n: Fraction(n, 100))
ANALYSTS = st.sampled_from(["alice", "bob", None])


class Reference:
    """What the ledger should do, without a file, a lock or a hash."""

    def __init__(self, now):
        self.caps = {"dataset": Fraction(1), "alice": Fraction(1, 2)}
        self.start, self.spent, self.ever, self.answers = now, {}, Fraction(0), {}

    def wait(self, now):
        passed = (now - self.start) // WEEK
        if passed > 0:
            self.start, self.spent = self.start + passed * WEEK, {}

    def ask(self, analyst, price):
        scopes = ["dataset", analyst] if analyst in self.caps else ["dataset"]
        if any(self.spent.get(each, 0) + price > self.caps[each] for each in scopes):
            return False
        for each in scopes:
            self.spent[each] = self.spent.get(each, 0) + price
        self.ever += price
        return True

    def keep(self, question, price, cost, payload):
        """The first answer at a price stands."""
        self.answers.setdefault((question, price), (cost, payload))

    def give_back(self, scopes, start, unused):
        """Into the period that it was taken from, which may be over."""
        self.ever -= unused
        for each in scopes if start == self.start else ():
            self.spent[each] -= unused


class Machine(RuleBasedStateMachine):
    def __init__(self):
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.now, self.policy, self.open, self.done = datetime(2026, 1, 1, tzinfo=UTC), 0, [], []
        self.model = Reference(self.now)
        self.ledger = self.opened()

    def opened(self):
        return Ledger.open(
            str(Path(self.folder.name) / "ledger"),
            dataset="shop",
            accounting="pure",
            capacity=Charge(self.model.caps["dataset"]),
            quotas={"alice": Charge(self.model.caps["alice"])},
            renew=WEEK,
            policy=str(self.policy),
            clock=lambda: self.now,
        )

    @rule(analyst=ANALYSTS, price=PRICES, question=st.sampled_from("ab"), hold=st.booleans())
    def ask(self, analyst, price, question, hold):
        asked = {"statement": "s", "question": question, "price": str(price), "version": "v"}
        self.model.wait(self.now)
        granted = self.model.ask(analyst, price)
        scopes = {"dataset", analyst} & self.model.caps.keys()
        try:
            take = self.ledger.hold if hold else self.ledger.reserve
            reserved = take(analyst, Charge(price), [LaplaceNoise(price)], **asked)
        except BudgetExhausted:
            assert not granted
        else:
            assert granted
            self.open.append((reserved, question, price, (scopes, self.model.start) if hold else None))

    @precondition(lambda self: self.open)
    @rule(settle=st.booleans(), payload=st.binary(max_size=3), data=st.data())
    def end(self, settle, payload, data):
        reserved, question, price, held = self.open.pop(data.draw(st.integers(0, len(self.open) - 1)))
        self.done.append(reserved)
        if settle and held:
            self.model.wait(self.now)
            cost = price * data.draw(st.integers(1, 10)) / 10
            self.ledger.settle(reserved, payload, Paid(Charge(cost), [LaplaceNoise(cost)]))
            self.model.give_back(*held, price - cost)
            self.model.keep(question, price, cost, payload)
        elif settle:
            self.ledger.settle(reserved, payload)
            self.model.keep(question, price, price, payload)
        else:
            self.ledger.fail(reserved)

    @precondition(lambda self: self.done)
    @rule()
    def end_twice(self):
        with pytest.raises(LedgerError, match="cannot fail"):
            self.ledger.fail(self.done[-1])

    @rule(days=st.integers(-20, 20))
    def wait(self, days):
        self.now += timedelta(days=days)

    @rule(cap=PRICES, quota=PRICES)
    def change(self, cap, quota):
        self.model.wait(self.now)
        self.model.caps = {"dataset": cap, "alice": quota}
        self.policy += 1
        self.ledger.close()
        self.ledger = self.opened()

    @invariant()
    def agrees(self):
        self.model.wait(self.now)
        balance = self.ledger.balance("alice")
        assert balance.dataset.spent.amount == self.model.spent.get("dataset", 0)
        assert balance.analyst.spent.amount == self.model.spent.get("alice", 0)
        assert balance.dataset.spent_ever.amount == self.model.ever
        for question in "ab":
            kept = [answer for (each, _), answer in self.model.answers.items() if each == question]
            found = self.ledger.find(question, None, "v")
            assert (found.payload if found else None) == (max(kept, key=lambda each: each[0])[1] if kept else None)

    def teardown(self):
        assert self.ledger.verify().ok
        self.ledger.close()
        self.folder.cleanup()


Machine.TestCase.settings = settings(max_examples=20, stateful_step_count=25, deadline=None)
test_the_ledger_does_what_the_reference_does = Machine.TestCase
