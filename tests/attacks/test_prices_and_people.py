"""Attack 24: no number and no name that a client sends buys more than the policy grants."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import inf, nan
from typing import TYPE_CHECKING

import numpy as np
import pytest

import discreet
from attacks.worlds import POLICY, build

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Attempt = Callable[[discreet.Database], object]

SQL = "SELECT COUNT(*) FROM people"
QUOTA = POLICY.replace("epsilon = 10000", "epsilon = 2") + "[analysts.alice]\nepsilon = 1\n"

BAD = [
    nan, inf, -inf, -1, -0.0, 0, 0.0, 1e-400, 1e-300, 1e5, 10**400, True, False, b"1", "", " ", "x", "0x10", "1e-400",
    "1_0", "nan", "inf", "-1", "1/2", "١", "1" * 100, "1;2", [1], (1,), {"epsilon": 1}, object(), 1j, Decimal("NaN"),
    Decimal("-1"), Decimal("Infinity"), Decimal("sNaN"), Fraction(-1, 2), np.float64("nan"),
    np.float32(1), np.int64(1), np.array([1.0]), np.bool_(True),
]  # fmt: skip


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Iterator[discreet.Database]:
    with discreet.connect(build(tmp_path_factory.mktemp("prices") / "db", policy=QUOTA)) as opened:
        yield opened


@pytest.mark.parametrize("price", BAD, ids=[f"{place}" for place in range(len(BAD))])
def test_numbers_that_are_no_price(db: discreet.Database, price: object) -> None:
    attempts = (
        lambda: db.query(SQL, epsilon=price),
        lambda: db.batch([SQL], epsilon=price),
        lambda: db.quote(SQL, epsilon=price),
        lambda: db.query(SQL, accuracy=price),
        lambda: db.query(SQL, epsilon=1, delta=price),
    )
    refused = []
    for attempt in attempts[:3] + attempts[4:]:
        with pytest.raises(discreet.Refused) as found:
            attempt()
        refused.append(found.value.code)
    assert set(refused) == {"bad-price"}
    assert db.budget().dataset.spent.amount == 0


@pytest.mark.parametrize("value", ["nan", "inf", "-1", "0", "1e-400", "0x10", "1e999", "true", "NULL", "'1;2'", "$1"])
def test_options_that_are_no_price(db: discreet.Database, value: str) -> None:
    with pytest.raises(discreet.Refused) as refused:
        db.query(f"SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (epsilon = {value}) COUNT(*) FROM people")
    assert refused.value.code == "bad-price"


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ("budget = 5", "bad-option"),
        ("min_units = 0", "bad-option"),
        ("epsilon", "bad-option"),
        ("epsilon = 1, epsilon = 0.5", "bad-option"),
        ("max_groups_contributed = 0", "bad-option"),
        ("max_groups_contributed = -1", "bad-option"),
        ("max_groups_contributed = 1.5", "bad-option"),
    ],
)
def test_options_that_do_not_exist(db: discreet.Database, options: str, code: str) -> None:
    with pytest.raises(discreet.Refused) as refused:
        db.query(f"SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS ({options}) COUNT(*) FROM people", epsilon=1)
    assert refused.value.code == code


def test_one_price_at_a_time(db: discreet.Database) -> None:
    """Neither the call nor the statement wins silently."""
    priced = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (epsilon = 0.5) COUNT(*) FROM people"
    sharp = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (accuracy = 50) COUNT(*) FROM people"
    attempts = (
        lambda: db.query(priced, epsilon=0.1),
        lambda: db.batch([priced], epsilon=0.1),
        lambda: db.query(sharp, accuracy=10),
        lambda: db.batch([sharp], accuracy=10),
    )
    for attempt in attempts:
        with pytest.raises(discreet.Refused) as refused:
            attempt()
        assert refused.value.code == "two-prices"


@pytest.mark.parametrize(
    "attempt",
    [
        lambda db: db.query(SQL, epsilon=0.1, accuracy=10),
        lambda db: db.query(
            "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (epsilon = 0.1) COUNT(*) FROM people", accuracy=10
        ),
        lambda db: db.batch([SQL], epsilon=0.1, accuracy=10),
    ],
)
def test_an_epsilon_beside_an_accuracy_is_the_most_that_is_paid(db: discreet.Database, attempt: Attempt) -> None:
    with pytest.raises(discreet.Refused) as refused:
        attempt(db)
    assert refused.value.code == "accuracy-unreachable"
    assert db.budget().dataset.spent.amount == 0


def test_more_groups_than_the_owner_allows_are_not_granted(db: discreet.Database) -> None:
    """An analyst may ask for fewer groups a unit, never for more."""
    sql = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (max_groups_contributed = {}) page, COUNT(DISTINCT person) FROM visits GROUP BY page"
    assert {each.l1 for n in (1, 2, 1000) for each in db.explain(sql.format(n), epsilon=1).releases} == {1}


def test_no_delta_buys_more_than_the_dataset_has(db: discreet.Database) -> None:
    with pytest.raises(discreet.BudgetExhausted):
        db.query("SELECT name, COUNT(*) FROM people GROUP BY name", epsilon=0.1, delta=0.1)
    assert db.budget().dataset.spent.amount == 0


@pytest.mark.parametrize(
    "analyst", ["dataset", "analyst:alice", "Alice", "alice ", "", "a" * 10_000, "x'; --", "\0", "é\U0001f600"]
)
def test_a_name_opens_no_other_account(tmp_path: Path, analyst: str) -> None:
    path = build(tmp_path / "db", policy=QUOTA)
    with discreet.connect(path, analyst=analyst) as stranger, discreet.connect(path, analyst="alice") as alice:
        stranger.query(SQL, epsilon=0.1)
        assert stranger.budget().dataset.spent.amount > 0
        quota = alice.budget().analyst
        assert quota is not None
        assert quota.spent.amount == 0
        assert alice.verify().ok
        assert stranger.history()[-1].body["analyst"] == analyst


def test_a_quota_and_the_total_both_hold(tmp_path: Path) -> None:
    path = build(tmp_path / "db", policy=QUOTA)
    with discreet.connect(path, analyst="alice") as alice, discreet.connect(path) as anyone:
        with pytest.raises(discreet.BudgetExhausted):
            alice.query(SQL, epsilon=0.3)
        anyone.query(SQL, epsilon=0.3)
        assert anyone.budget().dataset.spent.amount == Fraction(9, 200)


@pytest.mark.parametrize(
    "analyst", [5, b"alice", True, ["alice"], object()], ids=["int", "bytes", "bool", "list", "object"]
)
def test_only_a_text_names_an_analyst(tmp_path: Path, analyst: object) -> None:
    with pytest.raises(TypeError, match="analyst"):
        discreet.connect(build(tmp_path / "db"), analyst=analyst)
