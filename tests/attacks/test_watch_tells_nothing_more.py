"""A stream of a thousand counts on two databases that differ in one person: nothing more is paid, and nothing leaks."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest

import discreet
from attacks.worlds import CANARY, EXTREMES, POLICY, VICTIMS, build
from discreet.mechanisms import noise_source

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CONDITIONS = [
    "age = {n}",
    "name = 'ann' AND age > {n}",
    "id <> -{n}",
    "score / ratio > {n}",
    "big + {n} > 0",
    "day > met AND id <> {n}",
]
FAILING = "CREATE VIEW failing AS SELECT id, CAST(name AS INTEGER) AS age FROM people"
WITH_VIEW = POLICY + "[tables.failing]\nunit = 'id'\nrows_per_unit = 1\ncolumns.age = { range = [0, 120] }\n"


def statements(size: int) -> list[str]:
    return [f"SELECT COUNT(*) FROM people WHERE {CONDITIONS[n % 6].format(n=n)}" for n in range(size)]


def seen(db: discreet.Database, watch: discreet.Watch, sql: str) -> dict[str, Any]:
    """All that an analyst sees of one comparison, but for the hash and the time of its entry."""
    before = db.budget().dataset.spent.amount
    try:
        told = watch.ask(sql).to_dict()
    except discreet.DiscreetError as error:
        told = {"error": (type(error).__name__, str(error))}
    told.pop("hash", None)
    return {**told, "spent": db.budget().dataset.spent.amount - before, "open": (watch.left, repr(watch))}


@pytest.mark.usefixtures("quiet")
def test_a_thousand_counts_far_below_look_alike_and_cost_nothing_more(tmp_path: Path) -> None:
    """The person is one of forty-one; where noise cannot reach the threshold, there is nothing to tell them apart."""
    found: list[list[dict[str, Any]]] = []
    for place, rows in enumerate(([], VICTIMS["extremes"])):
        with discreet.connect(build(tmp_path / str(place), *rows)) as db:
            watch = db.watch(1000, epsilon=1)
            found.append([seen(db, watch, sql) for sql in statements(1000)])
            assert db.budget().dataset.spent.amount == Fraction(1, 2)
            assert db.verify().ok
    assert found[0] == found[1]
    assert {each["spent"] for each in found[0]} == {0}
    assert {each["above"] for each in found[0]} == {False}


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("victim", sorted(VICTIMS))
def test_every_victim_is_looked_at_alike(tmp_path: Path, victim: str) -> None:
    found: list[list[dict[str, Any]]] = []
    for place, rows in enumerate(([], VICTIMS[victim])):
        with discreet.connect(build(tmp_path / str(place), *rows)) as db:
            watch = db.watch(1000, epsilon=1)
            plans = [watch.explain(sql).to_dict() for sql in statements(12)]
            found.append([{**seen(db, watch, sql), **plan} for sql, plan in zip(statements(12), plans, strict=True)])
    assert found[0] == found[1]


def scripted(draws: list[int]) -> Callable[[object, int], list[int]]:
    """Noise that is said beforehand, one draw after another."""
    waiting = iter(draws)
    return lambda _scale, n: [next(waiting) for _ in range(n)]


def test_one_step_of_the_kept_noise_hides_a_person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The proof's step: with the threshold's noise one higher, nobody who was not above becomes above by one person."""
    for noises in ([0, 1, -2, 0, 3, -1], [2, 0, 0, 4, 1, 5]):
        said: list[list[bool]] = []
        for place, (rows, shift) in enumerate((([], 0), (VICTIMS["ordinary"], 1))):
            folder = tmp_path / f"{place}{noises[0]}"
            monkeypatch.setattr(noise_source, "discrete_laplace", scripted([noises[0] + shift, *noises[1:]]))
            with discreet.connect(build(folder, *rows)) as db:
                watch = db.watch(20, answers=9, epsilon=1)
                said.append(
                    [watch.ask(f"SELECT COUNT(DISTINCT id) FROM people WHERE age > {n}").above for n in range(38, 43)]
                )
        ours, theirs = said
        assert not any(more and not less for less, more in zip(ours, theirs, strict=True))


def test_failures_are_bounded_by_the_answers(tmp_path: Path) -> None:
    """What fails because of a row has one text, and takes an answer: a thousand questions fail twice at the most."""
    with discreet.connect(build(tmp_path / "db", *EXTREMES, FAILING, policy=WITH_VIEW)) as db:
        watch = db.watch(1000, answers=2, epsilon=1)
        told = [seen(db, watch, f"SELECT COUNT(*) FROM failing WHERE age > {n}") for n in range(6)]
        assert [each["error"][0] for each in told] == ["EngineError"] * 2 + ["Refused"] * 4
        assert {each["error"][1] for each in told[:2]} == {discreet.EngineError.TEXT}
        assert {each["spent"] for each in told} == {0}
        assert CANARY not in repr(db.history())
        db.close()
    for path in tmp_path.rglob("*ledger*"):
        assert CANARY.encode() not in path.read_bytes()
