"""The calculator on the command line."""

from __future__ import annotations

import json

import pytest

ASKED = ("compose", "--epsilon", "0.1", "--times", "100", "--delta", "1e-6")


def test_every_theorem_has_a_line(cli):
    done = cli(*ASKED)
    assert (done.code, done.err) == (0, "")
    lines = dict(line.split()[:2] for line in done.out.splitlines() if line[:1].islower())
    assert (lines["advanced"], lines["self-adaptive"], lines["kov"]) == ("6.308231", "5.756106", "4.774568")


def test_the_totals_as_json(cli):
    told = json.loads(cli(*ASKED, "--json").out)
    assert len(told["queries"]) == 100
    assert {total["theorem"] for total in told["totals"]} >= {"basic", "kov", "pld", "parallel"}


def test_the_picture_is_drawn(cli, tmp_path):
    path = tmp_path / "totals.svg"
    assert cli(*ASKED, "--plot", str(path)).code == 0
    assert "self-adaptive" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "wrong", [("--epsilon", "nan"), ("--delta", "0"), ("--times", "0"), ("--units", "0"), ("--plot", "totals.txt")]
)
def test_what_is_no_number_is_a_failure_in_words(cli, wrong):
    done = cli(*ASKED, *wrong)
    assert done.code == 1
    assert done.err.startswith("discreet: ")
