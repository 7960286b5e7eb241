"""What may be published: a whole histogram over declared columns, or rows whose answers are declared."""

from __future__ import annotations

import re

from discreet.errors import Refused
from discreet.plan.nodes import Aggregate, Plan, Project, aggregate_of
from discreet.plan.scalar import ColumnRef
from discreet.privacy.bounded import Bounded

__all__ = ["PLAIN", "check_publishable"]

PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,62}", re.ASCII)
"""A name that needs no quotes."""

FORM = "SELECT city, COUNT(*) AS n FROM users GROUP BY city"


def check_publishable(plan: Plan, bounded: Bounded, rows: bool) -> None:
    """Refuse, before anything is paid, what cannot become a public table."""
    if not rows:
        _check_histogram(plan)
    if bounded.domain is None:
        hint = "select columns with declared values or values_from, or conditions"
        raise Refused("not-publishable", "some of its values are not declared, so which there are is private", hint)
    for key in aggregate_of(plan).keys:
        if not PLAIN.fullmatch(key.name):
            hint = "name it: age >= 65 AS senior"
            raise Refused("not-publishable", f"a column of a publication cannot be called {key.name!r}", hint)


def _check_histogram(plan: Plan) -> None:
    asked = aggregate_of(plan)
    if not (isinstance(plan, Project) and isinstance(plan.input, Aggregate)):
        hint = "leave HAVING, ORDER BY and LIMIT to those who ask it"
        raise Refused("not-publishable", "a histogram is published whole", hint)
    if [(each.function, each.argument) for each in asked.aggregations] != [("count", None)]:
        raise Refused("not-publishable", "a histogram has one number, COUNT(*); conditions stand in WHERE", FORM)
    if not all(isinstance(column.value, ColumnRef) for column in plan.columns):
        raise Refused("not-publishable", "intervals come with every question to a publication", FORM)
