"""How an answer looks: ± beside every number, no digit that means nothing, nothing that a terminal obeys."""

from __future__ import annotations

import io
import re
from unittest.mock import patch

import duckdb
import pytest
from rich.console import Console

import discreet
from discreet.ledger.bar import bar
from discreet.release import Interval
from discreet.release.show import numbers, plain, rounded, shown

POLICY = """
[dataset]
name = "people"
source = "duckdb:///people.duckdb"

[budget]
epsilon = 3.0
delta = 1e-6
per_query = { epsilon = 0.5 }

[tables.people]
unit = "id"
rows_per_unit = 1
columns.age = { range = [0, 100] }
columns.town = { values = ["Aa", "<b>Bb</b>", "\\u001B[31mCc", "Nowhere"] }
"""


@pytest.fixture(scope="module")
def db(tmp_path_factory):
    """A thousand people in two towns, nobody in the others; numbers are drawn without noise, widths are true."""
    folder = tmp_path_factory.mktemp("people")
    with duckdb.connect(str(folder / "people.duckdb")) as connection:
        connection.execute(
            "CREATE TABLE people AS SELECT i AS id, i % 90 AS age, CASE i % 2 WHEN 0 THEN 'Aa' ELSE '<b>Bb</b>' END AS town "
            "FROM range(1000) AS r(i)"
        )
    (folder / "discreet.toml").write_text(POLICY, encoding="utf-8")
    calm = patch("discreet.release.draw.perturb", lambda noise, column: list(column))
    with calm, discreet.connect(folder / "discreet.toml") as database:
        yield database


@pytest.fixture(scope="module")
def release(db):
    return db.query("SELECT town, COUNT(*) AS n, AVG(age) AS age, DP_INTERVAL_LOW(n) AS low FROM people GROUP BY town")


def drawn(what, width):
    page = io.StringIO()
    Console(file=page, width=width, color_system=None).print(what)
    return page.getvalue()


@pytest.mark.parametrize(
    ("value", "low", "high", "text"),
    [
        (12345, 12334.0, 12356.0, ("12,345", "11")),
        (12345.678, 12345.0, 12346.356, ("12,345.68", "0.68")),
        (46.1370078, 45.2219387, 47.0298693, ("46.14", "0.92")),
        (4168967.58, 4030377.2, 4307557.96, ("4,170,000", "140,000")),
        (0.5, 0.4960000001, 0.5039, ("0.5000", "0.0040")),
        (0.0, 0.0, 150.2, ("0", "160")),
        (3.25, 3.25, 3.25, ("3.25", "0")),
        (-7, -9.0, -5.0, ("-7", "2")),
    ],
)
def test_numbers_keep_two_digits_of_their_noise(value, low, high, text):
    assert rounded(value, Interval(low, high)) == text


def test_the_shown_half_width_is_never_less_than_the_true_one():
    for half in (0.0101, 0.11, 0.999, 1.01, 9.95, 99.4, 101.0, 12345.6):
        assert float(rounded(0.5, Interval(0.5 - half, 0.5 + half))[1].replace(",", "")) >= half * (1 - 1e-12)


def test_every_number_has_its_half_width(release):
    key, n, age, low = shown(release)
    assert (key.number, n.number, age.number) == (False, True, True)
    assert all(re.fullmatch(r"\s*-?[\d,]+ ±\d+ *", cell) for cell in n.cells)
    assert age.cells[3].strip() == "too noisy"
    assert "±" not in "".join(low.cells)


def test_the_table_fits_eighty_columns(release):
    text = drawn(release, 80)
    assert max(map(len, text.splitlines())) <= 80
    assert all(word in text for word in ("town", "±", "too noisy", "cost", "epsilon 0.5", "left", "█", "receipt"))


def test_a_narrow_screen_gets_whole_numbers_one_below_the_other(release):
    text = drawn(numbers(release), 24)
    assert max(map(len, text.splitlines())) <= 24
    for column in shown(release)[1:3]:
        for cell in column.cells:
            assert cell.strip() in text


def test_text_and_repr_are_the_table(release):
    assert str(release) == repr(release)
    assert "too noisy" in str(release)
    assert release.receipt.hash[:16] in str(release)


def test_no_escape_sequence_reaches_a_terminal(release):
    text = drawn(release, 80)
    assert "\x1b" not in text
    assert "\\x1b[31mCc" in text


def test_html_is_escaped(release):
    html = release._repr_html_()
    assert "<b>" not in html
    assert "&lt;b&gt;Bb&lt;/b&gt;" in html
    assert "\x1b" not in html


def test_a_long_answer_is_cut_on_a_screen_and_whole_on_the_command_line(release):
    cut = drawn(numbers(release, 2), 80)
    assert "… and 2 more rows" in cut
    assert "Nowhere" not in cut
    assert "Nowhere" in drawn(numbers(release), 80)


def test_a_repeat_says_so(db, release):
    again = db.query("SELECT town, COUNT(*) AS n, AVG(age) AS age, DP_INTERVAL_LOW(n) AS low FROM people GROUP BY town")
    assert "answered before" in str(again)
    assert "answered before" not in str(release)


@pytest.mark.parametrize(
    ("share", "full", "text"),
    [(1.0, 20, "100%"), (0.9999, 19, ">99%"), (0.5, 10, "50%"), (0.001, 1, "<1%"), (0.0, 0, "0%"), (-1.0, 0, "0%")],
)
def test_the_bar_is_full_or_empty_only_when_the_budget_is(share, full, text):
    assert bar(share) == "█" * full + "░" * (20 - full) + f" {text}"


def test_plain_values():
    assert [plain(value) for value in (None, True, 1234, 0.1 + 0.2, "a\nb")] == [
        "NULL",
        "true",
        "1,234",
        "0.3",
        "a\\nb",
    ]
