"""What is shipped: every file of the package, and a lock that any machine can use."""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import zipfile
from typing import TYPE_CHECKING

import pytest

from house.sources import PACKAGE, REPOSITORY

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
    subprocess.run(command, cwd=REPOSITORY, capture_output=True, check=True)
    return folder


def test_the_wheel_holds_the_whole_package(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    shipped = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    ours = {
        f"discreet/{path.relative_to(PACKAGE).as_posix()}"
        for path in PACKAGE.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert shipped == ours
    assert {"discreet/py.typed", "discreet/engines/demo/shop.sql", "discreet/engines/demo/discreet.toml"} <= shipped


def test_the_source_distribution_can_be_tested(built: Path) -> None:
    (source,) = built.glob("*.tar.gz")
    with tarfile.open(source) as archive:
        shipped = {name.partition("/")[2] for name in archive.getnames()}
    wanted = {"Makefile", "mkdocs.yml", "uv.lock", "README.md", "LICENSE", ".ci/run", "tests/house/test_package.py"}
    assert wanted <= shipped
    assert not {name for name in shipped if name.startswith((".venv", ".uv", ".git/", "dist", "site"))}


def test_the_lock_names_pypi_alone() -> None:
    hosts = set(re.findall(r"https?://([^/\"]+)", (REPOSITORY / "uv.lock").read_text(encoding="utf-8")))
    assert hosts == {"pypi.org", "files.pythonhosted.org"}
