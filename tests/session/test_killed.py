"""kill -9 at each step of a question: what was reserved stays spent, nothing is spent twice, the chain holds."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest

import discreet

if TYPE_CHECKING:
    from pathlib import Path

SQL = "SELECT city, COUNT(*) AS n FROM people GROUP BY city"

DOOMED = """
import json, os, signal, sys
import discreet, discreet.session.answering as answering
from importlib import import_module
from discreet.engines.duckdb import DuckDB
from discreet.ledger import Ledger

def dies(owner, name, when):
    real = getattr(owner, name)
    def dying(*given, **named):
        if when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        found = real(*given, **named)
        os.kill(os.getpid(), signal.SIGKILL)
    setattr(owner, name, dying)

owners = {"reserve": Ledger, "hold": Ledger, "fetch": DuckDB, "draw": answering,
          "ascend": import_module("discreet.release.draw"), "pack": answering, "settle": Ledger}
policy, name, when, price = sys.argv[1:]
dies(owners[name], name, when)
discreet.connect(policy).query("SELECT city, COUNT(*) AS n FROM people GROUP BY city", **json.loads(price))
"""


def die(policy: Path, step: str, when: str, **price: object) -> None:
    arguments = [str(policy), step, when, json.dumps(price)]
    done = subprocess.run([sys.executable, "-c", DOOMED, *arguments], capture_output=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr


SPENT = {("reserve", "before"): 0}


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("step", ["reserve", "fetch", "draw", "pack", "settle"])
def test_killed(policy: Path, step: str, when: str) -> None:
    die(policy, step, when, epsilon=1)
    spent = Fraction(SPENT.get((step, when), 1), 2)
    with discreet.connect(policy) as db:
        assert db.budget().dataset.spent.amount == spent
        assert db.verify().ok
        kept = (step, when) == ("settle", "after")
        answer = db.query(SQL, epsilon=1)
        assert answer.repeated is kept
        assert db.budget().dataset.spent.amount == spent + (0 if kept else Fraction(1, 2))
        assert db.verify().ok


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("step", ["hold", "fetch", "draw", "ascend", "pack", "settle"])
def test_killed_while_numbers_are_made_sharper(policy: Path, step: str, when: str) -> None:
    """The most that it may cost stays spent, until the settlement that tells what it did cost is there."""
    price = {"accuracy": "80%", "epsilon": 2}
    die(policy, step, when, **price)
    with discreet.connect(policy) as db:
        spent = db.budget().dataset.spent.amount
        if (step, when) == ("settle", "after"):
            answer = db.query(SQL, **price)
            assert answer.repeated
            assert spent == Fraction(answer.receipt.amount) < Fraction(2)
        else:
            assert spent == (0 if (step, when) == ("hold", "before") else Fraction(2))
            assert not db.query(SQL, **price).repeated
        assert db.verify().ok
