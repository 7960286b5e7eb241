"""A text of many statements: each is given out whole, as soon as it is, with its place."""

from __future__ import annotations

import pytest

from discreet.errors import Refused, Span
from discreet.sql import Statement, statements
from discreet.sql.read import LONGEST


def split(text: str, dialect: str = "duckdb") -> list[tuple[str, int, int]]:
    return [(each.text, each.line, each.column) for each in statements(text.splitlines(keepends=True), dialect)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        ("  \n ;; \n;", []),
        ("-- nothing\n/* at\nall */\n", []),
        ("SELECT 1", [("SELECT 1", 1, 1)]),
        ("SELECT 1;SELECT 2 ; \n SELECT 3", [("SELECT 1", 1, 1), ("SELECT 2", 1, 10), ("SELECT 3", 2, 2)]),
        ("SELECT 1\nSELECT 2\n\nselect 3\n", [("SELECT 1", 1, 1), ("SELECT 2", 2, 1), ("select 3", 4, 1)]),
        ("SELECT 1\nFROM t\n  WHERE x\nSELECT 2", [("SELECT 1\nFROM t\n  WHERE x", 1, 1), ("SELECT 2", 4, 1)]),
        (
            "SELECT ';', \"a;b\" FROM t -- ; \n;SELECT 2",
            [("SELECT ';', \"a;b\" FROM t -- ;", 1, 1), ("SELECT 2", 2, 2)],
        ),
        ("-- first\n  SELECT 1; -- second\nSELECT 2", [("SELECT 1", 2, 3), ("SELECT 2", 3, 1)]),
        ("SELECT 'a\nSELECT b'\n;", [("SELECT 'a\nSELECT b'", 1, 1)]),
        ("SELECT (\nSELECT 1)\n", [("SELECT (\nSELECT 1)", 1, 1)]),
        ("WITH u AS (\n SELECT 1)\nSELECT 2;", [("WITH u AS (\n SELECT 1)\nSELECT 2", 1, 1)]),
        ("FROM t\nSELECT 1; SELECT 2", [("FROM t\nSELECT 1", 1, 1), ("SELECT 2", 2, 11)]),
        ("DELETE FROM t;\nSELECT 1", [("DELETE FROM t", 1, 1), ("SELECT 1", 2, 1)]),
        ("SELECT 1\r\nSELECT 2\r\n", [("SELECT 1", 1, 1), ("SELECT 2", 2, 1)]),
        ("SELECT 1;\n  SELECT 'open", [("SELECT 1", 1, 1), ("SELECT 'open", 2, 3)]),
        ("SELECTED\nSELECT 1", [("SELECTED\nSELECT 1", 1, 1)]),
    ],
)
def test_split(text: str, found: list[tuple[str, int, int]]) -> None:
    assert split(text) == found


def test_quotes_are_those_of_the_dialect() -> None:
    text = "SELECT 'it\\'s; one';\nSELECT 2"
    assert [each[0] for each in split(text, "bigquery")] == ["SELECT 'it\\'s; one'", "SELECT 2"]
    with pytest.raises(Refused, match="no dialect"):
        split("SELECT 1", "klingon")


def test_a_stream_gives_each_statement_out_before_the_next_line_has_come() -> None:
    seen: list[str] = []

    def arriving():
        for line in ("SELECT 1;\n", "SELECT\n", "2; SELECT 3", ";\n", "SELECT 4\n"):
            seen.append(line)
            yield line

    given = statements(arriving(), "duckdb")
    assert [(next(given).text, len(seen)) for _ in range(4)] == [
        ("SELECT 1", 1),
        ("SELECT\n2", 3),
        ("SELECT 3", 4),
        ("SELECT 4", 5),
    ]
    assert list(given) == []


def test_what_never_ends_is_given_out_to_be_refused() -> None:
    endless = ("(" * 20_000 + "\n" for _ in range(10**6))
    assert len(next(statements(endless, "duckdb")).text) > LONGEST


@pytest.mark.parametrize(("span", "placed"), [(None, (3, 5)), (Span(1, 8), (3, 12)), (Span(2, 8), (4, 8))])
def test_a_refusal_is_placed_in_the_whole_text(span: Span | None, placed: tuple[int, int]) -> None:
    refusal = Statement("SELECT x\nFROM no", 3, 5).placed(Refused("code", "message", "hint", span))
    assert (refusal.line, refusal.column) == placed
    assert (refusal.code, refusal.message, refusal.hint) == ("code", "message", "hint")
