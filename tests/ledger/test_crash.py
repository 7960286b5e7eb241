"""kill -9 at every SQL statement of a question's way: what was reserved stays spent, and the chain holds."""

from __future__ import annotations

import signal
import subprocess
import sys
from fractions import Fraction

import pytest

from discreet.ledger import Reservation
from discreet.ledger.events import Charge

DOOMED = """
import os, signal, sqlite3, sys
from fractions import Fraction
from discreet.ledger import Ledger
from discreet.ledger.events import Charge, LaplaceNoise
from discreet.ledger.receipts import Paid

url, how, fatal = sys.argv[1], sys.argv[2], int(sys.argv[3])
price = Fraction(1, 10)
terms = dict(dataset="shop", accounting="pure", capacity=Charge(Fraction(1)), quotas={}, renew=None, policy="p1")
ledger = Ledger.open(url, **terms)
ran = 0

def about_to_run(statement):
    global ran
    if ran == fatal:
        os.kill(os.getpid(), signal.SIGKILL)
    ran += 1

ledger._store._connection.set_trace_callback(about_to_run)
take = ledger.hold if how.startswith("held") else ledger.reserve
reserved = take(None, Charge(price), [LaplaceNoise(price)], statement="s", question="q", price="1/10", version="v1")
print("reserved", flush=True)
if how == "settle":
    ledger.settle(reserved, b"42")
elif how == "held settle":
    ledger.settle(reserved, b"42", Paid(Charge(price / 4), [LaplaceNoise(price / 4)]))
else:
    ledger.fail(reserved)
print("concluded", ran, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def die(shop, how, fatal):
    shop.open().close()
    done = subprocess.run(
        [sys.executable, "-c", DOOMED, f"sqlite:///{shop.path}", how, str(fatal)],
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    return done.stdout.split()


@pytest.mark.parametrize("how", ["settle", "fail", "held settle", "held fail"])
def test_killed_at_each_step(shop, how):
    """Of a hold nothing comes back but by the settlement that tells its price."""
    kind = "held" if how.startswith("held") else "reserved"
    *_, steps = die(shop, how, -1)
    states = []
    for fatal in range(int(steps)):
        shop.path = shop.path.with_name(f"{how}-{fatal}.ledger")
        said = die(shop, how, fatal)
        after = shop.open()
        reservations = [each for each in after.history() if each.kind == kind]
        assert after.verify().ok
        cheaper = how == "held settle" and reservations != [] and reservations[0].state == "settled"
        assert after.balance().dataset.spent == Charge(Fraction(len(reservations), 40 if cheaper else 10))
        assert "reserved" not in said or len(reservations) == 1
        answer = after.find("q", None, "v1")
        assert (answer is not None) == (reservations != [] and reservations[0].state == "settled")
        states.append(reservations[0].state if reservations else None)
    done = "settled" if how.endswith("settle") else "failed"
    assert [state for at, state in enumerate(states) if at == 0 or state != states[at - 1]] in (
        [None, kind],
        [None, kind, done],
    )


def test_killed_after_all_was_said(shop):
    assert die(shop, "settle", -1)[:2] == ["reserved", "concluded"]
    after = shop.open()
    assert after.find("q", "1/10", "v1").payload == b"42"
    assert after.verify().ok


def test_a_reservation_that_outlived_its_process_can_still_be_concluded(shop):
    *_, steps = die(shop, "settle", -1)
    shop.path = shop.path.with_name("again.ledger")
    die(shop, "settle", int(steps) - 1)
    after = shop.open()
    (left,) = [each for each in after.history() if each.kind == "reserved"]
    assert left.state == "reserved"
    assert after.settle(Reservation(left.seq, left.hash), b"42").state == "settled"
    assert after.balance().dataset.spent == Charge(Fraction(1, 10))
    assert after.verify().ok
