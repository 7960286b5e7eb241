"""The product's own source, read as text and as syntax trees: what the tests of this folder walk."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

REPOSITORY = Path(__file__).resolve().parents[2]
PACKAGE = REPOSITORY / "src" / "discreet"


def modules() -> dict[str, ast.Module]:
    """Every file of the package, by its path inside it."""
    return {
        path.relative_to(PACKAGE).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
        for path in sorted(PACKAGE.rglob("*.py"))
    }


def imports(file: str, tree: ast.Module) -> Iterator[str]:
    """What a file imports, as full dotted names: at the top, inside functions, for types, or by a call."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from (alias.name for alias in names)
            case ast.ImportFrom(module=module, names=names, level=level):
                base = ".".join([*_package(file, level), *([module] if module else [])])
                yield from (f"{base}.{alias.name}" for alias in names)
            case ast.Call(func=function, args=[argument, *_]) if ast.unparse(function).endswith(
                ("import_module", "__import__")
            ):
                yield from _named(argument, tree)
            case _:
                pass


def _named(argument: ast.expr, tree: ast.Module) -> list[str]:
    """The modules that a call may import: one that is written out, or those of a table in the same file."""
    if not isinstance(argument, ast.Subscript):
        return [str(ast.literal_eval(argument))]
    table = ast.unparse(argument.value)
    values = [
        node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and [ast.unparse(target) for target in node.targets] == [table] and node.value
    ]
    return list(ast.literal_eval(values[0]).values())


def _package(file: str, level: int) -> list[str]:
    """The package that ``level`` leading dots mean inside ``file``."""
    folders = ["discreet", *file.split("/")[:-1]]
    return folders[: len(folders) + 1 - level] if level else []


def functions(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    yield from (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
