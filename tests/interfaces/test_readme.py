"""The session of the README is what the tool prints after the demonstration; what is noise may differ."""

from __future__ import annotations

import re
import shlex

from house.sources import REPOSITORY

SESSION = re.search(r"^```console\n(.*?)^```", (REPOSITORY / "README.md").read_text(encoding="utf-8"), re.M | re.S)
NOISY = re.compile(r"(?<=  )[\d.,-]+ ±[\d.,]+")


def told(text: str) -> list[str]:
    """Line by line, with one sign for every number that is drawn, whatever its width."""
    lines = (re.sub(r"\s+", " ", NOISY.sub("#", re.sub(r" {2,}", "  ", line))).strip() for line in text.splitlines())
    return [re.sub(r"^receipt (\d+) \w+$", r"receipt \1 #", line) for line in lines if line]


def test_the_session_is_what_is_printed(tmp_path, monkeypatch, cli):
    assert SESSION
    monkeypatch.chdir(tmp_path)
    assert cli("demo").code == 0
    monkeypatch.chdir(tmp_path / "demo")
    asked = re.split(r"^\$ ", SESSION[1], flags=re.MULTILINE)[1:]
    assert len(asked) == 4
    for each in asked:
        command = re.match(r'discreet (?:[^"\n]|"[^"]*")*\n', each)
        assert command
        done = cli(*shlex.split(command[0])[1:])
        said, shown = told(done.out + done.err), told(each[command.end() :])
        whole = shown[-1] != "…"
        assert said[: len(shown)] == shown if whole else said[: len(shown) - 1] == shown[:-1]
        assert not whole or len(said) == len(shown)


def test_a_number_that_is_not_noise_may_not_differ():
    assert told("left   19%\nBonn   4,396 ±17   46.26 ±0.34") == told("left  19%\nBonn  40 ±17  6.26 ±0.4")
    assert told("left   19%") != told("left   18%")
