"""Sources of every kind: what is read, in which types, that nothing else can be reached, and when an answer is stale."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

import discreet
from discreet.engines import open_engine
from discreet.engines.duckdb import DuckDB
from discreet.plan.types import Type

POLICY = """
[dataset]
name   = "t"
source = "{source}"
ledger = "sqlite:///{folder}/t.ledger"
[budget]
epsilon   = 10000
delta     = 1e-6
per_query = {{ epsilon = 60 }}
[tables.t]
unit          = "person"
rows_per_unit = 1
{columns}
"""
Opens = Callable[..., discreet.Database]


@pytest.fixture
def opens(tmp_path: Path) -> Opens:
    def connect(source: str, columns: str = "") -> discreet.Database:
        policy = tmp_path / "discreet.toml"
        policy.write_text(POLICY.format(source=source, folder=tmp_path, columns=columns), encoding="utf-8")
        return discreet.connect(policy)

    return connect


def answer(database: discreet.Database, sql: str) -> object:
    """The price is so high that the noise is none, to speak of."""
    return round(next(iter(database.query(sql)))[0])


def database(folder: Path, sql: str) -> str:
    with duckdb.connect(str(folder / "t.duckdb")) as connection:
        connection.execute(sql)
    return f"duckdb:///{folder}/t.duckdb"


TYPES = {
    "TINYINT": Type.INTEGER, "UBIGINT": Type.INTEGER, "HUGEINT": Type.INTEGER, "FLOAT": Type.FLOAT, "DOUBLE": Type.FLOAT,
    "DECIMAL(38, 10)": Type.DECIMAL, "VARCHAR": Type.TEXT, "ENUM ('a', 'b')": Type.TEXT, "JSON": Type.TEXT, "DATE": Type.DATE,
    "TIMESTAMP": Type.TIMESTAMP, "TIMESTAMP_S": Type.TIMESTAMP, "TIMESTAMP_NS": Type.TIMESTAMP, "BOOLEAN": Type.BOOLEAN,
    "UUID": Type.OTHER, "TIMESTAMPTZ": Type.TEXT, "BLOB": Type.TEXT, "TIME": Type.TEXT, "INTERVAL": Type.TEXT,
    "INTEGER[]": Type.TEXT, "STRUCT(a INTEGER)": Type.TEXT, "DECIMAL(9, 2)[]": Type.TEXT, "ENUM ('a', 'b')[]": Type.TEXT,
}  # fmt: skip


def test_types_are_read_from_the_schema(tmp_path: Path) -> None:
    columns = ", ".join(f"c{n} {native}" for n, native in enumerate(TYPES))
    engine = open_engine(database(tmp_path, f"CREATE TABLE t (person INTEGER, {columns})"), {})
    found = engine.schema()["t"].columns
    engine.close()
    assert {native: found[f"c{n}"].type for n, native in enumerate(TYPES)} == TYPES


@pytest.mark.parametrize(
    ("native", "value"),
    [
        ("UUID", "'00000000-0000-0000-0000-000000000001'"),
        ("TIMESTAMPTZ", "'2026-01-31 10:00:00+02'"),
        ("ENUM ('a', 'b')", "'a'"),
        ("HUGEINT", "170141183460469231731687303715884105727"),
        ("UBIGINT", "18446744073709551615"),
        ("DECIMAL(38, 10)", "1.5"),
        ("BLOB", "'raw'::BLOB"),
        ("INTEGER[]", "[1, 2]"),
        ("BIGINT", "9223372036854775807"),
    ],
)
def test_a_column_of_any_type_is_counted_and_compared_as_text(
    native: str, value: str, tmp_path: Path, opens: Opens
) -> None:
    source = database(
        tmp_path, f"CREATE TABLE t (person INTEGER, x {native}); INSERT INTO t VALUES (1, {value}), (2, NULL)"
    )
    with opens(source) as found:
        assert answer(found, "SELECT COUNT(x) AS n FROM t") == 1
        assert answer(found, "SELECT COUNT(*) AS n FROM t WHERE x IS NULL") == 1
        assert answer(found, "SELECT COUNT(*) AS n FROM t WHERE CAST(x AS VARCHAR) <> 'zzz'") == 1
        assert answer(found, "SELECT COUNT(*) AS n FROM t WHERE CAST(x AS VARCHAR) = 'no such word'") == 0


def test_whole_numbers_beside_two_to_the_63_are_told_apart(tmp_path: Path, opens: Opens) -> None:
    largest = 2**63 - 1
    source = database(
        tmp_path, f"CREATE TABLE t (person INTEGER, x BIGINT); INSERT INTO t VALUES (1, {largest}), (2, {largest - 1})"
    )
    with opens(source, "columns.x = { range = [0, 10] }") as found:
        assert answer(found, f"SELECT COUNT(*) AS n FROM t WHERE x = {largest}") == 1
        assert answer(found, f"SELECT COUNT(*) AS n FROM t WHERE x < {largest + 1}") == 2
        assert answer(found, "SELECT SUM(x) AS s FROM t") == 20
        assert answer(found, "SELECT SUM(LEAST(x * x, 5)) AS s FROM t") == 10


DIRTY = (
    'person,age,note\n1,30,plain\n2,not a number,"a ""quoted"" word"\n3,,\n4,1e2,x\n5,12\n6,50,"one\ntwo"\n7,60,a,b,c\n'
)


def test_dirty_lines_of_csv_do_not_fail_and_misfits_are_null(tmp_path: Path, opens: Opens) -> None:
    (tmp_path / "t.csv").write_text(DIRTY, encoding="utf-8")
    with opens(f"csv:///{tmp_path}/t.csv", "columns.age = { range = [0, 120] }") as found:
        assert answer(found, "SELECT COUNT(*) AS n FROM t") == 7
        assert answer(found, "SELECT COUNT(age) AS n FROM t") == 5
        assert answer(found, "SELECT COUNT(*) AS n FROM t WHERE person = '2' AND age IS NULL") == 1
        assert answer(found, "SELECT COUNT(*) AS n FROM t WHERE note LIKE '%quoted%'") == 1


def test_a_misfit_keeps_its_row_whatever_else_is_asked(tmp_path: Path) -> None:
    """DuckDB pushes a plain cast into its reader, and the reader drops what does not fit."""
    (tmp_path / "t.csv").write_text("person,age\n1,30\n2,unknown\n3,\n", encoding="utf-8")
    engine = open_engine(f"csv:///{tmp_path}/t.csv", {"t": {"age": "integer"}})
    assert isinstance(engine, DuckDB)
    with engine._connection.cursor() as cursor:  # pyright: ignore[reportPrivateUsage]
        assert cursor.execute("SELECT age FROM t").fetchall() == [(30,), (None,), (None,)]
    engine.close()


@pytest.mark.parametrize("row", ["9,abc,x", "9,1.5,x", "abc,1,x", '9,1,"', "9", "\xff,\xff,\xff", "9,2026-01-31,x"])
def test_one_row_does_not_change_a_type(row: str, tmp_path: Path) -> None:
    """A sniffer would decide the type of a column by one person's row, and every later question would show it."""
    place = tmp_path / "t.csv"
    types = {"t": {"age": "integer"}}
    rows = "".join(f"{n},{n},x\n" for n in range(50))
    found: list[object] = []
    for text in ("person,age,note\n" + rows, "person,age,note\n" + rows + row + "\n", "person,age,note\n" + row + "\n"):
        place.write_bytes(text.encode("latin-1"))
        engine = open_engine(f"csv:///{place}", types)
        found.append(engine.schema())
        engine.close()
    assert found[0] == found[1] == found[2]


def test_a_folder_of_files_is_a_table_each_and_a_folder_below_is_one(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    (folder / "orders").mkdir(parents=True)
    with duckdb.connect() as connection:
        for n in (1, 2):
            connection.execute(f"COPY (SELECT {n} AS person, {n}::DOUBLE AS x) TO '{folder}/orders/{n}.parquet'")
        connection.execute(f"COPY (SELECT 1 AS person) TO '{folder}/users.parquet'")
    engine = open_engine(f"parquet:///{folder}", {})
    schema = engine.schema()
    engine.close()
    assert sorted(schema) == ["orders", "users"]
    assert {name: column.type for name, column in schema["orders"].columns.items()} == {
        "person": Type.INTEGER,
        "x": Type.FLOAT,
    }


def test_parquet_is_answered(tmp_path: Path, opens: Opens) -> None:
    with duckdb.connect() as connection:
        connection.execute(f"COPY (SELECT i AS person, 5 AS x FROM range(30) r(i)) TO '{tmp_path}/t.parquet'")
    with opens(f"parquet:///{tmp_path}/t.parquet", "columns.x = { range = [0, 10] }") as found:
        assert answer(found, "SELECT SUM(x) AS s FROM t") == 150


@pytest.mark.parametrize("kind", ["duckdb", "csv", "parquet"])
@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM read_text('/etc/passwd')",
        "SELECT * FROM '/etc/passwd'",
        "SELECT * FROM glob('/etc/*')",
        "ATTACH '{folder}/other.duckdb' AS other",
        "COPY (SELECT 1) TO '{folder}/out.csv'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET enable_external_access = true",
        "SET lock_configuration = false",
        "SET memory_limit = '1TB'",
        "RESET enable_external_access",
        "PRAGMA enable_profiling",
    ],
)
def test_the_engine_is_locked_down(kind: str, statement: str, tmp_path: Path) -> None:
    """Nothing that an analyst sends gets here as text; this is the second wall."""
    with duckdb.connect() as connection:
        connection.execute(f"COPY (SELECT 1 AS person) TO '{tmp_path}/t.parquet'")
        connection.execute(f"COPY (SELECT 1 AS person) TO '{tmp_path}/t.csv'")
    source = (
        database(tmp_path, "CREATE TABLE t (person INTEGER)") if kind == "duckdb" else f"{kind}:///{tmp_path}/t.{kind}"
    )
    engine = open_engine(source, {})
    assert isinstance(engine, DuckDB)
    try:
        with pytest.raises(duckdb.Error), engine._connection.cursor() as cursor:  # pyright: ignore[reportPrivateUsage]
            cursor.execute(statement.format(folder=tmp_path)).fetchall()
    finally:
        engine.close()


def test_the_database_is_read_only(tmp_path: Path) -> None:
    engine = open_engine(database(tmp_path, "CREATE TABLE t (person INTEGER)"), {})
    assert isinstance(engine, DuckDB)
    with pytest.raises(duckdb.Error), engine._connection.cursor() as cursor:  # pyright: ignore[reportPrivateUsage]
        cursor.execute("INSERT INTO source.main.t VALUES (1)")
    engine.close()


def test_the_version_of_the_data_changes_when_the_file_does(tmp_path: Path) -> None:
    place = tmp_path / "t.csv"
    place.write_text("person\n1\n", encoding="utf-8")
    engine = open_engine(f"csv:///{place}", {})
    first = engine.version()
    assert engine.version() == first
    place.write_text("person\n1\n2\n", encoding="utf-8")
    second = engine.version()
    os.utime(place, ns=(1, 1))
    third = engine.version()
    engine.close()
    assert len({first, second, third}) == 3


def test_a_repeat_is_free_until_the_data_change(tmp_path: Path, opens: Opens) -> None:
    place = tmp_path / "t.csv"
    place.write_text("person\n1\n", encoding="utf-8")
    sql = "SELECT COUNT(*) AS n FROM t"
    with opens(f"csv:///{place}") as found:
        first, again = found.query(sql), found.query(sql)
        assert (first.repeated, again.repeated) == (False, True)
        assert list(first) == list(again)
        os.utime(place, ns=(1, 1))
        assert not found.query(sql).repeated


def test_an_engine_that_fails_says_one_thing_and_the_price_stays_spent(tmp_path: Path, opens: Opens) -> None:
    with duckdb.connect() as connection:
        connection.execute(f"COPY (SELECT i AS person FROM range(1000) r(i)) TO '{tmp_path}/t.parquet'")
    with opens(f"parquet:///{tmp_path}/t.parquet") as found:
        before = found.budget().remaining
        (tmp_path / "t.parquet").write_bytes(b"PAR1 no longer what it was")
        with pytest.raises(discreet.EngineError) as caught:
            found.query("SELECT COUNT(*) AS n FROM t")
        assert str(caught.value) == discreet.EngineError.TEXT
        assert caught.value.__cause__ is None
        assert caught.value.__context__ is None
        assert found.budget().remaining.amount < before.amount
        assert found.history()[-1].kind == "failed"


@pytest.mark.parametrize("mixed", ["COALESCE(a, b)", "CASE WHEN person = 1 THEN a ELSE b END", "IF(a IS NULL, b, a)"])
def test_types_that_are_not_read_do_not_mix(mixed: str, tmp_path: Path, opens: Opens) -> None:
    """The database would refuse it only after the price was paid."""
    with opens(database(tmp_path, "CREATE TABLE t (person INTEGER, a UUID, b BLOB)")) as found:
        error = found.explain(f"SELECT COUNT({mixed}) AS n FROM t").error
        assert error is not None
        assert error.code == "type-mismatch"
        assert found.explain("SELECT COUNT(COALESCE(a, a)) AS n FROM t").error is None


def test_declared_decimals_are_the_groups_of_a_decimal_column(tmp_path: Path, opens: Opens) -> None:
    source = database(
        tmp_path,
        "CREATE TABLE t AS SELECT i AS person, CAST(0.1 + i % 2 / 8 AS DECIMAL(9, 3)) AS x FROM range(10) r(i)",
    )
    with opens(source, "columns.x = { values = [0.1, 0.225, 7.0] }") as found:
        counts = dict(iter(found.query("SELECT x, COUNT(*) AS n FROM t GROUP BY x")))
        assert {str(key): round(n) for key, n in counts.items()} == {"0.100": 5, "0.225": 5, "7.000": 0}
        assert len(found.query("SELECT x, COUNT(*) AS n FROM t GROUP BY x HAVING x + 0.5 > 0.7 AND x <> 7.0")) == 1
        assert len(found.query("SELECT CASE WHEN x > 0.2 THEN 0.3 ELSE 0.1 END AS y, COUNT(*) FROM t GROUP BY 1")) == 2


def test_numbers_beyond_64_bits_fit_into_a_table(tmp_path: Path, opens: Opens) -> None:
    source = database(
        tmp_path,
        f"CREATE TABLE p (id INTEGER, x HUGEINT, y UBIGINT); INSERT INTO p VALUES (1, {2**126}, {2**64 - 1}), (2, 1, 1);"
        "CREATE TABLE t AS SELECT 1 + i % 2 AS person, 1e15 AS z FROM range(10) r(i)",
    )
    columns = "columns.z = { range = [0, 1e15], step = 1 }\n[tables.p]\npublic = true"
    with opens(source, columns) as found:
        keyed = found.query("SELECT p.x, p.y, COUNT(*) AS n FROM t JOIN p ON p.id = t.person GROUP BY ALL")
        assert keyed.to_arrow().to_pydict()["x"] == [1, 2**126]
        assert keyed.to_pandas()["y"].tolist() == [1, 2**64 - 1]
        assert found.query("SELECT SUM(z) AS s FROM t", epsilon="1e-5").to_arrow().num_rows == 1
        outcome = "CASE WHEN person = 1 THEN 99999999999999999999 ELSE 0 END"
        assert len(found.query(f"SELECT {outcome} AS k, COUNT(*) AS n FROM t GROUP BY 1")) == 2


def test_an_average_far_from_zero_is_as_sharp_as_its_range_is_narrow(tmp_path: Path, opens: Opens) -> None:
    source = database(
        tmp_path, "CREATE TABLE t AS SELECT i AS person, 1.7e9 + 30 + i % 7 / 8 AS x FROM range(7000) r(i)"
    )
    with opens(source, "columns.x = { range = [1.7e9, 1.70000006e9] }") as found:
        average = found.query("SELECT AVG(x) AS a FROM t")
        [low_high] = average.intervals()["a"]
        assert low_high is not None
        assert low_high.low - 1e-6 <= 1_700_000_030.375 <= low_high.high + 1e-6
        assert low_high.high - low_high.low < 0.1


def test_csv_files_of_one_table_have_the_same_columns(tmp_path: Path, opens: Opens) -> None:
    """By place, the amounts of the second file would be taken for persons."""
    folder = tmp_path / "data" / "t"
    folder.mkdir(parents=True)
    (folder / "a.csv").write_text("person,x\n1,10\n", encoding="utf-8")
    (folder / "b.csv").write_text("x,person\n30,2\n", encoding="utf-8")
    with pytest.raises(discreet.PolicyError, match="other columns"):
        opens(f"csv:///{tmp_path}/data")
    (folder / "b.csv").write_text("person,x\n2,30\n", encoding="utf-8")
    with opens(f"csv:///{tmp_path}/data", "columns.x = { range = [0, 100] }") as found:
        assert answer(found, "SELECT SUM(x) AS s FROM t") == 40


def test_what_no_unit_can_move_has_a_price_for_any_accuracy(tmp_path: Path, opens: Opens) -> None:
    source = database(tmp_path, "CREATE TABLE t AS SELECT i AS person, 1.0 AS x FROM range(10) r(i)")
    with opens(source, "columns.x = { range = [0, 1e37] }") as found:
        assert list(found.query("SELECT SUM(x * 0) AS s FROM t", accuracy=1)) == [(0,)]
        assert "±" in repr(found.query("SELECT SUM(x) AS s FROM t", epsilon="1e-6"))


def test_parquet_files_of_one_table_have_the_same_types(tmp_path: Path, opens: Opens) -> None:
    """The columns of the second file would be cast to the types of the first, and that fails on some rows."""
    folder = tmp_path / "data" / "t"
    folder.mkdir(parents=True)
    with duckdb.connect() as connection:
        connection.execute(f"COPY (SELECT 1 AS person, 10 AS x) TO '{folder}/a.parquet'")
        connection.execute(f"COPY (SELECT 2 AS person, 'thirty' AS x) TO '{folder}/b.parquet'")
        with pytest.raises(discreet.PolicyError, match="other columns"):
            opens(f"parquet:///{tmp_path}/data")
        connection.execute(f"COPY (SELECT 30 AS x, 2 AS person) TO '{folder}/b.parquet'")
    with opens(f"parquet:///{tmp_path}/data", "columns.x = { range = [0, 100] }") as found:
        assert answer(found, "SELECT SUM(x) FROM t") == 40


def test_a_parquet_text_of_bytes_that_are_none_does_not_fail(tmp_path: Path, opens: Opens) -> None:
    """Some writers do not look; DuckDB would read such a file until it comes to that row."""
    place = tmp_path / "t.parquet"
    with duckdb.connect() as connection:
        rows = "SELECT * FROM (VALUES (1, 'Oslo'), (2, 'R?me'), (3, 'Turin')) AS v(person, city)"
        connection.execute(f"COPY ({rows}) TO '{place}' (COMPRESSION uncompressed)")
    place.write_bytes(place.read_bytes().replace(b"R?me", b"R\xffme"))
    with opens(f"parquet:///{place}") as found:
        assert answer(found, "SELECT COUNT(city) FROM t") == 3
        assert answer(found, "SELECT COUNT(*) FROM t WHERE city LIKE 'R_me'") == 1


FIRST_LINES = ["17,Oslo,34", "2024-01-31,person,age", "person,,age", "person,age,AGE", "person,+1.5,age", ""]


@pytest.mark.parametrize("line", FIRST_LINES)
def test_a_csv_file_without_names_is_refused_and_its_first_row_is_not_shown(
    line: str, tmp_path: Path, opens: Opens
) -> None:
    (tmp_path / "t.csv").write_text(f"{line}\n18,Rome,50\n", encoding="utf-8")
    with pytest.raises(discreet.PolicyError) as refused:
        opens(f"csv:///{tmp_path}/t.csv")
    assert refused.value.code == "bad-source"
    assert "does not name its columns" in str(refused.value)
    assert "Oslo" not in str(refused.value) + repr(refused.value.__context__)


def test_an_interrupt_is_not_taken_for_a_failure_of_the_engine(tmp_path: Path) -> None:
    """What DuckDB raises after a signal, in the middle of a question: the command ends, and its price stays spent."""
    engine = open_engine(database(tmp_path, "CREATE TABLE t AS SELECT 1 AS person"), {})
    assert isinstance(engine, DuckDB)
    with pytest.raises(KeyboardInterrupt), engine._cursor():
        raise RuntimeError("Query interrupted")
    with pytest.raises(RuntimeError, match="else"), engine._cursor():
        raise RuntimeError("something else")
    engine.close()
