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
from discreet.mechanisms.preludes import narrowed, prefaced
from discreet.mechanisms.program import Program
from discreet.policy.catalogue import resolve
from discreet.policy.model import Policy
from discreet.privacy import Bounded, aligned, bound
from discreet.privacy.probe import NOTHING, Ends, Ladder, Probe
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
    """Everything that exists before private data are touched; or, after the probes, given what they found."""

    program: Program
    sql: str
    probes: tuple[tuple[Bounded, str], ...] = ()
    """What is asked first, and its SQL."""

    def public(self) -> tuple[object, ...]:
        """What must not depend on private rows: plan, bounds, noise, threshold, events, price, SQL, cost."""
        return self.program, self.sql, self.probes, cost_of(self.program.charge, "zcdp")


def walk(engine: DuckDB, policy: Policy, text: str, rung: int = 0) -> Walked:
    """As far as ``session`` walks before it reserves; bounds that are to be chosen are the candidates of this number."""
    catalogue = resolve(policy, engine.schema())
    question = read(text, catalogue, engine.dialect)
    check(question.plan)
    most = question.options.max_groups_contributed
    planned = bounded = bound(question.plan, catalogue, engine, most)
    keys = KeyRule(policy.keys.threshold_delta, policy.keys.min_units) if policy.keys else None
    method = Price().method(question.options, policy)
    found, probes = NOTHING, list[Probe]()
    while bounded.probe is not None:
        probes.append(bounded.probe)
        found = found.and_of(bounded.probe.wanted, [_candidate(each.ladder, rung) for each in bounded.probe.wanted])
        bounded = aligned(planned, bound(question.plan, catalogue, engine, most, found))
    program = prefaced(choose(planned, PRICE, "zcdp", keys, method), probes, PRICE, "zcdp")
    if probes:
        events, program = program.events, narrowed(program, bounded, probes, PRICE, "zcdp", keys, method)
        assert program.events == events
    asked = tuple((probe.question, engine.emit(probe.question)) for probe in probes)
    return Walked(program, engine.emit(bounded), asked)


def _candidate(ladder: Ladder, rung: int) -> Ends:
    low, high = (ends[min(rung, len(ends) - 1)] for ends in (ladder.lows, ladder.highs))
    return -low, high


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
