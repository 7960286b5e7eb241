"""A picture: a Vega-Lite specification in the house's style, drawn by vl-convert without a browser or a network."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["ACCENT", "CATEGORIES", "GREY", "INK", "SCHEMA", "STYLE", "Picture", "check_drawable"]

SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
INK, GREY, ACCENT = "#1f2933", "#7b8794", "#2a9d8f"
CATEGORIES = ["#2a9d8f", "#e9a03b", "#5b7db1", "#c8553d", "#8a6fa8", "#6b8f71", "#b0803c", "#7b8794"]
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
    "range": {"category": CATEGORIES},
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
