"""A release as a picture: every number with its 95 % error bar, one panel a number.

The picture is a Vega-Lite specification, drawn by vl-convert without a browser and without the network.
Counts and sums are bars, which start at zero; averages, lone numbers and what changes in time are points.
The first key is the axis: names go down the side, where long ones can be read, and dates and whole numbers
go along the foot. Further keys are colours.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from discreet.picture import ACCENT, GREY, INK, SCHEMA, STYLE, Picture
from discreet.plan.printable import printable

if TYPE_CHECKING:
    from discreet.release.answer import Release

__all__ = ["picture"]

MOST_GROUPS = 60
"""More than these cannot be told apart."""

BAR = {"type": "bar", "color": ACCENT, "cornerRadiusEnd": 2}
POINT = {"type": "point", "color": ACCENT, "filled": True, "size": 70, "opacity": 1}
RULE = {"type": "rule", "color": INK, "opacity": 0.75, "strokeWidth": 1.4}
MISSING = {
    "transform": [{"filter": "datum.value === null"}],
    "mark": {"type": "text", "align": "left", "color": GREY, "fontStyle": "italic"},
}


@dataclass(frozen=True, slots=True)
class Axis:
    """Where the groups stand: nominal ones down the side, ordinal and temporal ones along the foot."""

    title: str
    kind: str
    keys: tuple[Any, ...]

    @property
    def channel(self) -> str:
        return "y" if self.kind == "nominal" else "x"

    @property
    def across(self) -> int | dict[str, int]:
        """The width of a panel: few groups stand close to each other, many are made narrow."""
        if self.kind == "nominal":
            return 300
        return 560 if self.kind == "temporal" else {"step": min(70, max(9, 560 // max(1, len(self.keys))))}

    def encoding(self, labelled: bool) -> dict[str, Any]:
        axis: dict[str, Any] = {"labelOverlap": "greedy"} if labelled else {"labels": False}
        time = {"scale": {"type": "utc", "padding": 16}}
        place = time if self.kind == "temporal" else {"sort": list(self.keys)}
        title = self.title if self.channel == "x" else None
        return {"field": "key", "type": self.kind, "title": title, "axis": axis, **place}


def picture(release: Release) -> Picture:
    """A picture of the release's numbers; it must have one at least."""
    names = [name for name in release.intervals() if not _is_list(release, name)]
    if not names:
        raise ValueError("the release has no numbers with intervals to draw")
    axis = _axis(release)
    beside = axis is not None and axis.channel == "y"
    panels = [_panel(release, name, axis, labelled=not (beside and place)) for place, name in enumerate(names)]
    return Picture(
        {
            "$schema": SCHEMA,
            "title": _title(release, names),
            "hconcat" if beside else "vconcat": panels,
            "spacing": 28,
            "padding": 18,
            "config": STYLE,
        }
    )


def _title(release: Release, names: list[str]) -> dict[str, Any]:
    by = f" by {' and '.join(map(printable, release.keys))}" if release.keys else ""
    parts = ["error bars: 95 %", f"receipt {release.receipt.id}"]
    if len(release) > MOST_GROUPS:
        parts.insert(0, f"the first {MOST_GROUPS} of {len(release):,} groups")
    return {"text": f"{', '.join(map(printable, names))}{by}", "subtitle": " · ".join(parts)}


def _axis(release: Release) -> Axis | None:
    if not release.keys:
        return None
    place = release.columns.index(release.keys[0])
    values = [row[place] for row in release][:MOST_GROUPS]
    kinds = {_kind(value) for value in values if value is not None}
    kind = kinds.pop() if len(kinds) == 1 else "nominal"
    return Axis(printable(release.keys[0]), kind, tuple(dict.fromkeys(map(_key, values))))


def _kind(value: object) -> str:
    match value:
        case bool():
            return "nominal"
        case dt.date():
            return "temporal"
        case int():
            return "ordinal"
        case _:
            return "nominal"


def _panel(release: Release, name: str, axis: Axis | None, *, labelled: bool) -> dict[str, Any]:
    """One number: its marks, their error bars, and a word where there is no number to draw."""
    along = "y" if axis and axis.channel == "x" else "x"
    amounts = {each.name for each in release.program.bounded.outputs if len(each.parts) == 1}
    points = _points(release, name)
    kind = "temporal" if any(isinstance(each["value"], str) for each in points) else "quantitative"
    scale = {"type": "utc"} if kind == "temporal" else {"zero": bool(axis) and name in amounts}
    number = {"type": kind, "title": printable(name), "scale": scale}
    bars = axis is not None and axis.kind != "temporal" and name in amounts and kind == "quantitative"
    ends = {along: {**number, "field": "low"}, f"{along}2": {"field": "high"}}
    return {
        "data": {"values": points},
        "width": axis.across if axis else 300,
        **({"height": 220} if along == "y" else {}),
        "encoding": _groups(release, axis, labelled),
        "layer": [
            {"mark": BAR if bars else POINT, "encoding": {along: {**number, "field": "value"}, **_colours(release)}},
            {"mark": RULE, "encoding": ends},
            {
                **MISSING,
                "encoding": {"text": {"value": release.missing[name]}, along: {"value": 4 if along == "x" else 212}},
            },
        ],
    }


def _groups(release: Release, axis: Axis | None, labelled: bool) -> dict[str, Any]:
    """The groups' place; where there are several keys, the further ones stand beside each other in the first."""
    if axis is None:
        return {}
    offset = {f"{axis.channel}Offset": {"field": "group", "sort": _order(release)}} if len(release.keys) > 1 else {}
    return {axis.channel: axis.encoding(labelled), **offset}


def _order(release: Release) -> list[str]:
    """The colours in the order in which they come first, in every panel."""
    places = [release.columns.index(key) for key in release.keys[1:]]
    return list(dict.fromkeys(_group(row, places) for row in list(release)[:MOST_GROUPS]))


def _group(row: tuple[Any, ...], places: list[int]) -> str:
    return " · ".join(printable(row[place]) for place in places)


def _colours(release: Release) -> dict[str, Any]:
    if len(release.keys) < 2:
        return {}
    title = " · ".join(map(printable, release.keys[1:]))
    return {"color": {"field": "group", "type": "nominal", "title": title, "sort": _order(release)}}


def _points(release: Release, name: str) -> list[dict[str, Any]]:
    place, ends = release.columns.index(name), release.intervals()[name]
    keys = [release.columns.index(key) for key in release.keys]
    found: list[dict[str, Any]] = []
    for row, pair in list(zip(release, ends, strict=True))[:MOST_GROUPS]:
        group = {"group": _group(row, keys[1:])} if keys[1:] else {}
        key = {"key": _key(row[keys[0]])} if keys else {}
        width = {"low": _number(pair.low), "high": _number(pair.high)} if pair else {}
        found.append({**key, **group, "value": _number(row[place]), **width})
    return found


def _is_list(release: Release, name: str) -> bool:
    """Lists are told and not drawn."""
    place = release.columns.index(name)
    return any(isinstance(row[place], list) for row in release)


def _number(value: Any) -> Any:
    return _key(value) if isinstance(value, dt.date) else value


def _key(value: Any) -> Any:
    """Numbers and times as Vega reads them: a time without a zone is taken for UTC on both sides."""
    match value:
        case dt.datetime():
            return f"{value.isoformat()}Z"
        case dt.date():
            return value.isoformat()
        case int() if not isinstance(value, bool):
            return value
        case _:
            return printable(value)
