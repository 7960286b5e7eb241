"""What may meet what: only conversions that cannot fail are made unasked."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from discreet.errors import Refused
from discreet.plan.nodes import Plan
from discreet.plan.show import show

Asks = Callable[[str], Plan]
Refuses = Callable[[str], Refused]
WHERE = "SELECT COUNT(*) AS n FROM orders JOIN users USING (user_id) WHERE "


@pytest.mark.parametrize(
    ("condition", "meaning"),
    [
        ("age > 1.5", ">(users.age, Decimal('1.5'))"),
        ("age = NULL", "=(users.age, None)"),
        ("signup > '2026-01-31'", ">(users.signup, date 2026-01-31)"),
        ("'2026-01-31' < signup", "<(date 2026-01-31, users.signup)"),
        ("ordered_at > '2026-01-31'", ">(orders.ordered_at, timestamp 2026-01-31 00:00:00)"),
        ("signup > '2026-01-31 10:00:00'", ">(users.signup, timestamp 2026-01-31 10:00:00)"),
        ("signup < ordered_at", "<(users.signup, orders.ordered_at)"),
        ("age || 'x' = '1x'", "=(concat(to_text(users.age), text x), text 1x)"),
        ("LENGTH(age) = 2", "=(length(to_text(users.age)), 2)"),
        ("YEAR(note) = 2026", "=(year(to_timestamp(orders.note)), 2026)"),
        ("CAST(age AS INTEGER) = 1", "=(users.age, 1)"),
        ("CAST('2026-01-31' AS DATE) = signup", "=(date 2026-01-31, users.signup)"),
        ("-5 < age", "<(-5, users.age)"),
        ("active", "users.active"),
        ("active = TRUE", "=(users.active, boolean True)"),
        ("COALESCE(age, 0.5) > 1", ">(coalesce(users.age, Decimal('0.5')), 1)"),
        ("age IN (1, 2.5, NULL)", "in(users.age, 1, Decimal('2.5'), None)"),
        ("1e3 < amount", "<(Decimal('1E+3'), orders.amount)"),
    ],
)
def test_conversions_that_cannot_fail(condition: str, meaning: str, plan: Asks) -> None:
    assert f"Filter {meaning}\n" in show(plan(WHERE + condition))


@pytest.mark.parametrize(
    "condition",
    [
        "age = 'old'", "age = '1'", "email > 1", "active = 1", "active > 'true'", "age", "email", "signup", "NOT age",
        "age AND active", "signup = 1", "signup > age", "YEAR(age) = 1", "active + 1 > 1", "-email = 1", "ABS(email) > 1",
        "CASE WHEN active THEN 1 ELSE 'x' END = 1", "COALESCE(age, 'none') = 'x'", "NULLIF(age, 'x') = 1",
        "age IN (1, 'x')", "age BETWEEN 1 AND 'x'", "GREATEST(email, city) = 'x'", "age IS TRUE", "signup + 1 > signup",
        "email + 1 = 2", "ROUND(email) = 1", "amount // 2 = 1", "age // 0.5 = 1", "CASE age WHEN 'x' THEN TRUE END", "IF(age, TRUE, FALSE)",
    ],
)  # fmt: skip
def test_what_would_need_a_cast_is_refused(condition: str, refused: Refuses) -> None:
    error = refused(WHERE + condition)
    assert error.code == "type-mismatch"
    assert error.line == 1
    assert error.column is not None
    assert error.column > len(WHERE) - 1


@pytest.mark.parametrize(
    ("condition", "code"),
    [
        ("signup > 'yesterday'", "bad-literal"),
        ("signup > DATE '2026-02-30'", "bad-literal"),
        ("ordered_at > TIMESTAMP '2026-01-31 25:00:00'", "bad-literal"),
        ("ordered_at > '2026-01-31 10:00:00+02:00'", "bad-literal"),
        ("ROUND(age, 99) = 1", "bad-literal"),
        ("LEFT(email, -1) = 'x'", "bad-literal"),
        ("SUBSTRING(email, 1, 99999999) = 'x'", "bad-literal"),
        ("ROUND(age, age) = 1", "not-constant"),
        ("LEFT(email, age) = 'x'", "not-constant"),
        ("email LIKE city", "not-constant"),
        ("age > 1e999", "bad-literal"),
        ("age > 1e-999", "bad-literal"),
        (f"age > {'9' * 5000}", "bad-literal"),
    ],
)
def test_what_must_be_written_out(condition: str, code: str, plan: Asks, refused: Refuses) -> None:
    assert refused(WHERE + condition).code == code


def test_a_number_as_long_as_a_hugeint_is_read(plan: Asks) -> None:
    assert str(2**127 - 1) in show(plan(WHERE + f"age < {2**127 - 1}"))
