"""A mechanism that is named is the one that is used, from every way in; a name that does not fit is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import discreet
from discreet.mechanisms.method import KNOWN
from house.sources import REPOSITORY

if TYPE_CHECKING:
    from pathlib import Path

BOTH = "SELECT COUNT(*) AS n, MEDIAN(age) AS m FROM people"
COUNT, MEDIAN = "SELECT COUNT(*) AS n FROM people", "SELECT MEDIAN(age) AS m FROM people"


def options(words: str, sql: str) -> str:
    return sql.replace("SELECT", f"SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS ({words})", 1)


def used(db: discreet.Database, sql: str, **price: object) -> list[str]:
    found = db.explain(sql, **price)
    assert found.error is None
    return [each.mechanism for each in found.releases]


def refusal(db: discreet.Database, sql: str, **price: object) -> discreet.Refused:
    error = db.explain(sql, **price).error
    assert error is not None
    return error


@pytest.mark.parametrize("name", ["laplace", "gaussian", "exponential", "permute-and-flip"])
def test_a_name_decides_for_the_numbers_that_it_is_for(db: discreet.Database, name: str) -> None:
    usual = used(db, BOTH)
    for found in (used(db, BOTH, mechanism=name), used(db, options(f"mechanism = '{name}'", BOTH))):
        assert name in found
        assert sum(a != b for a, b in zip(found, usual, strict=True)) <= 1


def test_every_name_is_in_the_reference() -> None:
    page = (REPOSITORY / "docs" / "sql.md").read_text(encoding="utf-8")
    table = page.partition("## Naming a mechanism")[2].partition("\n## ")[0]
    assert [name for name in KNOWN if f"`{name}`" not in table] == []


def test_names_are_read_as_people_write_them(db: discreet.Database) -> None:
    assert used(db, MEDIAN, mechanism=" Permute_and_Flip ") == ["permute-and-flip"]


def test_the_answer_has_what_was_named(db: discreet.Database) -> None:
    assert db.query(COUNT, epsilon=1, mechanism="laplace").receipt.events[0]["kind"] == "laplace"
    assert db.query(COUNT, epsilon=1, mechanism="gaussian").receipt.events[0]["kind"] == "gaussian"


def test_a_name_makes_another_question_and_its_repeat_is_free(db: discreet.Database) -> None:
    first = db.query(COUNT, epsilon=1)
    named = db.query(COUNT, epsilon=1, mechanism="laplace")
    assert not named.repeated
    again = db.query(COUNT, epsilon=1, mechanism="laplace")
    assert again.repeated
    assert list(again) == list(named)
    assert list(db.query(COUNT, epsilon=1)) == list(first)
    assert db.query(options("epsilon = 1, mechanism = 'laplace'", COUNT)).repeated


def test_the_accuracy_that_is_promised_is_that_of_the_named_noise(db: discreet.Database) -> None:
    prices = {name: db.quote(COUNT, accuracy=20, mechanism=name).epsilon for name in ("laplace", "gaussian")}
    assert prices["laplace"] != prices["gaussian"]
    found = db.explain(COUNT, accuracy=20, mechanism="laplace").releases[0]
    assert found.mechanism == "laplace"
    assert found.half_width_95 is not None
    assert found.half_width_95 <= 20


@pytest.mark.parametrize("name", ["cauchy", "", 3, "laplace;"])
def test_a_name_that_is_not_known_is_refused_with_those_that_are(db: discreet.Database, name: object) -> None:
    with pytest.raises(discreet.Refused) as refused:
        db.query(COUNT, epsilon=1, mechanism=name)
    assert refused.value.code == "unknown-mechanism"
    assert refused.value.hint


@pytest.mark.parametrize(("name", "sql"), [("exponential", COUNT), ("permute-and-flip", COUNT), ("laplace", MEDIAN)])
def test_a_name_that_nothing_is_released_by_is_refused(db: discreet.Database, name: str, sql: str) -> None:
    assert refusal(db, sql, mechanism=name).code == "wrong-mechanism"


def test_a_noise_without_a_price_is_refused(policy: Path) -> None:
    policy.write_text(policy.read_text().replace("epsilon = 30", 'epsilon = 30\naccounting = "pure"', 1))
    with discreet.connect(policy) as db:
        error = refusal(db, COUNT, mechanism="gaussian")
        assert error.code == "wrong-mechanism"
        assert "pure" in error.message
        assert used(db, COUNT, mechanism="laplace") == ["laplace"]


def test_two_names_are_one_too_many(db: discreet.Database) -> None:
    assert refusal(db, options("mechanism = 'laplace'", COUNT), mechanism="gaussian").code == "two-mechanisms"
    assert used(db, options("mechanism = 'laplace'", COUNT), mechanism="laplace") == ["laplace"]


def test_delta_is_set_aside_where_a_question_may_spend_some(policy: Path, tmp_path: Path) -> None:
    with discreet.connect(policy) as db:
        before = db.budget().dataset.cap
    words = policy.read_text().replace("per_query = { epsilon = 0.1 }", "per_query = { epsilon = 0.1, delta = 1e-9 }")
    policy.write_text(words.partition("[keys]")[0] + "[analysts" + words.partition("[analysts")[2])
    with discreet.connect(policy) as db:
        assert db.budget().dataset.cap == before
    policy.write_text(policy.read_text().replace(", delta = 1e-9", ""))
    with discreet.connect(policy) as db:
        assert db.budget().dataset.cap.delta == 0
