"""Intervals hold at the step where the numbers themselves decided to stop; and the rule is what the goal says."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from scipy.special import owens_t
from scipy.stats import norm

from discreet.accounting.formulas import normal_quantile_above
from discreet.errors import Refused
from discreet.mechanisms.goal import Goal, parse_goal
from discreet.mechanisms.sharpening import STEPS
from discreet.mechanisms.sharpening.climb import Alone, Climb, alone, together
from discreet.mechanisms.sharpening.gaussian_steps import GaussianSteps
from discreet.mechanisms.sharpening.laplace_steps import LaplaceSteps
from discreet.mechanisms.sharpening.levels import LEVELS
from discreet.mechanisms.sharpening.looks import ANY_STEP, Looks, tail_for
from discreet.mechanisms.sharpening.steps import Steps
from discreet.plan.types import Type
from discreet.privacy.bounded import Kind, Noisy, Part
from discreet.release.climb import ascend
from noise.harness import surprising

SHARES = [Fraction(1, 100), Fraction(1, 20), Fraction(1, 5), Fraction(1, 2), Fraction(1)]
CONFIDENCES = [0.5, 0.9, 0.95, 0.99, 0.9999]
PART = Part(Kind.ROWS, None, Fraction(1), 1, 1)
SUM = Part(Kind.SUM, None, Fraction(1), 1, 1)


@dataclass(frozen=True)
class Number:
    """An output that is one part, read off as it is."""

    name: str = "n"
    part: Part = PART
    type: Type = Type.INTEGER

    @property
    def parts(self) -> dict[str, Part]:
        return {"count": self.part}

    def value(self, noisy: Sequence[Noisy]) -> int:
        return int(noisy[0].value)

    def interval(self, noisy: Sequence[Noisy]) -> tuple[float, float]:
        return float(noisy[0].low), float(noisy[0].high)


def gaussian(share: Fraction, last: float = 1000, least: int = 0) -> tuple[Steps, Alone]:
    law = GaussianSteps(LEVELS, Fraction(last) ** 2, Fraction(1, int(last) ** 2 or 1), len(LEVELS) - 1)
    return alone(law, PART, [Number()], Goal(Fraction(least), share))


def laplace(share: Fraction, last: Fraction = Fraction(1000), levels: tuple[int, ...] = LEVELS) -> tuple[Steps, Alone]:
    law = LaplaceSteps(levels, last, 1 / last, len(levels) - 1)
    return alone(law, PART, [Number()], Goal(Fraction(0), share))


# The vectors of the note.


@pytest.mark.parametrize(
    ("share", "deviations", "scales"),
    [
        (Fraction(1, 100), 2.176, 3.491),
        (Fraction(1, 20), 2.214, 3.569),
        (Fraction(1, 10), 2.287, 3.749),
        (Fraction(1, 5), 2.413, 4.080),
        (Fraction(1, 2), 2.667, 4.998),
        (None, 3.393, 7.010),
    ],
)
def test_vectors_of_the_note(share: Fraction | None, deviations: float, scales: float) -> None:
    looks = Looks(share) if share else ANY_STEP
    normal = replace(GaussianSteps.calibrate(1000, 10**6, Fraction(1, 200), "zcdp"), looks=looks)
    double = replace(LaplaceSteps.calibrate(1000, 10**6, Fraction(1, 10), "pure"), looks=looks)
    assert normal_quantile_above(tail_for(normal.at(0), 0.95)) == pytest.approx(deviations, abs=2e-3)
    assert -math.log(2 * tail_for(double.at(0), 0.95)) == pytest.approx(scales, abs=2e-3)


# What the theorem leans on.


@pytest.mark.parametrize("step", [1, 60, 120])
@pytest.mark.parametrize("tail", [0.02, 0.001, 1e-8])
def test_gaussian_noise_enters_as_rarely_as_is_said(step: int, tail: float) -> None:
    """Against Owen's T itself."""
    law = GaussianSteps(LEVELS, Fraction(10**6), Fraction(1), len(LEVELS) - 1)
    p = law.levels[step - 1] / law.levels[step]
    exact = 2 * owens_t(norm.isf(tail), math.sqrt((1 - p) / (1 + p)))
    assert exact <= law.entering(tail)[step] <= 1.2 * exact


def below(scale: float, size: int) -> np.ndarray:
    """The law of discrete Laplace noise on -size..size."""
    return np.exp(-np.abs(np.arange(-size, size + 1)) / scale) * math.tanh(1 / (2 * scale))


def joint(coarse: float, sharp: float, size: int) -> np.ndarray:
    """P(coarser = row, sharper = column) of neighbouring Laplace steps."""
    x, y = math.exp(-1 / coarse), math.exp(-1 / sharp)
    stays = y * (1 - x) ** 2 / (x * (1 - y) ** 2)
    grid = np.arange(-size, size + 1)
    moved = np.exp(-np.abs(grid[:, None] - grid[None, :]) / coarse) * math.tanh(1 / (2 * coarse))
    return (stays * np.eye(2 * size + 1) + (1 - stays) * moved) * below(sharp, size)[None, :]


@pytest.mark.parametrize("tail", [0.02, 0.001])
@pytest.mark.parametrize("levels", [(64, 68), (64, 72), (64, 128)])
def test_laplace_noise_enters_as_rarely_as_is_said(levels: tuple[int, int], tail: float) -> None:
    law = LaplaceSteps(levels, Fraction(9), Fraction(1, 9), 1)
    both, size = joint(*law.scales, 400), 400
    wide, narrow = (law.width(scale, tail) for scale in law.scales)
    exact = both[: size + wide + 1, size + narrow + 1 :].sum()
    assert exact <= law.entering(tail)[1] <= 1.6 * exact + 1e-9


@pytest.mark.parametrize("deviation", [0.5, 0.7, 1.0, 3.0, 20.0])
def test_discrete_and_normal_noise_are_within_a_step_of_each_other(deviation: float) -> None:
    """The quantile coupling: P(N >= t) lies between P(G >= t + 1) and P(G >= t - 1), in fact below it from each t."""
    grid = np.arange(-400, 401)
    weights = np.exp(-(grid**2) / (2 * deviation**2))
    above = np.cumsum(weights[::-1])[::-1] / weights.sum()
    assert np.all(above <= norm.sf((grid - 1) / deviation) * (1 + 1e-12) + 1e-300)
    assert np.all(above >= norm.sf((grid + 1) / deviation) * (1 - 1e-12))


@pytest.mark.parametrize("kind", ["gaussian", "laplace"])
@pytest.mark.parametrize("tail", [0.3, 0.02, 1e-6])
@pytest.mark.parametrize("scale", [0.5, 3.3, 5e4])
def test_widths_have_their_tail(kind: str, tail: float, scale: float) -> None:
    law: type[Steps] = GaussianSteps if kind == "gaussian" else LaplaceSteps
    width = law.width(scale, tail)
    if kind == "laplace":
        x = math.exp(-1 / scale)
        assert x ** (width + 1) / (1 + x) <= tail
        assert width == 0 or x**width / (1 + x) >= tail * (1 - 1e-6)
    else:
        assert norm.sf((width + 1 - 0.5 - 2**-8) / scale) <= tail
        assert width == 0 or norm.sf((width - 0.5 - 2**-8) / scale) >= tail * (1 - 1e-6)
    assert law.above(scale, width + 1) <= tail * (1 + 1e-6)


# Coverage, computed exactly: small Laplace climbs, every exact value, and sets of steps that hurt.

SMALL = LEVELS[-25:]
LAST = Fraction(3)
SIZE = 160
"""Of the noise: at the coarsest step it is beyond that with a chance of 1e-6."""


def rules(needs: Sequence[int], exact: int) -> Iterator[list[int]]:
    """Sets of steps at which the other groups are sharp enough: all, a few, and those about the right one but for a gap."""
    last = len(needs) - 1
    right = next((step for step, need in enumerate(needs) if need <= exact), last)
    for chosen in (
        set(range(last + 1)),
        set(range(0, last + 1, 3)),
        {right, last},
        {right - 1, last},
        {right - 2, right - 1, last},
        {right - 1, right + 6, last},
        {last},
    ):
        yield sorted(step for step in chosen | {last} if 0 <= step <= last)


@cache
def onward(coarse: float, sharp: float) -> np.ndarray:
    """The chances of the sharper noise (column), given the coarser (row)."""
    both = joint(coarse, sharp, SIZE)
    return both / both.sum(axis=1)[:, None]


def missed(law: Steps, needs: Sequence[int], widths: Sequence[int], exact: int, allowed: Sequence[int]) -> float:
    """The chance that the interval where it stops misses, by going through the steps from the coarsest on."""
    grid = np.arange(-SIZE, SIZE + 1)
    going, found = below(law.scale(0), SIZE), 0.0
    for step in range(len(needs)):
        if step:
            going = going @ onward(law.scale(step - 1), law.scale(step))
        stops = step == len(needs) - 1 or (step in allowed and np.abs(grid + exact) >= needs[step])
        found += going[stops & (np.abs(grid) > widths[step])].sum()
        going = np.where(stops, 0.0, going)
    return found


@pytest.mark.parametrize("share", [Fraction(1, 20), Fraction(1, 5), Fraction(1, 2)])
def test_intervals_hold_at_the_stop_exactly(share: Fraction) -> None:
    law, climb = laplace(share, LAST, SMALL)
    widths = {q: [law.at(step).half_width(q) for step in range(climb.steps)] for q in (0.5, 0.95, 0.99)}
    assert climb.needs[0] > climb.needs[-1] > 0
    worst = dict.fromkeys(widths, 0.0)
    right = climb.needs[len(climb.needs) // 2]
    for exact in (0, climb.needs[-1] // 2, climb.needs[-1], right - 1, right, int(right * 1.04), int(right * 0.97)):
        for allowed in rules(climb.needs, exact):
            for confidence, half in widths.items():
                miss = missed(law, climb.needs, half, exact, allowed)
                assert miss <= 1 - confidence
                worst[confidence] = max(worst[confidence], miss)
    assert worst[0.95] > 0.012


def test_a_single_looks_widths_would_not_do() -> None:
    """What the theorem is for: with the widths of one look, misses are too many."""
    law, climb = laplace(Fraction(1, 20), LAST, SMALL)
    once = [law.width(scale, 0.025) for scale in law.scales]
    needs = [math.ceil(width * 20) for width in once]
    assert climb.steps == len(needs) == 24
    assert missed(law, needs, once, 324, [13, 22, 23]) > 0.065
    ours = [law.at(step).half_width(0.95) for step in range(climb.steps)]
    assert missed(law, climb.needs, ours, 420, [12, 21, 23]) < 0.034


@pytest.mark.parametrize("share", [Fraction(1, 20), Fraction(1, 5)])
def test_intervals_hold_at_the_stop_of_gaussian_climbs(share: Fraction) -> None:
    """Every group climbs for itself here, so that each is a climb of its own."""
    law, climb = gaussian(share, last=30)
    n, at = (
        4000,
        [climb.needs[len(climb.needs) // 2], climb.needs[40], int(climb.needs[60] * 1.03), climb.needs[-1] // 2],
    )
    for exact in at:
        releases = list(law.releases([exact] * n))
        stops = [next((s for s in range(climb.steps) if abs(releases[s][k]) >= climb.needs[s]), -1) for k in range(n)]
        for confidence in (0.95, 0.5):
            widths = [law.at(step).half_width(confidence) for step in range(climb.steps)]
            hits = sum(abs(releases[stop][k] - exact) <= widths[stop] for k, stop in enumerate(stops))
            assert hits >= confidence * n or not surprising(hits, n, confidence)


@pytest.mark.parametrize("accounting", sorted(STEPS))
def test_whatever_the_rule_all_steps_hold_together(accounting: str) -> None:
    law = STEPS[accounting].calibrate(1, 1, Fraction(1, 50), accounting)
    n, confidence = 3000, 0.9
    widths = [law.at(step).half_width(confidence) for step in range(len(law.levels))]
    held = [True] * n
    for width, released in zip(widths, law.releases([0] * n), strict=True):
        held = [fine and abs(each) <= width for fine, each in zip(held, released, strict=True)]
    assert sum(held) >= confidence * n or not surprising(sum(held), n, confidence)
    assert sum(held) < n


# Widths.


@pytest.mark.parametrize("share", SHARES, ids=str)
@pytest.mark.parametrize("make", [gaussian, laplace])
def test_widths_grow_with_confidence_and_fall_with_steps(make: object, share: Fraction) -> None:
    law, climb = make(share)
    for step in (0, 50, climb.steps - 1):
        widths = [law.at(step).half_width(confidence) for confidence in CONFIDENCES]
        assert widths == sorted(widths)
    assert list(climb.needs) == sorted(climb.needs, reverse=True)
    anywhere = replace(law, looks=ANY_STEP)
    for confidence in CONFIDENCES:
        assert law.at(9).half_width(confidence) <= anywhere.at(9).half_width(confidence)


@pytest.mark.parametrize("share", [Fraction(1, 10_000), Fraction(1)])
def test_shares_at_their_ends_have_widths(share: Fraction) -> None:
    for law, climb in (gaussian(share), laplace(share)):
        last = law.half_width(0.95)
        assert climb.needs[-1] == math.ceil(last / share)


# The rule.


def test_a_number_is_sharp_enough_where_its_half_width_is_the_share_that_was_asked_for() -> None:
    law, climb = gaussian(Fraction(1, 20), last=40)
    (output,) = climb.outputs
    for step in (0, 30, climb.steps - 1):
        width = law.at(step).half_width(0.95)
        for number in (0, climb.needs[step] - 1, climb.needs[step], -climb.needs[step], 10**9):
            assert climb.met(output, step, [number]) == (width * 20 <= abs(number))
            assert climb.met(output, step, [number]) == climb.goal.met(number, width)


def test_an_absolute_accuracy_beside_it_ends_the_climb_for_any_number() -> None:
    law, climb = gaussian(Fraction(1, 20), last=40, least=300)
    (output,) = climb.outputs
    assert law.half_width(0.95) <= 300 < law.at(climb.steps - 2).half_width(0.95)
    assert climb.needs[-1] == 0 < climb.needs[-2]
    assert climb.met(output, climb.steps - 1, [0])
    assert law.event.ratio_squared < Fraction(1, 1600)
    assert max(law.scales) == pytest.approx(4096 * 40)


@dataclass(frozen=True)
class Ratio:
    """An output of two parts, as an average is."""

    name: str = "a"
    first: Part = PART
    second: Part = SUM
    type: Type = Type.FLOAT

    @property
    def parts(self) -> dict[str, Part]:
        return {"sum": self.second, "count": self.first}

    def value(self, noisy: Sequence[Noisy]) -> float | None:
        return None if noisy[1].low <= 0 else float(noisy[0].value / noisy[1].value)

    def interval(self, noisy: Sequence[Noisy]) -> tuple[float, float] | None:
        total, number = noisy
        return None if number.low <= 0 else (float(total.low / number.high), float(total.high / number.low))


def test_numbers_of_several_parts_share_the_doubt() -> None:
    laws = [GaussianSteps.calibrate(1, 1, Fraction(1, 50), "zcdp") for _ in range(2)]
    ratio = Ratio()
    climb = together(laws, list(ratio.parts.values()), [ratio], Goal(Fraction(0), Fraction(1, 10)))
    last = climb.steps - 1
    assert climb.widths[0][0][last] == laws[0].half_width(1 - 0.05 / 2) > laws[0].half_width(0.95)
    assert not climb.met(ratio, last, [1000, 0])
    assert not climb.met(ratio, last, [1000, climb.widths[0][1][last]])
    assert climb.met(ratio, last, [10**6, 10**6])
    assert not climb.met(ratio, 0, [10**6, 10**5])


def test_a_part_that_cannot_move_takes_every_step_as_it_is() -> None:
    still, moving = (GaussianSteps.calibrate(n, n, Fraction(1, 50), "zcdp") for n in (0, 1))
    ratio = Ratio()
    climb = together([still, moving], list(ratio.parts.values()), [ratio], Goal(Fraction(0), Fraction(1, 10)))
    assert set(climb.widths[0][0]) == {0}
    step, (sums, counts) = ascend(climb, [still, moving], [[7, 8], [10**6, 10**6]])
    assert sums == [7, 8]
    assert step < climb.steps - 1
    assert all(abs(each - 10**6) < 10**5 for each in counts)


# The climb itself.


def climbing(share: Fraction = Fraction(1, 20)) -> tuple[Steps, Climb]:
    return gaussian(share, last=5)


def test_all_groups_end_at_the_first_step_where_all_are_sharp_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    law, climb = climbing()
    exact = [climb.needs[20], -climb.needs[30], climb.needs[10]]
    monkeypatch.setattr(GaussianSteps, "releases", lambda self, values: (list(values) for _ in self.levels))
    assert ascend(climb, [law], [exact]) == (30, [exact])
    assert ascend(climb, [law], [[*exact, 0]]) == (climb.steps - 1, [[*exact, 0]])
    assert ascend(climb, [law], [[]])[0] == 0


def test_nothing_is_drawn_beyond_the_step_where_it_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    law, climb = climbing()
    drawn: list[int] = []

    def releases(self: Steps, values: Sequence[int]) -> Iterator[list[int]]:
        for step in range(len(self.levels)):
            drawn.append(step)
            yield list(values)

    monkeypatch.setattr(GaussianSteps, "releases", releases)
    step, _ = ascend(climb, [law], [[climb.needs[4]]])
    assert step == 4
    assert drawn == [0, 1, 2, 3, 4]


def test_what_is_released_is_noisy_and_sharp_enough() -> None:
    law, climb = climbing()
    exact = [50_000, 60_000, -70_000]
    step, (released,) = ascend(climb, [law], [exact])
    assert 0 < step < climb.steps - 1
    half = law.at(step).half_width(0.95)
    assert all(half * 20 <= abs(each) for each in released)
    assert all(abs(each - truth) < 4 * half for each, truth in zip(released, exact, strict=True))
    assert released != exact


# What may be asked for.


@pytest.mark.parametrize(
    ("asked", "least", "share"),
    [
        (100, 100, 0),
        ("0.5", Fraction(1, 2), 0),
        ("5% of 10000", 500, 0),
        ("5%", 0, Fraction(1, 20)),
        (" 2.5 % ", 0, Fraction(1, 40)),
        ("5% or 20", 20, Fraction(1, 20)),
        ("1e1% OR 0.5", Fraction(1, 2), Fraction(1, 10)),
        ("0.01%", 0, Fraction(1, 10_000)),
        ("100%", 0, 1),
    ],
)
def test_goals(asked: object, least: Fraction, share: Fraction) -> None:
    goal = parse_goal(asked)
    assert (goal.least, goal.share) == (least, share)
    assert Goal.read(goal.written()) == goal


@pytest.mark.parametrize(
    "asked",
    ["%", "5%%", "5% and 3", "5% or", "or 5", "0%", "-5%", "101%", "0.001%", "nan%", "inf%", "5% or 0", "5% or -1"],
)
def test_what_is_no_goal(asked: str) -> None:
    with pytest.raises(Refused) as refused:
        parse_goal(asked)
    assert refused.value.code == "bad-price"


@pytest.mark.parametrize(("asked", "told"), [(20, "±20"), ("5%", "5%"), ("2.5% or 20", "2.5% or ±20")])
def test_a_goal_is_told_as_it_may_be_asked_for(asked: object, told: str) -> None:
    assert str(parse_goal(asked)) == told
