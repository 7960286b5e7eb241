"""A mechanism that is asked for by name. What its name cannot be used for is refused, never replaced."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

from discreet.errors import Refused
from discreet.mechanisms import CHOICES, MECHANISMS
from discreet.policy.names import did_you_mean
from discreet.privacy.bounded import Bounded

__all__ = ["KNOWN", "Method", "check_method", "known_mechanism", "named"]

KNOWN = (*MECHANISMS, *CHOICES)

Kind = TypeVar("Kind")


@dataclass(frozen=True, slots=True)
class Method:
    """Without a name every part and every pick gets the sharpest mechanism that there is.

    A name is for one kind of number: noise for counts and sums, a choice for quantiles, extremes and modes. Numbers of
    the other kind, in the same statement, are released as usual.
    """

    name: str | None = None
    delta: Fraction | None = None
    """What the statement may spend on mechanisms that need some; None where no delta is kept for that."""


def known_mechanism(value: object) -> str:
    """The name as it is known here."""
    name = value.strip().lower().replace("_", "-") if isinstance(value, str) else ""
    if name not in KNOWN:
        hint = did_you_mean(name, KNOWN) if name else f"known: {', '.join(KNOWN)}"
        raise Refused("unknown-mechanism", f"there is no mechanism {str(value)[:40]!r}", hint)
    return name


def named(registry: Mapping[str, type[Kind]], method: Method) -> list[type[Kind]]:
    """The one that was named, where this registry has it; else all of them."""
    return [registry[method.name]] if method.name and method.name in registry else list(registry.values())


def check_method(method: Method, bounded: Bounded) -> None:
    """Refuse a name that nothing in the question is released by."""
    if method.name in MECHANISMS and not bounded.parts:
        hint = "name none, or one that chooses: exponential, permute-and-flip"
        raise Refused("wrong-mechanism", f"{method.name} noise is for counts and sums, and there are none", hint)
    if method.name in CHOICES and not bounded.histograms:
        hint = "name none, or a noise: laplace, gaussian"
        message = f"{method.name} chooses quantiles, extremes and modes, and there are none"
        raise Refused("wrong-mechanism", message, hint)
