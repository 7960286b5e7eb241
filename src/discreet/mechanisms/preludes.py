"""What is done before a question can be asked: its bounds are found, by probes, and its noise follows from them.

The whole price is known beforehand. A law of noise is calibrated to a sensitivity at a price, and its event tells their
ratio alone: whatever bounds are found, events and charge are those that were planned.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from discreet.ledger.accountants import accountant
from discreet.ledger.events import Event
from discreet.mechanisms import Mechanism
from discreet.mechanisms.choose import BOUND, KeyRule, assemble, picking_for, shares
from discreet.mechanisms.finders import Prelude, finder
from discreet.mechanisms.method import Method
from discreet.mechanisms.program import Program
from discreet.privacy.bounded import Bounded, Histogram
from discreet.privacy.probe import Probe, Wanted

__all__ = ["narrowed", "prefaced"]


def prefaced(program: Program, probes: Sequence[Probe], amount: Fraction, accounting: str) -> Program:
    """The program of a question that awaits bounds, with what finds them, for the same amount in all."""
    each = BOUND * amount / shares(program.bounded)
    return _with_preludes(program, probes, each, accounting)


def narrowed(
    planned: Program,
    found: Bounded,
    probes: Sequence[Probe],
    amount: Fraction,
    accounting: str,
    keys: KeyRule | None,
    method: Method,
) -> Program:
    """The planned program with bounds that were found, all of them or the first: the same laws at the same price."""
    each = amount / shares(planned.bounded)
    pairs = zip(planned.noises, found.parts, strict=True)
    calibrated = [noise.calibrate(part.l1, part.l2_squared, each, accounting) for noise, part in pairs]
    noises = tuple(noise for noise in calibrated if noise)
    program = assemble(found, noises, picking_for(found, each, accounting, method), accounting, keys)
    return _with_preludes(program, probes, BOUND * each, accounting)


def _with_preludes(program: Program, probes: Sequence[Probe], each: Fraction, accounting: str) -> Program:
    preludes = tuple(_prelude(probe, program, each, accounting) for probe in probes)
    first: list[Event] = [finder.choice.event for prelude in preludes for finder in prelude.finders]
    charge = program.charge + accountant(accounting).charge(first)
    return replace(program, preludes=preludes, events=(*first, *program.events), charge=charge)


def _prelude(probe: Probe, program: Program, each: Fraction, accounting: str) -> Prelude:
    finders = [
        finder(wanted, counts, _spared(wanted, counts, program.bounded, program.noises), each, accounting)
        for wanted, counts in zip(probe.wanted, probe.question.histograms, strict=True)
    ]
    return Prelude(probe, tuple(finders))


def _spared(wanted: Wanted, counts: Histogram, bounded: Bounded, noises: Sequence[Mechanism]) -> int:
    """As many rows (or units) as weigh at the bound what the noise of all groups together weighs."""
    groups = 1 if bounded.domain is None else max(1, len(bounded.domain))
    weights = [
        groups * noise.spread * counts.rows / part.l1
        for part, noise in zip(bounded.parts, noises, strict=True)
        if wanted in part.awaits
    ]
    return int(min(weights, default=0))
