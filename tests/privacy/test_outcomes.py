"""Keys that are public from their form alone, and the size of what is listed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from discreet.errors import Refused
from discreet.plan.scalar import Call, Case, ColumnRef, Literal, Op, Scalar
from discreet.plan.types import Type, Value
from discreet.privacy import Bounded
from discreet.privacy.keys import outcomes

DAY = ColumnRef("t", "day", Type.TIMESTAMP)
AGE = ColumnRef("t", "age", Type.INTEGER)
NAME = ColumnRef("t", "name", Type.TEXT)
OLD = Call(Op.GE, (AGE, Literal(18, Type.INTEGER)), Type.BOOLEAN)


def text(value: str | None) -> Literal:
    return Literal(value, Type.TEXT)


@pytest.mark.parametrize(
    ("scalar", "expected"),
    [
        (OLD, (False, True, None)),
        (Call(Op.IS_NULL, (NAME,), Type.BOOLEAN), (False, True)),
        (Call(Op.QUARTER, (DAY,), Type.INTEGER), (1, 2, 3, 4, None)),
        (Call(Op.SIGN, (AGE,), Type.INTEGER), (-1, 0, 1, None)),
        (Case(((OLD, text("a")),), text("b"), Type.TEXT), ("a", "b")),
        (Case(((OLD, text("a")),), None, Type.TEXT), ("a", None)),
        (Case(((OLD, text("a")), (OLD, text("a"))), text("a"), Type.TEXT), ("a",)),
        (Case(((OLD, NAME),), text("b"), Type.TEXT), None),
        (Call(Op.COALESCE, (OLD, Literal(False, Type.BOOLEAN)), Type.BOOLEAN), (False, True)),
        (Call(Op.COALESCE, (NAME, text("none")), Type.TEXT), None),
        (Call(Op.YEAR, (DAY,), Type.INTEGER), None),
        (Call(Op.DATE_TRUNC, (text("day"), DAY), Type.TIMESTAMP), None),
        (Call(Op.LENGTH, (NAME,), Type.INTEGER), None),
        (NAME, None),
    ],
)  # fmt: skip
def test_outcomes(scalar: Scalar, expected: tuple[Value, ...] | None) -> None:
    found = outcomes(scalar)
    assert found == expected
    assert found is None or len(found) == len(set(found))


def test_a_long_case_is_not_listed() -> None:
    branches = tuple((OLD, text(str(n))) for n in range(401))
    assert outcomes(Case(branches, text("x"), Type.TEXT)) is None


@pytest.mark.parametrize(
    ("key", "groups"),
    [
        ("channel", 3),
        ("UPPER(channel)", 3),
        ("LEFT(channel, 1)", 3),
        ("channel = 'web'", 2),
        ("EXTRACT(HOUR FROM ordered_at)", 25),
        ("CASE WHEN amount > 100 THEN 'big' WHEN amount > 10 THEN 'middle' ELSE 'small' END", 3),
        ("CASE WHEN channel = 'web' THEN 'web' ELSE note END", None),
        ("YEAR(ordered_at)", None),
        ("amount", None),
    ],
)
def test_groups_of_one_key(key: str, groups: int | None, bounds: Callable[[str], Bounded]) -> None:
    found = bounds(f"SELECT {key} AS k, COUNT(*) AS n FROM orders GROUP BY {key}").domain
    assert (None if found is None else len(found)) == groups


def test_conditions_on_keys_alone_narrow_the_groups(bounds: Callable[[str], Bounded]) -> None:
    narrowed = "SELECT channel, COUNT(*) AS n FROM orders WHERE {} GROUP BY channel"
    assert bounds(narrowed.format("channel IN ('web', 'phone') AND amount > 1")).domain == (("phone",), ("web",))
    assert bounds(narrowed.format("channel = 'web' OR amount > 1")).domain == (("phone",), ("store",), ("web",))


def test_too_many_groups_are_refused_before_they_are_listed(not_bounded: Callable[[str], Refused]) -> None:
    keys = ", ".join(f"age > {n}" for n in range(40))
    assert not_bounded(f"SELECT COUNT(*) AS n FROM users GROUP BY {keys}").code == "too-many-groups"
