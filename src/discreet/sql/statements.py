"""A text of many statements, split as it arrives: a watch may be given a pipe that never ends.

A statement ends at its semicolon. Without one it ends where a line begins with SELECT or WITH while a SELECT stands and
every bracket is closed; so a file may also hold one statement a line. In a stream the semicolon is worth its while: the
next line need not have come yet.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import TokenError
from sqlglot.tokenizer_core import Token, TokenType

from discreet.errors import Refused, Span
from discreet.sql.read import CLOSING, LONGEST, OPENING, dialect_of

__all__ = ["Statement", "statements"]

BEGINS = re.compile(r"\s*(SELECT|WITH)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Statement:
    """The words of one statement, without its semicolon, and where in the text they begin."""

    text: str
    line: int
    column: int

    def placed(self, refusal: Refused) -> Refused:
        """The refusal of this statement, at its place in the whole text; without one it is that of the statement."""
        line, column = refusal.line or 1, refusal.column or 1
        span = Span(self.line + line - 1, column if line > 1 else self.column + column - 1)
        return Refused(refusal.code, refusal.message, refusal.hint, span)


def statements(lines: Iterable[str], dialect: str) -> Iterator[Statement]:
    """Each statement as soon as it is whole. Comments between statements are left out."""
    splitter = _Splitter(dialect_of(dialect))
    for line in lines:
        yield from splitter.take(line)
    yield from splitter.rest()


class _Splitter:
    """``pending`` has come and is not given out; it begins behind ``column`` characters of the line ``line``."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect, self._pending, self._line, self._column = dialect, "", 1, 0

    def take(self, line: str) -> Iterator[Statement]:
        if BEGINS.match(line) and _is_whole(self._tokens()):
            yield from self.rest()
        self._pending += line
        while (end := self._semicolon()) is not None:
            yield from self._cut(end, end + 1)
        if len(self._pending) > LONGEST:
            yield from self.rest()

    def rest(self) -> Iterator[Statement]:
        yield from self._cut(len(self._pending), len(self._pending))

    def _cut(self, end: int, after: int) -> Iterator[Statement]:
        """What stands before ``end``, if it has a word. What cannot be split into words is given out to be refused."""
        tokens = self._tokens()
        words = [token.start for token in tokens or [] if token.start < end]
        start = words[0] if words else len(self._pending) - len(self._pending.lstrip())
        text = self._pending[start:end].rstrip()
        if text and (words or tokens is None):
            self._pass(start)
            yield Statement(text, self._line, self._column + 1)
            self._pass(after - start)
        else:
            self._pass(after)

    def _pass(self, size: int) -> None:
        passed, self._pending = self._pending[:size], self._pending[size:]
        lines = passed.split("\n")
        self._line += len(lines) - 1
        self._column = len(lines[-1]) + (self._column if len(lines) == 1 else 0)

    def _tokens(self) -> list[Token] | None:
        """None while a quote or a comment is open."""
        try:
            return self._dialect.tokenize(self._pending)
        except TokenError:
            return None

    def _semicolon(self) -> int | None:
        ends = (token.start for token in self._tokens() or [] if token.token_type is TokenType.SEMICOLON)
        return next(ends, None)


def _is_whole(tokens: list[Token] | None) -> bool:
    """A SELECT whose brackets are closed; what begins with WITH or FROM has its SELECT on a later line."""
    if not tokens or tokens[0].token_type is not TokenType.SELECT:
        return False
    kinds = [token.token_type for token in tokens]
    return sum((kind in OPENING) - (kind in CLOSING) for kind in kinds) == 0
