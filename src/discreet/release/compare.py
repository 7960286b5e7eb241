"""A count against a threshold: exact in; out comes whether it is above, and where that is paid for its noisy value."""

from __future__ import annotations

from discreet.engines.engine import Exact
from discreet.ledger.watch import Begun, Drawn, Outcome
from discreet.mechanisms.noise_source import secret
from discreet.mechanisms.perturb import perturb
from discreet.mechanisms.sparse_vector import is_above
from discreet.mechanisms.watch_program import WatchProgram

__all__ = ["compare", "drawn"]


def drawn(program: WatchProgram) -> Drawn:
    """What a comparison needs that nobody may foresee, before anything is looked at."""
    return Drawn(program.comparison.draw_comparison(), secret())


def compare(program: WatchProgram, moved: int, begun: Begun, exact: Exact) -> tuple[Outcome, int | None]:
    """A value has fresh noise of its own: that of the comparison would give the comparison away."""
    count = exact.parts[0][0] if exact.keys else 0
    if not is_above(count, program.threshold.above, moved, begun.threshold_noise, begun.drawn.noise):
        return Outcome.NOT_ABOVE, None
    blur = program.blur(moved)
    return Outcome.ABOVE, None if blur is None else perturb(blur, [count])[0]
