"""Attacks 8 and 28: a failure has one text, and no message, log, trace or file holds what was in a row."""

from __future__ import annotations

import gc
import logging
import pickle
import traceback
from typing import TYPE_CHECKING

import pytest

import discreet
from attacks.worlds import CANARY, CANARY_NUMBER, EXTREMES, POLICY, build
from discreet.engines import Exact

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FAILING = "CREATE VIEW failing AS SELECT id, CAST(name AS INTEGER) AS age FROM people"
"""The owner's own view fails on a row, and the database's message quotes the row."""

WITH_VIEW = POLICY + "[tables.failing]\nunit = 'id'\nrows_per_unit = 1\ncolumns.age = { range = [0, 120] }\n"
SQL = "SELECT SUM(age) FROM failing"


@pytest.fixture
def failing(tmp_path: Path) -> Iterator[discreet.Database]:
    with discreet.connect(build(tmp_path / "db", *EXTREMES, FAILING, policy=WITH_VIEW)) as db:
        yield db


def caught(db: discreet.Database) -> discreet.EngineError:
    with pytest.raises(discreet.EngineError) as found:
        db.query(SQL, epsilon=1)
    return found.value


def test_the_text_is_constant_and_the_price_stays_spent(failing: discreet.Database) -> None:
    texts = {str(caught(failing)) for _ in range(2)}
    assert texts == {discreet.EngineError.TEXT}
    assert failing.budget().dataset.spent.amount == 2 * failing.quote(SQL, epsilon=1).rho
    assert [entry.kind for entry in failing.history()][-2:] == ["reserved", "failed"]
    assert failing.verify().ok


def test_the_error_has_no_cause_and_no_frame_with_values(failing: discreet.Database) -> None:
    error = caught(failing)
    assert error.__cause__ is None
    assert error.__context__ is None
    told = "".join(traceback.TracebackException.from_exception(error, capture_locals=True).format())
    assert "failing" in told
    assert CANARY not in told
    assert "apples" not in told


def test_nothing_is_logged(failing: discreet.Database, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        caught(failing)
        failing.query("SELECT name, SUM(age) FROM people GROUP BY name", epsilon=1)
    assert CANARY not in caplog.text
    assert str(CANARY_NUMBER) not in caplog.text


def test_no_file_holds_what_was_in_a_row(failing: discreet.Database, tmp_path: Path) -> None:
    caught(failing)
    answers = [
        failing.query("SELECT name, SUM(age) FROM people GROUP BY name", epsilon=1),
        failing.query("SELECT city, SUM(score), COUNT(*) FROM people GROUP BY city", epsilon=1),
    ]
    for answer in answers:
        assert CANARY not in repr(answer) + repr(answer.program) + repr(answer.groups) + repr(list(answer))
    failing.close()
    written = [path for path in tmp_path.rglob("*") if path.is_file() and path.name != "people.duckdb"]
    assert any("ledger" in path.name for path in written)
    for path in written:
        assert CANARY.encode() not in path.read_bytes(), path
        assert b"apples" not in path.read_bytes(), path


def test_exact_values_neither_print_nor_travel() -> None:
    exact = Exact([(CANARY,)], [[CANARY_NUMBER]])
    assert CANARY not in repr(exact) + str(exact)
    assert str(CANARY_NUMBER) not in repr(exact)
    with pytest.raises(TypeError):
        pickle.dumps(exact)


def test_no_exact_value_is_kept(failing: discreet.Database) -> None:
    failing.query("SELECT name, SUM(age) FROM people GROUP BY name", epsilon=1)
    gc.collect()
    assert [found for found in gc.get_objects() if isinstance(found, Exact)] == []


@pytest.mark.parametrize("where", ["discreet.session.answering.draw", "discreet.engines.duckdb.DuckDB.fetch"])
@pytest.mark.parametrize("kind", [ValueError, MemoryError, OverflowError, RecursionError])
def test_any_failure_is_that_failure(
    failing: discreet.Database, monkeypatch: pytest.MonkeyPatch, where: str, kind: type[Exception]
) -> None:
    def fail(*_: object) -> object:
        raise kind(CANARY)

    monkeypatch.setattr(where, fail)
    assert str(caught(failing)) == discreet.EngineError.TEXT


def test_an_interrupt_carries_no_frame_with_values(failing: discreet.Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C while exact values are at hand: the price stays spent, and the traceback holds none of them."""
    from discreet.engines.duckdb import DuckDB

    def interrupted(self: DuckDB, *args: object) -> None:
        values = [CANARY]
        raise KeyboardInterrupt(values)

    monkeypatch.setattr(DuckDB, "fetch", interrupted)
    with pytest.raises(KeyboardInterrupt) as found:
        failing.query(SQL, epsilon=1)
    rendered = "".join(traceback.TracebackException.from_exception(found.value, capture_locals=True).format())
    assert CANARY not in rendered
    assert failing.history()[-1].kind == "failed"
