"""Where each key of a TOML text stands: the standard library's reader gives values without lines.

The text has been read by tomllib before it comes here, so it is valid, and a scan over its tokens
is enough: strings and comments are whole tokens, and everything else is punctuation or bare words.
"""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["KeyPath", "Lines"]

KeyPath = tuple[str | int, ...]
"""Keys from the root; an integer is a place in an array."""

TOKEN = re.compile(
    r"""(?P<string>"{3}(?:\\.|[^\\])*?"{3,5}|'{3}.*?'{3,5}|"(?:\\.|[^"\\\n])*"|'[^'\n]*')"""
    r"""|(?P<newline>\n)|(?P<comment>\#[^\n]*)|(?P<mark>[\[\]{}=,])|(?P<bare>[^\s"'\[\]{}=,\#]+)|(?P<space>\s)""",
    re.DOTALL,
)


class _Token(NamedTuple):
    kind: str
    text: str
    line: int


class Lines:
    """The line of every key path, counted from one."""

    def __init__(self, text: str) -> None:
        self._lines: dict[KeyPath, int] = {}
        self._tokens = list(_tokens(text))
        self._next = 0
        self._scan()

    def of(self, path: KeyPath) -> int | None:
        """The line of this path, or of the nearest key above it that is in the text."""
        while path and path not in self._lines:
            path = path[:-1]
        return self._lines.get(path)

    def _scan(self) -> None:
        header: KeyPath = ()
        arrays: dict[KeyPath, int] = {}
        while self._peek():
            if self._skip("\n"):
                continue
            if self._skip("["):
                header = self._header(arrays)
            else:
                self._pair(header)

    def _header(self, arrays: dict[KeyPath, int]) -> KeyPath:
        is_array = self._skip("[")
        keys, line = self._key()
        path: KeyPath = ()
        for place, key in enumerate(keys, 1):
            path = (*path, key)
            self._lines.setdefault(path, line)
            if path in arrays and place < len(keys):
                path = (*path, arrays[path])
        if is_array:
            arrays[path] = arrays.get(path, -1) + 1
            path = (*path, arrays[path])
            self._lines[path] = line
        self._skip("]")
        if is_array:
            self._skip("]")
        return path

    def _pair(self, above: KeyPath) -> None:
        keys, line = self._key()
        path = above
        for key in keys:
            path = (*path, key)
            self._lines.setdefault(path, line)
        self._skip("=")
        self._value(path)

    def _key(self) -> tuple[tuple[str, ...], int]:
        first = self._peek()
        parts: list[str] = []
        while (token := self._peek()) and token.kind in ("bare", "string"):
            self._next += 1
            parts += [tomllib.loads(f"x={token.text}")["x"]] if token.kind == "string" else _dotted(token.text)
        if not parts:
            self._next += 1
        return tuple(parts), first.line if first else 0

    def _value(self, path: KeyPath) -> None:
        if self._skip("["):
            self._elements(path)
        elif self._skip("{"):
            self._inline_table(path)
        else:
            while (token := self._peek()) and token.kind in ("bare", "string"):
                self._next += 1

    def _elements(self, path: KeyPath) -> None:
        place = 0
        while (token := self._peek()) and not self._skip("]"):
            if self._skip("\n") or self._skip(","):
                continue
            self._lines[(*path, place)] = token.line
            before = self._next
            self._value((*path, place))
            self._next = max(self._next, before + 1)
            place += 1

    def _inline_table(self, path: KeyPath) -> None:
        while self._peek() and not self._skip("}"):
            if not (self._skip("\n") or self._skip(",")):
                self._pair(path)

    def _peek(self) -> _Token | None:
        return self._tokens[self._next] if self._next < len(self._tokens) else None

    def _skip(self, mark: str) -> bool:
        token = self._peek()
        found = token is not None and token.kind in ("mark", "newline") and token.text == mark
        self._next += found
        return found


def _tokens(text: str) -> Iterator[_Token]:
    line = 1
    for match in TOKEN.finditer(text):
        kind = match.lastgroup or ""
        if kind not in ("comment", "space"):
            yield _Token(kind, match.group(), line)
        line += match.group().count("\n")


def _dotted(bare: str) -> list[str]:
    return [part for part in bare.split(".") if part]
