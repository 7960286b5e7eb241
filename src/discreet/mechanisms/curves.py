"""Error against price, for each number that a question releases and each mechanism that could release it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, log10
from typing import Any

from discreet.ledger.accountants import accountant
from discreet.mechanisms import CHOICES, MECHANISMS
from discreet.mechanisms.choose import shares
from discreet.mechanisms.pickers import pickers, sharpness_of
from discreet.mechanisms.picks import Sharpness
from discreet.mechanisms.program import Program
from discreet.mechanisms.sharpest import CONFIDENCE, half_width
from discreet.picture import CATEGORIES, GREY, INK, SCHEMA, STYLE, Picture
from discreet.privacy.bounded import Part, Pick

__all__ = ["Curve", "Panel", "curves", "drawn", "panels"]

REACH = 30
"""Prices from a thirtieth of the present one to thirty times it are drawn."""
STEPS = 24
CROWDED = 2.0
COLOURS = dict(
    zip(["laplace", "gaussian", "fine-gaussian", "exponential", "permute-and-flip"], CATEGORIES, strict=False)
)


@dataclass(frozen=True, slots=True)
class Curve:
    """The error of one mechanism at several prices."""

    mechanism: str
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Panel:
    """One released number: the mechanisms that could release it, and where the question stands."""

    title: str
    error: str
    curves: tuple[Curve, ...]
    present: tuple[float, float] | None = None
    price: str = "epsilon"


def curves(
    part: Part | Pick, divided: Fraction | int, accounting: str, price: float, beside: Sequence[Pick] = ()
) -> tuple[Curve, ...]:
    """``divided``: into how many shares the price of the question goes; ``beside``: all picks of the same column."""
    prices = [price * REACH ** (2 * step / STEPS - 1) for step in range(STEPS + 1)]
    books = accountant(accounting)
    amounts = [(each, books.price(Fraction(f"{each:.9g}")) / divided) for each in prices]
    if isinstance(part, Part):
        found = _of_part(part, amounts, books.currency)
    else:
        found = _of_pick(part, beside or [part], amounts, books.currency)
    return tuple(curve for curve in found if curve.points)


Amounts = Sequence[tuple[float, Fraction]]


def _of_part(part: Part, amounts: Amounts, currency: str) -> Iterator[Curve]:
    for name, law in MECHANISMS.items():
        noises = [(price, law.calibrate(part.l1, part.l2_squared, amount, currency)) for price, amount in amounts]
        errors = [(price, float(half_width(noise, CONFIDENCE) * part.grid)) for price, noise in noises if noise]
        yield Curve(name, tuple((price, error) for price, error in errors if error))


def _of_pick(pick: Pick, beside: Sequence[Pick], amounts: Amounts, currency: str) -> Iterator[Curve]:
    for name, choice in CHOICES.items():
        made = [(price, tuple(pickers(beside, amount, currency, (choice,)))) for price, amount in amounts]
        told = [(price, sharpness_of(pick, picking)) for price, picking in made]
        errors = [(price, each.rank_error) for price, each in told if isinstance(each, Sharpness)]
        yield Curve(name, tuple((price, float(error)) for price, error in errors if error))


def panels(program: Program, price: float, accounting: str, present: dict[tuple[str, str], float]) -> Iterator[Panel]:
    """``present`` has the error of each released number by its column and its role."""
    divided, bounded = shares(program.bounded), program.bounded
    for output in bounded.outputs:
        for role, part in output.parts.items():
            if part.histogram.awaits if isinstance(part, Pick) else part.awaits:
                continue
            title = output.name if len(output.parts) == 1 else f"{output.name}: {role}"
            at = present.get((output.name, role))
            error = "half width at 95 %" if isinstance(part, Part) else "rows by which its rank is off, at 95 %"
            beside = () if isinstance(part, Part) else bounded.picks(part.histogram)
            yield Panel(title, error, curves(part, divided, accounting, price, beside), (price, at) if at else None)


def drawn(found: Sequence[Panel], title: str, subtitle: str) -> Picture:
    """A panel below another, both axes in powers of ten, each curve labelled where it ends."""
    kept = [panel for panel in found if panel.curves]
    if not kept:
        raise ValueError("there is no number whose error at a price is known before data are read")
    return Picture(
        {
            "$schema": SCHEMA,
            "title": {"text": title, "subtitle": subtitle},
            "vconcat": [_panel(panel) for panel in kept],
            "spacing": 28,
            "padding": 18,
            "config": STYLE,
        }
    )


def _panel(panel: Panel) -> dict[str, Any]:
    points = [point for curve in panel.curves for point in curve.points]
    place = {
        "x": _axis("price", panel.price, [price for price, _ in points]),
        "y": _axis("error", panel.error, [error for _, error in points]),
    }
    names = [curve.mechanism for curve in panel.curves]
    colours = [_colour(name, names) for name in names]
    colour = {"field": "mechanism", "type": "nominal", "scale": {"domain": names, "range": colours}, "legend": None}
    return {
        "title": {"text": panel.title, "fontSize": 13, "offset": 4},
        "width": 460,
        "height": 220,
        "data": {"values": _values(panel)},
        "layer": [
            {"mark": {"type": "line", "strokeWidth": 2.4}, "encoding": {**place, "color": colour}},
            *_labels(panel, place),
            *(_present(*panel.present, place) if panel.present else []),
        ],
    }


def _colour(name: str, names: Sequence[str]) -> str:
    """A mechanism has its own; what else a curve may be called has that of its place."""
    return COLOURS.get(name) or CATEGORIES[names.index(name) % len(CATEGORIES)]


def _axis(name: str, title: str, values: Sequence[float]) -> dict[str, Any]:
    """A scale in powers of ten, with a line at each of them."""
    low, high = floor(log10(min(values))), ceil(log10(max(values)))
    ends = [_rounded(min(values) * 0.9), _rounded(max(values) * 1.1)]
    tens = [10.0**power for power in range(low, high + 1)]
    scale = {"type": "log", "nice": False, "domain": ends}
    return {
        "field": name, "type": "quantitative", "scale": scale, "title": title,
        "axis": {"format": "~s" if min(values) >= 1 else "~g", "values": tens},
    }  # fmt: skip


def _labels(panel: Panel, place: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The name of each curve where it ends; names that would lie on each other are moved apart."""
    names = [curve.mechanism for curve in panel.curves]
    ends = sorted(panel.curves, key=lambda curve: -curve.points[-1][1])
    crowded = len(ends) > 1 and ends[0].points[-1][1] < CROWDED * ends[-1].points[-1][1]
    for rank, curve in enumerate(ends):
        price, error = map(_rounded, curve.points[-1])
        shift = 15 * (rank - (len(ends) - 1) / 2) if crowded else 0
        mark = {"type": "text", "align": "left", "dx": 8, "dy": shift, "fontSize": 12, "fontWeight": 600}
        yield {
            "data": {"values": [{"price": price, "error": error}]},
            "mark": {**mark, "color": _colour(curve.mechanism, names), "text": curve.mechanism},
            "encoding": place,
        }


def _rounded(value: float) -> float:
    return float(f"{value:.6g}")


def _values(panel: Panel) -> list[dict[str, Any]]:
    return [
        {"mechanism": curve.mechanism, "price": _rounded(price), "error": _rounded(error)}
        for curve in panel.curves
        for price, error in curve.points
    ]


def _present(price: float, error: float, place: dict[str, Any]) -> list[dict[str, Any]]:
    """The price that is named, and what the question's own mechanism gives at it."""
    told = f"±{error:,.0f}" if error >= 100 else f"±{error:.3g}"
    here = {"values": [{"price": price, "error": error}]}
    text = {"type": "text", "align": "right", "dx": -9, "dy": 14, "color": INK, "fontSize": 12}
    dashed = {"type": "rule", "strokeDash": [3, 3], "color": GREY}
    point = {"type": "point", "filled": True, "size": 80, "color": INK, "opacity": 1}
    return [
        {"data": here, "mark": dashed, "encoding": {"x": place["x"]}},
        {"data": here, "mark": point, "encoding": place},
        {"data": here, "mark": {**text, "text": f"now: epsilon {price:.3g}, {told}"}, "encoding": place},
    ]
