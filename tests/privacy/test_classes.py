"""What conditions tell apart: classes of written values, gaps of whole numbers, and SQL's three truths in each class."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from fractions import Fraction

import pytest

from discreet.plan.scalar import Call, Case, ColumnRef, Literal, Op, Scalar
from discreet.plan.types import Type, Value
from discreet.privacy.classes import REST, Class, Conditions, comparable, merged

AGE = ColumnRef("u", "age", Type.INTEGER)
SCORE = ColumnRef("u", "score", Type.FLOAT)
CITY = ColumnRef("u", "city", Type.TEXT)
DAY = ColumnRef("u", "day", Type.DATE)
FLAG = ColumnRef("u", "flag", Type.BOOLEAN)


def written(value: Value) -> Literal:
    kinds: dict[type, Type] = {
        bool: Type.BOOLEAN, int: Type.INTEGER, Decimal: Type.DECIMAL, str: Type.TEXT, dt.date: Type.DATE,
        dt.datetime: Type.TIMESTAMP, type(None): Type.NULL,
    }  # fmt: skip
    return Literal(value, kinds[type(value)])


def call(op: Op, *args: Scalar | Value) -> Call:
    scalars = tuple(arg if isinstance(arg, ColumnRef | Literal | Call | Case) else written(arg) for arg in args)
    return Call(op, scalars, Type.BOOLEAN)


def table(condition: Scalar, scalar: Scalar = AGE) -> list[bool | None]:
    """The truth of a condition in each possible class of its one scalar, NULL first."""
    found = Conditions()
    test = found.test(condition)
    return [test({scalar: each}) for _, each in found.variables[scalar].possible()]


def test_a_comparison_divides_at_its_value() -> None:
    for op, truths in {
        Op.LT: [None, True, False, False],
        Op.LE: [None, True, True, False],
        Op.GT: [None, False, False, True],
        Op.GE: [None, False, True, True],
    }.items():
        assert table(call(op, AGE, 30)) == truths
        assert table(call(op, SCORE, 30), SCORE) == truths


def test_equality_alone_leaves_one_rest() -> None:
    """NULL, the rest, then each value."""
    assert table(call(Op.EQ, AGE, 30)) == [None, False, True]
    assert table(call(Op.NE, AGE, 30)) == [None, True, False]
    assert table(call(Op.IN, AGE, 30, 40, 50)) == [None, False, True, True, True]
    assert table(call(Op.NOT, call(Op.IN, AGE, 30, None))) == [None, None, False]


def test_a_value_may_stand_on_either_side() -> None:
    assert table(call(Op.LT, 30, AGE)) == table(call(Op.GT, AGE, 30))
    assert table(call(Op.GE, 30, AGE)) == table(call(Op.LE, AGE, 30))
    assert table(call(Op.EQ, 30, AGE)) == table(call(Op.EQ, AGE, 30))


def test_nothing_lies_between_whole_numbers_that_follow_each_other() -> None:
    between = call(Op.AND, call(Op.GT, AGE, 3), call(Op.LT, AGE, 4))
    assert True not in table(between)
    assert True in table(call(Op.AND, call(Op.GT, SCORE, 3), call(Op.LT, SCORE, 4)), SCORE)
    assert True in table(call(Op.AND, call(Op.GT, AGE, 3), call(Op.LT, AGE, 5)))
    assert True not in table(call(Op.EQ, AGE, Decimal("3.5")))
    days = call(Op.AND, call(Op.GT, DAY, dt.date(2024, 2, 28)), call(Op.LT, DAY, dt.date(2024, 2, 29)))
    assert True not in table(days, DAY)
    noon = call(Op.AND, call(Op.GT, DAY, dt.datetime(2024, 2, 28, 12)), call(Op.LT, DAY, dt.datetime(2024, 2, 29, 12)))
    assert True in table(noon, DAY)


def test_numbers_are_compared_as_numbers_and_not_as_written() -> None:
    found = Conditions()
    for value in (3, Decimal("3.0"), Decimal("3.10"), 4):
        found.test(call(Op.LT, SCORE, value))
    assert sorted(found.variables[SCORE].written) == [3, Fraction("3.1"), 4]


def test_three_truths() -> None:
    """AND and OR know when the other side decides; NOT NULL is NULL; IS NULL and COALESCE always know."""
    null, low = call(Op.IS_NULL, AGE), call(Op.LT, AGE, 5)
    assert table(call(Op.OR, low, null)) == [True, True, False, False]
    assert table(call(Op.AND, low, call(Op.NOT, null))) == [False, True, False, False]
    assert table(call(Op.NOT, low)) == [None, False, True, True]
    assert table(call(Op.COALESCE, low, False)) == [False, True, False, False]
    assert table(call(Op.AND, low, None)) == [None, None, False, False]


def test_a_case_is_what_its_branch_is() -> None:
    young = Case(((call(Op.LT, AGE, 30), written("young")),), written("old"), Type.TEXT)
    found = Conditions()
    value = found.value(young)
    assert [value({AGE: each}) for _, each in found.variables[AGE].possible()] == ["old", "young", "old", "old"]
    counted = Case(((call(Op.LT, AGE, 30), written(1)),), None, Type.INTEGER)
    assert table(call(Op.NOT, call(Op.IS_NULL, counted))) == [False, True, False, False]


@pytest.mark.parametrize(
    ("condition", "scalar"),
    [
        (call(Op.LIKE, CITY, "a%"), call(Op.LIKE, CITY, "a%")),
        (call(Op.EQ, AGE, SCORE), call(Op.EQ, AGE, SCORE)),
        (call(Op.EQ, AGE, None), call(Op.EQ, AGE, None)),
        (FLAG, FLAG),
    ],
)
def test_any_other_test_is_true_false_or_null(condition: Scalar, scalar: Scalar) -> None:
    found = Conditions()
    test = found.test(condition)
    assert list(found.variables) == [scalar]
    assert {test({scalar: each}) for _, each in found.variables[scalar].possible()} == {True, False, None}


def test_a_key_is_a_written_value_or_the_rest() -> None:
    found = Conditions()
    value = found.value(CITY, [written("a"), written("b")])
    classes = found.variables[CITY].possible()
    assert [value({CITY: each}) for _, each in classes] == [None, REST, "a", "b"]


def test_classes_are_numbered_as_the_expression_numbers_them() -> None:
    """CASE in the order of its branches: NULL, below a value, at it; at last what is above all."""
    found = Conditions()
    found.test(call(Op.LT, AGE, 30))
    found.test(call(Op.EQ, AGE, 40))
    index = found.variables[AGE].index()
    assert isinstance(index, Case)
    tests = [(test.op, test.args[1:]) for test, _ in index.branches if isinstance(test, Call)]
    assert tests == [
        (Op.IS_NULL, ()),
        (Op.LT, (written(30),)), (Op.EQ, (written(30),)),
        (Op.LT, (written(40),)), (Op.EQ, (written(40),)),
    ]  # fmt: skip
    assert [value.value for _, value in index.branches if isinstance(value, Literal)] == [0, 1, 2, 3, 4]
    assert index.default == written(5)
    assert found.variables[AGE].classes() == [
        Class(null=True), Class(),
        Class(value=30), Class(value=30, beyond=True),
        Class(value=40), Class(value=40, beyond=True),
    ]  # fmt: skip


def test_several_conditions_are_divided_by_the_values_of_all() -> None:
    one, other = Conditions(), Conditions()
    low, same = one.test(call(Op.LT, AGE, 30)), other.test(call(Op.EQ, AGE, 50))
    (variable,) = merged([one.variables, other.variables])
    assert variable.ordered
    truths = [(low({AGE: each}), same({AGE: each})) for _, each in variable.possible()]
    assert truths == [(None, None), (True, False), (False, False), (False, False), (False, True), (False, False)]


def test_values_compare_as_databases_compare_them() -> None:
    assert comparable(dt.date(2024, 3, 1)) == comparable(dt.datetime(2024, 3, 1))
    assert comparable(dt.datetime(2024, 3, 1, 12)) == comparable(dt.date(2024, 3, 1)) + Fraction(1, 2)
    assert comparable(Decimal("0.10")) == comparable(0.1) == Fraction(1, 10)
    assert comparable("a") == "a"
    assert comparable(None) is None
