"""Watches against a reference of thirty lines: any order of opening, beginning, ending, reopening and waiting."""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from discreet.errors import BudgetExhausted, Refused
from discreet.ledger import Ledger
from discreet.ledger.events import AboveThreshold, Charge
from discreet.ledger.watch import Begun, Drawn, Outcome, Said, Threshold

WEEK = timedelta(days=7)
PRICE = Fraction(1, 5)
NAMES = st.sampled_from("ab")


class Reference:
    """What watches should do, without a file, a lock or a hash: each is [period, answers left, words by question]."""

    def __init__(self):
        self.period, self.spent, self.watches, self.drawn = 0, 0, [], {}

    def open(self, name, answers):
        for seq, (period, known, *_) in enumerate(self.watches):
            if (period, known) == (self.period, name):
                return seq
        if self.spent + PRICE > 1:
            return None
        self.spent += PRICE
        self.watches.append([self.period, name, answers, {}])
        return len(self.watches) - 1

    def refusal(self, seq):
        period, _, left, _ = self.watches[seq]
        return "watch-over" if period != self.period else "watch-finished" if not left else None

    def conclude(self, seq, question, outcome):
        words = self.watches[seq][3]
        if question not in words and not self.refusal(seq):
            words[question] = outcome
            self.watches[seq][2] -= outcome.takes
        return words.get(question)


def told(ask):
    """What comes of it: a comparison that may be made, a word, or the code of a refusal."""
    try:
        found = ask()
    except Refused as refused:
        return refused.code
    return found if isinstance(found, Begun) else found.outcome


class Machine(RuleBasedStateMachine):
    def __init__(self):
        super().__init__()
        self.folder, self.now, self.draws = tempfile.TemporaryDirectory(), datetime(2026, 1, 1, tzinfo=UTC), 0
        self.model, self.opened, self.begun = Reference(), {}, []
        self.start()

    def start(self):
        self.ledger = Ledger.open(
            str(Path(self.folder.name) / "ledger"),
            dataset="shop",
            accounting="pure",
            capacity=Charge(Fraction(1)),
            quotas={},
            renew=WEEK,
            policy="p1",
            clock=lambda: self.now,
        )

    @rule(name=NAMES, answers=st.integers(1, 3))
    def open(self, name, answers):
        self.draws += 1
        expected, threshold = self.model.open(name, answers), Threshold(100, answers, values=False)
        event = AboveThreshold(PRICE / 2, PRICE / 2)
        named = {"statement": "s", "price": "1/5", "noise": self.draws}
        try:
            watched = self.ledger.watches.open(None, name, threshold, Charge(PRICE), [event], **named)
        except BudgetExhausted:
            assert expected is None
            return
        assert self.opened.setdefault(expected, (watched.opened.seq, self.draws))[0] == watched.opened.seq

    @precondition(lambda self: self.opened)
    @rule(data=st.data(), question=NAMES)
    def begin(self, data, question):
        seq = data.draw(st.sampled_from(sorted(self.opened)))
        (watch, noise), word = self.opened[seq], self.model.watches[seq][3].get(question)
        self.draws += 1
        found = told(lambda: self.ledger.watches.begin(watch, question, "v", Drawn(self.draws, "secret")))
        if not isinstance(found, Begun):
            assert found == (word or self.model.refusal(seq))
            return
        assert (word, self.model.refusal(seq)) == (None, None)
        assert found.threshold_noise == noise
        assert found.drawn.noise == self.model.drawn.setdefault((seq, question), self.draws), "it is drawn once"
        self.begun.append((seq, question, found))

    @precondition(lambda self: self.begun)
    @rule(data=st.data(), outcome=st.sampled_from(Outcome))
    def conclude(self, data, outcome):
        seq, question, begun = self.begun.pop(data.draw(st.integers(0, len(self.begun) - 1)))
        refusal, word = self.model.refusal(seq), self.model.conclude(seq, question, outcome)
        assert told(lambda: self.ledger.watches.conclude(begun, Said("s", 1, outcome))) == (word or refusal)

    @rule(days=st.integers(0, 5))
    def wait(self, days):
        self.now += timedelta(days=days)
        passed = (self.now - datetime(2026, 1, 1, tzinfo=UTC)) // WEEK
        if passed > self.model.period:
            self.model.period, self.model.spent = passed, 0

    @rule()
    def reopen(self):
        self.ledger.close()
        self.start()

    @invariant()
    def agrees(self):
        assert self.ledger.balance().dataset.spent.amount == self.model.spent
        for seq, (watch, _) in self.opened.items():
            standing = self.ledger.watches.standing(watch)
            assert standing.left == (0 if self.model.refusal(seq) else self.model.watches[seq][2])
            words = [(each.entry.body["question"], each.outcome) for each in self.ledger.watches.compared(watch)]
            assert len(dict(words)) == len(words) == len(self.model.watches[seq][3])

    def teardown(self):
        assert self.ledger.verify().ok
        self.ledger.close()
        self.folder.cleanup()


Machine.TestCase.settings = settings(max_examples=20, stateful_step_count=30, deadline=None)
test_watches_do_what_the_reference_does = Machine.TestCase
