"""Lists of counting queries over one relation: counted together, in cells that no query divides.

Theory (docs/proofs/linear-queries.md). A number of the list asks how many rows satisfy its condition. Rows are sorted
into cells, so that each number is a sum of cells. A unit adds at most ``rows`` rows, each to one cell, so it moves the
cells by ``rows`` in L1 and in L2. A row counts in at most ``most`` of the numbers, so a unit moves the numbers by
``rows * most`` in L1 and by ``rows**2 * most`` in squared L2: less than number by number, where conditions exclude each
other.

Statements whose conditions look at no scalar in common tell nothing apart together: a list falls into groups of
statements that do. Each group has a tally of its own, and what a unit moves adds up over the tallies.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from discreet.plan.types import Type
from discreet.policy.catalogue import Catalogue
from discreet.privacy.bounded import Bounded, Kind, Level
from discreet.privacy.facts import levels, relation_facts
from discreet.privacy.tallies import Moved, Statement, Tally, alone, base_of, read, tally

__all__ = ["Moved", "Tally", "Workload", "base_of", "no_list", "workload"]

MOST_NUMBERS = 10_000
"""Of one statement: a longer vector is not planned with others."""


@dataclass(frozen=True, slots=True)
class Workload:
    """Counting queries over one relation, and the tallies that give their numbers."""

    asked: tuple[Bounded, ...]
    rows: int
    """The most rows that one unit adds."""
    one_row_a_unit: bool
    """The database's own constraints see to it that a unit has one row."""
    apart: tuple[Tally, ...]
    """For noise on the numbers: statements are counted together only where that lowers what a unit moves."""
    linked: tuple[Tally, ...] | None
    """For noise on the cells: a tally for each group of statements; None where one tells too much apart."""
    whole: Tally | None
    """The same with a single tally."""

    @property
    def numbers(self) -> int:
        return sum(map(_size, self.asked))

    def places(self, statement: int) -> Iterator[range]:
        """Of each part of a statement, the places of its groups' numbers."""
        start, bounded = sum(map(_size, self.asked[:statement])), self.asked[statement]
        size = len(bounded.domain or ())
        for part in range(len(bounded.parts)):
            yield range(start + part * size, start + (part + 1) * size)


def _size(bounded: Bounded) -> int:
    return len(bounded.parts) * len(bounded.domain or ())


def no_list(bounded: Bounded, catalogue: Catalogue) -> str:
    """Why a statement cannot be planned with others as counting queries; empty where it can."""
    if bounded.rows is None or bounded.awaited:
        return "how many rows of a unit count is not declared"
    if bounded.domain is None:
        return "its groups are private"
    if bounded.histograms or not bounded.parts or any(part.kind is Kind.SUM for part in bounded.parts):
        return "it does not only count"
    if any(part.kind is Kind.UNITS for part in bounded.parts) and not _one_row_a_unit(bounded, catalogue):
        return "it counts units that may have several rows"
    if bounded.levels != _row_levels(bounded, catalogue):
        return "it keeps few groups of each unit"
    if any(key.value.type is Type.FLOAT for key in bounded.keys):
        return "it groups by a float"
    if {each.column for each in bounded.key_filters} - {key.value for key in bounded.keys}:
        return "it groups by an expression of declared keys"
    if not 1 <= _size(bounded) <= MOST_NUMBERS:
        return f"it has {_size(bounded):,} numbers"
    return ""


def _one_row_a_unit(bounded: Bounded, catalogue: Catalogue) -> bool:
    return bounded.rows == 1 and not _row_levels(bounded, catalogue)


def _row_levels(bounded: Bounded, catalogue: Catalogue) -> tuple[Level, ...]:
    return levels(relation_facts(bounded.relation, catalogue))


def workload(asked: Sequence[Bounded], catalogue: Catalogue) -> Workload:
    """Plan statements over one base, of which none is ``no_list``."""
    kept = _row_levels(asked[0], catalogue)
    starts = accumulate(map(_size, asked), initial=0)
    statements = [read(bounded, start) for bounded, start in zip(asked, starts, strict=False)]
    groups = _linked(statements)
    tallies = [tally(group, kept) for group in groups]
    linked = [each for each in tallies if each is not None]
    return Workload(
        tuple(asked),
        asked[0].counted_rows,
        _one_row_a_unit(asked[0], catalogue),
        apart=tuple(each for pair in zip(groups, tallies, strict=True) for each in _apart(*pair)),
        linked=tuple(linked) if len(linked) == len(groups) else None,
        whole=linked[0] if len(groups) == len(linked) == 1 else tally(statements, kept),
    )


def _linked(statements: Sequence[Statement]) -> list[list[Statement]]:
    """Groups of statements that share a scalar, directly or through others."""
    groups: list[list[Statement]] = []
    for statement in statements:
        near = [group for group in groups if any(each.variables.keys() & statement.variables.keys() for each in group)]
        joined = [each for group in near for each in group]
        groups = [*(group for group in groups if group not in near), [*joined, statement]]
    return groups


def _apart(group: Sequence[Statement], together: Tally | None) -> list[Tally]:
    single = [alone(statement) for statement in group]
    if together is None or _squared([together]) >= _squared(single):
        return single
    return [together]


def _squared(tallies: Iterable[Tally]) -> int:
    return sum(moved.l2_squared for each in tallies for moved in each.numbers_moved)
