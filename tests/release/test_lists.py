"""Noise on lists: independent draws of the law that the plan names, on numbers or on cells, with intervals that cover."""

from __future__ import annotations

from contextlib import closing
from fractions import Fraction
from math import sqrt
from statistics import fmean

import duckdb
import pytest

from discreet.engines import Exact
from discreet.mechanisms.strategies import Joint, strategies
from discreet.release import draw_list
from neighbours.lists import plan
from neighbours.mutants import SINGLE_USERS
from neighbours.world import World
from seams import engine_over

AGES = [10, 20, 30, 40, 50]
STATEMENTS = [f"SELECT COUNT(*) FROM users WHERE age < {age}" for age in AGES]
DRAWS = 4000
SIGMAS = 6.5
"""A standard normal is further out with a chance below 1e-10."""


@pytest.fixture(scope="module", params=["zcdp", "pure"])
def joints(request: pytest.FixtureRequest) -> list[tuple[Joint, list[Exact]]]:
    """Every way to have noise together, with exact counts; each number has as many rows as its threshold."""
    world = World((SINGLE_USERS,))
    with duckdb.connect(":memory:") as connection:
        world.write(connection)
        connection.execute("INSERT INTO users SELECT 100 + i, 'a', i FROM range(60) AS r(i)")
        connection.execute("DELETE FROM users WHERE user_id < 100")
        with closing(engine_over(connection)) as engine:
            found = plan(engine, world.policy(), STATEMENTS).workload
            assert found is not None
            ways = strategies(found, Fraction(1, 50), request.param)
            return [
                (way, [engine.fetch(engine.emit(each.question), each.question, "secret") for each in way.tallies])
                for way in ways
                if isinstance(way, Joint)
            ]


def answers(joint: Joint, found: list[Exact]) -> list[list[int]]:
    """By statement, many answers."""
    drawn = [[groups.parts[0][0] for groups in draw_list(joint, found)] for _ in range(DRAWS)]
    return [list(column) for column in zip(*drawn, strict=True)]


def test_numbers_have_the_noise_of_their_cells_and_intervals_cover(joints: list[tuple[Joint, list[Exact]]]) -> None:
    assert {joint.over_cells for joint, _ in joints} == {True, False}
    for joint, found in joints:
        for place, (column, age) in enumerate(zip(answers(joint, found), AGES, strict=True)):
            errors = [number - age for number in column]
            terms = place + 1 if joint.over_cells else 1
            variance = terms * joint.noise.spread**2 * (2 if joint.noise.name == "laplace" else 1)
            assert abs(fmean(errors)) <= SIGMAS * sqrt(variance / DRAWS)
            # Of Laplace noise the fourth moment is six squared variances, so squares stray by sqrt(5) of their mean.
            assert fmean(error**2 for error in errors) == pytest.approx(variance, rel=SIGMAS * sqrt(5 / DRAWS))
            program = joint.program(place)
            half = program.half_width(program.bounded.parts[0], 0.9, 0)
            covered = sum(abs(error) <= half for error in errors)
            assert covered >= 0.9 * DRAWS - SIGMAS * sqrt(DRAWS * 0.09)
            assert covered <= 0.93 * DRAWS + SIGMAS * sqrt(DRAWS * 0.09)


def test_numbers_are_independent_and_sums_share_their_cells(joints: list[tuple[Joint, list[Exact]]]) -> None:
    for joint, found in joints:
        first, *_, last = answers(joint, found)
        a, b = [x - AGES[0] for x in first], [x - AGES[-1] for x in last]
        scale = joint.noise.spread**2 * (2 if joint.noise.name == "laplace" else 1)
        shared = fmean(x * y for x, y in zip(a, b, strict=True)) / scale
        expected, spread = (1, sqrt(5 * 6)) if joint.over_cells else (0, 1)
        assert abs(shared - expected) <= SIGMAS * spread / sqrt(DRAWS)


def test_two_answers_have_noise_of_their_own(joints: list[tuple[Joint, list[Exact]]]) -> None:
    for joint, found in joints:
        seen = {tuple(groups.parts[0][0] for groups in draw_list(joint, found)) for _ in range(20)}
        assert len(seen) > 15


def test_counts_that_are_not_whole_are_refused(joints: list[tuple[Joint, list[Exact]]]) -> None:
    joint, found = joints[0]
    broken = [Exact(each.keys, [[float(x) for x in part] for part in each.parts]) for each in found]
    with pytest.raises(TypeError):
        draw_list(joint, broken)
