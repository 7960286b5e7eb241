"""Many threads, processes and forks ask one dataset: all are served, none gets more than the budget."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from typing import TYPE_CHECKING

import discreet

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

EACH = 1

GREEDY = """
import sys
from concurrent.futures import ThreadPoolExecutor
import discreet

db = discreet.connect(sys.argv[1])

def ask(number):
    try:
        return len(db.query(f"SELECT COUNT(*) FROM people WHERE id <> -{sys.argv[2]}{number:03}", epsilon=1))
    except discreet.BudgetExhausted:
        return 0

with ThreadPoolExecutor(4) as pool:
    print(sum(pool.map(ask, range(12))))
"""


def affordable(db: discreet.Database) -> int:
    """How many questions of this price the whole budget allows."""
    return int(db.budget().dataset.cap.amount / (Fraction(EACH) ** 2 / 2))


def test_four_processes_of_four_threads(policy: Path) -> None:
    greedy = [
        subprocess.Popen([sys.executable, "-c", GREEDY, str(policy), str(n)], stdout=subprocess.PIPE, text=True)
        for n in range(1, 5)
    ]
    answered = sum(int(each.communicate()[0]) for each in greedy)
    assert [each.returncode for each in greedy] == [0] * 4
    with discreet.connect(policy) as db:
        assert answered == affordable(db) < 48
        assert db.budget().dataset.spent.amount <= db.budget().dataset.cap.amount
        assert db.verify().ok


def test_sixteen_threads(db: discreet.Database) -> None:
    def ask(number: int) -> int:
        try:
            return len(db.query(f"SELECT COUNT(*) FROM people WHERE id <> -{number}", epsilon=EACH))
        except discreet.BudgetExhausted:
            return 0

    with ThreadPoolExecutor(16) as pool:
        assert sum(pool.map(ask, range(60))) == affordable(db) < 60
    assert db.verify().ok


def in_a_child(work: Callable[[], object]) -> int:
    """Run it in a fork; the exit code is 0 when it returned."""
    child = os.fork()
    if child:
        return os.waitpid(child, 0)[1]
    try:
        work()
        os._exit(0)
    finally:
        os._exit(1)


def test_a_fork_may_ask_too(db: discreet.Database) -> None:
    db.query("SELECT COUNT(*) FROM people", epsilon=0.1)
    assert in_a_child(lambda: db.query("SELECT SUM(age) FROM people", epsilon=0.1)) == 0
    assert in_a_child(db.close) == 0
    db.query("SELECT COUNT(*) FROM visits", epsilon=0.1)
    assert db.budget().dataset.spent.amount == Fraction(3, 200)
    assert db.verify().ok


def test_forks_draw_noise_of_their_own(db: discreet.Database) -> None:
    """Attack 7: parent and child, asked alike at the same moment, do not answer alike."""
    sql = "SELECT " + ", ".join(f"COUNT(*) FILTER (WHERE id <> -{n}) AS n{n}" for n in range(10)) + " FROM people"
    reading, writing = os.pipe()
    db.explain(sql, epsilon=0.1)

    def work() -> None:
        os.write(writing, repr(list(db.query(sql, epsilon=0.1))).encode())

    assert in_a_child(work) == 0
    os.close(writing)
    with os.fdopen(reading) as said:
        theirs = said.read()
    ours = repr(list(db.query(sql.replace("-0)", "-10)"), epsilon=0.1)))
    assert theirs
    assert theirs != ours


def test_forks_in_the_middle_of_a_crowd(db: discreet.Database) -> None:
    """A child that is born while other threads are asking does not wait for them: they are not in it."""

    def ask(number: int) -> bool:
        sql = f"SELECT COUNT(*) FROM people WHERE id <> -{number}"
        if number % 6 == 0:
            return in_a_child(lambda: db.query(sql, epsilon=0.05)) == 0
        return len(db.query(sql, epsilon=0.05)) == 1

    with ThreadPoolExecutor(6) as pool:
        assert all(pool.map(ask, range(36)))
    assert db.budget().dataset.spent.amount == 36 * Fraction(1, 800)
    assert db.verify().ok


LEAVES = """
import os, sys
import discreet
db = discreet.connect(sys.argv[1])
child = os.fork()
if child == 0:
    sys.exit(0)
os.waitpid(child, 0)
scratch = db._engines.here()._scratch.name
assert os.path.isdir(scratch), "the child took the parent's folder along"
print(list(db.query("SELECT COUNT(*) FROM people", epsilon=0.1)))
"""


def test_a_child_that_leaves_takes_nothing_along(policy: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LEAVES, str(policy)], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
