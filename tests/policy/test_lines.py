"""Every key of a TOML text has the line that an editor shows."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.policy.lines import Lines

TEXT = '''\
# [not.a.table]
top = "a # b"

[a.b] # trailing
c.d = { e = 1, "f g" = [1, { h = 2 }] }
"quoted.key" = """
[not.a.table]
x = 1 \\""" ""\"""
list = [
  1, # one
  [
    2,
  ],
  "]",
]
when = 1979-05-27 07:32:00
'lit' = \'\'\'
y = 2\'\'\'
[[many]]
n = 1
[[many]]
n = 2
[many.below]
k = 3
'''

PLACES = [
    (("top",), 2),
    (("a",), 4),
    (("a", "b"), 4),
    (("a", "b", "c", "d", "e"), 5),
    (("a", "b", "c", "d", "f g", 1, "h"), 5),
    (("a", "b", "quoted.key"), 6),
    (("a", "b", "list"), 9),
    (("a", "b", "list", 0), 10),
    (("a", "b", "list", 1), 11),
    (("a", "b", "list", 1, 0), 12),
    (("a", "b", "list", 2), 14),
    (("a", "b", "when"), 16),
    (("a", "b", "lit"), 17),
    (("many", 0, "n"), 20),
    (("many", 1, "n"), 22),
    (("many", 1, "below", "k"), 24),
]


@pytest.mark.parametrize(("path", "line"), PLACES)
def test_places(path: tuple[str | int, ...], line: int) -> None:
    assert Lines(TEXT).of(path) == line


def test_what_is_not_there_has_the_line_of_what_is_above_it() -> None:
    lines = Lines(TEXT)
    assert lines.of(("a", "b", "nothing", "here")) == 4
    assert lines.of(("nothing",)) is None
    assert lines.of(()) is None


KEYS = st.text(min_size=1, max_size=6)
LEAVES = st.one_of(st.integers(0, 9), st.booleans(), st.text(max_size=8))


def written(key: str) -> str:
    return '"' + "".join(f"\\U{ord(letter):08x}" for letter in key) + '"'


def leaf(value: object) -> str:
    return written(value) if isinstance(value, str) else str(value).lower()


@given(st.dictionaries(KEYS, st.dictionaries(KEYS, LEAVES, max_size=4), max_size=4))
def test_every_key_of_a_written_document_is_found_on_its_line(data: dict[str, dict[str, Any]]) -> None:
    text, places = "", dict[tuple[str, ...], int]()
    for section, pairs in data.items():
        text += f"[{written(section)}] # c\n"
        places[section,] = text.count("\n")
        for key, value in pairs.items():
            text += f"{written(key)} = {leaf(value)}\n\n"
            places[section, key] = text.count("\n") - 1
    assert tomllib.loads(text) == data
    lines = Lines(text)
    assert {path: lines.of(path) for path in places} == places
