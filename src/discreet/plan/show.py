"""Plans as text: for people, for golden files, and as the normal form of a question."""

from __future__ import annotations

from typing import assert_never

from discreet.plan.nodes import (
    Aggregate,
    Aggregation,
    Filter,
    Having,
    Join,
    Limit,
    Named,
    Ordering,
    Plan,
    Project,
    Relation,
    Scan,
    Sort,
)
from discreet.plan.scalar import Call, Case, ColumnRef, Literal, Scalar

__all__ = ["show", "show_scalar"]


def show(node: Plan | Relation) -> str:
    """The tree, a node a line, inputs indented below."""
    return "\n".join(_lines(node))


def _lines(node: Plan | Relation) -> list[str]:
    match node:
        case Scan(table=table, alias=alias):
            return [f"Scan {table} as {alias}"]
        case Join(left=left, right=right, kind=kind, on=on):
            return _tree(f"Join {kind} on {_list(on)}", left, right)
        case Filter(input=inner, predicate=predicate):
            return _tree(f"Filter {show_scalar(predicate)}", inner)
        case Aggregate(input=inner, keys=keys, aggregations=aggregations):
            parts = [*map(_named, keys), "|", *map(_aggregation, aggregations)]
            return _tree(f"Aggregate {', '.join(parts)}", inner)
        case Having(input=inner, predicate=predicate):
            return _tree(f"Having {show_scalar(predicate)}", inner)
        case Sort(input=inner, orderings=orderings):
            return _tree(f"Sort {', '.join(map(_ordering, orderings))}", inner)
        case Limit(input=inner, count=count, offset=offset):
            return _tree(f"Limit {count} offset {offset}", inner)
        case Project(input=inner, columns=columns):
            return _tree(f"Project {', '.join(map(_named, columns))}", inner)
        case _:
            assert_never(node)


def _tree(head: str, *inputs: Plan | Relation) -> list[str]:
    return [head, *(f"  {line}" for node in inputs for line in _lines(node))]


def _list(scalars: tuple[Scalar, ...]) -> str:
    return "[" + ", ".join(map(show_scalar, scalars)) + "]"


def _named(named: Named) -> str:
    return f"{named.name!r} = {show_scalar(named.value)}"


def _aggregation(aggregation: Aggregation) -> str:
    argument = "*" if aggregation.argument is None else show_scalar(aggregation.argument)
    share = "" if aggregation.share is None else f", {aggregation.share}"
    share = f", [{', '.join(map(str, aggregation.shares))}]" if aggregation.shares else share
    return f"{aggregation.name!r} = {aggregation.function}({argument}{share})"


def _ordering(ordering: Ordering) -> str:
    way = "desc" if ordering.descending else "asc"
    return f"{show_scalar(ordering.value)} {way} nulls {'first' if ordering.nulls_first else 'last'}"


def show_scalar(scalar: Scalar) -> str:
    match scalar:
        case ColumnRef(source=source, name=name):
            return f"{source}.{name}" if source else name
        case Literal(value=value, type=type_):
            return f"{value!r}" if type_.numeric or value is None else f"{type_.value} {value!s}"
        case Call(op=op, args=args):
            return f"{op.value}({', '.join(map(show_scalar, args))})"
        case Case(branches=branches, default=default):
            arms = [f"when {show_scalar(test)} then {show_scalar(value)}" for test, value in branches]
            return f"case({'; '.join([*arms, 'else ' + show_scalar(default)] if default else arms)})"
        case _:
            assert_never(scalar)
