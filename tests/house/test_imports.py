"""Imports only go down, and each room knows only what it may know."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest

from house.sources import imports, modules

if TYPE_CHECKING:
    from collections.abc import Mapping

ORDER = [
    {"errors", "picture"},
    {"accounting", "plan"},
    {"policy"},
    {"sql", "ledger"},
    {"privacy"},
    {"mechanisms"},
    {"engines"},
    {"release"},
    {"session"},
    {"__init__"},
    {"interfaces", "audit"},
    {"__main__"},
]
"""The rooms from the ground up. A room may import itself and the rooms below; not its neighbour on a floor."""

FLOOR = {room: floor for floor, rooms in enumerate(ORDER) for room in rooms}

KNOWN_TO = {
    "sqlglot": ("sql/", "engines/"),
    "duckdb": ("engines/",),
    "sqlite3": ("ledger/",),
    "pyarrow": ("engines/", "release/", "interfaces/"),
    "pandas": ("release/", "interfaces/"),
    "polars": ("release/", "interfaces/"),
    "vl_convert": ("picture.py",),
    "numpy": ("mechanisms/vectors.py",),
    "cryptography": ("mechanisms/noise_source.py",),
    "dp_accounting": ("accounting/pld.py",),
    "rich": ("interfaces/", "release/show.py", "release/show_batch.py"),
    "argparse": ("interfaces/",),
}
"""Who may import a library: one room, or one file."""

RANDOMNESS = {"random", "secrets", "uuid", "os.urandom", "os.getrandom", "numpy.random", "opendp"}
DRAWS_NOISE = ("mechanisms/noise_source.py",)
DRAWS_SECRETS = ("ledger/",)
"""A salt is no noise. This room may take one, written as ``from secrets import token_bytes`` so that nothing
else comes with it; rooms above the noise source have ``noise_source.secret``."""

SEES_NOISE = ("mechanisms/", "release/")
SECRET = "discreet.mechanisms.noise_source.secret"


def within(file: str, places: tuple[str, ...]) -> bool:
    return file.startswith(places)


def is_of(name: str, module: str) -> bool:
    return name == module or name.startswith(f"{module}.")


def room_of(name: str) -> str:
    """The room that a dotted name of ours lies in; a name of the front door itself is ``__init__``."""
    _, _, rest = name.partition(".")
    first = rest.partition(".")[0]
    return first if first in FLOOR else "__init__"


def climbing(trees: Mapping[str, ast.Module]) -> list[str]:
    """Imports of a room above, or of the other room on the same floor."""
    offences: list[str] = []
    for file, tree in trees.items():
        here = file.partition("/")[0].removesuffix(".py")
        for name in imports(file, tree):
            if is_of(name, "discreet"):
                there = room_of(name)
                if there != here and FLOOR[there] >= FLOOR[here]:
                    offences.append(f"{file} imports {name}")
    return offences


def strangers(trees: Mapping[str, ast.Module]) -> list[str]:
    """Imports of a library in a room that may not know it."""
    return [
        f"{file} imports {name}"
        for file, tree in trees.items()
        for name in imports(file, tree)
        for library, places in KNOWN_TO.items()
        if is_of(name, library) and not within(file, places)
    ]


def gamblers(trees: Mapping[str, ast.Module]) -> list[str]:
    """Files that draw random numbers and may not, whether they import the way or reach for it by attribute."""
    offences: list[str] = []
    for file, tree in trees.items():
        allowed = {"secrets.token_bytes"} if within(file, DRAWS_SECRETS) else set[str]()
        reached = {ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Attribute)} & {
            "os.urandom",
            "os.getrandom",
        }
        taken = {name for name in imports(file, tree) if any(is_of(name, way) for way in RANDOMNESS)}
        if file not in DRAWS_NOISE:
            offences += [f"{file} uses {way}" for way in sorted((taken | reached) - allowed)]
    return offences


def test_every_room_has_its_floor() -> None:
    rooms = {file.partition("/")[0].removesuffix(".py") for file in modules()}
    assert rooms <= set(FLOOR)


def test_imports_only_go_down() -> None:
    assert climbing(modules()) == []


def test_libraries_are_known_only_to_their_rooms() -> None:
    assert strangers(modules()) == []


def test_only_the_noise_source_draws() -> None:
    assert gamblers(modules()) == []


def test_only_mechanisms_and_release_see_the_noise_source() -> None:
    assert [
        f"{file} imports {name}"
        for file, tree in modules().items()
        for name in imports(file, tree)
        if is_of(name, "discreet.mechanisms.noise_source") and name != SECRET and not within(file, SEES_NOISE)
    ] == []


def test_audit_stands_at_the_front_door() -> None:
    assert [
        f"{file} imports {name}"
        for file, tree in modules().items()
        for name in imports(file, tree)
        if file.startswith("audit/") and is_of(name, "discreet")
        if room_of(name) not in {"audit", "session", "__init__"}
    ] == []


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("plan/a.py", "from discreet.sql import read"),
        ("plan/a.py", "from discreet import sql"),
        ("plan/a.py", "from ..sql import read"),
        ("plan/a.py", "import discreet"),
        ("sql/a.py", "from discreet.ledger import store"),
        ("ledger/accountants/a.py", "def f():\n    from ...privacy import bound"),
        ("release/a.py", "if TYPE_CHECKING:\n    from discreet.session import Session"),
        ("engines/a.py", "import importlib\nimportlib.import_module('discreet.release')"),
    ],
)
def test_a_climbing_import_is_seen(file: str, text: str) -> None:
    assert climbing({file: ast.parse(text)})


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("release/a.py", "def f():\n    import duckdb"),
        ("privacy/a.py", "from sqlglot.expressions import Select"),
        ("release/a.py", "import rich.table"),
        ("session.py", "__import__('sqlite3')"),
    ],
)
def test_a_stranger_is_seen(file: str, text: str) -> None:
    assert strangers({file: ast.parse(text)})


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("release/a.py", "import os\nos.urandom(8)"),
        ("release/a.py", "from os import urandom"),
        ("mechanisms/laplace.py", "from secrets import token_bytes"),
        ("ledger/store.py", "from secrets import SystemRandom"),
        ("ledger/store.py", "import secrets"),
        ("engines/a.py", "def f():\n    import random"),
    ],
)
def test_a_gambler_is_seen(file: str, text: str) -> None:
    assert gamblers({file: ast.parse(text)})


def test_a_salt_is_no_noise() -> None:
    assert gamblers({"ledger/store.py": ast.parse("from secrets import token_bytes")}) == []
