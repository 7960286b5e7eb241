"""What a statement would do and cost, in words and as JSON: made of public things alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Any, Literal

from discreet.errors import Refused
from discreet.ledger.accountants import accountant
from discreet.ledger.events import Charge
from discreet.mechanisms.choose import KeyRule, slots
from discreet.mechanisms.curves import drawn, panels
from discreet.mechanisms.pickers import sharpness_of
from discreet.mechanisms.picks import Sharpness, Steps
from discreet.mechanisms.program import Program
from discreet.mechanisms.sharpest import CONFIDENCE
from discreet.mechanisms.sought import Sought, sought_bounds
from discreet.picture import Picture
from discreet.plan.show import show
from discreet.privacy.bounded import Part, Pick
from discreet.privacy.probe import RowsOfUnit
from discreet.privacy.show import show_bounds
from discreet.privacy.told import sought

__all__ = ["Cost", "Explanation", "KeySelection", "Planned", "cost_of"]


@dataclass(frozen=True, slots=True)
class Cost:
    """A price in the terms that people compare: under zCDP epsilon is that of one pure mechanism of this rho."""

    epsilon: float
    rho: float
    delta: float

    def to_dict(self) -> dict[str, float]:
        return {"epsilon": self.epsilon, "rho": self.rho, "delta": self.delta}

    def __str__(self) -> str:
        extra = f", delta {self.delta:.3g}" if self.delta else ""
        return f"epsilon {self.epsilon:.4g}{extra}"


def cost_of(charge: Charge, accounting: str) -> Cost:
    epsilon = accountant(accounting).epsilon(charge.amount)
    rho = float(charge.amount) if accounting == "zcdp" else epsilon**2 / 2
    return Cost(float(f"{epsilon:.12g}"), float(f"{rho:.12g}"), float(charge.delta))


@dataclass(frozen=True, slots=True)
class Planned:
    """One noised vector of the answer, in the units of its column."""

    column: str
    aggregate: str
    l1: float | None
    """This and all else is None where it is not known before a bound is chosen."""
    l2: float | None
    mechanism: str
    scale: float | None
    half_width_95: float | None
    """None where it depends on the data: a quantile is as sharp as values are dense."""
    rank_error_95: int | None = None
    """Of what is picked by its rank: by how many rows that may be off."""
    threshold: int | None = None
    """Of what is shown after a test alone: the noisy number of units that it asks for."""
    awaits: tuple[str, ...] = ()
    """The bounds that are chosen first."""

    def to_dict(self) -> dict[str, Any]:
        found = {name: getattr(self, name) for name in self.__slots__} | {"awaits": list(self.awaits)}
        return {name: value for name, value in found.items() if name not in RARE or value not in (None, [])}


RARE = ("rank_error_95", "threshold", "awaits")
"""Told only where there is something to tell."""


@dataclass(frozen=True, slots=True)
class KeySelection:
    """How private keys are shown, and what that costs of delta."""

    delta: float
    """What it costs: at most the chance that a group of one unit alone is shown, over all such groups of the unit."""
    groups_per_unit: int | None
    """The most groups that one unit touches; each has an equal part of delta. None where it is chosen first."""
    mechanism: str
    scale: float | None
    """Of the noise on a group's count of units."""
    least: int | None
    """The least count that keeps delta for groups of a single unit."""
    min_units: int
    """The owner's minimum frequency, which moves the threshold up by one less than itself."""
    threshold: int | None
    """The noisy count of units from which on a group is shown."""

    @classmethod
    def of(cls, program: Program, rule: KeyRule) -> KeySelection:
        bounded, threshold = program.bounded, program.threshold
        assert bounded.units_part is not None
        assert threshold is not None
        noise = program.noise_of(bounded.units_part)
        if bounded.units_part.awaits:
            return cls(float(rule.delta), None, noise.name, None, None, rule.min_units, None)
        least = threshold - (rule.min_units - 1)
        scale = _number(noise.spread)
        return cls(float(rule.delta), bounded.groups, noise.name, scale, least, rule.min_units, threshold)

    def to_dict(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class Explanation:
    """``verdict`` is "answer" or "refuse"; a refusal has an error and nothing else."""

    verdict: Literal["answer", "refuse"]
    error: Refused | None = None
    releases: tuple[Planned, ...] = ()
    keys: Literal["public", "private", "none"] = "none"
    groups: int | None = None
    """How many groups the answer has, when that is public."""
    threshold: int | None = None
    """The noisy count of units at which a private key is shown."""
    cost: Cost = Cost(0.0, 0.0, 0.0)
    plan: str = ""
    bounds: str = ""
    engine_sql: str = ""
    key_selection: KeySelection | None = None
    """Where keys are private: how the threshold comes about, and what delta pays for."""
    slots: int | None = None
    """Under accounting in slots: how many it takes."""
    program: Program | None = field(default=None, repr=False)
    """Bounds, noise and price as one value; nothing where it is refused, or planned with others."""
    accounting: str = "zcdp"
    chosen_first: tuple[Sought, ...] = ()
    """Bounds that nobody declared: each is chosen privately, on its share of the price."""

    @classmethod
    def refuse(cls, error: Refused) -> Explanation:
        return cls("refuse", error)

    @classmethod
    def answer(
        cls, program: Program, accounting: str, engine_sql: str, rule: KeyRule | None, probe_sql: Sequence[str] = ()
    ) -> Explanation:
        """``rule`` is that of private keys, where the policy has one; ``probe_sql`` what each probe asks."""
        bounded, probes = program.bounded, [prelude.probe for prelude in program.preludes]
        selection = KeySelection.of(program, rule) if rule and program.threshold is not None else None
        keys = "none" if not bounded.keys else "public" if bounded.domain is not None else "private"
        return cls(
            "answer",
            None,
            _releases(program),
            keys,
            None if bounded.domain is None else len(bounded.domain),
            selection.threshold if selection else None,
            cost_of(program.charge, accounting),
            show(bounded.plan),
            show_bounds(bounded, probes),
            engine_sql,
            selection,
            slots(bounded) if accounting == "slots" else None,
            program,
            accounting,
            tuple(sought_bounds(program, accounting, probe_sql)),
        )

    def plot(self) -> Picture:
        """Error against price for each number and each mechanism that could release it, the present price marked."""
        if self.program is None:
            raise ValueError("there is no picture of what is refused, or of a statement that is planned with others")
        shown = [each for each in self.releases if each.threshold is None]
        errors = {(each.column, each.aggregate): each.half_width_95 or each.rank_error_95 for each in shown}
        known = {place: float(error) for place, error in errors.items() if error}
        found = list(panels(self.program, self.cost.epsilon, self.accounting, known))
        if not found and self.chosen_first:
            raise ValueError("there is no picture before the bounds are chosen that the errors depend on")
        return drawn(found, "Error against price", f"{self.accounting} accounting · known before any data are read")

    def to_dict(self) -> dict[str, Any]:
        return {
            "verdict": self.verdict,
            "error": self.error.to_dict() if self.error else None,
            "releases": [planned.to_dict() for planned in self.releases],
            "keys": self.keys,
            "groups": self.groups,
            "threshold": self.threshold,
            "key_selection": self.key_selection.to_dict() if self.key_selection else None,
            "chosen_first": [each.to_dict() for each in self.chosen_first],
            "cost": self.cost.to_dict(),
            "engine_sql": self.engine_sql,
        }


def _releases(program: Program) -> tuple[Planned, ...]:
    bounded = program.bounded
    found = [
        _planned(output.name, role, part, program) for output in bounded.outputs for role, part in output.parts.items()
    ]
    seen = {part for output in bounded.outputs for part in output.parts.values() if isinstance(part, Part)}
    if bounded.units_part is not None and bounded.units_part not in seen:
        found.insert(0, _planned("", "units", bounded.units_part, program))
    return tuple(found)


def _planned(column: str, role: str, part: Part | Pick, program: Program) -> Planned:
    waits = part.histogram.awaits if isinstance(part, Pick) else part.awaits
    awaits = tuple(dict.fromkeys(sought(each.subject, program.bounded) for each in waits))
    if isinstance(part, Pick):
        return _planned_pick(column, role, part, program, awaits)
    noise, grid = program.noise_of(part), part.grid
    if awaits:
        return Planned(column, role, None, None, noise.name, None, None, awaits=awaits)
    return Planned(
        column=column,
        aggregate=role,
        l1=_number(part.l1 * float(grid)),
        l2=_number(sqrt(part.l2_squared) * float(grid)),
        mechanism=noise.name,
        scale=_number(noise.spread * float(grid)),
        half_width_95=_number(float(program.half_width(part, CONFIDENCE))),
    )


def _planned_pick(column: str, role: str, pick: Pick, program: Program, awaits: tuple[str, ...]) -> Planned:
    picker, rows = next(each for each in program.pickers if pick in each.picks), pick.histogram.rows
    if any(isinstance(each.subject, RowsOfUnit) for each in pick.histogram.awaits):
        return Planned(column, role, None, None, picker.name, None, None, awaits=awaits)
    match sharpness_of(pick, program.pickers):
        case Sharpness(scale, rank_error):
            return Planned(column, role, rows, rows, picker.name, _number(scale), None, rank_error, awaits=awaits)
        case Steps(moved, scale, half_width, threshold):
            step, groups = float(pick.histogram.step), program.bounded.groups
            l1, l2 = moved * groups * step, moved * sqrt(groups) * step
            return Planned(
                column=column,
                aggregate=role,
                l1=_number(l1),
                l2=_number(l2),
                mechanism=picker.name,
                scale=_number(scale * step),
                half_width_95=_number(half_width * step),
                threshold=threshold,
            )


def _number(value: float) -> float:
    """Twelve digits, and a whole number as one: exact steps should read as they were declared."""
    rounded = float(f"{value:.12g}")
    return int(rounded) if rounded.is_integer() and abs(rounded) < 2**53 else rounded
