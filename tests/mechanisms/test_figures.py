"""Every mechanism has its section and its figure in the docs, and each figure is what the code computes now."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from discreet.mechanisms import CHOICES, MECHANISMS

REPOSITORY = Path(__file__).parents[2]
PAGE = (REPOSITORY / "docs" / "mechanisms.md").read_text(encoding="utf-8")
SHOWN = re.findall(r"\]\(figures/([a-z-]+)\.svg\)", PAGE)

CHECK = """
from bench.figures import figures, is_true
print(*(f"{name} {is_true(name, picture)}" for name, picture in figures()), sep="\\n")
"""


@pytest.fixture(scope="module")
def drawn() -> dict[str, bool]:
    """By name, whether the figure in the docs was drawn from the specification that the code makes now."""
    done = subprocess.run([sys.executable, "-c", CHECK], cwd=REPOSITORY, capture_output=True, text=True, check=True)
    return {name: true == "True" for name, true in (line.split() for line in done.stdout.splitlines())}


def test_the_figures_are_those_of_the_code(drawn: dict[str, bool]) -> None:
    """Otherwise: make figures."""
    assert [name for name, true in drawn.items() if not true] == []


def test_every_figure_is_on_the_page(drawn: dict[str, bool]) -> None:
    assert sorted(SHOWN) == sorted(drawn)


@pytest.mark.parametrize("name", [*MECHANISMS, *CHOICES])
def test_every_mechanism_has_its_section_its_figure_and_its_proof(name: str) -> None:
    section = re.search(
        rf"^## {name.replace('-', '[- ]')}\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL | re.IGNORECASE
    )
    assert section is not None
    assert f"figures/{name}.svg" in section[1]
    assert "(proofs/" in section[1]


def test_a_figure_that_is_not_true_is_seen(tmp_path: Path) -> None:
    code = f"""
from pathlib import Path
from bench.figures import digest, figures, is_true
name, picture = next(figures())
place = Path({str(tmp_path)!r})
(place / f"{{name}}.svg").write_text("<svg/> <!-- " + "0" * 32 + " -->")
assert not is_true(name, picture, place)
(place / f"{{name}}.svg").write_text(f"<svg/> <!-- {{digest(picture)}} -->")
assert is_true(name, picture, place)
"""
    subprocess.run([sys.executable, "-c", code], cwd=REPOSITORY, check=True)
