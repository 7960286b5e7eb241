"""From bounds and a price to a program: the price is shared among the parts, each gets the law that blurs it least."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from discreet.errors import Refused
from discreet.ledger.accountants import accountant
from discreet.ledger.events import Event, KeyThreshold
from discreet.mechanisms import CHOICES, MECHANISMS, Mechanism
from discreet.mechanisms.method import RELEASES, Method, check_method, named
from discreet.mechanisms.pickers import pickers, weight
from discreet.mechanisms.picks import Picker
from discreet.mechanisms.program import Program
from discreet.mechanisms.sharpest import sharpest_noise
from discreet.mechanisms.survey import Survey
from discreet.mechanisms.terms import Terms
from discreet.mechanisms.threshold import threshold
from discreet.privacy.bounded import Bounded, Part, Pick

__all__ = ["SHARPEST", "KeyRule", "assemble", "choose", "choose_survey", "noise_for", "shares"]

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
    each, picks = amount / shares(bounded), sum(len(bounded.picks(histogram)) for histogram in bounded.histograms)
    terms = Terms(each, accounting, bounded.groups, method.delta and method.delta / max(1, picks))
    noises = tuple(noise_for(part, each, accounting, method) for part in bounded.parts)
    picking = tuple(
        picker for each_of in bounded.histograms for picker in _pickers(bounded.picks(each_of), terms, method)
    )
    return assemble(bounded, noises, picking, accounting, keys)


def assemble(
    bounded: Bounded,
    noises: tuple[Mechanism, ...],
    picking: tuple[Picker, ...],
    accounting: str,
    keys: KeyRule | None,
) -> Program:
    """The program of these parts: its threshold, its events and their price follow from them."""
    events: list[Event] = [noise.event for noise in noises]
    events += [event for picker in picking for event in picker.events]
    least: int | None = None
    if bounded.units_part is not None:
        assert keys is not None
        noise = noises[bounded.parts.index(bounded.units_part)]
        least = threshold(noise, bounded.groups, keys.delta, keys.min_units)
        events.append(KeyThreshold(keys.delta))
    return Program(bounded, noises, picking, least, tuple(events), accountant(accounting).charge(events))


def choose_survey(bounded: Bounded, epsilon: Fraction, accounting: str, rows: int | None) -> Program:
    """Randomised rows at this very epsilon: what an accounting charges for them may be less than for another answer."""
    survey = Survey.of(bounded, epsilon, rows)
    events: tuple[Event, ...] = (survey.law.event,)
    return Program(bounded, (), (), None, events, accountant(accounting).charge(events), survey)


def shares(bounded: Bounded) -> int:
    """Into how many equal parts a price is divided: what is the same for everyone needs none."""
    picked = sum(weight(bounded.picks(histogram)) for histogram in bounded.histograms)
    return max(1, sum(1 for part in bounded.parts if part.l1) + picked)


def _pickers(picks: Sequence[Pick], terms: Terms, method: Method) -> Iterator[Picker]:
    if method.name in RELEASES:
        each = replace(terms, amount=terms.amount * weight(picks) / len(picks))
        yield from (RELEASES[method.name](pick, each) for pick in picks)
    else:
        yield from pickers(picks, terms.amount, terms.accounting, tuple(named(CHOICES, method)))


def noise_for(part: Part, amount: Fraction, accounting: str, method: Method) -> Mechanism:
    """The law that blurs a part least at this price, or the one that is named."""
    laws = tuple(named(MECHANISMS, method))
    found = sharpest_noise(part.l1, part.l2_squared, amount, accounting, laws)
    if found is None:
        message = f"{method.name} noise has no price under {accounting} accounting"
        raise Refused("wrong-mechanism", message, "name another, or none")
    return found
