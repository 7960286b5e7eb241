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
        sections += [(f"engine SQL first{numbered}", sql) for numbered, sql in _first(explanation)]
        sections.append(("engine SQL", explanation.engine_sql))
    console.print(_releases(explanation))
    console.print()
    for name, line in _facts(explanation, left):
        console.print(Text(f"{name:<8}", style="bold").append(line, style="not bold"))
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
        scale = UNKNOWN if each.scale is None else f"{each.scale:,.6g}{' S' if _smooth(each) else ''}"
        cells = [each.column or "(keys)", each.aggregate, _moved(each), each.mechanism, scale, _error(each)]
        table.add_row(*map(Text, cells))
    return table


def _moved(each: Planned) -> str:
    if each.l1 is None:
        return UNKNOWN
    return f"{each.l1:,.6g}" if each.l1 == each.l2 else f"{each.l1:,.6g} ({each.l2:,.6g} in L2)"


def _error(each: Planned) -> str:
    """How far off a number may be; of what is picked by rank, how far off its rank may be."""
    if each.half_width_95 is not None:
        return f"±{each.half_width_95:,.6g}"
    if each.rank_error_95 is not None:
        return f"±{each.rank_error_95:,} rows"
    return UNKNOWN if each.scale is None else "as data lie"


def _smooth(each: Planned) -> bool:
    return each.half_width_95 is None and each.rank_error_95 is None


UNKNOWN = "as chosen"
"""What is not known before a bound is."""


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
        *(("first" if place == 0 else "", line) for place, line in enumerate(_chosen(explanation))),
        ("cost", f"{explanation.cost} (rho {explanation.cost.rho:.4g}){_slots(explanation.slots)}"),
        ("left", f"room for a question of {left} at most"),
    ]


def _slots(number: int | None) -> str:
    return "" if number is None else f", {number} slot{'' if number == 1 else 's'}"


def _keys(explanation: Explanation) -> str:
    match explanation.keys:
        case "none":
            return "none: one row"
        case "public":
            return f"public: all {explanation.groups:,} groups are shown, whether or not they have rows"
        case "private":
            threshold = "a threshold" if explanation.threshold is None else explanation.threshold
            return f"private: a group is shown where its noisy count of units reaches {threshold}"


def _chosen(explanation: Explanation) -> Iterator[str]:
    """What is chosen before the question is asked."""
    for each in explanation.chosen_first:
        low, high = each.candidates[0], each.candidates[-1]
        yield f"{each.bound}: chosen from {low:,.6g} to {high:,.6g} on {each.share:.3g} of the price"
        beyond = "" if each.beyond_95 is None else f"; {each.beyond_95:,} {each.counted} may lie beyond it, at 95 %"
        yield f"by the {each.mechanism} mechanism{beyond}"


def _first(explanation: Explanation) -> list[tuple[str, str]]:
    """What is asked first, each once."""
    asked = list(dict.fromkeys(each.engine_sql for each in explanation.chosen_first))
    return [("" if len(asked) == 1 else f" ({place})", sql) for place, sql in enumerate(asked, 1)]


def _selection(keys: KeySelection | None) -> Iterator[str]:
    """How the threshold comes about, and what delta pays for."""
    if keys is None:
        return
    if keys.groups_per_unit is None:
        yield f"delta {keys.delta:.3g} pays for it; the threshold follows from how many groups of a unit are chosen"
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
