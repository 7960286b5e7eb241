"""Two small databases that differ in one person, and questions that make the most of that person."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING

from discreet.audit.blackbox import Accounting, Finding, audit
from discreet.session import Database, connect

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["QUESTIONS", "Question", "attack", "twins"]

PEOPLE = 40
VICTIM = 1_000
MOST_VISITS, HIGHEST = 4, 100
AT_ONCE = 100
"""Statements of one batch: a square number, so that a share of its price is a plain number."""

POLICY = """
[dataset]
name   = "audit"
source = "csv:///."
ledger = "sqlite:///audit.ledger"
[budget]
epsilon    = 10000
delta      = 1e-6
accounting = "{accounting}"
[tables.visits]
unit            = "person"
rows_per_unit   = {most}
groups_per_unit = 2
columns.person  = {{ type = "integer" }}
columns.page    = {{ values = ["home", "shop", "help"] }}
columns.amount  = {{ range = [0, {high}], step = 1 }}
"""


@dataclass(frozen=True, slots=True)
class Question:
    """``{fresh}`` is a number that changes nothing: a question that was answered before is not answered anew."""

    name: str
    sql: str
    accounting: Accounting
    epsilon: float


QUESTIONS = (
    Question("COUNT(*), rows beyond the bound", "SELECT COUNT(*) FROM visits WHERE person <> -{fresh}", "zcdp", 2),
    Question("SUM, values beyond the range", "SELECT SUM(amount) FROM visits WHERE person <> -{fresh}", "zcdp", 2),
    Question("COUNT(DISTINCT person)", "SELECT COUNT(DISTINCT person) FROM visits WHERE person <> -{fresh}", "zcdp", 2),
    Question("SUM in pure accounting", "SELECT SUM(amount) FROM visits WHERE person <> -{fresh}", "pure", 2),
)


@contextmanager
def twins(folder: Path, accounting: Accounting) -> Generator[tuple[Database, Database]]:
    """The same people twice, and in the first database one more, who has far more of everything than is allowed."""
    people = [(person, "home", 10) for person in range(PEOPLE) for _ in range(2)]
    victim = [(VICTIM, page, 1_000_000) for page in ("home", "shop", "help") for _ in range(20)]
    with ExitStack() as opened:
        first, second = (
            opened.enter_context(connect(_written(folder / name, rows, accounting)))
            for name, rows in (("with", [*people, *victim]), ("without", people))
        )
        yield first, second


def _written(folder: Path, rows: list[tuple[int, str, int]], accounting: Accounting) -> Path:
    folder.mkdir(parents=True)
    lines = ["person,page,amount", *(",".join(map(str, row)) for row in rows)]
    (folder / "visits.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    policy = folder / "discreet.toml"
    policy.write_text(POLICY.format(accounting=accounting, most=MOST_VISITS, high=HIGHEST), encoding="utf-8")
    return policy


def attack(question: Question, folder: Path, asked: int, doubt: float = 1e-6) -> Finding:
    """Build the twins in a folder of their own and put the question to both, again and again."""
    with twins(folder, question.accounting) as (first, second):
        ours, theirs = (list(_answers(db, question, asked)) for db in (first, second))
    return audit(ours, theirs, question.epsilon, question.accounting, doubt)


def _answers(db: Database, question: Question, asked: int) -> Iterator[float]:
    """The last number of the first row of each answer; a batch shares its price evenly."""
    whole = question.epsilon * (AT_ONCE if question.accounting == "pure" else AT_ONCE**0.5)
    fresh = count(1)
    while asked > 0:
        statements = [_alone(question).format(fresh=next(fresh)) for _ in range(AT_ONCE)]
        for answer in db.batch(statements, epsilon=whole)[:asked]:
            yield float(next(iter(answer))[-1])
        asked -= AT_ONCE


def _alone(question: Question) -> str:
    """A statement that names its noise has noise of its own: those of a list that is planned together share it."""
    noise = {"pure": "laplace", "zcdp": "gaussian"}[question.accounting]
    named = f"SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (mechanism = '{noise}') "
    return named + question.sql.removeprefix("SELECT ")
