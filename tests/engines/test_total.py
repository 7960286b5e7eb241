"""No row can make a question fail: every operation is run over values that make databases stumble."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from discreet.engines.scalars import RULES, emit
from discreet.plan.scalar import Call, Case, ColumnRef, Literal, Op, Scalar
from discreet.plan.types import Type

NASTY = {
    "i": (Type.INTEGER, "BIGINT", ["NULL", "0", "1", "-1", "9223372036854775807", "-9223372036854775808", "9007199254740993"]),
    "h": (Type.INTEGER, "HUGEINT", ["NULL", "0", "170141183460469231731687303715884105727", "-170141183460469231731687303715884105728"]),
    "ub": (Type.INTEGER, "UBIGINT", ["NULL", "0", "18446744073709551615"]),
    "f": (Type.FLOAT, "DOUBLE", ["NULL", "0", "'-0.0'", "'nan'", "'inf'", "'-inf'", "1e308", "-1e308", "5e-324", "0.1"]),
    "c": (Type.DECIMAL, "DECIMAL(38, 10)", ["NULL", "0", "9999999999999999999999999999.9999999999", "-9999999999999999999999999999.9999999999"]),
    "s": (Type.TEXT, "VARCHAR", ["NULL", "''", "' '", "'a'", "'%'", "'_'", "'1e400'", "'-1'", "'2026-02-30'", "'infinity'", "'290309-12-22'", "'true'", "'ß𝒳\u0301'", "chr(0)", "repeat('x', 3000)"]),
    "d": (Type.DATE, "DATE", ["NULL", "'2026-01-31'", "'infinity'", "'-infinity'", "'5877642-06-25 (BC)'", "'5881580-07-10'", "'0001-01-01'", "'0001-01-01 (BC)'"]),
    "t": (Type.TIMESTAMP, "TIMESTAMP", ["NULL", "'2026-01-31 23:59:59.999999'", "'infinity'", "'-infinity'", "'290309-12-22 (BC) 00:00:00'", "'294247-01-10 04:00:54.775806'"]),
    "b": (Type.BOOLEAN, "BOOLEAN", ["NULL", "TRUE", "FALSE"]),
}  # fmt: skip
REFS = {name: ColumnRef(f"t_{name}", name, type_) for name, (type_, _, _) in NASTY.items()}
TEXT = [REFS["s"]]
DATED = [REFS["d"], REFS["t"]]
COUNTED = [REFS[name] for name in ("i", "h", "ub", "f", "c")]
TRUTH = [REFS["b"]]
EVERYTHING = list(REFS.values())
WORDS = [Literal(word, Type.TEXT) for word in ("", "a", "%\\", "_%")]
PLACES = [Literal(n, Type.INTEGER) for n in (0, 1, 1_000_000)]
DIGITS = [Literal(n, Type.INTEGER) for n in (-15, 0, 15)]
GRID = [
    Literal(0.01, Type.DECIMAL),
    Literal(-(2**52), Type.INTEGER),
    Literal(2**52, Type.INTEGER),
    Literal(7, Type.INTEGER),
]
HELD = [Literal(-1.5, Type.DECIMAL), Literal(1e300, Type.DECIMAL)]
COMPARED = [*product(COUNTED, COUNTED), *product(TEXT, TEXT), *product(DATED, DATED), *product(TRUTH, TRUTH)]
UNITS = [Literal(unit, Type.TEXT) for unit in ("year", "quarter", "month", "week", "day", "hour", "minute", "second")]


def every(ops: tuple[Op, ...], args: list[tuple[Scalar, ...]]) -> dict[Op, list[tuple[Scalar, ...]]]:
    return dict.fromkeys(ops, args)


ARGUMENTS: dict[Op, list[tuple[Scalar, ...]]] = {
    **every((Op.AND, Op.OR), [*product(TRUTH, TRUTH, TRUTH)]),
    Op.NOT: [*product(TRUTH)],
    **every((Op.EQ, Op.NE, Op.LT, Op.LE, Op.GT, Op.GE, Op.NULLIF), COMPARED),
    Op.IN: [*COMPARED, *((a, b, Literal(None, Type.NULL)) for a, b in COMPARED)],
    Op.COALESCE: COMPARED,
    **every((Op.LIKE, Op.ILIKE, Op.STARTS_WITH, Op.CONTAINS), [*product(TEXT, [*WORDS, *TEXT])]),
    Op.IS_NULL: [*product(EVERYTHING)],
    **every((Op.ADD, Op.SUB, Op.MUL, Op.DIV, Op.INTDIV, Op.MOD, Op.GREATEST, Op.LEAST), [*product(COUNTED, COUNTED)]),
    **every((Op.NEG, Op.ABS, Op.FLOOR, Op.CEIL, Op.SIGN, Op.SQRT), [*product(COUNTED)]),
    Op.ROUND: [*product(COUNTED, DIGITS)],
    **every((Op.LOWER, Op.UPPER, Op.LENGTH, Op.TRIM, Op.LTRIM, Op.RTRIM), [*product(TEXT)]),
    Op.SUBSTRING: [*product(TEXT, PLACES), *product(TEXT, PLACES, PLACES)],
    **every((Op.LEFT, Op.RIGHT), [*product(TEXT, PLACES)]),
    Op.CONCAT: [*product(TEXT, TEXT)],
    Op.REPLACE: [*product(TEXT, WORDS, WORDS)],
    **every(
        (Op.YEAR, Op.QUARTER, Op.MONTH, Op.WEEK, Op.DAY, Op.DAY_OF_WEEK, Op.DAY_OF_YEAR, Op.HOUR, Op.MINUTE, Op.SECOND),
        [*product(DATED)],
    ),
    Op.DATE_TRUNC: [*product(UNITS, DATED)],
    Op.SINCE_1970: [*product(DATED)],
    **every((Op.TO_INTEGER, Op.TO_FLOAT, Op.TO_TEXT, Op.TO_BOOLEAN), [*product([*COUNTED, *TEXT, *TRUTH])]),
    **every((Op.TO_DATE, Op.TO_TIMESTAMP), [*product([*TEXT, *DATED])]),
    Op.CLAMP: [(number, *HELD) for number in COUNTED],
    Op.GRID: [(number, *GRID) for number in COUNTED],
}  # fmt: skip
RELEASED = {Op.INTERVAL_LOW, Op.INTERVAL_HIGH}
RESULTS = {
    **dict.fromkeys((Op.TO_INTEGER, Op.LENGTH, Op.FLOOR, Op.CEIL, Op.SIGN, Op.GRID), Type.INTEGER),
    **dict.fromkeys((Op.TO_FLOAT, Op.DIV, Op.SQRT, Op.SINCE_1970), Type.FLOAT),
    **dict.fromkeys((Op.TO_TEXT, Op.CONCAT, Op.SUBSTRING, Op.REPLACE, Op.LEFT, Op.RIGHT), Type.TEXT),
    **dict.fromkeys((Op.EQ, Op.NE, Op.LT, Op.LE, Op.GT, Op.GE, Op.IN, Op.IS_NULL, Op.TO_BOOLEAN), Type.BOOLEAN),
    **dict.fromkeys((Op.LIKE, Op.ILIKE, Op.STARTS_WITH, Op.CONTAINS), Type.BOOLEAN),
    **dict.fromkeys((Op.YEAR, Op.QUARTER, Op.MONTH, Op.WEEK, Op.DAY, Op.DAY_OF_WEEK), Type.INTEGER),
    **dict.fromkeys((Op.DAY_OF_YEAR, Op.HOUR, Op.MINUTE, Op.SECOND), Type.INTEGER),
    Op.TO_DATE: Type.DATE,
    Op.TO_TIMESTAMP: Type.TIMESTAMP,
}
WIDEST = (Type.FLOAT, Type.DECIMAL, Type.INTEGER, Type.TIMESTAMP, Type.DATE, Type.TEXT, Type.BOOLEAN)


def call(op: Op, args: tuple[Scalar, ...]) -> Call:
    types = [arg.type for arg in (args[1:] if op is Op.DATE_TRUNC else args)]
    own = args[0].type if op is Op.NULLIF else next((type_ for type_ in WIDEST if type_ in types), Type.NULL)
    return Call(op, args, RESULTS.get(op, own))


@pytest.fixture(scope="module")
def nasty() -> Iterator[duckdb.DuckDBPyConnection]:
    """A table for each type, and one for each second operand of the same type."""
    with duckdb.connect() as connection:
        for name, (_, native, values) in NASTY.items():
            rows = ", ".join(f"(CAST({value} AS {native}))" for value in values)
            connection.execute(f'CREATE TABLE "t_{name}" AS SELECT * FROM (VALUES {rows}) AS v("{name}")')
        yield connection


def run(connection: duckdb.DuckDBPyConnection, scalar: Scalar) -> list[tuple[object, ...]]:
    """The value for every combination of rows; the answer is aggregated away, so only failures can be seen."""
    tables = sorted({part.source for part in _columns(scalar)})
    source = " CROSS JOIN ".join(f'"{table}"' for table in tables) or "(SELECT 1)"
    return connection.execute(f"SELECT {emit(scalar).sql('duckdb')} AS x FROM {source}").fetchall()


def _columns(scalar: Scalar) -> list[ColumnRef]:
    from discreet.plan.scalar import columns

    return list(columns(scalar))


def test_every_operation_is_tried() -> None:
    assert set(ARGUMENTS) | RELEASED == set(Op) == set(RULES)


@pytest.mark.parametrize("op", sorted(ARGUMENTS))
def test_no_value_makes_it_fail(op: Op, nasty: duckdb.DuckDBPyConnection) -> None:
    for args in ARGUMENTS[op]:
        assert run(nasty, call(op, args))


def test_a_text_of_any_length_can_be_put_together_a_hundred_times() -> None:
    """Of texts beyond four gigabytes DuckDB makes an internal error, after which it answers nothing more."""
    longest = ColumnRef("t", "s", Type.TEXT)
    a, many = Literal("a", Type.TEXT), Literal("a" * 100, Type.TEXT)
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE t AS SELECT repeat('a', 50_000_000) AS s")
        for whole in (Call(Op.CONCAT, (longest,) * 100, Type.TEXT), Call(Op.REPLACE, (longest, a, many), Type.TEXT)):
            length = emit(Call(Op.LENGTH, (whole,), Type.INTEGER)).sql("duckdb")
            assert connection.execute(f"SELECT {length} FROM t").fetchall() == [(100_000_000,)]


@pytest.mark.parametrize("op", [Op.GRID])
def test_the_grid_gives_whole_numbers_between_its_ends(op: Op, nasty: duckdb.DuckDBPyConnection) -> None:
    for number in COUNTED:
        ends = (Literal(-5, Type.INTEGER), Literal(10, Type.INTEGER), Literal(3, Type.INTEGER))
        found = [row[0] for row in run(nasty, Call(op, (number, Literal(0.5, Type.DECIMAL), *ends), Type.INTEGER))]
        assert all(x is None or (isinstance(x, int) and -8 <= x <= 7) for x in found)
        assert any(x is None for x in found)
        assert any(x is not None for x in found)


def grown(inner: st.SearchStrategy[Scalar]) -> st.SearchStrategy[Scalar]:
    """Operations over operations: results of one are the nasty arguments of the next."""
    from discreet.plan.scalar import columns

    def fits(args: tuple[Scalar, ...], wanted: tuple[Scalar, ...]) -> bool:
        return all(isinstance(w, Literal) or a.type is w.type for a, w in zip(args, wanted, strict=True))

    def build(op: Op, wanted: tuple[Scalar, ...], drawn: list[Scalar]) -> Scalar:
        args = tuple(w if isinstance(w, Literal) else next((d for d in drawn if d.type is w.type), w) for w in wanted)
        whole = call(op, args)
        return whole if fits(args, wanted) and len({c.source for c in columns(whole)}) <= 3 else call(op, wanted)

    pairs = [(op, args) for op, listed in ARGUMENTS.items() if op is not Op.GRID for args in listed]
    operations = st.integers(0, len(pairs) - 1).map(lambda n: pairs[n])
    conditional = st.builds(
        lambda test, value: Case(((test, value),), None, value.type),
        inner.filter(lambda x: x.type is Type.BOOLEAN) | st.just(REFS["b"]),
        inner,
    )
    return (
        st.builds(lambda pair, drawn: build(*pair, drawn), operations, st.lists(inner, min_size=1, max_size=3))
        | conditional
    )


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(scalar=st.recursive(st.sampled_from(EVERYTHING), grown, max_leaves=6))
def test_nor_do_operations_over_operations(scalar: Scalar, nasty: duckdb.DuckDBPyConnection) -> None:
    assert run(nasty, scalar)
    if scalar.type.numeric:
        assert run(nasty, Call(Op.GRID, (scalar, *GRID), Type.INTEGER))
