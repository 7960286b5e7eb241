"""Many threads and processes ask for more than is left: never more than the budget, and none lost."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

from discreet.errors import BudgetExhausted
from discreet.ledger.events import Charge

GREEDY = """
import sys
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from discreet.errors import BudgetExhausted
from discreet.ledger import Ledger
from discreet.ledger.events import Charge, LaplaceNoise

price = Fraction(1, 100)
ledger = Ledger.open(sys.argv[1], dataset="shop", accounting="pure", capacity=Charge(Fraction(1)),
                     quotas={"alice": Charge(Fraction(1, 2))}, renew=None, policy="p1")

def ask(number):
    try:
        reserved = ledger.reserve("alice" if number % 2 else None, Charge(price), [LaplaceNoise(price)],
                                  statement="s", question="q", price="1/100", version="v")
    except BudgetExhausted:
        return 0
    if number % 3:
        ledger.settle(reserved, b"1")
    return 1

with ThreadPoolExecutor(4) as pool:
    print(sum(pool.map(ask, range(60))))
"""


def test_four_processes_of_four_threads_get_the_budget_and_no_more(shop):
    url = f"sqlite:///{shop.path}"
    greedy = [
        subprocess.Popen([sys.executable, "-c", GREEDY, url], stdout=subprocess.PIPE, text=True) for _ in range(4)
    ]
    granted = [int(each.communicate()[0]) for each in greedy]
    assert [each.returncode for each in greedy] == [0] * 4
    ledger = shop.open(1, quotas={"alice": "1/2"})
    assert sum(granted) == 100
    assert ledger.balance().dataset.spent == Charge(Fraction(1))
    assert ledger.balance("alice").analyst.spent.amount <= Fraction(1, 2)
    assert sum(each.kind == "reserved" for each in ledger.history()) == 100
    assert ledger.verify().ok


def test_sixteen_threads_on_one_ledger_get_the_budget_and_no_more(shop, reserve):
    ledger = shop.open(1)

    def ask(number):
        try:
            ledger.settle(reserve(ledger, "1/64", question=str(number)), b"1")
        except BudgetExhausted:
            return 0
        return 1

    with ThreadPoolExecutor(16) as pool:
        assert sum(pool.map(ask, range(160))) == 64
    assert ledger.balance().remaining == Charge(Fraction(0))
    assert ledger.verify().ok


def test_forks_in_the_middle_of_a_crowd(shop, reserve):
    """Children of a busy process share its budget, and none of them hangs on a lock."""
    ledger = shop.open(1)

    def ask(number):
        if number % 8 == 0:
            child = os.fork()
            if child == 0:
                try:
                    reserve(ledger, "1/100")
                    os._exit(0)
                finally:
                    os._exit(1)
            return os.waitpid(child, 0)[1] == 0
        reserve(ledger, "1/100")
        return True

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(ask, range(64)))
    assert ledger.balance().dataset.spent == Charge(Fraction(64, 100))
    assert ledger.verify().ok


def test_many_openings_at_once_make_one_ledger(shop):
    opening = GREEDY.partition("def ask")[0]
    racers = [subprocess.Popen([sys.executable, "-c", opening, f"sqlite:///{shop.path}"]) for _ in range(6)]
    assert [each.wait() for each in racers] == [0] * 6
    assert [each.kind for each in shop.open(1, quotas={"alice": "1/2"}).history()] == ["opened"]
