"""Lists of counting queries: what gets noise is compared between neighbours, and sums of cells with counts asked for singly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any
from unittest.mock import patch

import duckdb
from hypothesis import strategies as st

from discreet.engines.duckdb import DuckDB
from discreet.errors import Refused
from discreet.ledger.events import Charge
from discreet.mechanisms.laplace import Laplace
from discreet.mechanisms.strategies import Joint
from discreet.policy.catalogue import resolve
from discreet.policy.model import Policy
from discreet.privacy.lists import Moved, Tally, Workload, base_of, no_list, workload
from discreet.release import Groups, draw_list
from neighbours.cases import ORDERS, USERS, VIEWS, View
from neighbours.harness import SECRET, Violation, _key
from neighbours.world import World
from seams import Walked, engine_over, exact, walk

TESTS = {
    USERS: ("u.age < 1", "u.age <= 2", "u.age > 1 AND u.age < 3", "u.age BETWEEN 0 AND 2", "u.age = 3", "u.age <> 1",
            "u.age NOT IN (0, 1)", "u.age IS NULL", "u.age > 1.5", "u.city > 'a'", "u.city = 'b' OR u.age = 2", "NOT (u.age > 0)",
            "u.age IN (1, NULL)", "(u.age > 1) IS TRUE", "u.city IS NOT DISTINCT FROM 'a'", "u.age * 2 > 3", "u.user_id = 1"),
    ORDERS: ("o.amount > 2", "o.amount <= 2.5", "o.amount >= 7", "o.amount = 0", "o.amount <> 0", "o.day < '2024-03-01'",
             "o.day > '2024-02-28' AND o.day < '2024-03-01'", "o.day = '2024-12-31'", "o.day IS NULL", "o.channel IN ('web', 'shop')",
             "o.channel <> 'web'", "o.channel < 'w'", "o.amount IS NULL", "o.amount / 2 > 1", "NOT (o.amount > 2)",
             "o.day >= '1970-01-01 12:00:00'", "o.channel IS NULL OR o.amount < 0"),
}  # fmt: skip
"""Conditions whose classes can be told apart, beside those of the view itself."""


@st.composite
def lists(draw: Any, views: Sequence[View] = VIEWS) -> tuple[str, ...]:
    """A few statements that count, over one view."""
    view = draw(st.sampled_from(views))
    tests = (*view.tests, *(test for known, more in TESTS.items() if known.source in view.source for test in more))
    return tuple(draw(st.lists(_statement(view, tests), min_size=2, max_size=4)))


@st.composite
def _statement(draw: Any, view: View, tests: Sequence[str]) -> str:
    keys = draw(st.sampled_from([[], [], [draw(st.sampled_from(view.keys))]]))
    forms = ["COUNT(*)", f"COUNT(*) FILTER (WHERE {draw(st.sampled_from(tests))})"]
    forms += [f"COUNT({number})" for number in view.numbers[:1]] + (
        [f"COUNT(DISTINCT {view.unit})"] if view.unit else []
    )
    numbers = draw(st.lists(st.sampled_from(forms), min_size=1, max_size=2, unique=True))
    where = draw(st.lists(st.sampled_from(tests), max_size=2, unique=True))
    parts = [f"SELECT {', '.join([*keys, *numbers])} FROM {view.source}"]
    parts += [f"WHERE {' AND '.join(f'({test})' for test in where)}"] if where else []
    return " ".join([*parts, *([f"GROUP BY {keys[0]}"] if keys else [])])


@dataclass(frozen=True)
class Planned:
    """What is known before private data are touched; or a refusal."""

    workload: Workload | None
    singles: tuple[Walked, ...] = ()
    refusal: str = ""

    def arrangements(self) -> Iterator[tuple[str, Joint]]:
        """Every way to add noise, under a noise that is switched off."""
        if self.workload is None:
            return
        yield "numbers", _joint(self.workload, self.workload.apart, False)
        for tallies in (self.workload.linked, (self.workload.whole,) if self.workload.whole else None):
            if tallies is not None:
                yield "cells", _joint(self.workload, tallies, True)
                yield "numbers", _joint(self.workload, tallies, False)


def _joint(found: Workload, tallies: tuple[Tally, ...], over_cells: bool) -> Joint:
    noise = Laplace.calibrate(1, 1, Fraction(1), "pure")
    assert noise is not None
    return Joint("test", found, tallies, over_cells, noise, (noise.event,), Charge(Fraction(1)))


def plan(engine: DuckDB, policy: Policy, statements: Sequence[str]) -> Planned:
    """The statements that can be planned together, over the base of the first of them."""
    try:
        walked = [walk(engine, policy, text) for text in statements]
    except Refused as error:
        return Planned(None, refusal=repr(error.to_dict()))
    catalogue = resolve(policy, engine.schema())
    bounded = [each.program.bounded for each in walked]
    kept = [n for n, each in enumerate(bounded) if not no_list(each, catalogue)]
    kept = [n for n in kept if base_of(bounded[n]) == base_of(bounded[kept[0]])]
    if len(kept) < 2:
        return Planned(None, refusal="no list")
    return Planned(workload([bounded[n] for n in kept], catalogue), tuple(walked[n] for n in kept))


Vectors = list[list[int]]


def noised(engine: DuckDB, joint: Joint) -> tuple[Vectors, list[Groups]]:
    """The vectors that would get noise, one a tally, and what would be released without it."""
    seen: Vectors = []

    def watch(noise: object, values: Sequence[int]) -> list[int]:
        seen.append(list(values))
        return list(values)

    found = [engine.fetch(engine.emit(each.question), each.question, SECRET) for each in joint.tallies]
    with patch("discreet.release.lists.perturb", watch):
        return seen, draw_list(joint, found)


def violations(world: World, statements: Sequence[str]) -> list[Violation]:
    """A unit that moves the vectors of some arrangement further than is declared, or a plan that depends on rows."""
    policy = world.policy()
    with duckdb.connect(":memory:") as connection:
        world.write(connection)
        with closing(engine_over(connection)) as engine:
            planned = plan(engine, policy, statements)
            full = [noised(engine, joint)[0] for _, joint in planned.arrangements()]
            there, found = world, list[Violation]()
            for unit in world.units:
                less = world.without(unit)
                less.write(connection, there)
                there = less
                if plan(engine, policy, statements) != planned:
                    found.append(Violation("public", f"without {unit!r} another plan"))
                for before, (what, joint) in zip(full, planned.arrangements(), strict=True):
                    found += _moved(what, joint, before, noised(engine, joint)[0])
            return found


def _moved(what: str, joint: Joint, full: Vectors, less: Vectors) -> Iterator[Violation]:
    for tally, more, fewer in zip(joint.tallies, full, less, strict=True):
        steps = [a - b for a, b in zip(more, fewer, strict=True)]
        declared: tuple[Moved, ...] = tally.cells_moved if joint.over_cells else tally.numbers_moved
        l1, l2 = sum(map(abs, steps)), sum(step * step for step in steps)
        if l1 > sum(each.l1 for each in declared):
            yield Violation("l1", f"{what} moved by {l1}, declared {declared}")
        if l2 > sum(each.l2_squared for each in declared):
            yield Violation("l2", f"{what} moved by {l2} squared, declared {declared}")


def wide(world: World) -> World:
    """Nothing is cut: what a unit may have is more than there is."""
    return replace(world, tables=tuple(replace(each, options=tuple(map(_wide, each.options))) for each in world.tables))


def _wide(option: str) -> str:
    name = option.partition(" = ")[0]
    return f"{name} = 1000" if name in ("rows_per_unit", "rows_per_parent", "groups_per_unit") else option


def differences(world: World, statements: Sequence[str]) -> tuple[int, list[str]]:
    """How many arrangements were compared, and the numbers that are not what the statement says when asked alone."""
    with duckdb.connect(":memory:") as connection:
        world.write(connection)
        with closing(engine_over(connection)) as engine:
            planned = plan(engine, world.policy(), statements)
            alone = [_alone(engine, each) for each in planned.singles]
            wrong: list[str] = []
            joints = list(planned.arrangements())
            for what, joint in joints:
                for single, groups in zip(alone, noised(engine, joint)[1], strict=True):
                    told = [dict(zip(map(_key, groups.keys), part, strict=True)) for part in groups.parts]
                    wrong += [f"{what}: {single} and {told}"] if told != single else []
            return len(joints), wrong


def _alone(engine: DuckDB, walked: Walked) -> list[dict[Any, int]]:
    """The exact number of every public group of each part."""
    found, domain = exact(engine, walked, SECRET), walked.program.bounded.domain or ()
    places = {_key(key): place for place, key in enumerate(found.keys)}
    return [{key: part[places[key]] if key in places else 0 for key in map(_key, domain)} for part in found.parts]
