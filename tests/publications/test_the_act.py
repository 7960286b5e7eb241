"""Publishing: paid once, chained, by the owner, under a name; and what it costs to ask afterwards."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from fractions import Fraction
from typing import TYPE_CHECKING

import duckdb
import pytest

import discreet
from publications.clubs import POLICY, build

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

HISTOGRAM = "SELECT area, COUNT(*) AS n FROM health GROUP BY area"
ROWS = "SELECT area FROM health"


def test_it_is_paid_once_and_asking_costs_nothing(db: discreet.Database) -> None:
    made = db.publish("people", HISTOGRAM, epsilon=1)
    spent, entries = db.budget(), len(db.history())
    assert (made.cost.epsilon, spent.dataset.spent.amount) == (1.0, Fraction(1, 2))
    for sql in ("SELECT * FROM published.people", "SELECT COUNT(*) AS c FROM published.people"):
        assert db.query(sql).cost == db.query(sql, epsilon=5).cost == db.quote(sql) == discreet.Cost(0.0, 0.0, 0.0)
        assert db.explain(sql).cost == discreet.Cost(0.0, 0.0, 0.0)
    assert db.budget() == spent
    assert len(db.history()) == entries
    assert db.verify().ok


def test_rows_cost_what_their_answers_do(db: discreet.Database) -> None:
    made = db.publish("areas", ROWS, rows=40, epsilon=1)
    assert made.receipt.events == ({"kind": "randomised-response", "ratio": "1"},)
    assert made.cost.rho == pytest.approx(0.4621171573, abs=5e-11)
    assert db.views["areas"].law == "randomised response of epsilon 1 among 4 answers"


def test_publishing_again_is_free_and_changes_nothing(db: discreet.Database) -> None:
    for name, sql, rows in (("people", HISTOGRAM, None), ("areas", ROWS, 40)):
        first = db.publish(name, sql, rows=rows, epsilon=1)
        spent, entries = db.budget(), len(db.history())
        again = db.publish(name.upper(), sql, rows=rows, epsilon=1)
        assert list(again) == list(first)
        assert (again.repeated, again.receipt) == (True, first.receipt)
        assert "answered before" in again.free
        assert (db.budget(), len(db.history())) == (spent, entries)


def test_what_was_asked_before_is_published_for_nothing(db: discreet.Database) -> None:
    answer = db.query(HISTOGRAM, epsilon=1)
    spent = db.budget()
    made = db.publish("people", HISTOGRAM, epsilon=1)
    assert (list(made), made.receipt, made.repeated) == (list(answer), answer.receipt, True)
    assert db.budget() == spent


def test_a_name_is_given_anew_only_on_demand(db: discreet.Database) -> None:
    first = db.publish("people", HISTOGRAM, epsilon=1)
    spent = db.budget()
    with pytest.raises(discreet.Refused) as refused:
        db.publish("People", HISTOGRAM, epsilon=2)
    assert refused.value.code == "already-published"
    assert db.budget() == spent
    second = db.publish("people", HISTOGRAM, epsilon=2, replace=True)
    assert db.query("SELECT * FROM published.people").receipt == second.receipt != first.receipt
    assert db.verify().ok


def test_it_is_the_owners_act(policy: Path, db: discreet.Database) -> None:
    with discreet.connect(policy, analyst="alice") as alice:
        with pytest.raises(discreet.Refused) as refused:
            alice.publish("people", HISTOGRAM, epsilon=1)
        assert refused.value.code == "owners-act"
        db.publish("people", HISTOGRAM, epsilon=50)
        before = alice.budget()
        assert len(alice.query("SELECT * FROM published.people")) == 3
        assert alice.budget() == before
        assert list(alice.views) == ["people"]


def test_an_open_connection_sees_it_at_once_and_a_spent_budget_does_not_matter(tmp_path: Path) -> None:
    small = build(tmp_path / "small", policy=POLICY.replace("epsilon    = 10000", "epsilon    = 7"))
    with discreet.connect(small) as owner, discreet.connect(small) as other:
        assert dict(other.views) == {}
        with pytest.raises(discreet.Refused) as refused:
            other.query("SELECT * FROM published.people")
        assert refused.value.code == "unknown-table"
        owner.publish("people", HISTOGRAM, epsilon=1)
        assert len(other.query("SELECT * FROM published.people")) == 3
        with pytest.raises(discreet.BudgetExhausted):
            other.query("SELECT COUNT(*) FROM health", epsilon=1)
        assert len(other.query("SELECT COUNT(*) FROM published.people")) == 1


def test_a_publication_outlives_the_data_and_says_so(policy: Path) -> None:
    with discreet.connect(policy) as db:
        db.publish("people", HISTOGRAM, epsilon=1)
        before = db.query("SELECT * FROM published.people")
        assert "earlier" not in before.notes[-1]
    with duckdb.connect(str(policy.parent / "club.duckdb")) as connection:
        connection.execute(
            "DROP TABLE health; CREATE TABLE health (member BIGINT, area VARCHAR, age INTEGER, "
            "smokes BOOLEAN, fit BOOLEAN, grade DECIMAL(4, 2), born DATE)"
        )
    with discreet.connect(policy) as db:
        after = db.query("SELECT * FROM published.people")
        assert list(after) == list(before)
        assert after.notes[-1].endswith("of an earlier version of the data")
        (offer,) = db.explain("SELECT COUNT(*) AS c FROM health").published
        assert offer.outdated


NAMES = ["", " ", "a b", "a.b", "1a", "a-b", "a~", 'a"', "ä", "x" * 64, "published.people", "a;b", "\n"]


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_one_plain_word(db: discreet.Database, name: str) -> None:
    with pytest.raises(discreet.Refused) as refused:
        db.publish(name, HISTOGRAM, epsilon=1)
    assert refused.value.code == "bad-name"
    assert len(db.history()) == 1


@pytest.mark.parametrize(
    "written", ["published.people", "PUBLISHED.People", '"published"."people"', '"Published".PEOPLE']
)
def test_names_are_found_as_those_of_other_tables_are(db: discreet.Database, written: str) -> None:
    db.publish("People", HISTOGRAM, epsilon=1)
    assert len(db.query(f"SELECT * FROM {written}")) == 3
    assert len(db.query(f"SELECT p.area, COUNT(*) FROM {written} AS p GROUP BY p.area")) == 3


def test_a_bare_name_is_no_publication(db: discreet.Database) -> None:
    db.publish("people", HISTOGRAM, epsilon=1)
    for sql in (
        "SELECT * FROM people",
        "SELECT COUNT(*) FROM main.people",
        "SELECT COUNT(*) FROM club.published.people",
    ):
        with pytest.raises(discreet.Refused):
            db.query(sql)
    assert (
        len(db.query("SELECT published.area, COUNT(*) FROM health AS published GROUP BY published.area", epsilon=1))
        == 3
    )


def test_a_table_of_the_policy_stands_before_a_publication(tmp_path: Path) -> None:
    """The source has a schema of that name: its private table stays private, whatever is published."""
    words = POLICY + '[tables."published.people"]\nunit = "member"\nrows_per_unit = 1\n'
    schema = ("CREATE SCHEMA published", "CREATE TABLE published.people AS SELECT * FROM health WHERE member < 4")
    with discreet.connect(build(tmp_path / "before", *schema)) as db:
        db.publish("people", HISTOGRAM, epsilon=1)
    shutil.copytree(tmp_path / "before", tmp_path / "after")
    (tmp_path / "after" / "discreet.toml").write_text(words)
    with discreet.connect(tmp_path / "after") as db:
        answer = db.query("SELECT COUNT(*) AS c FROM published.people", epsilon=100)
        assert (list(answer), answer.cost.epsilon) == ([(3,)], 100.0)
        with pytest.raises(discreet.Refused) as rows:
            db.query("SELECT * FROM published.people")
        assert rows.value.code == "raw-rows"
        with pytest.raises(discreet.Refused) as taken:
            db.publish("people", HISTOGRAM, epsilon=2, replace=True)
        assert taken.value.code == "bad-name"
        assert len(db.publish("others", HISTOGRAM, epsilon=2)) == 3


REFUSED = [
    ("not-publishable", "SELECT area, SUM(age) AS s FROM health GROUP BY area"),
    ("not-publishable", "SELECT area, COUNT(*) AS n, COUNT(*) AS m, AVG(age) AS a FROM health GROUP BY area"),
    ("not-publishable", "SELECT area, COUNT(age) AS n FROM health GROUP BY area"),
    ("not-publishable", "SELECT area, COUNT(*) FILTER (WHERE fit) AS n FROM health GROUP BY area"),
    ("not-publishable", "SELECT area, COUNT(*) AS n FROM health GROUP BY area HAVING n > 3"),
    ("not-publishable", "SELECT area, COUNT(*) AS n FROM health GROUP BY area ORDER BY n"),
    ("not-publishable", "SELECT area, COUNT(*) AS n FROM health GROUP BY area LIMIT 1"),
    ("not-publishable", "SELECT area, COUNT(*) AS n, DP_INTERVAL_LOW(n) FROM health GROUP BY area"),
    ("not-publishable", "SELECT DISTINCT area FROM health"),
    ("not-publishable", "SELECT age, COUNT(*) AS n FROM health GROUP BY age"),
    ("not-publishable", "SELECT age > 30, COUNT(*) AS n FROM health GROUP BY 1"),
    ("not-publishable", "SELECT age FROM health"),
    ("not-publishable", "SELECT * FROM health"),
    ("not-publishable", "SELECT h.* FROM health AS h"),
    ("not-publishable", "SELECT 1 AS one FROM health"),
    ("not-publishable", "SELECT age > 30 FROM health"),
    ("not-publishable", "SELECT member FROM health"),
    ("not-publishable", "SELECT place FROM visits"),
    ("not-publishable", "SELECT v.place FROM visits AS v JOIN health AS h ON v.member = h.member"),
    ("unsupported", "SELECT smokes FROM health ORDER BY age"),
    ("unsupported", "SELECT smokes FROM health LIMIT 3"),
    ("unsupported", "SELECT COUNT(*) OVER () FROM health"),
    ("all-public", "SELECT plan FROM members"),
    ("unknown-table", "SELECT area, COUNT(*) AS n FROM published.people GROUP BY area"),
    ("not-a-select", "DELETE FROM health"),
]


@pytest.mark.parametrize(("code", "sql"), REFUSED)
def test_what_cannot_be_published_is_refused_before_anything_is_paid(
    db: discreet.Database, code: str, sql: str
) -> None:
    with pytest.raises(discreet.Refused) as refused:
        db.publish("people", sql, epsilon=1)
    assert refused.value.code == code
    with pytest.raises(discreet.Refused) as refused:
        db.publish("people", sql, rows=40, epsilon=1)
    assert refused.value.code in {code, "two-sizes"}
    assert len(db.history()) == 1


@pytest.mark.parametrize(
    ("code", "sql", "rows"),
    [
        ("no-size", ROWS, None),
        ("two-sizes", "SELECT member, smokes FROM health", 40),
        ("two-sizes", HISTOGRAM, 40),
        ("bad-size", ROWS, 0),
        ("bad-size", ROWS, -1),
        ("bad-size", ROWS, 10**6 + 1),
        ("bad-size", ROWS, 2.0),
        ("bad-size", ROWS, True),
    ],
)
def test_the_number_of_rows_is_a_public_declaration(db: discreet.Database, code: str, sql: str, rows: int) -> None:
    with pytest.raises(discreet.Refused) as refused:
        db.publish("people", sql, rows=rows, epsilon=1)
    assert refused.value.code == code


def test_prices_are_named_as_elsewhere(db: discreet.Database) -> None:
    assert db.publish("people", HISTOGRAM).cost.epsilon == 1.0
    sharp = db.publish("sharp", HISTOGRAM, accuracy=5)
    assert max(ends.high - ends.low for ends in sharp.intervals()["n"]) <= 10
    stated = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (epsilon = 0.5) fit FROM health"
    assert db.publish("stated", stated, rows=40).receipt.events[0]["ratio"] == "1/2"
    for wrong, code in (({"accuracy": 3}, "accuracy-unknown"), ({"epsilon": -1}, "bad-price")):
        with pytest.raises(discreet.Refused) as refused:
            db.publish("wrong", ROWS, rows=40, **wrong)
        assert refused.value.code == code


@pytest.mark.parametrize("accounting", ["pure", "zcdp", "gdp", "slots", "decaying"])
def test_every_accounting_pays_for_both_kinds(tmp_path: Path, accounting: str) -> None:
    setting = 'accounting = "slots"\nslots = 20' if accounting == "slots" else f'accounting = "{accounting}"'
    words = POLICY.replace('accounting = "zcdp"', setting).replace("epsilon    = 10000", "epsilon    = 20")
    if accounting in ("slots", "decaying"):
        words = words.replace("per_query  = { epsilon = 1 }", "")
    words = words.replace("[analysts.alice]\nepsilon = 1\n", "")
    price = {} if accounting in ("slots", "decaying") else {"epsilon": 1}
    with discreet.connect(build(tmp_path / "club", policy=words)) as db:
        for name, sql, rows in (("people", HISTOGRAM, None), ("areas", ROWS, 40)):
            before = db.budget().dataset.spent.amount
            db.publish(name, sql, rows=rows, **price)
            assert db.budget().dataset.spent.amount > before
            answer = db.query(f"SELECT area, COUNT(*) AS c FROM published.{name} GROUP BY area")
            assert all(
                ends.low <= row[1] <= ends.high for row, ends in zip(answer, answer.intervals()["c"], strict=True)
            )
        assert db.verify().ok


def test_a_change_is_noticed(policy: Path, db: discreet.Database) -> None:
    db.publish("people", HISTOGRAM, epsilon=1)
    with closing(sqlite3.connect(policy.parent / "club.ledger")) as raw:
        raw.execute("DROP TRIGGER publications_are_never_changed")
        raw.execute("UPDATE publications SET payload = replace(payload, 'north', 'South')")
        raw.commit()
    assert any("publication" in problem for problem in db.verify().problems)


DOOMED = """
import os, signal, sys
import discreet, discreet.session.answering as answering
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

owners = {"reserve": Ledger, "fetch": DuckDB, "draw": answering, "settle": Ledger, "publish": Ledger}
policy, sql, rows, name, when = sys.argv[1:]
dies(owners[name], name, when)
discreet.connect(policy).publish("people", sql, rows=int(rows) or None, epsilon=1)
"""


@pytest.mark.parametrize(("sql", "rows"), [(HISTOGRAM, 0), (ROWS, 40)])
@pytest.mark.parametrize(
    ("step", "when"),
    [("reserve", "before"), ("reserve", "after"), ("fetch", "before"), ("draw", "after"),
     ("settle", "before"), ("settle", "after"), ("publish", "before"), ("publish", "after")],
)  # fmt: skip
def test_killed(policy: Path, sql: str, rows: int, step: str, when: str) -> None:
    command = [sys.executable, "-c", DOOMED, str(policy), sql, str(rows), step, when]
    done = subprocess.run(command, capture_output=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr
    with discreet.connect(policy) as db:
        paid, there = db.budget().dataset.spent.amount, (step, when) == ("publish", "after")
        assert bool(paid) is ((step, when) != ("reserve", "before"))
        assert list(db.views) == (["people"] if there else [])
        assert db.verify().ok
        again = db.publish("people", sql, rows=rows or None, epsilon=1)
        kept = step == "publish" or (step, when) == ("settle", "after")
        assert again.repeated is kept
        assert (db.budget().dataset.spent.amount == paid) is kept
        assert db.verify().ok


def test_threads_that_publish_one_name_agree(policy: Path, db: discreet.Database) -> None:
    def publish(epsilon: int) -> str:
        try:
            return str(db.publish("people", HISTOGRAM, epsilon=epsilon).receipt.id)
        except discreet.Refused as error:
            return error.code

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(publish, [1, 2, 3, 4, 1, 2, 3, 4]))
    standing = db.views["people"].receipt.id
    assert str(standing) in found
    assert set(found) <= {str(standing), "already-published"}
    assert [entry.kind for entry in db.history()].count("published") == 1
    assert db.verify().ok


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_child_reads_with_an_engine_of_its_own(db: discreet.Database) -> None:
    db.publish("people", HISTOGRAM, epsilon=1)
    before = list(db.query("SELECT * FROM published.people"))
    child = os.fork()
    if child == 0:
        try:
            os._exit(0 if list(db.query("SELECT * FROM published.people")) == before else 1)
        except BaseException:
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert list(db.query("SELECT * FROM published.people")) == before


def test_closed_is_closed(policy: Path) -> None:
    with discreet.connect(policy) as db:
        db.publish("people", HISTOGRAM, epsilon=1)
        db.query("SELECT * FROM published.people")
    asks: list[Callable[[], object]] = [
        lambda: db.query("SELECT * FROM published.people"),
        lambda: db.views,
        lambda: db.publish("more", HISTOGRAM, epsilon=1),
    ]
    for ask in asks:
        with pytest.raises(discreet.LedgerError, match="closed"):
            ask()


def test_a_batch_may_hold_questions_that_are_free(db: discreet.Database) -> None:
    db.publish("people", HISTOGRAM, epsilon=1)
    free, paid = "SELECT COUNT(*) AS c FROM published.people", "SELECT COUNT(*) AS c FROM health"
    answers = db.batch([free, paid, free], epsilon=2)
    assert [answer.cost.epsilon for answer in answers] == [0.0, 2.0, 0.0]
    spent = db.budget()
    assert [answer.cost.epsilon for answer in db.batch([free], epsilon=2)] == [0.0]
    assert db.budget() == spent
