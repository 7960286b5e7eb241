"""Pictures as files: what could go wrong with one is found out before anything is paid."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from discreet.interfaces.cli.failures import Failure
from discreet.interfaces.cli.formats import check_destination

if TYPE_CHECKING:
    from discreet.picture import Picture

__all__ = ["check_plot", "draw"]


class Drawable(Protocol):
    def plot(self) -> Picture: ...


def check_plot(path: str | None) -> None:
    if path is None:
        return
    from discreet.picture import check_drawable

    try:
        check_drawable(path)
    except (ValueError, ModuleNotFoundError) as error:
        raise Failure(str(error)) from error
    check_destination("svg", path)


def draw(what: Drawable, path: str) -> None:
    """Save a picture; there may be nothing to draw, or nothing to draw it with."""
    try:
        what.plot().save(path)
    except (ValueError, ModuleNotFoundError, OSError) as error:
        raise Failure(f"no picture was drawn: {error}") from error
