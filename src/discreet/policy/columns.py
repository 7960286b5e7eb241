"""What the owner declares of a column: its bounds, its grid, and the group keys that are public."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, cast

from discreet.plan.moments import seconds
from discreet.plan.types import Type, Value
from discreet.policy.model import Column
from discreet.policy.names import did_you_mean
from discreet.policy.reading import kind_of

if TYPE_CHECKING:
    from discreet.policy.reading import Section

__all__ = ["TYPES", "read_columns"]

TYPES = {kind.value: kind for kind in Type if kind not in (Type.NULL, Type.LIST, Type.OTHER)}
RANGE = "range = [0, 120]"
DATES = "range = [2020-01-01, 2029-12-31]"
VALUES = 'values = ["A", "B"]'
VALUES_FROM = 'values_from = "regions.city", a public table and its column'


def read_columns(table: Section) -> dict[str, Column]:
    return {name: _column(name, section) for name, section in table.sections("columns")}


def _column(name: str, section: Section) -> Column:
    section.only("tables.*.columns.*")
    bounds, moments = _range(section), _moments(section)
    if "values" in section.data and "values_from" in section.data:
        message = f"{section.name_of()} has both values and values_from"
        raise section.refuse("contradiction", message, "keep one of the two", "values_from")
    return Column(
        name=name,
        range=bounds,
        moments=moments,
        step=_step(section, bounds, moments),
        values=_values(section),
        values_from=_values_from(section),
        type=_type(section),
        line=section.lines.of(section.path) or 0,
    )


def _type(section: Section) -> Type | None:
    text = section.text("type", 'type = "integer"')
    if text is None:
        return None
    if text not in TYPES:
        hint = did_you_mean(text, TYPES)
        raise section.refuse("bad-type", f"{section.name_of('type')} is not a type of the policy", hint, "type")
    return TYPES[text]


def _range(section: Section) -> tuple[Fraction, Fraction] | None:
    written = section.data.get("range")
    if written is None:
        return None
    if written == "auto":
        message = f'{section.name_of("range")} = "auto" is not supported yet'
        raise section.refuse("unsupported", message, f"write {RANGE}", "range")
    ends = cast("list[object]", written) if isinstance(written, list) else []
    found = [end for end in ends if isinstance(end, int | Decimal | dt.date) and not isinstance(end, bool)]
    if len(ends) != 2 or len(found) != 2 or len(set(map(kind_of, found))) != 1:
        message = f"{section.name_of('range')} must be a list of two numbers or two dates, lowest and highest"
        raise section.refuse("bad-range", message, f"write {RANGE}, or {DATES}", "range")
    low, high = (_end(section, end) for end in found)
    if low >= high:
        message = f"{section.name_of('range')} must ascend: its first number is not below its second"
        raise section.refuse("bad-range", message, f"write {RANGE}", "range")
    return low, high


def _end(section: Section, end: int | Decimal | dt.date) -> Fraction:
    if not isinstance(end, dt.date):
        return section.exact(end, "bad-range", f"write {RANGE}", "range")
    if isinstance(end, dt.datetime) and end.tzinfo is not None:
        message = f"{section.name_of('range')} has a time with a zone, and times here have none"
        raise section.refuse("bad-range", message, "write it without one, in the data's zone", "range")
    return seconds(end)


def _moments(section: Section) -> Type | None:
    """Dates, unless one of the ends is a time."""
    written = section.data.get("range")
    ends = cast("list[object]", written) if isinstance(written, list) else []
    if not ends or not isinstance(ends[0], dt.date):
        return None
    return Type.TIMESTAMP if any(isinstance(end, dt.datetime) for end in ends) else Type.DATE


def _step(section: Section, bounds: tuple[Fraction, Fraction] | None, moments: Type | None) -> Fraction | None:
    step = section.number("step", "bad-step", "step = 0.01")
    if step is None:
        return None
    if moments is not None:
        message = f"{section.name_of('step')} is given for dates, which are counted in days, and times in seconds"
        raise section.refuse("bad-step", message, "remove step", "step")
    if step <= 0:
        message = f"{section.name_of('step')} must be above 0"
        raise section.refuse("bad-step", message, "write step = 0.01, the grid that values are rounded to", "step")
    if bounds is None:
        message = f"{section.name_of('step')} is given without a range"
        raise section.refuse("bad-step", message, f"write the range as well: {RANGE}, step = 0.01", "step")
    for end, number in zip(("low", "high"), bounds, strict=True):
        if (number / step).denominator != 1:
            message = f"the {end} end of {section.name_of('range')} is not a multiple of its step"
            hint = f"write {_plain(round(number / step) * step)} in place of {_plain(number)}, or a finer step"
            raise section.refuse("range-off-grid", message, hint, "range")
    return step


def _plain(number: Fraction) -> str:
    return str(number.numerator) if number.denominator == 1 else f"{float(number):g}"


def _values(section: Section) -> tuple[Value, ...] | None:
    written = section.data.get("values")
    if written is None:
        return None
    items = cast("list[object]", written) if isinstance(written, list) else []
    values = [item for item in items if isinstance(item, str | int | Decimal | dt.date) and _writable(item)]
    name = section.name_of("values")
    if not items or len(values) != len(items):
        message = f"{name} must be a list of text, finite numbers, true and false, local dates or local times"
        raise section.refuse("bad-values", message, f"write {VALUES}", "values")
    kinds = {type(value) for value in values}
    if len(kinds) > 1:
        message = f"{name} mixes {_list_of_kinds(values)}"
        raise section.refuse("bad-values", message, "write all of them alike: 1.0 beside 0.5, text in quotes", "values")
    if len(set(values)) < len(values):
        place = next(place for place, value in enumerate(values) if values.index(value) < place)
        raise section.refuse("bad-values", f"{name} has {values[place]} twice", "write each once", "values", place)
    return tuple(values)


def _writable(item: str | int | Decimal | dt.date) -> bool:
    """A key that can stand in SQL and equal itself: NaN cannot, nor a time that depends on a zone."""
    if isinstance(item, Decimal):
        return item.is_finite()
    return not (isinstance(item, dt.datetime) and item.tzinfo is not None)


def _list_of_kinds(values: list[str | int | Decimal | dt.date]) -> str:
    kinds = sorted({kind_of(value) for value in values})
    return " and ".join(kinds) if len(kinds) > 1 else "whole and decimal numbers, or dates and times"


def _values_from(section: Section) -> tuple[str, str] | None:
    text = section.text("values_from", VALUES_FROM)
    if text is None:
        return None
    table, dot, column = text.rpartition(".")
    if not dot or not table or not column:
        message = f"{section.name_of('values_from')} must name a table and a column"
        raise section.refuse("bad-values-from", message, f"write {VALUES_FROM}", "values_from")
    return table, column
