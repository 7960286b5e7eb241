"""A release for people: a table with ± beside every number, then what it cost, what is left and the receipt.

Digits that the noise has made meaningless are not shown: a decimal number keeps two digits of its half
width. What is shown is rounded; what is exported is not. Group keys may hold anything that a terminal or
a browser would obey, so they are escaped for both.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from html import escape
from io import StringIO
from typing import TYPE_CHECKING, Any, Literal, cast

from rich import box
from rich.console import Console, Group
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from discreet.ledger.bar import bar
from discreet.plan.printable import printable
from discreet.release.answer import NO_ANSWER, TOO_NOISY

if TYPE_CHECKING:
    from rich.console import ConsoleOptions, RenderResult

    from discreet.mechanisms.explanation import Cost
    from discreet.release.answer import Interval, Release

__all__ = [
    "Shown",
    "budget_line",
    "caption",
    "numbers",
    "plain",
    "release_html",
    "release_table",
    "release_text",
    "rounded",
    "shown",
]

MOST_ROWS = 50
"""What an interactive session shows of a long answer; the command line prints all of it."""


@dataclass(frozen=True, slots=True)
class Shown:
    """One column as text: its cells, and whether they are numbers (or a group key)."""

    name: str
    cells: tuple[str, ...]
    number: bool

    @property
    def side(self) -> Literal["left", "right"]:
        return "right" if self.number else "left"


def release_table(release: Release) -> Group:
    """The whole of a release, for a terminal."""
    return Group(numbers(release, MOST_ROWS), Text(), caption(release))


def release_text(release: Release) -> str:
    """The same as plain text, for ``print``."""
    page = StringIO()
    Console(file=page, width=WIDE, color_system=None).print(release_table(release))
    return "\n".join(line.rstrip() for line in page.getvalue().rstrip().splitlines())


WIDE = 10_000
"""Wider than any table: text that is not on a screen is not fitted to one."""


def shown(release: Release) -> list[Shown]:
    rows, intervals = list(release), release.intervals()
    found: list[Shown] = []
    for place, name in enumerate(release.columns):
        values, is_key = [row[place] for row in rows], name in release.keys
        if name in release.outermost:
            cells = [_bound(ends, release.outermost[name]) for ends in intervals[name]]
        elif name in intervals:
            cells = _noisy_cells(values, intervals[name], release.missing[name])
        else:
            cells = [printable(value) if is_key else plain(value) for value in values]
        found.append(Shown(printable(name), tuple(cells), number=not is_key))
    return found


def _noisy_cells(values: list[Any], intervals: list[Interval | None], missing: str) -> list[str]:
    """``value ±half``, with the ± signs of a column under each other."""
    pairs = [
        (missing, "") if value is None else rounded(value, ends) for value, ends in zip(values, intervals, strict=True)
    ]
    widest = max((len(half) for _, half in pairs), default=0)
    return [f"{value} ±{half:<{widest}}" if half else f"{value:<{widest + 2}}" for value, half in pairs]


def _bound(ends: Interval | None, side: str) -> str:
    """An extreme is told as a bound, which holds with 95 %: what lies beyond it is not known."""
    assert ends is not None
    return f"{side} {plain(ends.high if side == '≤' else ends.low)}"


def rounded(value: Any, ends: Interval | None) -> tuple[str, str]:
    """The number and its half width, which is rounded up. Whole numbers keep their digits."""
    if ends is None:
        return plain(value), ""
    if isinstance(value, list):
        return _listed(cast("list[Any]", value), ends), ""
    if isinstance(value, dt.date):
        return plain(value), _length(max(ends.high - value, value - ends.low))
    half = Decimal(repr(max(ends.high - value, value - ends.low)))
    if isinstance(value, int):
        return f"{value:,}", f"{half.quantize(Decimal(1), ROUND_CEILING, PRECISE):,f}"
    if not half:
        return plain(value), "0"
    unit = Decimal(1).scaleb(half.adjusted() - 1)
    return _in_units(Decimal(repr(value)), unit), _in_units(half, unit, ROUND_CEILING)


def _listed(values: list[Any], ends: Interval) -> str:
    """Every value with a half width of its own."""
    pairs = [rounded(each, type(ends)(*both)) for each, *both in zip(values, ends.low, ends.high, strict=True)]
    return f"[{', '.join(f'{value} ±{half}' if half else value for value, half in pairs)}]"


LENGTHS = {"days": dt.timedelta(days=1), "h": dt.timedelta(hours=1), "min": dt.timedelta(minutes=1)}


def _length(half: dt.timedelta) -> str:
    """In days, or in hours, minutes or seconds where it is less than two of what is longer."""
    found = next((pair for pair in LENGTHS.items() if half >= 2 * pair[1]), ("s", dt.timedelta(seconds=1)))
    return f"{-(-half // found[1]):,} {found[0]}"


def _in_units(number: Decimal, unit: Decimal, rounding: str | None = None) -> str:
    return f"{number.quantize(unit, rounding, PRECISE):,f}"


PRECISE = Context(prec=700)
"""Enough for any double in units of any other."""


def plain(value: Any) -> str:
    """A computed number without a half width of its own."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return printable(value)
    return f"{value:,}" if isinstance(value, int) else f"{value:,.10g}"


@dataclass(frozen=True, slots=True)
class Numbers:
    """The columns as a table, or a block a row where the screen is too narrow for a table."""

    columns: list[Shown]
    hidden: int

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        table = self._table()
        fits = Measurement.get(console, options.update_width(WIDE), table).maximum <= options.max_width
        yield table if fits else self._blocks()
        if self.hidden:
            yield Text(f"… and {self.hidden:,} more rows", style="dim")

    def _table(self) -> Table:
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
        for column in self.columns:
            table.add_column(Text(column.name, style="bold"), justify=column.side, no_wrap=True)
        for cells in zip(*(column.cells for column in self.columns), strict=True):
            table.add_row(*map(_cell, cells))
        return table

    def _blocks(self) -> Table:
        table = Table.grid("", "", padding=(0, 2))
        table.columns[1].overflow = "fold"
        for cells in zip(*(column.cells for column in self.columns), strict=True):
            for column, cell in zip(self.columns, cells, strict=True):
                table.add_row(Text(column.name, style="bold"), _cell(cell.strip()))
            table.add_row("", "")
        return table


def _cell(text: str) -> Text:
    value, sign, half = text.partition(" ±")
    styled = Text(value, style="dim italic" if value.strip() in (TOO_NOISY, NO_ANSWER, "NULL") else "")
    return styled.append(sign + half, style="dim")


def numbers(release: Release, most: int | None = None) -> Numbers:
    """The table alone; ``most`` rows of it."""
    columns = [Shown(column.name, column.cells[:most], column.number) for column in shown(release)]
    return Numbers(columns, 0 if most is None else max(0, len(release) - most))


def caption(release: Release) -> Table:
    """What a reader should know beside the numbers, a line each."""
    table = Table.grid("", "", padding=(0, 2))
    for name, line in _lines(release):
        table.add_row(Text(name, style="dim"), Text(line))
    return table


def _lines(release: Release) -> list[tuple[str, str]]:
    cost = "nothing: answered before, these are the same numbers" if release.repeated else str(release.cost)
    return [
        ("±", "half width at 95 % confidence, of the noise alone"),
        *(("note", note) for note in release.notes),
        ("cost", cost),
        ("left", budget_line(release)),
        ("receipt", f"{release.receipt.id}  {release.receipt.hash[:16]}"),
    ]


def budget_line(release: Release) -> str:
    """What is left, as a bar, and how far it reaches."""
    whole = _amount(release, release.budget)
    return f"{bar(_amount(release, release.remaining) / whole if whole else 0.0)}{_room(release)}"


def _room(release: Release) -> str:
    """How many more questions of this price there is room for: what people want to know of a budget."""
    price = release.cost
    if release.repeated or not _amount(release, price):
        return ""
    room = _amount(release, release.remaining) / _amount(release, price)
    if price.delta:
        room = min(room, release.remaining.delta / price.delta)
    return f", room for {int(room + 1e-9):,} more at this price"


def _amount(release: Release, cost: Cost) -> float:
    """What adds up: epsilon under pure accounting, rho (or its double) under every other."""
    return cost.epsilon if release.receipt.accounting == "pure" else cost.rho


def release_html(release: Release) -> str:
    """The same for a notebook, in its own colours."""
    columns = [Shown(column.name, column.cells[:MOST_ROWS], column.number) for column in shown(release)]
    head = "".join(f'<th style="text-align: {column.side}">{escape(column.name)}</th>' for column in columns)
    body = "".join(
        f"<tr>{''.join(map(_html_cell, columns, cells))}</tr>"
        for cells in zip(*(column.cells for column in columns), strict=True)
    )
    hidden = len(release) - MOST_ROWS
    lines = [("", f"… and {hidden:,} more rows")] if hidden > 0 else []
    small = "<br>".join(f"{escape(name)} {escape(line)}".strip() for name, line in [*lines, *_lines(release)])
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div>{table}<div style="font-size: smaller; opacity: 0.75">{small}</div></div>'


def _html_cell(column: Shown, cell: str) -> str:
    value, sign, half = cell.strip().partition(" ±")
    spread = f' <span style="opacity: 0.6">±{escape(half.strip())}</span>' if sign else ""
    return f'<td style="text-align: {column.side}">{escape(value.strip())}{spread}</td>'
