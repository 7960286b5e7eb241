"""The demonstration shop, built once, and the command line in this process."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from discreet.engines.demo import build
from discreet.interfaces.cli import main


@dataclass(frozen=True)
class Outcome:
    code: int
    raw: bytes
    err: str

    @property
    def out(self) -> str:
        return self.raw.decode()


@pytest.fixture(scope="session")
def built(tmp_path_factory) -> Path:
    return build(tmp_path_factory.mktemp("shop")).parent


@pytest.fixture
def shop(built, tmp_path, monkeypatch) -> Path:
    """A shop of one's own with a fresh ledger, in the current folder."""
    for name in ("shop.duckdb", "discreet.toml"):
        shutil.copy(built / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def cli(capsysbinary):
    def run(*arguments: str) -> Outcome:
        capsysbinary.readouterr()
        code = main(arguments)
        out, err = capsysbinary.readouterr()
        return Outcome(code, out, err.decode())

    return run
