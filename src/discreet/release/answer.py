"""The answer: numbers, how sure they are, what they cost, what is left, and the receipt."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa

from discreet.ledger.receipts import Receipt
from discreet.mechanisms.explanation import Cost
from discreet.mechanisms.picks import MISS
from discreet.mechanisms.program import Program
from discreet.plan.nodes import Project, aggregate_of
from discreet.plan.scalar import ColumnRef, Literal
from discreet.plan.types import Type
from discreet.privacy.bounded import Guaranteed, Listed, Noisy, Output, Part, Pick
from discreet.release.draw import Groups
from discreet.release.evaluate import Row, evaluate, select

if TYPE_CHECKING:
    import pandas
    import polars

    from discreet.picture import Picture

__all__ = ["Interval", "Release"]

CONFIDENCE = 0.95

SIDES = {"min": "≤", "max": "≥"}

ARROW = {
    Type.BOOLEAN: pa.bool_(),
    Type.INTEGER: pa.int64(),
    Type.FLOAT: pa.float64(),
    Type.TEXT: pa.string(),
    Type.DATE: pa.date32(),
    Type.TIMESTAMP: pa.timestamp("us"),
}
WIDEST = pa.decimal128(38, 0)

TOO_NOISY, NO_ANSWER = "too noisy", "no answer"


class Interval(NamedTuple):
    """Two numbers; of dates or times, two of them; of a list, two lists."""

    low: Any
    high: Any


@dataclass(frozen=True)
class Release:
    """What was said. Everything in it is public: it may be printed, kept and sent on."""

    program: Program
    groups: Groups
    cost: Cost
    remaining: Cost
    budget: Cost
    """The whole that ``remaining`` is left of: the analyst's quota, or the dataset's budget where that is tighter."""
    receipt: Receipt
    repeated: bool = False
    """The question had been answered before: these are the same numbers, at no cost."""

    @property
    def columns(self) -> list[str]:
        return [column.name for column in self._project.columns]

    @property
    def keys(self) -> list[str]:
        """The columns that name a row's group; all others are computed from noised numbers."""
        names = {key.name for key in aggregate_of(self._project).keys}
        columns = self._project.columns
        return [each.name for each in columns if isinstance(each.value, ColumnRef) and each.value.name in names]

    @property
    def outermost(self) -> dict[str, str]:
        """Columns of a MIN or MAX, and the side on which the true one lies."""
        outputs = self.program.bounded.outputs
        sides = {each.name: SIDES[role] for each in outputs for role in each.parts if role in SIDES}
        shown = {each.name: each.value.name for each in self._project.columns if isinstance(each.value, ColumnRef)}
        return {name: sides[of] for name, of in shown.items() if of in sides}

    @property
    def missing(self) -> dict[str, str]:
        """By column, what is said in place of a number that is not there."""
        outputs = {each.name: each for each in self.program.bounded.outputs}
        shown = {each.name: each.value.name for each in self._project.columns if isinstance(each.value, ColumnRef)}
        return {name: _absence(outputs[of]) for name, of in shown.items() if of in outputs}

    @property
    def _project(self) -> Project:
        plan = self.program.bounded.plan
        assert isinstance(plan, Project)
        return plan

    @cached_property
    def _rows(self) -> list[Row]:
        return select(self._project, self._released())

    def _released(self) -> list[Row]:
        """Every group with its combined numbers."""
        keys = aggregate_of(self._project).keys
        found: list[Row] = []
        for place, group in enumerate(self.groups.keys):
            values = {key.name: _as_type(value, key.value.type) for key, value in zip(keys, group, strict=True)}
            for output in self.program.bounded.outputs:
                noisy = self._noisy(output, place, CONFIDENCE)
                values[output.name] = None if noisy is None else output.value(noisy)
            found.append(Row(place, values, self._interval))
        return found

    def _interval(self, name: str, place: int, confidence: float = CONFIDENCE) -> Interval | None:
        output = next(output for output in self.program.bounded.outputs if output.name == name)
        noisy = self._noisy(output, place, confidence)
        ends = None if noisy is None else output.interval(noisy)
        return Interval(*ends) if ends else None

    def _noisy(self, output: Output, place: int, confidence: float) -> list[Noisy] | None:
        """The parts of one group; those of one number share its chance of being wrong, those of a list have it each.

        None where a test gave no answer.
        """
        each = confidence if isinstance(output, Listed) else 1 - (1 - confidence) / len(output.parts)
        found = [
            self._picked(part, place, each) if isinstance(part, Pick) else self._blurred(part, place, each)
            for part in output.parts.values()
        ]
        known = [noisy for noisy in found if noisy is not None]
        return known if len(known) == len(found) else None

    def _blurred(self, part: Part, place: int, confidence: float) -> Noisy:
        number = self.groups.parts[self.program.bounded.parts.index(part)][place] * part.grid
        width = self.program.half_width(part, confidence, place)
        return Noisy(number, number - width, number + width)

    def _picked(self, pick: Pick, place: int, confidence: float) -> Noisy | None:
        """The interval was picked with the cell: for more confidence than it has, there is the whole range."""
        chosen = self.groups.picked[self.program.picks.index(pick)][place]
        if chosen is None:
            return None
        low, value, high = chosen
        if confidence > 1 - MISS:
            low, high = 0, pick.histogram.cells - 1
        return Noisy(Fraction(value), Fraction(low), Fraction(high))

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        names = self._project.columns
        return iter([tuple(evaluate(column.value, row) for column in names) for row in self._rows])

    def __len__(self) -> int:
        return len(self._rows)

    def intervals(self, confidence: float = CONFIDENCE) -> dict[str, list[Interval | None]]:
        """Low and high of every released number, by column, a row each; None where a number is too noisy."""
        if not 0 < confidence < 1:
            raise ValueError(f"a confidence lies between 0 and 1, not {confidence}")
        numbers = {output.name for output in self.program.bounded.outputs}
        return {
            column.name: [self._interval(column.value.name, row.place, confidence) for row in self._rows]
            for column in self._project.columns
            if isinstance(column.value, ColumnRef) and column.value.name in numbers
        }

    def guarantees(self, confidence: float = CONFIDENCE) -> dict[str, list[float | None]]:
        """Under accounting in slots, the printed guarantee of every AVG and VAR_POP: a half width, a row each.

        The interval is sharper. None where the count is too small for the guarantee to hold.
        """
        if self.receipt.accounting != "slots":
            return {}
        guaranteed = {each.name: each for each in self.program.bounded.outputs if isinstance(each, Guaranteed)}
        return {
            column.name: [self._printed(found, row.place, 1 - confidence) for row in self._rows]
            for column in self._project.columns
            if isinstance(column.value, ColumnRef)
            if (found := guaranteed.get(column.value.name)) is not None and found.guaranteed
        }

    def _printed(self, output: Guaranteed, place: int, miss: float) -> float | None:
        parts = [part for part in output.parts.values() if isinstance(part, Part)]
        values = [float(self._blurred(part, place, CONFIDENCE).value) for part in parts]
        deviations = [self.program.noise_of(part).spread * float(part.grid) for part in parts]
        return output.printed(values, deviations, miss)

    @property
    def notes(self) -> list[str]:
        """What a reader should know about the numbers, in words."""
        found = [self._too_noisy(output) for output in self.program.bounded.outputs]
        found += [f"{name}: the printed guarantee is {told} at 95 %" for name, told in self._told_guarantees()]
        if self.program.threshold is not None:
            found.append(f"groups with a noisy count of units below {self.program.threshold} are not shown")
        return [note for note in found if note]

    def _told_guarantees(self) -> Iterator[tuple[str, str]]:
        for name, widths in self.guarantees().items():
            known = [width for width in widths if width is not None]
            most = f"±{max(known):.3g}" + (" or less" if len(widths) > 1 else "") if known else "not given for so few"
            yield name, most

    def _too_noisy(self, output: Output) -> str:
        empty = sum(row.values[output.name] is None for row in self._rows)
        if not empty:
            return ""
        where = "" if len(self._rows) == 1 else f" in {empty} of {len(self._rows)} rows"
        if _absence(output) == NO_ANSWER:
            return f"{output.name} has no answer{where}: too few units would make it another; that is paid for, too"
        return f"{output.name} is too noisy to print{where}: the count cannot be told from zero; ask with more epsilon"

    def to_arrow(self) -> pa.Table:
        rows = list(self)
        arrays = [_array([row[n] for row in rows], self._arrow_type(n)) for n in range(len(self._project.columns))]
        return pa.table(arrays, names=self.columns)

    def _arrow_type(self, place: int) -> pa.DataType | None:
        value = self._project.columns[place].value
        if isinstance(value, ColumnRef):
            for output in self.program.bounded.outputs:
                if output.name == value.name:
                    return pa.list_(ARROW[output.element]) if isinstance(output, Listed) else ARROW[output.type]
        return None if isinstance(value, Literal) else ARROW.get(value.type)

    def to_pandas(self) -> pandas.DataFrame:
        table: Any = self.to_arrow()
        return table.to_pandas()

    def to_polars(self) -> polars.DataFrame:
        import polars

        table: Any = self.to_arrow()
        return polars.DataFrame(table)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        table: Any = self.to_arrow()
        return table.__arrow_c_stream__(requested_schema)

    def plot(self) -> Picture:
        """A picture of the numbers with their error bars: it shows itself in a notebook and saves as SVG or PNG."""
        from discreet.release.picture import picture

        return picture(self)

    def __rich__(self) -> Any:
        from discreet.release.show import release_table

        return release_table(self)

    def __repr__(self) -> str:
        from discreet.release.show import release_text

        return release_text(self)

    def _repr_html_(self) -> str:
        from discreet.release.show import release_html

        return release_html(self)


def _absence(output: Output) -> str:
    """What is picked is missing where a test did not allow it, all else where a count cannot be told from zero."""
    return NO_ANSWER if any(isinstance(part, Pick) for part in output.parts.values()) else TOO_NOISY


def _array(values: list[Any], type_: pa.DataType | None) -> Any:
    """Whole numbers beyond 64 bits are decimals, and doubles where they have more digits than one can hold."""
    largest = max((abs(value) for value in values if isinstance(value, int)), default=0)
    if type_ != pa.int64() or largest < 2**63:
        return pa.array(values, type_)
    if largest < 10**WIDEST.precision:
        return pa.array([None if value is None else Decimal(value) for value in values], WIDEST)
    return pa.array([None if value is None else float(value) for value in values], pa.float64())


def _as_type(value: Any, type_: Type) -> Any:
    """Whole numbers that come as doubles, or as decimals since they are wide, become integers again."""
    return int(value) if type_ is Type.INTEGER and isinstance(value, float | Decimal) else value
