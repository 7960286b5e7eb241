"""``discreet demo``: a made shop, a few questions, the exact answer beside the private one."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from dataclasses import dataclass
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING, Any

from discreet.errors import Refused
from discreet.interfaces.cli.command import Command
from discreet.interfaces.cli.failures import Exit, Failure, near, rendered
from discreet.interfaces.cli.question import Question
from discreet.interfaces.cli.screen import out, waiting

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from discreet.release import Release
    from discreet.session import Database

__all__ = ["DEMO"]


@dataclass(frozen=True, slots=True)
class Scene:
    """A question of the tour: what it shows, and what a reader should look at afterwards."""

    title: str
    sql: str
    remark: str = ""
    epsilon: str | None = None


SCENES = (
    Scene(
        "How many people live where?",
        "SELECT city, COUNT(*) AS people\nFROM users\nGROUP BY city\nORDER BY people DESC",
        "Whether or not you are among them, the answer is nearly as likely.",
    ),
    Scene(
        "How old are they? A public table is joined in.",
        "SELECT r.region, COUNT(*) AS people, AVG(u.age) AS age\n"
        "FROM users AS u JOIN regions AS r ON u.city = r.city\n"
        "WHERE u.age < 100\nGROUP BY r.region",
    ),
    Scene(
        "What is sold where? Here the data are dirty.",
        "SELECT channel, COUNT(*) AS orders, SUM(amount) AS revenue\nFROM orders\nGROUP BY channel",
        "One NaN spoils an exact sum; here it counts as nothing. Orders of nobody do not\n"
        "count, and the reseller with 3,000 orders counts with ten: so nobody stands out.",
        epsilon="0.3",
    ),
    Scene(
        "What lands in the basket? Lines belong to orders, orders to people.",
        "SELECT i.category, SUM(i.quantity) AS pieces\nFROM items AS i\nGROUP BY i.category",
        "Ten orders of a person count, and four lines of an order: the ± is about the noise\n"
        "alone, so the owner's bounds decide what is left out.",
        epsilon="0.3",
    ),
)
AGAIN = SCENES[0]
TOO_NOSY = "SELECT user_id, SUM(amount) AS spent\nFROM orders\nGROUP BY user_id"


def _options(parser: ArgumentParser) -> None:
    parser.add_argument("folder", nargs="?", default="demo", metavar="FOLDER", help="where the shop is made (demo)")


def _run(arguments: Namespace) -> int:
    from discreet.session import connect

    console, folder = out(), Path(arguments.folder)
    policy = _make(folder)
    console.print(f"A shop of made-up people is in {folder}; whose privacy counts is said in {policy}.", markup=False)
    with connect(policy, analyst="you") as database:
        for scene in SCENES:
            _ask(console, database, folder, scene)
        _repeat(console, database)
        _refuse(console, database)
        _draw(console, database, folder)
    _farewell(console, policy)
    return Exit.ANSWERED


def _make(folder: Path) -> Path:
    from discreet.engines import demo

    try:
        if not demo.is_free(folder):
            raise Failure(f"{folder} holds files that are not the demo's", "name another folder: discreet demo FOLDER")
        with waiting("making a shop"):
            return demo.build(folder)
    except OSError as error:
        hint = "name a folder that can be made: discreet demo FOLDER"
        raise Failure(f"{folder} cannot be used: {error.strerror}", hint) from error


def _ask(console: Console, database: Database, folder: Path, scene: Scene) -> None:
    from discreet.engines.demo import exact

    _title(console, scene.title, scene.sql)
    release = database.query(scene.sql, epsilon=scene.epsilon)
    console.print(_side_by_side(release, exact(folder, scene.sql)))
    if scene.remark:
        console.print(f"\n{scene.remark}", markup=False)
    _cost(console, release)


def _cost(console: Console, release: Release) -> None:
    from discreet.release.show import budget_line

    price = "nothing" if release.repeated else str(release.cost)
    console.print(f"\n[dim]cost[/] {price}   [dim]budget[/] {budget_line(release)}")


def _title(console: Console, title: str, sql: str) -> None:
    from rich.text import Text

    console.print()
    console.print(Text(title, style="bold"))
    console.print(Text("\n".join(f"  {line}" for line in sql.splitlines()), style="cyan"))
    console.print()


def _side_by_side(release: Release, exact: list[tuple[Any, ...]]) -> Table:
    """Every number twice: as it is, and as it was released. Rows meet by their keys."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from discreet.release.show import plain, shown

    columns, keys = shown(release), len(release.keys)
    truth = {row[:keys]: row[keys:] for row in exact}
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for column in columns:
        if column.number:
            table.add_column(f"{column.name}, exact", justify="right", style="dim")
        table.add_column(f"{column.name}, private" if column.number else column.name, justify=column.side)
    for place, row in enumerate(release):
        cells = [column.cells[place] for column in columns[:keys]]
        for column, number in zip(columns[keys:], truth[row[:keys]], strict=True):
            cells += [f"{number:,.2f}" if isinstance(number, float) else plain(number), column.cells[place]]
        table.add_row(*map(Text, cells))
    return table


def _repeat(console: Console, database: Database) -> None:
    sql = " ".join(AGAIN.sql.lower().split())
    _title(console, "The first question again, written another way", sql)
    release = database.query(sql)
    first = ", ".join(f"{city} {people:,}" for city, people in list(release)[:3])
    console.print(f"The same numbers ({first}, …): telling them twice tells nothing new.")
    _cost(console, release)


def _refuse(console: Console, database: Database) -> None:
    _title(console, "And who spent how much?", TOO_NOSY)
    try:
        database.query(TOO_NOSY)
    except Refused as error:
        console.print(rendered(error, Question(TOO_NOSY)))


def _draw(console: Console, database: Database, folder: Path) -> None:
    from discreet.interfaces.cli.drawing import draw

    path = folder / "people-by-city.svg"
    console.print()
    try:
        draw(database.query(AGAIN.sql), str(path))
    except Failure as error:
        console.print(f"No picture: {error.message}", markup=False)
    else:
        console.print(f"A picture of the first answer, with its error bars, is in {path}.", markup=False)


def _farewell(console: Console, policy: Path) -> None:
    console.print("\nAsk for yourself:\n", style="bold")
    for command, rest in NEXT:
        line = f"  {_program()} {command} --policy {policy}{rest}"
        console.print(line, markup=False, no_wrap=True, overflow="ignore", crop=False)


NEXT = (
    ("query", ' "SELECT channel, AVG(amount) AS average FROM orders GROUP BY channel"'),
    ("explain", ' "SELECT COUNT(*) AS lines FROM items"'),
    ("budget", ""),
)


def _program() -> str:
    """What to type for this program: ``make demo`` runs it from a folder that is not on the path."""
    if which("discreet"):
        return "discreet"
    started = Path(sys.argv[0])
    return near(started.absolute()) if started.name == "discreet" else "python -m discreet"


DEMO = Command("demo", "a made shop, a few questions, exact beside private", _options, _run, policy=False)
