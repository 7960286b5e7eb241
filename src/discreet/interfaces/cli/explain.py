"""``discreet explain``: the privacy plan of a question. It touches no private data and costs nothing."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Literal

from discreet.interfaces.cli.command import Command
from discreet.interfaces.cli.drawing import check_plot, draw
from discreet.interfaces.cli.failures import Exit, Failure, report
from discreet.interfaces.cli.question import add_question, for_one_statement, price_of, read_question, statements_of
from discreet.interfaces.cli.screen import out, print_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.table import Table

    from discreet.interfaces.cli.question import Question
    from discreet.mechanisms.explanation import Cost, Explanation, KeySelection, Planned
    from discreet.mechanisms.prospect import Prospect
    from discreet.session import Database
    from discreet.sql import Statement

__all__ = ["EXPLAIN"]


def _options(parser: ArgumentParser) -> None:
    add_question(parser)
    parser.add_argument("--json", action="store_true", help="the plan as JSON")
    parser.add_argument("--sql", dest="unfold", action="store_true", help="also print the SQL that the database runs")
    parser.add_argument("--plot", metavar="FILE", help="draw error against price: a .svg or .png")
    parser.add_argument(
        "--within",
        metavar="SHARE",
        default="1%",
        help="of several counts: a wanted error, told as the rows it takes (1%%)",
    )
    parser.add_argument("--rows", metavar="N", type=int, help="of several counts: about how many rows there are")


def _run(arguments: Namespace) -> int:
    question = read_question(arguments)
    check_plot(arguments.plot)
    from discreet.session import connect

    with connect(arguments.policy, analyst=arguments.analyst) as database:
        statements = statements_of(question, arguments.dialect or database.dialect)
        if len(statements) > 1:
            return _batch(database, statements, question, arguments)
        explanation = database.explain(question.text, **price_of(arguments))
        left = database.remaining
    if arguments.json:
        print_json(explanation.to_dict())
    elif explanation.error:
        report(explanation.error, question)
    else:
        _show(explanation, left, arguments.unfold)
    if explanation.error:
        return Exit.REFUSED
    if arguments.plot:
        draw(explanation, arguments.plot)
    return Exit.ANSWERED


def _batch(database: Database, statements: list[Statement], question: Question, arguments: Namespace) -> int:
    """Several statements for one price, as ``Database.batch`` answers them."""
    for_one_statement(arguments, "delta", "mechanism", "plot")
    try:
        batch = database.explain_batch(
            [each.text for each in statements],
            epsilon=arguments.epsilon,
            accuracy=arguments.accuracy,
            within=arguments.within,
            rows=arguments.rows,
            dialect=arguments.dialect,
        )
    except ValueError as error:
        raise Failure(str(error)) from error
    if arguments.json:
        print_json(batch.to_dict())
        return Exit.REFUSED if batch.error else Exit.ANSWERED
    if batch.error:
        return report(statements[batch.refused - 1].placed(batch.error) if batch.refused else batch.error, question)
    out().print(batch)
    if arguments.unfold:
        for sql in dict.fromkeys(each.engine_sql for each in batch.statements):
            out().print(f"\n{sql}", markup=False)
    return Exit.ANSWERED


def _show(explanation: Explanation, left: Cost, unfold: bool) -> None:
    from rich.text import Text

    console = out()
    sections = [("plan", explanation.plan), ("bounds", explanation.bounds)]
    if unfold:
        sections.append(("engine SQL", explanation.engine_sql))
    console.print(_releases(explanation))
    console.print()
    for name, line in _facts(explanation, left):
        console.print(Text(f"{name:<8}", style="bold").append(line, style="not bold"))
    for prospect in explanation.climbs:
        console.print()
        console.print(Text(f"{', '.join(prospect.columns)}: sharper and sharper, until within {prospect.goal}", "bold"))
        console.print(_stops(prospect))
    for name, body in sections:
        console.print()
        console.print(Text(name, style="bold"))
        console.print(Text("\n".join(f"  {line}" for line in body.splitlines())))


def _releases(explanation: Explanation) -> Table:
    """What is released: a line for every vector that gets noise."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for name, side in HEADS:
        table.add_column(name, justify=side, no_wrap=True)
    for each in explanation.releases:
        moved = f"{each.l1:,.6g}" if each.l1 == each.l2 else f"{each.l1:,.6g} ({each.l2:,.6g} in L2)"
        cells = [each.column or "(keys)", each.aggregate, moved, each.mechanism]
        table.add_row(*map(Text, cells), f"{each.scale:,.6g}{' S' if _smooth(each) else ''}", _error(each))
    return table


def _stops(prospect: Prospect) -> Table:
    """What it would cost to end at some of the steps."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 2))
    for name in ("cost", "95 %", "enough for numbers from"):
        table.add_column(name, justify="right", no_wrap=True)
    known = [stop for stop in prospect.stops if stop.enough_from is not None]
    for stop in known or (prospect.stops[0], prospect.stops[-1]):
        width = "" if stop.half_width_95 is None else f"±{stop.half_width_95:,.6g}"
        enough = "it depends on the data" if stop.enough_from is None else f"{stop.enough_from:,.6g}"
        table.add_row(str(stop.cost), width, enough)
    return table


def _error(each: Planned) -> str:
    """How far off a number may be; of what is picked by rank, how far off its rank may be."""
    if each.half_width_95 is not None:
        return f"±{each.half_width_95:,.6g}"
    return "as data lie" if each.rank_error_95 is None else f"±{each.rank_error_95:,} rows"


def _smooth(each: Planned) -> bool:
    return each.half_width_95 is None and each.rank_error_95 is None


HEADS: tuple[tuple[str, Literal["left", "right"]], ...] = (
    ("released", "left"),
    ("part", "left"),
    ("one unit moves it by", "right"),
    ("noise", "left"),
    ("scale", "right"),
    ("95 %", "right"),
)


def _facts(explanation: Explanation, left: Cost) -> list[tuple[str, str]]:
    return [
        ("keys", _keys(explanation)),
        *(("", line) for line in _selection(explanation.key_selection)),
        *(("", line) for line in _conditions(explanation)),
        ("cost", f"{_most(explanation)}{explanation.cost} (rho {explanation.cost.rho:.4g}){_slots(explanation.slots)}"),
        ("left", f"room for a question of {left} at most"),
    ]


def _most(explanation: Explanation) -> str:
    return "at most " if explanation.climbs else ""


def _slots(number: int | None) -> str:
    return "" if number is None else f", {number} slot{'' if number == 1 else 's'}"


def _keys(explanation: Explanation) -> str:
    match explanation.keys:
        case "none":
            return "none: one row"
        case "public":
            return f"public: all {explanation.groups:,} groups are shown, whether or not they have rows"
        case "private":
            return f"private: a group is shown where its noisy count of units reaches {explanation.threshold}"


def _selection(keys: KeySelection | None) -> Iterator[str]:
    """How the threshold comes about, and what delta pays for."""
    if keys is None:
        return
    alone = "1 group" if keys.groups_per_unit == 1 else f"{keys.groups_per_unit:,} groups"
    added = f", and min_units = {keys.min_units:,} adds {keys.min_units - 1:,}" if keys.min_units > 1 else ""
    yield f"delta {keys.delta:.3g} pays for it: of a unit that is alone in {alone} none is shown, but for this chance"
    yield f"{keys.least:,} is the least that keeps it under {keys.mechanism} noise of scale {keys.scale:,.6g}{added}"


def _conditions(explanation: Explanation) -> Iterator[str]:
    """What an answer waits for, or what its noise is measured in."""
    for each in explanation.releases:
        if _smooth(each):
            yield f"S is the smooth sensitivity of {each.column}: about how far a unit could move it; it is never shown"
        if each.threshold is not None:
            wrong = f"one unit could move it by more than {each.l1:,.6g}" if each.l1 else "it would be another"
            yield f"{each.column} is NULL, at the same price, unless a noisy count of the units that would have to come"
            yield f"or go until {wrong} reaches {each.threshold:,}"


EXPLAIN = Command("explain", "the privacy plan of a SELECT: costs nothing, touches no private data", _options, _run)
