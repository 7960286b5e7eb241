"""The door of the room: one text in, one plan out."""

from __future__ import annotations

from dataclasses import dataclass

import sqlglot
from sqlglot import exp
from sqlglot.errors import ParseError, SqlglotError

from discreet.errors import Refused, Span
from discreet.plan.nodes import Plan
from discreet.policy.catalogue import Catalogue
from discreet.sql.options import Options, strip
from discreet.sql.refusals import refuse
from discreet.sql.select import lower

__all__ = ["Options", "Question", "read"]

LONGEST = 100_000
"""Characters of a statement: far above what people write, far below what hurts a parser."""

DEEPEST = 200
"""Levels of a statement's tree: the walks over a plan are recursive."""


@dataclass(frozen=True, slots=True)
class Question:
    plan: Plan
    options: Options


def read(text: str, catalogue: Catalogue, dialect: str) -> Question:
    """Parse, resolve and lower one SELECT; anything else is refused."""
    stripped, options = strip(text)
    return Question(lower(_parse(stripped, dialect), catalogue), options)


def _parse(text: str, dialect: str) -> exp.Select:
    if len(text) > LONGEST:
        raise Refused("too-long", f"the statement has {len(text)} characters", f"at most {LONGEST} are read")
    try:
        statements = [
            tree for tree in sqlglot.parse(text, read=dialect) if tree and not isinstance(tree, exp.Semicolon)
        ]
    except ParseError as error:
        raise _syntax(error) from None
    except (SqlglotError, RecursionError, ValueError) as error:
        raise Refused("syntax", f"the statement cannot be read: {type(error).__name__}") from None
    if len(statements) != 1:
        raise Refused("one-statement", f"found {len(statements)} statements", "send one SELECT at a time")
    tree = statements[0]
    if _depth(tree) > DEEPEST:
        raise Refused("too-long", f"the statement nests deeper than {DEEPEST} levels", "use IN for long lists of OR")
    if not isinstance(tree, exp.Select):
        refuse(
            tree, "not-a-select", f"{tree.key.upper()} is not answered here", "only SELECT statements are; docs/sql.md"
        )
    return tree


def _depth(tree: exp.Expr) -> int:
    """Levels of the tree: counted without recursion, which is what too many of them would break."""
    level, depth = [tree], 0
    while level:
        level = [child for node in level for child in node.iter_expressions()]
        depth += 1
    return depth


def _syntax(error: ParseError) -> Refused:
    first = error.errors[0] if error.errors else {}
    found = first.get("highlight") or "the end of the text"
    line, end = first.get("line"), first.get("col")
    place = Span(line, max(1, end - len(first.get("highlight") or "") + 1)) if line and end else None
    return Refused(
        "syntax", f"the statement cannot be read at {found!r}: {first.get('description', 'syntax error')}", "", place
    )
