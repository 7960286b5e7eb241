"""The page about publications does what it shows: its database, its policy, its commands and its Python."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

import duckdb
import pytest

import discreet
from discreet.interfaces.cli import main
from house.sources import REPOSITORY

if TYPE_CHECKING:
    from pathlib import Path

PAGE = (REPOSITORY / "docs" / "published.md").read_text(encoding="utf-8")


def blocks(kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture
def club(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (schema,), (policy,) = blocks("sql"), blocks("toml")
    with duckdb.connect(str(tmp_path / "club.duckdb")) as connection:
        connection.execute(schema)
    (tmp_path / "discreet.toml").write_text(policy, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def commands() -> list[tuple[str, str]]:
    """Each command with what the page says that it prints."""
    return [
        (command, printed)
        for block in blocks("console")
        for command, printed in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE)
    ]


def shape(text: str) -> list[str]:
    """Words without their numbers, and without what goes to standard error."""
    lines = [line for line in text.splitlines() if not line.startswith("cost")]
    return re.sub(r"true|false|[-─±\d.,]+", "", "\n".join(lines)).split()


def test_the_commands_print_what_the_page_shows(club: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert len(commands()) == 8
    for command, printed in commands():
        assert main(shlex.split(command)[1:]) == 0, command
        told = capsys.readouterr().out.partition("\n\nplan")[0]
        assert shape(told.partition("\nleft")[0]) == shape(printed.partition("\nleft")[0]), command


def test_the_python_runs(club: Path) -> None:
    (code,) = blocks("python")
    names: dict[str, object] = {"discreet": discreet}
    exec(code, names)
    db = names["db"]
    assert isinstance(db, discreet.Database)
    assert list(db.views) == ["areas", "people"]
    db.close()
