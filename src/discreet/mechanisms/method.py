"""A mechanism that is asked for by name. What its name cannot be used for is refused, never replaced."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import TypeVar

from discreet.errors import Refused, Span
from discreet.mechanisms import CHOICES, MECHANISMS, SMOOTH
from discreet.mechanisms.picks import Picker
from discreet.mechanisms.proposal import proposal
from discreet.mechanisms.smooth import smooth
from discreet.mechanisms.stable import stable
from discreet.mechanisms.terms import Terms
from discreet.policy.names import did_you_mean
from discreet.privacy.bounded import Bounded, Pick

__all__ = ["KNOWN", "RELEASES", "Method", "check_method", "known_mechanism", "named"]

RELEASES: dict[str, Callable[[Pick, Terms], Picker]] = {
    "smooth": partial(smooth, laws=tuple(SMOOTH.values())),
    **{name: partial(smooth, laws=(law,)) for name, law in SMOOTH.items()},
    "ptr": proposal,
    "stable": stable,
}
"""What makes picks of its own, and is used where it is named."""

KNOWN = (*MECHANISMS, *CHOICES, *RELEASES)

Kind = TypeVar("Kind")


@dataclass(frozen=True, slots=True)
class Method:
    """Without a name every part and every pick gets the sharpest mechanism that there is.

    A name is for one kind of number: noise for counts and sums, all else for quantiles, extremes and modes. Numbers of
    the other kind, in the same statement, are released as usual.
    """

    name: str | None = None
    delta: Fraction | None = None
    """What the statement may spend on mechanisms that need some; None where no delta is kept for that."""


def known_mechanism(value: object, span: Span | None = None) -> str:
    """The name as it is known here."""
    name = value.strip().lower().replace("_", "-") if isinstance(value, str) else ""
    if name not in KNOWN:
        hint = did_you_mean(name, KNOWN) if name else f"known: {', '.join(KNOWN)}"
        raise Refused("unknown-mechanism", f"there is no mechanism {str(value)[:40]!r}", hint, span)
    return name


def named(registry: Mapping[str, type[Kind]], method: Method) -> list[type[Kind]]:
    """The one that was named, where this registry has it; else all of them."""
    return [registry[method.name]] if method.name and method.name in registry else list(registry.values())


def check_method(method: Method, bounded: Bounded) -> None:
    """Refuse a name that nothing in the question is released by."""
    if method.name in MECHANISMS and not bounded.parts:
        hint = f"name none, or one that is for quantiles and their kin: {', '.join((*CHOICES, *RELEASES))}"
        raise Refused("wrong-mechanism", f"{method.name} noise is for counts and sums, and there are none", hint)
    if method.name in (*CHOICES, *RELEASES) and not bounded.histograms:
        hint = "name none, or a noise: laplace, gaussian"
        message = f"{method.name} is for quantiles, extremes and modes, and there are none"
        raise Refused("wrong-mechanism", message, hint)
    if method.name in RELEASES and bounded.awaited:
        message = f"{method.name} needs bounds that are declared, and here some are chosen first"
        raise Refused("wrong-mechanism", message, "name none, or ask the owner for a range")
