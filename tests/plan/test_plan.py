"""Plans are values: equal questions are equal, places do not count, and every node prints itself."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from discreet.errors import Span
from discreet.plan.nodes import (
    Aggregate,
    Aggregation,
    Filter,
    Having,
    Join,
    Limit,
    Named,
    Ordering,
    Project,
    Scan,
    Sort,
    aggregate_of,
    scans,
)
from discreet.plan.scalar import Call, Case, ColumnRef, Literal, Op, columns, conjuncts, walk
from discreet.plan.show import show, show_scalar
from discreet.plan.types import Type

AGE = ColumnRef("u", "age", Type.INTEGER)
CITY = ColumnRef("u", "city", Type.TEXT)
ONE = Literal(1, Type.INTEGER)
OLD = Call(Op.GT, (AGE, ONE), Type.BOOLEAN)
N = ColumnRef("", "n", Type.INTEGER)


def whole() -> Project:
    tied = Call(Op.EQ, (ColumnRef("r", "city", Type.TEXT), CITY), Type.BOOLEAN)
    relation = Filter(Join(Scan("users", "u"), Scan("regions", "r"), "left", (tied,)), OLD)
    aggregate = Aggregate(relation, (Named("city", CITY),), (Aggregation("n", "count", None),))
    kept = Having(aggregate, Call(Op.GE, (N, ONE), Type.BOOLEAN))
    ordered = Sort(kept, (Ordering(N, True, False),))
    return Project(Limit(ordered, 3, 1), (Named("n", N),))


def test_a_plan_prints_a_node_a_line() -> None:
    assert show(whole()) == (
        "Project 'n' = n\n"
        "  Limit 3 offset 1\n"
        "    Sort n desc nulls last\n"
        "      Having >=(n, 1)\n"
        "        Aggregate 'city' = u.city, |, 'n' = count(*)\n"
        "          Filter >(u.age, 1)\n"
        "            Join left on [=(r.city, u.city)]\n"
        "              Scan users as u\n"
        "              Scan regions as r"
    )


def test_places_take_no_part_in_equality() -> None:
    here = ColumnRef("u", "age", Type.INTEGER, Span(7, 7))
    assert here == AGE
    assert hash(here) == hash(AGE)
    assert "7" not in repr(here)
    assert whole() == whole()


def test_nodes_are_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        AGE.name = "other"  # type: ignore[misc]


def test_literals_of_different_types_differ() -> None:
    """1, 1.0 and TRUE are equal in Python, but not in a plan."""
    found = {Literal(1, Type.INTEGER), Literal(1.0, Type.FLOAT), Literal(True, Type.BOOLEAN), Literal("1", Type.TEXT)}
    assert len(found) == 4
    assert len({show_scalar(each) for each in found}) == 4


def test_a_walk_visits_everything_and_finds_the_columns() -> None:
    case = Case(((OLD, CITY),), Call(Op.LOWER, (CITY,), Type.TEXT), Type.TEXT)
    assert list(walk(case)) == [case, OLD, AGE, ONE, CITY, Call(Op.LOWER, (CITY,), Type.TEXT), CITY]
    assert columns(case) == {AGE, CITY}
    assert show_scalar(case) == "case(when >(u.age, 1) then u.city; else lower(u.city))"


def test_conjuncts_are_what_and_ties() -> None:
    either = Call(Op.OR, (OLD, OLD), Type.BOOLEAN)
    both = Call(Op.AND, (OLD, Call(Op.AND, (either, OLD), Type.BOOLEAN)), Type.BOOLEAN)
    assert list(conjuncts(both)) == [OLD, either, OLD]
    assert list(conjuncts(either)) == [either]


def test_the_one_aggregate_and_its_scans() -> None:
    aggregate = aggregate_of(whole())
    assert aggregate.aggregations[0].name == "n"
    assert [scan.alias for scan in scans(aggregate.input)] == ["u", "r"]
