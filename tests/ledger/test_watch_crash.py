"""kill -9 at every SQL statement of a watch's way: what was told is written, what is paid stays paid, the chain holds."""

from __future__ import annotations

import signal
import subprocess
import sys
from fractions import Fraction

import pytest

from discreet.ledger.events import Charge
from discreet.ledger.watch import Drawn, Outcome, Said

DOOMED = """
import os, signal, sys
from fractions import Fraction
from discreet.ledger import Ledger
from discreet.ledger.events import AboveThreshold, Charge
from discreet.ledger.watch import Drawn, Outcome, Said, Threshold

url, word, fatal = sys.argv[1], sys.argv[2], int(sys.argv[3])
terms = dict(dataset="shop", accounting="pure", capacity=Charge(Fraction(1)), quotas={}, renew=None, policy="p1")
ledger = Ledger.open(url, **terms)
ran = 0

def about_to_run(statement):
    global ran
    if ran == fatal:
        os.kill(os.getpid(), signal.SIGKILL)
    ran += 1

ledger._store._connection.set_trace_callback(about_to_run)
half = Fraction(1, 2)
watched = ledger.watches.open(None, "w", Threshold(100, 1, False), Charge(half), [AboveThreshold(half / 2, half / 2)],
                              statement="watch w", price="1/2", noise=-7)
print("opened", flush=True)
begun = ledger.watches.begin(watched.opened.seq, "q", "v", Drawn(3, "secret"))
print("begun", flush=True)
ledger.watches.conclude(begun, Said("s", 1, Outcome(word)))
print("told", ran, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def die(shop, word, fatal):
    shop.open().close()
    done = subprocess.run(
        [sys.executable, "-c", DOOMED, f"sqlite:///{shop.path}", word, str(fatal)],
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    return done.stdout.split()


@pytest.mark.parametrize("word", ["above", "not above"])
def test_killed_at_each_step(shop, word):
    *_, steps = die(shop, word, -1)
    for fatal in range(int(steps)):
        shop.path = shop.path.with_name(f"{fatal}.ledger")
        said = die(shop, word, fatal)
        ledger = shop.open()
        watched = ledger.watches.find(None, "w")
        assert ledger.verify().ok
        assert ledger.balance().dataset.spent == Charge(Fraction(watched is not None, 2))
        if "opened" in said:
            assert watched is not None
        if watched is not None:
            compared = ledger.watches.compared(watched.opened.seq)
            assert watched.used == sum(each.outcome.takes for each in compared)
            goes_on(ledger, watched, compared, begun="begun" in said)


def goes_on(ledger, watched, compared, begun):
    """Whoever asks again has the kept noise, or the word that was written."""
    again = ledger.watches.begin(watched.opened.seq, "q", "v", Drawn(99, "another"))
    if compared:
        assert again.entry == compared[0].entry
        return
    assert again.threshold_noise == -7
    assert again.drawn in ([Drawn(3, "secret")] if begun else [Drawn(3, "secret"), Drawn(99, "another")])
    ledger.watches.conclude(again, Said("s", 1, Outcome.ABOVE))
    assert ledger.watches.standing(watched.opened.seq).left == 0
    assert ledger.verify().ok


def test_killed_after_it_was_told(shop):
    for word in ("above", "not above"):
        shop.path = shop.path.with_name(f"{word}.ledger")
        assert "told" in die(shop, word, -1)
        ledger = shop.open()
        (told,) = ledger.watches.compared(ledger.watches.find(None, "w").opened.seq)
        assert told.outcome.value == word
        assert ledger.verify().ok
