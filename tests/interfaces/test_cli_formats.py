"""What ``query`` writes can be read by what it is meant for."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

SQL = "SELECT channel, COUNT(*) AS n, AVG(amount) AS a FROM orders GROUP BY channel"
CHANNELS = ["app", "phone", "store", "web"]


@pytest.fixture
def answer(shop, cli):
    return json.loads(cli("query", SQL, "--format", "json").out)


def test_json_has_everything(answer):
    assert answer["columns"] == ["channel", "n", "a"]
    assert [row[0] for row in answer["rows"]] == CHANNELS
    assert set(answer) == {"columns", "rows", "intervals", "cost", "remaining", "receipt", "notes", "repeated"}
    for row, (low, high) in zip(answer["rows"], answer["intervals"]["n"], strict=True):
        assert low < row[1] < high
    assert answer["cost"]["epsilon"] == 0.2
    assert answer["remaining"]["epsilon"] > 0
    assert len(answer["receipt"]["hash"]) == 64
    assert answer["repeated"] is False


def test_csv_has_the_same_numbers(answer, cli):
    rows = list(csv.reader(io.StringIO(cli("query", SQL, "--format", "csv").out)))
    assert rows[0] == answer["columns"]
    assert [[row[0], int(row[1]), float(row[2])] for row in rows[1:]] == answer["rows"]


def arrow(data):
    return pa.ipc.open_stream(data).read_all()


def parquet(data):
    return pq.read_table(pa.py_buffer(data))


@pytest.mark.parametrize(("kind", "reader"), [("arrow", arrow), ("parquet", parquet)])
def test_arrow_and_parquet_are_bytes(answer, cli, kind, reader):
    table = reader(cli("query", SQL, "--format", kind).raw)
    assert table.column_names == answer["columns"]
    assert [list(row.values()) for row in table.to_pylist()] == answer["rows"]


@pytest.mark.parametrize("kind", ["table", "csv", "json", "arrow", "parquet"])
def test_a_file_gets_the_result_and_standard_output_nothing(shop, cli, kind):
    done = cli("query", SQL, "--format", kind, "-o", "result")
    assert (done.code, done.out) == (0, "")
    assert Path("result").stat().st_size > 0


def test_what_cannot_be_written_is_found_out_before_anything_is_paid(shop, cli):
    for arguments in (["-o", "no/such/folder"], ["-o", "."], ["--plot", "p.pdf"], ["--plot", "no/p.svg"]):
        done = cli("query", SQL, *arguments)
        assert done.code == 1
        assert done.err.startswith("discreet: ")
    assert json.loads(cli("history", "--json").out)[-1]["state"] == "terms"


def test_a_picture_is_drawn(shop, cli):
    assert cli("query", SQL, "--plot", "p.svg").code == 0
    assert Path("p.svg").read_text(encoding="utf-8").startswith("<svg")
    assert cli("query", SQL, "--plot", "p.png").code == 0
    assert Path("p.png").read_bytes().startswith(b"\x89PNG")


def test_without_the_extra_a_picture_is_refused_and_nothing_is_paid(shop, cli, monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    done = cli("query", SQL, "--plot", "p.svg")
    assert done.code == 1
    assert 'pip install "discreet[plot]"' in done.err
    assert json.loads(cli("history", "--json").out)[-1]["state"] == "terms"


def test_characters_that_a_stream_has_no_sign_for_are_escaped(shop):
    command = [sys.executable, "-m", "discreet", "query", SQL]
    environment = {"PATH": "", "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(command, capture_output=True, check=False, env=environment)
    assert done.returncode == 0
    assert b"\\xb1" in done.stdout


ODD = """
[dataset]
name = "odd"
source = "duckdb:///odd.duckdb"
[budget]
epsilon = 3
delta = 1e-6
[tables.people]
unit = "id"
rows_per_unit = 1
[tables.rates]
public = true
"""


@pytest.mark.parametrize("texts", [1, 2])
def test_a_key_that_is_no_number_of_json_is_a_text_there(cli, tmp_path, monkeypatch, texts):
    monkeypatch.chdir(tmp_path)
    with duckdb.connect("odd.duckdb") as connection:
        connection.execute("CREATE TABLE people AS SELECT i AS id FROM range(20) r(i)")
        connection.execute(
            "CREATE TABLE rates AS SELECT * FROM (VALUES (1, 'nan'::DOUBLE), (2, 'inf'), (3, 0.5)) v(id, r)"
        )
    Path("discreet.toml").write_text(ODD, encoding="utf-8")
    sql = "SELECT r, COUNT(*) FROM people JOIN rates USING (id) GROUP BY r"
    Path("q.sql").write_text(";".join([sql, f"{sql} LIMIT 9"][:texts]), encoding="utf-8")
    done = cli("query", "--epsilon", "0.1", "--format", "json", "-f", "q.sql")
    assert done.code == 0
    found = json.loads(done.out, parse_constant=pytest.fail)
    for each in found if texts == 2 else [found]:
        assert sorted(str(row[0]) for row in each["rows"]) == ["0.5", "inf", "nan"]
