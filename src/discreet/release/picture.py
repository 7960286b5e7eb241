"""A release as a picture: every number with its 95 % error bar, one panel a number.

The picture is a Vega-Lite specification, drawn by vl-convert without a browser and without the network.
Counts and sums are bars, which start at zero; averages, lone numbers and what changes in time are points.
The first key is the axis: names go down the side, where long ones can be read, and dates and whole numbers
go along the foot. Further keys are colours.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.plan.printable import printable

if TYPE_CHECKING:
    from types import ModuleType

    from discreet.release.answer import Release

__all__ = ["Picture", "check_drawable", "picture"]

MOST_GROUPS = 60
"""More than these cannot be told apart."""

INK, GREY, ACCENT = "#1f2933", "#7b8794", "#2a9d8f"
BAR = {"type": "bar", "color": ACCENT, "cornerRadiusEnd": 2}
POINT = {"type": "point", "color": ACCENT, "filled": True, "size": 70, "opacity": 1}
RULE = {"type": "rule", "color": INK, "opacity": 0.75, "strokeWidth": 1.4}
MISSING = {
    "transform": [{"filter": "datum.value === null"}],
    "mark": {"type": "text", "align": "left", "color": GREY, "fontStyle": "italic"},
}
STYLE: dict[str, Any] = {
    "font": "sans-serif",
    "background": "white",
    "view": {"stroke": None},
    "axis": {
        "domain": False, "ticks": False, "grid": False, "labelColor": INK, "labelFontSize": 12, "labelPadding": 6,
        "labelLimit": 220, "titleColor": GREY, "titleFontSize": 12, "titleFontWeight": "normal", "titlePadding": 10,
    },
    "axisQuantitative": {
        "grid": True, "gridColor": "#e4e7eb", "labelColor": GREY, "tickCount": 5, "labelOverlap": "greedy",
        "labelFlush": False,
    },
    "axisX": {"labelAngle": 0},
    "axisTemporal": {"tickCount": 6},
    "range": {"category": ["#2a9d8f", "#e9a03b", "#5b7db1", "#c8553d", "#8a6fa8", "#6b8f71", "#b0803c", "#7b8794"]},
    "legend": {"labelColor": INK, "labelFontSize": 12, "titleColor": GREY, "titleFontWeight": "normal"},
    "title": {
        "anchor": "start", "color": INK, "fontSize": 16, "fontWeight": 600, "offset": 14, "subtitleColor": GREY,
        "subtitleFontSize": 12, "subtitlePadding": 6,
    },
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Picture:
    """``spec`` is Vega-Lite; a notebook shows the picture by itself."""

    spec: dict[str, Any]

    def save(self, path: str | Path) -> None:
        """Write an SVG or a PNG file, as the name says."""
        check_drawable(path)
        Path(path).write_bytes(self.png() if Path(path).suffix.lower() == ".png" else self.svg().encode())

    def svg(self) -> str:
        return _renderer().vegalite_to_svg(self.spec)

    def png(self) -> bytes:
        return _renderer().vegalite_to_png(self.spec, scale=2)

    def _repr_svg_(self) -> str:
        return self.svg()

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        """The drawing for every notebook, and the specification for those that draw it themselves."""
        del include, exclude
        return {"image/svg+xml": self.svg(), "application/vnd.vegalite.v5+json": self.spec}


def check_drawable(path: str | Path) -> None:
    """Say before anything is paid that a picture could not be saved."""
    suffix = Path(path).suffix.lower()
    if suffix not in (".svg", ".png"):
        raise ValueError(f"a picture is saved as .svg or .png, not as {suffix or 'a name without a suffix'}")
    _renderer()


def _renderer() -> ModuleType:
    try:
        import vl_convert
    except ModuleNotFoundError as error:
        hint = 'pictures need the extra "plot": pip install "discreet[plot]"'
        raise ModuleNotFoundError(hint, name="vl_convert") from error
    return vl_convert


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
    names = list(release.intervals())
    if not names:
        raise ValueError("the release has no numbers with intervals to draw")
    axis = _axis(release)
    beside = axis is not None and axis.channel == "y"
    panels = [_panel(release, name, axis, labelled=not (beside and place)) for place, name in enumerate(names)]
    return Picture(
        {
            "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
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
    bars = axis is not None and axis.kind != "temporal" and name in amounts
    number = {"type": "quantitative", "title": printable(name), "scale": {"zero": bool(axis) and name in amounts}}
    ends = {along: {**number, "field": "low"}, f"{along}2": {"field": "high"}}
    return {
        "data": {"values": _points(release, name)},
        "width": axis.across if axis else 300,
        **({"height": 220} if along == "y" else {}),
        "encoding": _groups(release, axis, labelled),
        "layer": [
            {"mark": BAR if bars else POINT, "encoding": {along: {**number, "field": "value"}, **_colours(release)}},
            {"mark": RULE, "encoding": ends},
            {**MISSING, "encoding": {"text": {"value": "too noisy"}, along: {"value": 4 if along == "x" else 212}}},
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
        width = {"low": pair.low, "high": pair.high} if pair else {}
        found.append({**key, **group, "value": row[place], **width})
    return found


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
