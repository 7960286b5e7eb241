"""Style that a linter does not measure: short functions, frozen values, names that say something, silence."""

from __future__ import annotations

import ast
from statistics import median, quantiles

from house.sources import PACKAGE, REPOSITORY, functions, imports, modules

LONGEST, NINETIETH, MEDIAN = 60, 30, 8
VAGUE = ("util", "helper", "manager", "common", "misc", "context")
LATER = "TO" + "DO"


def lengths() -> dict[str, int]:
    return {
        f"{file}:{function.name}:{function.lineno}": (function.end_lineno or function.lineno) - function.lineno + 1
        for file, tree in modules().items()
        for function in functions(tree)
    }


def test_no_function_is_longer_than_a_screen() -> None:
    assert {where: lines for where, lines in lengths().items() if lines > LONGEST} == {}


def test_functions_are_short() -> None:
    lines = list(lengths().values())
    assert quantiles(lines, n=10)[-1] <= NINETIETH
    assert median(lines) <= MEDIAN


def test_only_interfaces_speak() -> None:
    spoken = [
        f"{file}:{node.lineno}"
        for file, tree in modules().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
        if not file.startswith("interfaces/")
    ]
    logged = [
        file
        for file, tree in modules().items()
        if {"logging", "warnings"} & {name.partition(".")[0] for name in imports(file, tree)}
        if not file.startswith("interfaces/")
    ]
    assert spoken + logged == []


def test_what_passes_between_rooms_is_frozen() -> None:
    """A builder may change while it gathers, inside its own room; a value that leaves a room may not."""
    changing = {
        (file.partition("/")[0], node.name)
        for file, tree in modules().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        for decorator in map(ast.unparse, node.decorator_list)
        if "dataclass" in decorator and "frozen=True" not in decorator
    }
    assert [
        f"{file} imports {name}"
        for file, tree in modules().items()
        for name in imports(file, tree)
        for room, builder in changing
        if name.startswith(f"discreet.{room}.") and name.endswith(f".{builder}") and not file.startswith(f"{room}/")
    ] == []


def test_files_are_named_for_an_idea() -> None:
    assert [path.name for path in PACKAGE.rglob("*.py") if any(word in path.stem for word in VAGUE)] == []


def test_nothing_is_left_for_later() -> None:
    written = [
        path
        for folder in ("src", "tests", "docs", "bench")
        for path in (REPOSITORY / folder).rglob("*")
        if path.suffix in {".py", ".md", ".sql", ".toml"}
    ]
    assert [str(path) for path in written if LATER in path.read_text(encoding="utf-8")] == []
