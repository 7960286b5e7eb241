"""kill -9 at each step of a question: what was reserved stays spent, nothing is spent twice, the chain holds."""

from __future__ import annotations

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
import os, signal, sys
import discreet, discreet.session.answering as answering
from discreet.engines.duckdb import DuckDB
from discreet.ledger import Ledger
from discreet.release.draw import Groups

def dies(owner, name, when):
    real = getattr(owner, name)
    def dying(*given, **named):
        if when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        found = real(*given, **named)
        os.kill(os.getpid(), signal.SIGKILL)
    setattr(owner, name, dying)

owners = {"reserve": Ledger, "fetch": DuckDB, "draw": answering, "pack": answering, "settle": Ledger}
policy, name, when = sys.argv[1:]
dies(owners[name], name, when)
discreet.connect(policy).query("SELECT city, COUNT(*) AS n FROM people GROUP BY city", epsilon=1)
"""

SPENT = {("reserve", "before"): 0}


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("step", ["reserve", "fetch", "draw", "pack", "settle"])
def test_killed(policy: Path, step: str, when: str) -> None:
    done = subprocess.run([sys.executable, "-c", DOOMED, str(policy), step, when], capture_output=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr
    spent = Fraction(SPENT.get((step, when), 1), 2)
    with discreet.connect(policy) as db:
        assert db.budget().dataset.spent.amount == spent
        assert db.verify().ok
        kept = (step, when) == ("settle", "after")
        answer = db.query(SQL, epsilon=1)
        assert answer.repeated is kept
        assert db.budget().dataset.spent.amount == spent + (0 if kept else Fraction(1, 2))
        assert db.verify().ok
