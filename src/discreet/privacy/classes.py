"""What conditions tell apart: the values of each scalar that they look at, in classes that no condition divides.

A condition compares scalars with written values, tests them for NULL, or is a test of another kind, which is taken as
it is. Between two written values nothing tells values apart, so a scalar has few classes: NULL, each written value, and
what lies between them (where it is only ever compared for equality, all the rest). ``Variable.index`` numbers them as
an expression: whatever a row holds, it has exactly one of these numbers.

That is all that privacy needs of this file, and it is so by the form of the expression. What a condition is in each
class is worked out here as well, and holds where a database orders values as Python does. Where one did not, a row
would be counted in other numbers of the list than it should be, and still in no more of them than declared.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from math import floor, isfinite
from typing import Any

from discreet.plan.scalar import Call, Case, Literal, Op, Scalar
from discreet.plan.types import Type, Value

__all__ = ["REST", "Class", "Conditions", "Row", "Test", "Variable", "comparable", "merged"]

Comparable = bool | Fraction | str | None
"""A value as it is compared here: numbers and times as fractions, exactly."""

REST = object()
"""What a scalar of no written value is, as a group key."""

DISCRETE = (Type.INTEGER, Type.DATE)
"""Types whose values are whole numbers, here: nothing lies between two that follow each other."""


@dataclass(frozen=True, slots=True)
class Class:
    """NULL, a written value, or (``beyond``) all above it up to the next; with none: below all, or apart from all."""

    null: bool = False
    value: Any = None
    beyond: bool = False

    def against(self, written: Any) -> int:
        """-1, 0 or 1: how the values of the class compare with a written one."""
        if self.value is None or self.value < written:
            return -1
        return int(self.value > written or self.beyond)


Row = Mapping[Scalar, Class]
"""A class for each scalar that is looked at: what is known of a row."""

Test = Callable[[Row], bool | None]
"""A condition: true, false or (None) NULL."""


@dataclass
class Variable:
    """One scalar with the values that it is compared with, gathered while conditions are read."""

    scalar: Scalar
    written: dict[Any, Literal] = field(default_factory=dict[Any, Literal])
    ordered: bool = False

    def classes(self) -> list[Class]:
        """All of them, in the order of their numbers."""
        found = [Class(null=True), Class()]
        for value in sorted(self.written):
            found += [Class(value=value), Class(value=value, beyond=True)] if self.ordered else [Class(value=value)]
        return found

    def possible(self) -> list[tuple[int, Class]]:
        """Those that some value can lie in, with their numbers."""
        values = sorted(self.written)
        above = dict(pairwise(values))
        return [
            (number, each)
            for number, each in enumerate(self.classes())
            if each.value is None or self.scalar.type not in DISCRETE or _holds_whole(each, above.get(each.value))
        ]

    def index(self) -> Scalar:
        """The number of the class that a row's value lies in."""
        tests: list[tuple[Scalar, int]] = [(Call(Op.IS_NULL, (self.scalar,), Type.BOOLEAN), 0)]
        for place, value in enumerate(sorted(self.written)):
            if self.ordered:
                tests.append((self._compared(Op.LT, value), 2 * place + 1))
                tests.append((self._compared(Op.EQ, value), 2 * place + 2))
            else:
                tests.append((self._compared(Op.EQ, value), place + 2))
        rest = 2 * len(self.written) + 1 if self.ordered else 1
        branches = tuple((test, Literal(number, Type.INTEGER)) for test, number in tests)
        return Case(branches, Literal(rest, Type.INTEGER), Type.INTEGER)

    def _compared(self, op: Op, value: Any) -> Scalar:
        return Call(op, (self.scalar, self.written[value]), Type.BOOLEAN)


def _holds_whole(found: Class, above: Any) -> bool:
    """Whether a written value is a whole number, or one lies between it and the next."""
    if not found.beyond:
        return found.value.denominator == 1
    return above is None or floor(found.value) + 1 < above


def merged(found: Iterable[Mapping[Scalar, Variable]]) -> list[Variable]:
    """The scalars that any of several conditions look at, each with all that it is compared with."""
    together: dict[Scalar, Variable] = {}
    for variables in found:
        for scalar, each in variables.items():
            one = together.setdefault(scalar, Variable(scalar))
            one.written.update(each.written)
            one.ordered |= each.ordered
    return list(together.values())


def comparable(value: Value) -> Comparable:
    """Values that databases find equal are equal, and in the same order."""
    match value:
        case None | bool() | str():
            return value
        case dt.datetime():
            return 1 + Fraction((value - dt.datetime(1, 1, 1)) // dt.timedelta(microseconds=1), 86_400 * 10**6)
        case dt.date():
            return Fraction(value.toordinal())
        case int() | float() | Decimal():
            return Fraction(str(value))


@dataclass
class Conditions:
    """Reads conditions, and gathers the scalars that they look at."""

    variables: dict[Scalar, Variable] = field(default_factory=dict[Scalar, Variable])

    def test(self, scalar: Scalar) -> Test:
        """A condition as a function of the classes of its scalars."""
        match scalar:
            case Literal(value=bool() | None as value):
                return lambda _: value
            case Call(op=Op.AND, args=args):
                return _decided_by(False, [self.test(arg) for arg in args])
            case Call(op=Op.OR, args=args):
                return _decided_by(True, [self.test(arg) for arg in args])
            case Call(op=Op.NOT, args=(arg,)):
                return _not(self.test(arg))
            case Call(op=Op.IS_NULL, args=(arg,)):
                value = self.value(arg)
                return lambda row: value(row) is None
            case Call(op=Op.COALESCE, args=args):
                return _first([self.test(arg) for arg in args])
            case Call(op=op, args=(scalar_, Literal() as written)) if op in ORDER:
                return self._compared(scalar, op, scalar_, [written])
            case Call(op=op, args=(Literal() as written, scalar_)) if op in ORDER:
                return self._compared(scalar, MIRRORED.get(op, op), scalar_, [written])
            case Call(op=Op.IN, args=(scalar_, *items)):
                return self._compared(scalar, Op.IN, scalar_, items)
            case _:
                return self._as_it_is(scalar)

    def value(self, scalar: Scalar, among: Iterable[Literal] = ()) -> Callable[[Row], object]:
        """What a scalar is: None where it is NULL, one of the written values, or ``REST``."""
        match scalar:
            case Literal(value=value):
                known = comparable(value)
                return lambda _: known
            case Case(branches=branches, default=default):
                arms = [(self.test(test), self.value(value, among)) for test, value in branches]
                last = self.value(default or Literal(None, Type.NULL), among)
                return lambda row: next((value for test, value in arms if test(row) is True), last)(row)
            case Call(type=Type.BOOLEAN):
                return self.test(scalar)
            case _:
                self._write(scalar, among)
                return lambda row: _value(row[scalar])

    def _write(self, scalar: Scalar, values: Iterable[Literal]) -> Variable:
        variable = self.variables.setdefault(scalar, Variable(scalar))
        variable.written.update({comparable(each.value): each for each in values})
        return variable

    def _compared(self, whole: Scalar, op: Op, scalar: Scalar, items: list[Scalar]) -> Test:
        known = [item for item in items if isinstance(item, Literal) and item.value is not None]
        nulls = any(isinstance(item, Literal) and item.value is None for item in items)
        if len(known) + nulls < len(items) or not all(_alike(scalar, item) for item in known):
            return self._as_it_is(whole)
        if isinstance(scalar, Literal) or not known:
            return self._as_it_is(whole)
        variable = self._write(scalar, known)
        variable.ordered |= op in MIRRORED
        values = [comparable(each.value) for each in known]
        holds = ORDER[op]

        def test(row: Row) -> bool | None:
            found = row[scalar]
            if found.null:
                return None
            return True if any(holds(found.against(value)) for value in values) else None if nulls else False

        return test

    def _as_it_is(self, scalar: Scalar) -> Test:
        """A test of which nothing is known but that it is true, false or NULL."""
        self._write(scalar, [Literal(True, Type.BOOLEAN)])
        return lambda row: None if row[scalar].null else row[scalar].value is True


MIRRORED = {Op.LT: Op.GT, Op.LE: Op.GE, Op.GT: Op.LT, Op.GE: Op.LE}

ORDER: dict[Op, Callable[[int], bool]] = {
    Op.EQ: lambda order: order == 0,
    Op.NE: lambda order: order != 0,
    Op.LT: lambda order: order < 0,
    Op.LE: lambda order: order <= 0,
    Op.GT: lambda order: order > 0,
    Op.GE: lambda order: order >= 0,
    Op.IN: lambda order: order == 0,
}


def _alike(scalar: Scalar, written: Scalar) -> bool:
    """Whether the two are compared as values of one kind, in an order that is known here."""
    kinds = (scalar.type, written.type)
    if any(type_.numeric for type_ in kinds):
        return all(type_.numeric for type_ in kinds) and _finite(written)
    if any(type_.temporal for type_ in kinds):
        return all(type_.temporal for type_ in kinds)
    return kinds in ((Type.TEXT, Type.TEXT), (Type.BOOLEAN, Type.BOOLEAN))


def _finite(written: Scalar) -> bool:
    return isinstance(written, Literal) and (not isinstance(written.value, float) or isfinite(written.value))


def _value(found: Class) -> object:
    if found.null:
        return None
    return REST if found.value is None or found.beyond else found.value


def _not(test: Test) -> Test:
    def turned(row: Row) -> bool | None:
        found = test(row)
        return None if found is None else not found

    return turned


def _decided_by(decisive: bool, tests: list[Test]) -> Test:
    """AND is false as soon as one is, OR true; else NULL if one is."""

    def test(row: Row) -> bool | None:
        found = [each(row) for each in tests]
        return decisive if decisive in found else None if None in found else not decisive

    return test


def _first(tests: list[Test]) -> Test:
    return lambda row: next((found for each in tests if (found := each(row)) is not None), None)
