"""What a relative accuracy costs, beside the price of somebody who knows the answer and buys that sharpness at once."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from statistics import fmean

import discreet
from bench.table import show
from discreet.engines.demo import build

TIMES = 40
SHARES = ("1%", "5%", "20%")
MOST = 4
"""The epsilon that may be paid: enough for all that is asked here."""

HEAD = [
    "question",
    "accounting",
    "accuracy",
    "epsilon at once",
    "paid",
    "ratio",
    "highest ratio",
]


@dataclass(frozen=True)
class Question:
    """A question that can be asked again and again: each time with another number that changes nothing."""

    name: str
    sql: str
    summable: bool = True


QUESTIONS = (
    Question("one count", "SELECT COUNT(*) AS n FROM users WHERE user_id <> -{}"),
    Question("a count in 12 groups", "SELECT city, COUNT(*) AS n FROM users WHERE user_id <> -{} GROUP BY city"),
    Question("a sum in 4 groups", "SELECT channel, SUM(quantity) AS s FROM items i JOIN orders o USING (order_id) "
             "WHERE i.order_id <> -{} GROUP BY channel"),
    Question("an average", "SELECT AVG(age) AS a FROM users WHERE user_id <> -{}", summable=False),
)  # fmt: skip


def main() -> None:
    rows: list[list[str]] = []
    for accounting in ("zcdp", "pure"):
        with tempfile.TemporaryDirectory() as folder:
            policy = build(Path(folder))
            words = policy.read_text().replace("epsilon    = 3.0", "epsilon    = 10000")
            policy.write_text(words.replace('"zcdp"', f'"{accounting}"'))
            with discreet.connect(policy) as db:
                rows += [_measured(db, question, share, accounting) for question in QUESTIONS for share in SHARES]
    show(f"What a relative accuracy costs, as epsilon (means of {TIMES} answers)", HEAD, rows)


def _measured(db: discreet.Database, question: Question, share: str, accounting: str) -> list[str]:
    once = _at_once(db, question, share)
    answers = [db.query(question.sql.format(n + 1), accuracy=share, epsilon=MOST) for n in range(TIMES)]
    paid = [answer.cost.epsilon for answer in answers]
    assert not any(answer.notes for answer in answers)
    return [
        question.name,
        accounting,
        share,
        f"{once:.4g}",
        f"{fmean(paid):.4g}",
        f"{fmean(paid) / once:.2f}",
        f"{max(paid) / once:.2f}",
    ]


def _at_once(db: discreet.Database, question: Question, share: str) -> float:
    """For counts and sums the least price that makes the smallest of the exact numbers that sharp."""
    truth = _exact(db, question.sql.format(0))
    if question.summable:
        return db.quote(question.sql.format(0), accuracy=f"{share} of {min(truth)}").epsilon
    low, high = 1e-4, float(MOST)
    while high > 1.02 * low:
        middle = (low * high) ** 0.5
        low, high = (low, middle) if _meets(db, question, share, middle, truth[0]) else (middle, high)
    return high


def _meets(db: discreet.Database, question: Question, share: str, epsilon: float, truth: float) -> bool:
    """Whether at least half of some answers at this price are that sharp."""
    wanted = float(Fraction(share[:-1]) / 100) * truth
    asked = [question.sql.format(1000 + n) for n in range(9)]
    found = [db.query(sql, epsilon=round(epsilon, 6)).intervals()["a"][0] for sql in asked]
    return sum(ends is not None and (ends.high - ends.low) / 2 <= wanted for ends in found) >= len(asked) / 2


def _exact(db: discreet.Database, sql: str) -> list[float]:
    """As good as exact: the answer that the bounds of the policy leave, at a price that nobody would pay."""
    return [float(row[-1]) for row in db.query(sql, epsilon=MOST)]
