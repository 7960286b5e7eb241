"""The seams that only tests have: an engine over tables in memory, the walk up to the engine, a release without noise."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import duckdb

from discreet.engines import Exact
from discreet.engines.duckdb import DuckDB
from discreet.mechanisms.choose import KeyRule, choose
from discreet.mechanisms.explanation import cost_of
from discreet.mechanisms.program import Program
from discreet.policy.catalogue import resolve
from discreet.policy.model import Policy
from discreet.privacy import bound
from discreet.release import Groups, Release, draw
from discreet.release.evaluate import check
from discreet.session.price import Price
from discreet.sql import read

PRICE = Fraction(1, 10)


def engine_over(connection: duckdb.DuckDBPyConnection) -> DuckDB:
    """The product's engine over tables of a database that the test can change."""
    return DuckDB(connection, TemporaryDirectory(prefix="discreet-test-"), [], "memory")


@dataclass(frozen=True)
class Walked:
    """Everything that exists before private data are touched."""

    program: Program
    sql: str

    def public(self) -> tuple[object, ...]:
        """What must not depend on private rows: plan, bounds, noise, threshold, events, price, SQL, cost."""
        return self.program, self.sql, cost_of(self.program.charge, "zcdp")


def walk(engine: DuckDB, policy: Policy, text: str) -> Walked:
    """As far as ``session`` walks before it reserves."""
    catalogue = resolve(policy, engine.schema())
    question = read(text, catalogue, engine.dialect)
    check(question.plan)
    bounded = bound(question.plan, catalogue, engine, question.options.max_groups_contributed)
    keys = KeyRule(policy.keys.threshold_delta, policy.keys.min_units) if policy.keys else None
    program = choose(bounded, PRICE, "zcdp", keys, Price().method(question.options, policy))
    return Walked(program, engine.emit(bounded))


def exact(engine: DuckDB, walked: Walked, secret: str) -> Exact:
    bounded = walked.program.bounded
    return engine.fetch(walked.sql, bounded, secret) if bounded.parts or bounded.histograms else Exact([], [])


def silent(program: Program, found: Exact) -> Groups:
    """The release of the draw if no noise were drawn; the product has no switch for that."""
    with patch("discreet.release.draw.perturb", lambda _, values: list(values)):
        return draw(program, found)


def shown(program: Program, groups: Groups) -> Release:
    cost = cost_of(program.charge, "zcdp")
    nobody: Any = None
    return Release(program=program, groups=groups, cost=cost, remaining=cost, budget=cost, receipt=nobody)
