"""What is written is true: pages build, commands exist, codes are explained, named paths are there."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from typing import TYPE_CHECKING, get_args

from discreet.policy.codes import Code
from house.sources import REPOSITORY, modules

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DOCS = REPOSITORY / "docs"
CODE = re.compile(r"[a-z]+(-[a-z]+)*")


def read(name: str) -> str:
    return (REPOSITORY / name).read_text(encoding="utf-8")


def targets() -> set[str]:
    return set(re.findall(r"^([a-z]+):.*## ", read("Makefile"), re.MULTILINE))


def commands(text: str) -> set[str]:
    """The ``make`` targets that a page tells people to type: indented or in code quotes."""
    return set(re.findall(r"(?:^ {4}|`)make ([a-z]+)", text, re.MULTILINE))


def codes(file: str, tree: ast.Module) -> Iterator[str]:
    """The codes that a file refuses questions with: the first short literal handed to ``Refused`` or ``refuse``."""
    if file.startswith("policy/"):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in {"Refused", "refuse", "LedgerError"}:
            words = [word.value for word in node.args[:2] if isinstance(word, ast.Constant)]
            yield from [word for word in words if isinstance(word, str) and CODE.fullmatch(word)][:1]


def test_the_documentation_builds_strictly(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)]
    built = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout + built.stderr


def test_commands_that_pages_name_exist() -> None:
    named = {page: commands(read(page)) for page in ("README.md", "CONTRIBUTING.md", "docs/index.md")}
    assert all(named.values())
    assert set().union(*named.values()) <= targets()


def test_every_target_is_listed() -> None:
    phony = re.search(r"^\.PHONY: (.*)$", read("Makefile"), re.MULTILINE)
    assert phony is not None
    assert set(phony[1].split()) == targets()


def test_the_changelog_has_room_for_the_next_change() -> None:
    assert "\n## Unreleased\n" in read("CHANGELOG.md")


def test_every_proof_is_listed() -> None:
    listed = set(re.findall(r"proofs/([a-z-]+\.md)", read("mkdocs.yml"))) - {"index.md"}
    written = {page.name for page in (DOCS / "proofs").glob("*.md")} - {"index.md"}
    linked = set(re.findall(r"\]\(([a-z-]+\.md)\)", read("docs/proofs/index.md")))
    assert listed == written == linked


def test_every_code_of_a_refusal_is_explained() -> None:
    page = read("docs/errors.md")
    used = {code for file, tree in modules().items() for code in codes(file, tree)}
    assert "unsupported" in used
    assert sorted(code for code in used if f"`{code}`" not in page) == []


def test_every_code_of_a_policy_is_explained() -> None:
    page = read("docs/policy.md")
    assert [code for code in get_args(Code) if f"`{code}`" not in page] == []


def test_paths_that_the_architecture_names_exist() -> None:
    named = re.findall(r"`((?:src|tests|docs)/[\w./-]+)`", read("ARCHITECTURE.md"))
    assert named
    assert [path for path in named if not (REPOSITORY / path).exists()] == []


def test_relative_links_between_pages_lead_somewhere() -> None:
    pages = [*REPOSITORY.glob("*.md"), *DOCS.rglob("*.md")]
    broken = [
        f"{page.name}: {link}"
        for page in pages
        for link in re.findall(r"\]\(([^):#]+\.md)[^)]*\)", page.read_text(encoding="utf-8"))
        if not (page.parent / link).exists()
    ]
    assert broken == []
