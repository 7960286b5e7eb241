"""The door of the room: one text in, one plan out."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import ParseError, SqlglotError, TokenError
from sqlglot.tokenizer_core import Token, TokenType

from discreet.errors import Refused, Span
from discreet.plan.nodes import Plan
from discreet.policy.catalogue import Catalogue
from discreet.sql.options import Options, strip
from discreet.sql.refusals import refuse
from discreet.sql.select import lower, lower_publication

__all__ = [
    "CLOSING",
    "LONGEST",
    "OPENING",
    "Options",
    "Publishable",
    "Question",
    "dialect_of",
    "read",
    "read_publication",
]

LONGEST = 100_000
"""Characters of a statement: far above what people write, far below what hurts a parser."""

DEEPEST = 64
"""Levels of a statement's tree: the walks over a plan are recursive, and so is the parser."""

MOST_COPIES, LARGEST = 256, 100_000
"""How often one argument is written out when such forms nest, and the nodes of all that is written."""

WRITTEN_TWICE = (
    exp.Between, exp.NullSafeEQ, exp.NullSafeNEQ, exp.Sqrt, exp.Extract, exp.DateTrunc, exp.TimestampTrunc,
    exp.Year, exp.Quarter, exp.Month, exp.Week, exp.Day, exp.DayOfMonth, exp.DayOfWeek, exp.DayOfYear,
    exp.Hour, exp.Minute, exp.Second,
)  # fmt: skip
TWICE_ONE: dict[type[exp.Expr], str] = {
    exp.Nullif: "this", exp.Div: "expression", exp.IntDiv: "expression", exp.Mod: "expression",
}  # fmt: skip
"""Forms of which one argument is: NULLIF is a CASE to an engine, and keeps every divisor from being zero."""
FEW = 8
"""A list of so few values may be written out as comparisons by an engine."""

ONLY_SELECT = "only SELECT statements are; docs/sql.md"
FIRST_WORDS = (TokenType.SELECT, TokenType.FROM, TokenType.WITH, TokenType.L_PAREN)
OPENING = (TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE)
CLOSING = (TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE)


@dataclass(frozen=True, slots=True)
class Question:
    plan: Plan
    options: Options


@dataclass(frozen=True, slots=True)
class Publishable:
    """``rows``: a row a unit, to be randomised; else a histogram."""

    plan: Plan
    options: Options
    rows: bool


def read(text: str, catalogue: Catalogue, dialect: str) -> Question:
    """Parse, resolve and lower one SELECT; anything else is refused."""
    stripped, options = strip(text)
    return Question(lower(_parse(stripped, dialect), catalogue), options)


def read_publication(text: str, catalogue: Catalogue, dialect: str) -> Publishable:
    """The same of what an owner wants to publish: a histogram, or rows."""
    stripped, options = strip(text)
    plan, rows = lower_publication(_parse(stripped, dialect), catalogue)
    return Publishable(plan, options, rows)


def _parse(text: str, dialect: str) -> exp.Select:
    if len(text) > LONGEST:
        raise Refused("too-long", f"the statement has {len(text)} characters", f"at most {LONGEST} are read")
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise Refused("syntax", "the statement holds half of a character, which no database reads", "write it whole")
    statements = _statements(text, dialect_of(dialect))
    if len(statements) != 1:
        raise Refused("one-statement", f"found {len(statements)} statements", "send one SELECT at a time")
    tree = statements[0]
    tree.meta["text"] = text
    _check_tree(tree)
    if not isinstance(tree, exp.Select):
        refuse(tree, "not-a-select", f"{tree.key.upper()} is not answered here", ONLY_SELECT)
    return tree


def dialect_of(name: str) -> Dialect:
    """The dialect of this name, or a refusal."""
    try:
        return Dialect.get_or_raise(name)
    except ValueError:
        raise Refused(
            "unknown-dialect", f"there is no dialect {name!r}", 'for example "duckdb" or "postgres"'
        ) from None


def _statements(text: str, dialect: Dialect) -> list[exp.Expr]:
    try:
        tokens = dialect.tokenize(text)
        _check_tokens(tokens)
        trees = dialect.parser().parse(tokens, text)
    except ParseError as error:
        raise _syntax(error) from None
    except TokenError:
        hint = "close every quote and every comment"
        raise Refused("syntax", "the statement cannot be split into words", hint) from None
    except RecursionError:
        raise _too_deep() from None
    except (SqlglotError, ValueError, TypeError, AttributeError, IndexError, KeyError):
        # The parser stumbles over a few malformed texts instead of reporting them.
        raise Refused("syntax", "the statement cannot be read", "write one plain SELECT") from None
    return [tree for tree in trees if tree and not isinstance(tree, exp.Semicolon)]


def _check_tokens(tokens: list[Token]) -> None:
    """What is seen before parsing: a first word that no question has, and brackets that would exhaust the parser."""
    first = next((token for token in tokens if token.token_type is not TokenType.SEMICOLON), None)
    if first is not None and first.token_type not in FIRST_WORDS:
        place = Span(first.line, first.col - (first.end - first.start))
        raise Refused("not-a-select", f"{first.text.upper()} is not answered here", ONLY_SELECT, place)
    depth = 0
    for token in tokens:
        depth += (token.token_type in OPENING) - (token.token_type in CLOSING)
        if depth > DEEPEST:
            raise _too_deep()


def _too_deep() -> Refused:
    return Refused(
        "too-long", f"the statement nests deeper than {DEEPEST} levels, or grows too large", "ask in several questions"
    )


def _check_tree(tree: exp.Expr) -> None:
    """Whether the tree is whole, how deep it is and how large it grows.

    It is counted without recursion, which is what too much would break.
    A chain of AND, or of OR, is one level: it is lowered to one operation of many arguments.
    """
    size, waiting = 0, [(tree, 1, 1)]
    while waiting:
        node, depth, copies = waiting.pop()
        size += copies
        if depth > DEEPEST or copies > MOST_COPIES or size > LARGEST:
            raise _too_deep()
        if node.error_messages():
            refuse(node, "syntax", f"something is missing in {node.key.upper()}")
        for child in node.iter_expressions():
            same = isinstance(node, exp.And | exp.Or) and type(child) is type(node)
            waiting.append((child, depth if same else depth + 1, copies * _times(node, child)))


def _times(node: exp.Expr, child: exp.Expr) -> int:
    """How often an argument is written out: a form without a total counterpart looks at it first, then uses it."""
    if isinstance(node, exp.Case):
        return max(1, len(node.args["ifs"])) if child is node.this else 1
    if isinstance(node, exp.In):
        return max(1, min(FEW, len(node.expressions))) if child is node.this else 1
    one = TWICE_ONE.get(type(node))
    return 2 if isinstance(node, WRITTEN_TWICE) or (one and child is node.args.get(one)) else 1


def _syntax(error: ParseError) -> Refused:
    first = error.errors[0] if error.errors else {}
    found = first.get("highlight") or "the end of the text"
    line, end = first.get("line"), first.get("col")
    place = Span(line, max(1, end - len(first.get("highlight") or "") + 1)) if line and end else None
    why = str(first.get("description") or "syntax error").partition(" <class")[0]
    return Refused("syntax", f"the statement cannot be read at {found!r}: {why}", "", place)
