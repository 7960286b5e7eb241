"""Where a refusal points: the line and the column of the word that it is about."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from discreet.errors import Refused

Refuses = Callable[[str], Refused]


@pytest.mark.parametrize(
    ("marked", "code"),
    [
        ("SELECT ^email FROM users", "raw-rows"),
        ("SELECT city, ^age, COUNT(*) FROM users GROUP BY city", "not-grouped"),
        ("SELECT COUNT(*)\nFROM users\nWHERE ^wrong > 1", "unknown-column"),
        ("SELECT COUNT(*)\r\nFROM users\r\nWHERE ^wrong > 1", "unknown-column"),
        ("SELECT COUNT(*)\nFROM ^user", "unknown-table"),
        ("SELECT COUNT(*) FROM users u\n  JOIN ^nowhere o USING (user_id)", "unknown-table"),
        ("SELECT COUNT(*) FROM orders o JOIN users u ON o.user_id = u.user_id\nWHERE ^user_id > 1", "ambiguous-column"),
        ("SELECT COUNT(*) FROM users WHERE ^random() < 0.5", "unsupported"),
        ("SELECT COUNT(*) FROM users WHERE age > 1 AND ^secret_function(age) = 2", "unknown-function"),
        ("SELECT COUNT(*) FROM users WHERE city = 'ß 日本 𝒳' AND ^wrong = 1", "unknown-column"),
        ("SELECT COUNT(*) FROM users WHERE city LIKE ^email", "not-constant"),
        ("SELECT COUNT(*) FROM users WHERE signup > DATE ^'2026-02-30'", "bad-literal"),
        ("SELECT COUNT(*) FROM users GROUP BY city ORDER BY COUNT(*), ^email", "not-released"),
        ("SELECT COUNT(*) FROM users GROUP BY city HAVING ^age > 1", "not-released"),
        ("SELECT city FROM users GROUP BY ^7", "bad-literal"),
        ("\n\n  ^DELETE FROM users", "not-a-select"),
        ("/* a comment */ ^UPDATE users SET age = 1", "not-a-select"),
        ("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (epsilon = 0.5)\n  ^email FROM users", "raw-rows"),
        ("SELECT WITH DIFFERENTIAL_PRIVACY\n OPTIONS (epsilon = 0.5,\n delta = 1e-9) COUNT(*), SUM(^wieght)\nFROM orders", "unknown-column"),
        ("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (^noise = 0) COUNT(*) FROM users", "bad-option"),
        ("SELECT COUNT(*)(^FROM users", "syntax"),
    ],
)  # fmt: skip
def test_the_place(marked: str, code: str, refused: Refuses) -> None:
    before, _, after = marked.partition("^")
    error = refused(before + after)
    assert error.code == code
    assert (error.line, error.column) == (before.count("\n") + 1, len(before.rpartition("\n")[2]) + 1)


@pytest.mark.parametrize("form", ["CURRENT_DATE", "?", "$1", "CURRENT_TIMESTAMP"])
def test_what_has_no_place_of_its_own_points_at_what_it_stands_in(form: str, refused: Refuses) -> None:
    error = refused(f"SELECT COUNT(*) FROM users WHERE signup < {form}")
    assert (error.line, error.column) == (1, len("SELECT COUNT(*) FROM users WHERE ") + 1)


@pytest.mark.parametrize(
    ("call", "name"),
    [
        ("SKEWNESS(age)", "SKEWNESS"),
        ("REGR_SLOPE(age, age)", "REGR_SLOPE"),
        ("list(age)", "LIST"),
        ("kurtosis(age)", "KURTOSIS"),
        ("any_value(age)", "ANY_VALUE"),
        ("approx_count_distinct(age)", "APPROX_COUNT_DISTINCT"),
    ],
)
def test_a_function_is_called_what_the_analyst_called_it(call: str, name: str, refused: Refuses) -> None:
    assert f" {name} " in refused(f"SELECT {call} FROM users").message
