"""The page about the command line has every command and every option."""

from __future__ import annotations

import re
from argparse import ArgumentParser

import pytest

from discreet.interfaces.cli.parser import COMMANDS
from house.sources import REPOSITORY

PAGE = (REPOSITORY / "docs" / "cli.md").read_text(encoding="utf-8")


def section(name: str) -> str:
    return PAGE.partition(f"\n## {name}\n")[2].partition("\n## ")[0]


def test_every_command_has_its_heading_in_order():
    assert re.findall(r"^## (\w+)$", PAGE, re.MULTILINE) == [command.name for command in COMMANDS]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_every_option_is_explained(command):
    parser = ArgumentParser(add_help=False)
    command.options(parser)
    text = section(command.name)
    options = [option for action in parser._actions for option in action.option_strings]
    assert [option for option in options if f"`{option}" not in text] == []


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_no_option_is_invented(command):
    parser = ArgumentParser(add_help=False)
    command.options(parser)
    options = {option for action in parser._actions for option in action.option_strings}
    assert set(re.findall(r"`(--?[a-z]+)", section(command.name))) <= options
