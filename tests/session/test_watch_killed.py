"""kill -9, crashes and crowds: a watch is paid once, its noise is drawn once, its last answer is given once."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest

import discreet
from discreet.ledger.watches import Watches

if TYPE_CHECKING:
    from pathlib import Path

    from discreet.ledger.watch import Begun, Outcome, Said

PEOPLE = "SELECT COUNT(*) FROM people"
"""Forty; three rows a person."""

DOOMED = """
import os, signal, sys
import discreet, discreet.session.lookout as lookout
from discreet.engines.duckdb import DuckDB
from discreet.ledger.watches import Watches

def dies(owner, name, when):
    real = getattr(owner, name)
    def dying(*given, **named):
        if when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        found = real(*given, **named)
        os.kill(os.getpid(), signal.SIGKILL)
    setattr(owner, name, dying)

owners = {"open": Watches, "begin": Watches, "fetch": DuckDB, "compare": lookout, "conclude": Watches}
policy, name, when = sys.argv[1:]
dies(owners[name], name, when)
discreet.connect(policy).watch(40, epsilon=1).ask("SELECT COUNT(*) FROM people")
"""

UNPAID, UNDRAWN = [("open", "before")], [("open", "before"), ("open", "after"), ("begin", "before")]


def secrets(policy: Path) -> tuple[list[tuple[str]], list[tuple[str, str]]]:
    with closing(sqlite3.connect(policy.with_name("people.ledger"))) as raw:
        return (
            raw.execute("SELECT noise FROM watches").fetchall(),
            raw.execute("SELECT noise, secret FROM comparisons").fetchall(),
        )


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("step", ["open", "begin", "fetch", "compare", "conclude"])
def test_killed(policy: Path, step: str, when: str) -> None:
    done = subprocess.run([sys.executable, "-c", DOOMED, str(policy), step, when], capture_output=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr
    paid = (step, when) not in UNPAID
    threshold, begun = secrets(policy)
    assert (len(threshold), len(begun)) == (paid, (step, when) not in UNDRAWN)
    with discreet.connect(policy) as db:
        assert db.budget().dataset.spent.amount == Fraction(paid, 2)
        assert db.verify().ok
        watch = db.watch(40, epsilon=1)
        assert watch.resumed is paid
        kept = (step, when) == ("conclude", "after")
        assert len(watch.observations) == kept
        said = watch.ask(PEOPLE)
        assert said.repeated is kept
        assert watch.left == 1 - said.above
        assert db.budget().dataset.spent.amount == Fraction(1, 2)
        assert db.verify().ok


class Crash(BaseException):
    """The process is gone."""


def test_dying_before_the_word_is_written_does_not_buy_another_draw(
    policy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The count is at the threshold, so a fresh noise would say the other word half of the time."""
    words: list[Outcome] = []
    kept: list[object] = []

    def crash(_: Watches, begun: Begun, said: Said) -> None:
        words.append(said.outcome)
        kept.append(secrets(policy))
        raise Crash(begun)

    with monkeypatch.context() as patch:
        patch.setattr(Watches, "conclude", crash)
        for _ in range(40):
            with discreet.connect(policy) as db, pytest.raises(Crash):
                db.watch(40, epsilon=0.1).ask(PEOPLE)
    with discreet.connect(policy) as db:
        said = db.watch(40, epsilon=0.1).ask(PEOPLE)
    assert {word.value for word in words} == {"above" if said else "not above"}
    assert all(each == kept[0] for each in kept)


GREEDY = """
import sys
from concurrent.futures import ThreadPoolExecutor
import discreet

watch = discreet.connect(sys.argv[1]).watch(0, answers=5, epsilon=2)

def ask(number):
    try:
        return bool(watch.ask(f"SELECT COUNT(*) FROM people WHERE id <> -{sys.argv[2]}{number:03}"))
    except discreet.Refused as refused:
        assert refused.code == "watch-finished", refused
        return False

with ThreadPoolExecutor(3) as pool:
    print(sum(pool.map(ask, range(8))))
"""


def test_four_processes_of_three_threads_share_the_answers(policy: Path) -> None:
    greedy = [
        subprocess.Popen([sys.executable, "-c", GREEDY, str(policy), str(n)], stdout=subprocess.PIPE, text=True)
        for n in range(1, 5)
    ]
    above = [int(each.communicate()[0]) for each in greedy]
    assert [each.returncode for each in greedy] == [0] * 4
    assert sum(above) == 5
    with discreet.connect(policy) as db:
        assert db.budget().dataset.spent.amount == 2
        assert db.watch(0, answers=5, epsilon=2).finished
        assert [entry.kind for entry in db.history()].count("settled") == 1
        assert db.verify().ok


def test_threads_that_ask_the_same_share_one_comparison(db: discreet.Database) -> None:
    watch = db.watch(40, answers=20, epsilon=0.1)
    with ThreadPoolExecutor(8) as pool:
        said = list(pool.map(lambda _: watch.ask(PEOPLE), range(24)))
    assert len({(each.id, each.above) for each in said}) == 1
    assert [each.repeated for each in said].count(False) == 1
    assert watch.left == 20 - said[0].above
    assert db.verify().ok


def test_a_fork_goes_on_with_the_watch(db: discreet.Database) -> None:
    watch = db.watch(1000, epsilon=1)
    assert not watch.ask(PEOPLE)
    child = os.fork()
    if child == 0:
        try:
            sure = watch.ask(PEOPLE).repeated and not watch.ask(f"{PEOPLE} WHERE age > 30")
            os._exit(0 if sure else 1)
        finally:
            os._exit(2)
    assert os.waitpid(child, 0)[1] == 0
    assert watch.ask(f"{PEOPLE} WHERE age > 30").repeated
    assert db.verify().ok
