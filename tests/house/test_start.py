"""What is heavy is loaded when it is used: starting is quick."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = {"duckdb", "sqlglot", "pyarrow", "pandas", "polars", "numpy", "cryptography", "vl_convert"}

HELP = "import sys; sys.argv = ['discreet', '--help']; from discreet.interfaces.cli import main; sys.exit(main())"


def loaded_by(code: str) -> set[str]:
    """The top-level modules that a fresh interpreter holds when it leaves after running the code."""
    watch = "import atexit, sys; atexit.register(lambda: print(*sys.modules, file=sys.stderr)); "
    done = subprocess.run([sys.executable, "-c", watch + code], capture_output=True, text=True, check=True)
    return {name.partition(".")[0] for name in done.stderr.split()}


def test_loading_is_seen() -> None:
    assert "sqlglot" in loaded_by("import sqlglot")


@pytest.mark.parametrize("code", ["import discreet", HELP], ids=["import", "help"])
def test_starting_loads_nothing_heavy(code: str) -> None:
    loaded = loaded_by(code)
    assert "discreet" in loaded
    assert loaded & HEAVY == set()
