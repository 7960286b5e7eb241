"""From bounds and a price to a program: the price is shared among the parts, each gets the law that blurs it least."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from discreet.errors import Refused
from discreet.ledger.accountants import accountant
from discreet.ledger.events import Event, KeyThreshold
from discreet.mechanisms import CHOICES, MECHANISMS, Mechanism
from discreet.mechanisms.method import Method, check_method, named
from discreet.mechanisms.picks import Picker, picker
from discreet.mechanisms.program import Program, half_width
from discreet.mechanisms.sharpening.climb import Climb
from discreet.mechanisms.survey import Survey
from discreet.mechanisms.threshold import threshold
from discreet.privacy.bounded import Bounded, Part, Pick

__all__ = ["CONFIDENCE", "SHARPEST", "KeyRule", "assemble", "choose", "choose_survey", "noise_for", "shares"]

CONFIDENCE = 0.95
"""At one price the law with the smaller half width at this confidence is the better one."""


SHARPEST = Method()
"""No mechanism is named."""


@dataclass(frozen=True, slots=True)
class KeyRule:
    """The delta of one selection of private keys, and the fewest units a key must have."""

    delta: Fraction
    min_units: int


def choose(
    bounded: Bounded, amount: Fraction, accounting: str, keys: KeyRule | None, method: Method = SHARPEST
) -> Program:
    """``amount`` is in the dataset's currency: rho under zCDP, epsilon under pure, precision under Gaussian DP."""
    check_method(method, bounded)
    each = amount / shares(bounded)
    noises = tuple(noise_for(part, each, accounting, method) for part in bounded.parts)
    pickers = tuple(picker(pick, each, accounting, named(CHOICES, method)) for pick in _picks(bounded))
    return assemble(bounded, noises, pickers, accounting, keys)


def assemble(
    bounded: Bounded,
    noises: tuple[Mechanism, ...],
    pickers: tuple[Picker, ...],
    accounting: str,
    keys: KeyRule | None,
    climbs: tuple[Climb, ...] = (),
) -> Program:
    """The program of these parts: its threshold, its events and their price follow from them."""
    events: list[Event] = [noise.event for noise in noises]
    events += [event for each_picker in pickers for event in each_picker.events]
    least: int | None = None
    if bounded.units_part is not None:
        assert keys is not None
        noise = noises[bounded.parts.index(bounded.units_part)]
        least = threshold(noise, bounded.groups, keys.delta, keys.min_units)
        events.append(KeyThreshold(keys.delta))
    charge = accountant(accounting).charge(events)
    return Program(bounded, noises, pickers, least, tuple(events), charge, climbs=climbs)


def choose_survey(bounded: Bounded, epsilon: Fraction, accounting: str, rows: int | None) -> Program:
    """Randomised rows at this very epsilon: what an accounting charges for them may be less than for another answer."""
    survey = Survey.of(bounded, epsilon, rows)
    events: tuple[Event, ...] = (survey.law.event,)
    return Program(bounded, (), (), None, events, accountant(accounting).charge(events), survey)


def shares(bounded: Bounded) -> int:
    """Into how many equal parts a price is divided: what is the same for everyone needs none."""
    return max(1, sum(1 for part in bounded.parts if part.l1) + len(_picks(bounded)))


def _picks(bounded: Bounded) -> list[Pick]:
    return [pick for histogram in bounded.histograms for pick in bounded.picks(histogram)]


def noise_for(part: Part, amount: Fraction, accounting: str, method: Method) -> Mechanism:
    """The law that blurs a part least at this price, or the one that is named."""
    laws = tuple(named(MECHANISMS, method))
    found = _sharpest(part.l1, part.l2_squared, amount, accounting, laws)
    if found is None:
        message = f"{method.name} noise has no price under {accounting} accounting"
        raise Refused("wrong-mechanism", message, "name another, or none")
    return found


@lru_cache(maxsize=1024)
def _sharpest(
    l1: int, l2_squared: int, amount: Fraction, accounting: str, laws: tuple[type[Mechanism], ...]
) -> Mechanism | None:
    possible = [law.calibrate(l1, l2_squared, amount, accounting) for law in laws]
    return min((noise for noise in possible if noise), key=lambda noise: half_width(noise, CONFIDENCE), default=None)
