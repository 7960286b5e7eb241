"""Interval arithmetic against brute force: no value leaves its range, and every value lies on its grid."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor, trunc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.plan.scalar import Call, Case, ColumnRef, Literal, Op, Scalar
from discreet.plan.types import Type
from discreet.policy.catalogue import KnownColumn
from discreet.privacy.grids import step_of
from discreet.privacy.ranges import Range, range_of

Number = Fraction | None
COLUMNS = {
    "age": KnownColumn("age", Type.INTEGER, (Fraction(0), Fraction(12)), Fraction(1)),
    "balance": KnownColumn("balance", Type.INTEGER, (Fraction(-7), Fraction(5)), Fraction(1)),
    "cents": KnownColumn("cents", Type.DECIMAL, (Fraction(-1), Fraction(3)), Fraction(1, 4)),
    "positive": KnownColumn("positive", Type.DECIMAL, (Fraction(1, 2), Fraction(4)), Fraction(1, 2)),
    "weight": KnownColumn("weight", Type.FLOAT, (Fraction(0), Fraction(2)), None),
    "free": KnownColumn("free", Type.INTEGER, None, Fraction(1)),
}
REFS = {name: ColumnRef("t", name, column.type) for name, column in COLUMNS.items()}
WIDEST = (Type.FLOAT, Type.DECIMAL, Type.INTEGER)


def declared(column: ColumnRef) -> KnownColumn:
    return COLUMNS.get(column.name, KnownColumn(column.name, column.type))


def unified(*parts: Scalar) -> Type:
    return next(type_ for type_ in WIDEST if any(part.type is type_ for part in parts))


def call(op: Op, *args: Scalar) -> Call:
    whole = op in (Op.FLOOR, Op.CEIL, Op.SIGN, Op.TO_INTEGER)
    real = op in (Op.DIV, Op.TO_FLOAT)
    return Call(op, args, Type.INTEGER if whole else Type.FLOAT if real else unified(*args))


literals = st.one_of(
    st.integers(-4, 4).map(lambda n: Literal(n, Type.INTEGER)),
    st.sampled_from([0.5, -0.25, 1.5]).map(lambda x: Literal(x, Type.DECIMAL)),
)
tests = st.sampled_from([Op.LT, Op.GE, Op.EQ])


def wider(inner: st.SearchStrategy[Scalar]) -> st.SearchStrategy[Scalar]:
    one = [Op.NEG, Op.ABS, Op.FLOOR, Op.CEIL, Op.SIGN, Op.TO_INTEGER, Op.TO_FLOAT]
    two = [Op.ADD, Op.SUB, Op.MUL, Op.DIV, Op.INTDIV, Op.MOD, Op.GREATEST, Op.LEAST, Op.COALESCE, Op.NULLIF]
    return st.one_of(
        st.builds(call, st.sampled_from(one), inner),
        st.builds(call, st.sampled_from(two), inner, inner),
        st.builds(lambda x, d: call(Op.ROUND, x, Literal(d, Type.INTEGER)), inner, st.integers(-1, 2)),
        st.builds(
            lambda op, a, b, then, other: Case(
                ((Call(op, (a, b), Type.BOOLEAN), then),), other, unified(then, *([other] if other else []))
            ),
            tests, inner, inner, inner, st.none() | inner,
        ),
    )  # fmt: skip


scalars = st.recursive(st.sampled_from(sorted(REFS)).map(REFS.__getitem__) | literals, wider, max_leaves=8)


def points(column: KnownColumn) -> list[Number]:
    low, high = column.range or (Fraction(-100), Fraction(100))
    step = column.step or Fraction(1, 3)
    inside = [floor(low / step) * step + step * n for n in range(ceil((high - low) / step) + 1)]
    return [None, low, high, *[x for x in inside if low <= x <= high]]


rows = st.fixed_dictionaries({name: st.sampled_from(points(column)) for name, column in COLUMNS.items()})


def half_away(x: Fraction, digits: int) -> Fraction:
    unit = Fraction(10) ** -digits
    scaled = abs(x) / unit
    return (1 if x >= 0 else -1) * floor(scaled + Fraction(1, 2)) * unit


def value(scalar: Scalar, row: dict[str, Number]) -> Number:
    """SQL's meaning over exact fractions, written without a look at the product's."""
    match scalar:
        case ColumnRef(name=name):
            return row[name]
        case Literal(value=number):
            return Fraction(str(number))
        case Case(branches=((Call(op=op, args=(a, b)), then),), default=default):
            left, right = value(a, row), value(b, row)
            holds = (
                left is not None
                and right is not None
                and {Op.LT: left < right, Op.GE: left >= right, Op.EQ: left == right}[op]
            )
            return value(then, row) if holds else value(default, row) if default else None
        case Call(op=op, args=args):
            return called(op, [value(arg, row) for arg in args])
        case _:
            raise AssertionError(scalar)


def called(op: Op, args: list[Number]) -> Number:
    known = [arg for arg in args if arg is not None]
    match op:
        case Op.GREATEST:
            return max(known, default=None)
        case Op.LEAST:
            return min(known, default=None)
        case Op.COALESCE:
            return next(iter(known), None)
        case Op.NULLIF:
            return None if args[0] == args[1] else args[0]
    return strict(op, known) if len(known) == len(args) else None


def strict(op: Op, args: list[Fraction]) -> Number:
    x, y = args[0], args[-1]
    if op in (Op.DIV, Op.INTDIV, Op.MOD) and y == 0:
        return None
    rules = {
        Op.NEG: lambda: -x,
        Op.ABS: lambda: abs(x),
        Op.FLOOR: lambda: Fraction(floor(x)),
        Op.CEIL: lambda: Fraction(ceil(x)),
        Op.SIGN: lambda: Fraction((x > 0) - (x < 0)),
        Op.TO_INTEGER: lambda: half_away(x, 0),
        Op.TO_FLOAT: lambda: x,
        Op.ADD: lambda: x + y,
        Op.SUB: lambda: x - y,
        Op.MUL: lambda: x * y,
        Op.DIV: lambda: x / y,
        Op.INTDIV: lambda: Fraction(trunc(x / y)),
        Op.MOD: lambda: x - y * trunc(x / y),
        Op.ROUND: lambda: half_away(x, int(y)),
    }
    return rules[op]()


@settings(max_examples=600, deadline=None)
@given(scalar=scalars, row=rows)
def test_every_value_is_in_range_and_on_the_grid(scalar: Scalar, row: dict[str, Number]) -> None:
    found = value(scalar, row)
    if found is None:
        return
    ends = range_of(scalar, declared)
    assert ends.low is None or ends.low <= found
    assert ends.high is None or found <= ends.high
    step = step_of(scalar, declared)
    if step is not None:
        assert found == 0 if step == 0 else (found / step).denominator == 1


def column(name: str) -> ColumnRef:
    return REFS[name]


def number(x: float) -> Literal:
    return Literal(x, Type.DECIMAL if isinstance(x, float) else Type.INTEGER)


@pytest.mark.parametrize(
    ("scalar", "low", "high"),
    [
        (call(Op.SUB, column("age"), number(6)), -6, 6),
        (call(Op.MUL, column("balance"), column("balance")), -35, 49),
        (call(Op.DIV, column("age"), column("positive")), 0, 24),
        (call(Op.DIV, column("age"), column("balance")), None, None),
        (call(Op.DIV, column("age"), column("age")), None, None),
        (call(Op.MOD, column("balance"), number(3)), -3, 3),
        (call(Op.ABS, column("balance")), 0, 7),
        (call(Op.ABS, column("free")), 0, None),
        (call(Op.GREATEST, column("free"), number(0)), 0, None),
        (call(Op.LEAST, call(Op.GREATEST, column("free"), number(0)), number(9)), 0, 9),
        (call(Op.LEAST, column("free"), column("age")), None, None),
        (call(Op.COALESCE, column("age"), number(-1)), -1, 12),
        (Call(Op.TO_INTEGER, (ColumnRef("t", "name", Type.TEXT),), Type.INTEGER), None, None),
        (Call(Op.LENGTH, (ColumnRef("t", "name", Type.TEXT),), Type.INTEGER), 0, None),
        (Call(Op.MONTH, (ColumnRef("t", "day", Type.DATE),), Type.INTEGER), 1, 12),
        (Call(Op.TO_INTEGER, (ColumnRef("t", "active", Type.BOOLEAN),), Type.INTEGER), 0, 1),
        (Case(((Literal(True, Type.BOOLEAN), number(1_000_000)),), number(0), Type.INTEGER), 0, 1_000_000),
    ],
)  # fmt: skip
def test_ranges_that_people_rely_on(scalar: Scalar, low: int | None, high: int | None) -> None:
    assert range_of(scalar, declared) == Range(*(None if end is None else Fraction(end) for end in (low, high)))


@pytest.mark.parametrize("square", [0, 1, 2, 3, 99, 10**12 + 1, Fraction(1, 3), Fraction(2, 10**9)])
def test_the_root_is_bounded_outward(square: Fraction | int) -> None:
    literal = Literal(float(square), Type.FLOAT)
    high = range_of(Call(Op.SQRT, (literal,), Type.FLOAT), declared).high
    assert high is not None
    assert high**2 >= Fraction(str(float(square)))
