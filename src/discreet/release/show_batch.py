"""The plan of a batch for people: the ways to answer its lists, then what each statement releases."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from discreet.plan.printable import printable
from discreet.release.show import WIDE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Literal

    from rich.console import RenderableType

    from discreet.mechanisms.explanation import Explanation, Planned
    from discreet.mechanisms.list_plan import ListPlan, Way
    from discreet.release.batch import BatchExplanation

__all__ = ["batch_table", "batch_text"]

NOTHING = "–"


def batch_table(batch: BatchExplanation) -> Group:
    """The whole of a plan, for a terminal."""
    return Group(*_parts(batch))


def batch_text(batch: BatchExplanation) -> str:
    page = StringIO()
    Console(file=page, width=WIDE, color_system=None).print(batch_table(batch))
    return "\n".join(line.rstrip() for line in page.getvalue().rstrip().splitlines())


def _parts(batch: BatchExplanation) -> Iterator[RenderableType]:
    if batch.error:
        what = f"statement {batch.refused}" if batch.refused else "the batch"
        yield Text(f"{what} is refused: {printable(batch.error.message)} [{batch.error.code}]")
        return
    for each in batch.lists:
        yield Text(_head(each), style="bold")
        yield _ways(each)
        yield Text()
    for note in batch.notes:
        yield Text(note)
    yield _statements(batch.statements)
    yield Text()
    yield Text(f"cost  {batch.cost} (rho {batch.cost.rho:.4g}) for all together")


def _head(plan: ListPlan) -> str:
    moved = f"{plan.l1:,.6g}" if plan.l1 == plan.l2 else f"{plan.l1:,.6g} ({plan.l2:,.6g} in L2)"
    which = f"{'statement' if len(plan.statements) == 1 else 'statements'} {_runs(plan.statements)}"
    together = f"{plan.numbers:,} numbers, which one unit moves by {moved} together"
    return f"{which} over {printable(', '.join(plan.tables))}: {together}"


def _runs(places: tuple[int, ...]) -> str:
    """1-3, 5: numbers that follow each other are told by their ends."""
    starts = [place for place in places if place - 1 not in places]
    ends = [place for place in places if place + 1 not in places]
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in zip(starts, ends, strict=True))


def _ways(plan: ListPlan) -> Table:
    """A line for each way, the one that a batch takes with an arrow."""
    heads: list[tuple[str, Literal["left", "right"]]] = [
        ("", "left"), ("answered by", "left"), ("noise", "left"), ("scale", "right"), ("cells", "right"),
        ("all within, at 95 %", "right"), (f"±{100 * plan.within:.3g} % of the rows from", "right"), ("", "left"),
    ]  # fmt: skip
    table = _table(heads)
    for way in plan.ways:
        used = way.name == plan.used
        table.add_row("→" if used else "", *_cells(way), style="bold" if used else "")
    return table


def _cells(way: Way) -> Iterator[str | Text]:
    yield way.name
    yield way.noise or NOTHING
    yield NOTHING if way.scale is None else f"{way.scale:,.6g}"
    yield NOTHING if way.cells is None else f"{way.cells:,}"
    yield NOTHING if way.error_95 is None else f"±{way.error_95:,}"
    yield NOTHING if way.rows_needed is None else f"{way.rows_needed:,}"
    yield Text(way.note, style="dim")


def _statements(statements: tuple[Explanation, ...]) -> Table:
    """What each statement releases, a line for every part."""
    heads: list[tuple[str, Literal["left", "right"]]] = [
        ("", "right"), ("released", "left"), ("part", "left"), ("noise", "left"), ("scale", "right"), ("95 %", "right"),
    ]  # fmt: skip
    table = _table(heads)
    for number, statement in enumerate(statements, 1):
        for place, each in enumerate(statement.releases):
            table.add_row(Text("" if place else str(number)), *map(Text, _released(each)))
    return table


def _released(each: Planned) -> Iterator[str]:
    yield printable(each.column) if each.column else "(keys)"
    yield each.aggregate
    yield each.mechanism
    yield f"{each.scale:,.6g}"
    yield f"±{each.rank_error_95:,} rows" if each.half_width_95 is None else f"±{each.half_width_95:,.6g}"


def _table(heads: list[tuple[str, Literal["left", "right"]]]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for name, side in heads:
        table.add_column(name, justify=side, no_wrap=True)
    return table
