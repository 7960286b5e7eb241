"""A file of several statements: the plan of a batch on the command line."""

from __future__ import annotations

import json

import pytest

COUNTS = """-- how old are they?
SELECT COUNT(*) AS young FROM users WHERE age < 30;
SELECT COUNT(*) AS middle FROM users WHERE age >= 30 AND age < 60;
SELECT COUNT(*) AS old FROM users WHERE age >= 60;
"""


@pytest.fixture
def counts(shop):
    (shop / "counts.sql").write_text(COUNTS, encoding="utf-8")
    return "counts.sql"


def test_the_ways_and_the_one_that_is_used(cli, counts):
    done = cli("explain", "-f", counts, "--epsilon", "0.2")
    assert (done.code, done.err) == (0, "")
    lines = [line.rstrip() for line in done.out.splitlines()]
    assert lines[0] == "statements 1-3 over users: 3 numbers, which one unit moves by 1 together"
    ways = {line[4:].partition("  ")[0]: line for line in lines[3:8]}
    assert list(ways) == ["one by one", "gaussian", "laplace", "histogram", "randomised response"]
    assert [name for name, line in ways.items() if line.startswith("→")] == ["gaussian"]
    assert "±1 % of the rows from" in lines[1]
    assert "name about how many" in ways["randomised response"]
    assert lines[-1] == "cost  epsilon 0.2 (rho 0.02) for all together"


def test_a_public_number_of_rows_and_another_error(cli, counts):
    done = cli("explain", "-f", counts, "--epsilon", "0.2", "--rows", "20000", "--within", "5%", "--json")
    told = json.loads(done.out)
    (plan,) = told["lists"]
    assert (plan["within"], plan["used"], plan["numbers"]) == (0.05, "gaussian", 3)
    response = plan["ways"][-1]
    assert (response["name"], response["cells"], response["note"]) == ("randomised response", 3, "by discreet publish")
    assert response["error_95"] > 100
    used = next(way for way in plan["ways"] if way["name"] == "gaussian")
    assert used["rows_needed"] == 20 * used["error_95"]


def test_without_a_price_all_together_cost_the_default(cli, counts):
    assert cli("explain", "-f", counts).out.rstrip().endswith("epsilon 0.2 (rho 0.02) for all together")


def test_a_refusal_is_shown_where_it_is_in_the_file(cli, shop):
    (shop / "two.sql").write_text("SELECT COUNT(*) FROM users;\n\n  SELECT COUNT(*) FROM nothing", encoding="utf-8")
    done = cli("explain", "-f", "two.sql")
    assert done.code == 2
    assert "  --> two.sql:3:24\n3 |   SELECT COUNT(*) FROM nothing\n" in done.err
    told = cli("explain", "-f", "two.sql", "--json")
    assert told.code == 2
    assert json.loads(told.out)["refused"] == 2


def test_the_sql_of_a_list_is_shown_once(cli, counts):
    out = cli("explain", "-f", counts, "--sql").out
    assert out.count("GROUP BY") == 1


@pytest.mark.parametrize("wrong", [("--delta", "1e-9"), ("--mechanism", "laplace"), ("--within", "7"), ("--rows", "0")])
def test_what_is_not_for_a_batch_is_a_failure_in_words(cli, counts, wrong):
    done = cli("explain", "-f", counts, *wrong)
    assert done.code == 1
    assert done.err.startswith("discreet: ")


def test_one_statement_is_explained_as_before(cli, shop):
    (shop / "one.sql").write_text("SELECT COUNT(*) FROM users;\n-- no more\n", encoding="utf-8")
    assert "bounds" in cli("explain", "-f", "one.sql").out
    assert cli("explain", "-f", "one.sql", "--json").code == 0


def test_what_is_no_statement_is_refused(cli, shop):
    (shop / "none.sql").write_text("-- nothing\n", encoding="utf-8")
    done = cli("explain", "-f", "none.sql")
    assert done.code == 2
    assert "one-statement" in done.err


def test_error_against_price_is_drawn(cli, shop):
    done = cli("explain", "SELECT COUNT(*) AS n FROM users", "--plot", "errors.svg")
    assert done.code == 0
    drawing = (shop / "errors.svg").read_text(encoding="utf-8")
    assert all(word in drawing for word in ("gaussian", "laplace", "now: epsilon 0.2"))
    assert cli("explain", "SELECT COUNT(*) AS n FROM users", "--plot", "errors.txt").code == 1
    assert cli("explain", "SELECT * FROM users", "--plot", "none.svg").code == 2
    assert not (shop / "none.svg").exists()


def paid(cli) -> bool:
    """Whether something was reserved."""
    return any(entry["cost"] for entry in json.loads(cli("history", "--json").out))


def test_a_file_of_statements_is_answered_for_one_price(cli, counts):
    done = cli("query", "-f", counts, "--epsilon", "0.3")
    assert done.code == 0
    assert [word for word in ("young", "middle", "old") if word in done.out] == ["young", "middle", "old"]
    assert "above is one of 3 answers: epsilon 0.3 for all together" in done.err
    again = cli("query", "-f", counts, "--epsilon", "0.3", "--format", "json")
    answers = json.loads(again.out)
    assert [answer["columns"] for answer in answers] == [["young"], ["middle"], ["old"]]
    assert all(answer["repeated"] for answer in answers)
    assert paid(cli)


@pytest.mark.parametrize(
    "wrong", [("--format", "csv"), ("--plot", "n.svg"), ("-o", "n.txt"), ("--mechanism", "laplace")]
)
def test_what_is_for_one_answer_is_refused_before_anything_is_paid(cli, counts, wrong):
    done = cli("query", "-f", counts, *wrong)
    assert done.code == 1
    assert done.err.startswith("discreet: ")
    assert not paid(cli)


def test_a_refused_statement_is_shown_and_nothing_is_paid(cli, shop):
    (shop / "two.sql").write_text("SELECT COUNT(*) FROM users;\nSELECT COUNT(*) FROM nothing;\n", encoding="utf-8")
    done = cli("query", "-f", "two.sql")
    assert done.code == 2
    assert "--> two.sql:2:22" in done.err
    assert not paid(cli)
