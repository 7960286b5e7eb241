"""Noise that becomes less: each step has its law and its price, and all that was seen costs what the last step costs."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import FrozenInstanceError
from fractions import Fraction
from itertools import islice, pairwise, product
from pathlib import Path

import numpy as np
import pytest
from scipy.signal import fftconvolve
from scipy.stats import norm

from discreet.errors import LedgerError
from discreet.ledger.accountants import ACCOUNTANTS, accountant
from discreet.mechanisms import MECHANISMS, coins, noise_source
from discreet.mechanisms.sharpening import STEPS
from discreet.mechanisms.sharpening.gaussian_steps import FineGaussianSteps, GaussianSteps
from discreet.mechanisms.sharpening.laplace_steps import LaplaceSteps
from discreet.mechanisms.sharpening.levels import LEVELS, apart
from discreet.mechanisms.sharpening.staying import Staying
from discreet.mechanisms.sharpening.steps import Steps
from noise.harness import differ, misfit, surprising

PROOFS = Path(__file__).parents[2] / "docs" / "proofs"
AMOUNTS = [Fraction(1, 200), Fraction(1), Fraction(1, 10**9)]
MOVEMENTS = [(1, 1), (4, 16), (10, 52), (500_000, 500_000**2)]
DRAWS = 60_000


@pytest.fixture(params=sorted(STEPS))
def accounting(request: pytest.FixtureRequest) -> str:
    return request.param


def charged(law: Steps, accounting: str) -> Fraction:
    return accountant(accounting).charge([law.event]).amount


def column(law: Steps, step: int, n: int = DRAWS) -> list[int]:
    """Independent draws of the noise of what is released at a step."""
    return next(islice(law.releases([0] * n), step, None))


def test_every_currency_has_steps() -> None:
    assert STEPS.keys() == {each.currency for each in ACCOUNTANTS.values()}
    assert {kind.family for kind in STEPS.values()} <= MECHANISMS.keys()


@pytest.mark.parametrize("note", ["noise-reduction", "stopping", "ex-post"])
def test_a_proof_note_exists_and_has_its_four_parts(note: str) -> None:
    text = (PROOFS / f"{note}.md").read_text(encoding="utf-8")
    for part in ("## Statement", "## Proof", "## What the code does", "## Vectors"):
        assert part in text


@pytest.mark.parametrize("amount", AMOUNTS, ids=str)
@pytest.mark.parametrize(("l1", "l2_squared"), MOVEMENTS)
def test_the_last_step_is_charged_the_price_and_the_others_their_share(
    accounting: str, l1: int, l2_squared: int, amount: Fraction
) -> None:
    law = STEPS[accounting].calibrate(l1, l2_squared, amount, accounting)
    whole = charged(law, accounting)
    assert whole <= amount
    assert whole == amount or min(law.scales) == pytest.approx(1 / 8)
    for step in (0, 60, 119):
        share = Fraction(LEVELS[step], LEVELS[-1]) ** law.power
        assert charged(law.at(step), accounting) == whole * share
        assert charged(law.cut(step), accounting) == whole * share
        assert law.at(step).spread == law.scale(step) == pytest.approx(law.cut(step).spread)
    assert law.cut(60).levels == LEVELS[:61]


def test_a_single_release_of_that_sharpness_costs_the_same(accounting: str) -> None:
    """Coming in steps costs nothing: the mechanism that is released at once has the scale of the step, at its price."""
    law = STEPS[accounting].calibrate(40, 1600, Fraction(1, 50), accounting)
    once = MECHANISMS[law.family].calibrate(40, 1600, charged(law.at(70), accounting), accounting)
    assert once is not None
    assert law.at(70).spread == pytest.approx(once.spread)


def test_what_nobody_can_move_costs_nothing(accounting: str) -> None:
    law = STEPS[accounting].calibrate(0, 0, Fraction(1), accounting)
    assert charged(law, accounting) == 0
    assert [law.draw(2), law.half_width(0.95), law.upper_tail(1), law.upper_tail(0)] == [[0, 0], 0, 0, 1]
    releases = list(law.releases([3, -4]))
    assert releases == [[3, -4]] * len(law.levels)


def test_steps_are_of_one_accounting(accounting: str) -> None:
    law = STEPS[accounting].calibrate(1, 1, Fraction(1), accounting)
    for other in set(STEPS) - {accounting}:
        with pytest.raises(LedgerError, match="no price"):
            accountant(other).charge([law.event])
    if accounting == "pure":
        with pytest.raises(ValueError, match="accounting"):
            STEPS["pure"].calibrate(1, 1, Fraction(1), "zcdp")


def test_only_whole_numbers_and_exact_prices(accounting: str) -> None:
    kind = STEPS[accounting]
    for values in ([1.0], [True], [np.int64(1)], [None]):
        with pytest.raises(TypeError):
            next(kind.calibrate(1, 1, Fraction(1), accounting).releases(values))
    with pytest.raises(TypeError):
        kind.calibrate(1, 1, 0.5, accounting)
    with pytest.raises(ValueError, match="above 0"):
        kind.calibrate(1, 1, Fraction(0), accounting)
    with pytest.raises(ValueError, match="sensitivities"):
        kind.calibrate(1, 0, Fraction(1), accounting)
    with pytest.raises(ValueError, match="confidence"):
        kind.calibrate(1, 1, Fraction(1), accounting).half_width(1)
    with pytest.raises(FrozenInstanceError):
        kind.calibrate(1, 1, Fraction(1), accounting).step = 3


def test_levels_double_and_hardly_differ_from_powers() -> None:
    assert (LEVELS[0], LEVELS[-1], len(LEVELS)) == (64, 64 * 4096, 145)
    assert all(LEVELS[step + 12] == 2 * LEVELS[step] for step in range(133))
    assert all(abs(here / before / 2 ** (1 / 12) - 1) < 0.012 for before, here in pairwise(LEVELS))


def test_levels_that_take_nothing_off_are_left_out() -> None:
    assert apart((1, 2, 3, 4, 5), (9, 7, 7, 5, 5)) == (1, 2, 4, 5)
    assert apart((1, 2, 3), (9, 7, 6)) == (1, 2, 3)
    assert apart((1,), (0,)) == (1,)


# The laws.


def exact_mean(law: GaussianSteps, step: int) -> Callable[[int], float]:
    """The distribution of the rounded mean of two fine discrete Gaussian draws, by convolution."""
    assert step == 1
    first, second = law.levels[0] ** 2, law.levels[1] ** 2 - law.levels[0] ** 2
    fine, chances = 1 << law.finer, []
    for weight in (first, second):
        variance = float(law.size) * law.levels[-1] ** 2 / weight * fine**2
        reach = int(10 * math.sqrt(variance))
        each = np.exp(-(np.arange(-reach, reach + 1) ** 2) / (2 * variance))
        spread = np.zeros(2 * reach * weight + 1)
        spread[::weight] = each / each.sum()
        chances.append(spread)
    total = fftconvolve(*chances)
    sums = np.arange(total.size) - total.size // 2
    whole = law.levels[1] ** 2 * fine
    released = (2 * sums + whole) // (2 * whole)
    return lambda x: float(total[released <= x].sum())


def test_the_mean_of_gaussian_rounds_follows_its_law() -> None:
    law = GaussianSteps((1, 2), Fraction(9), Fraction(1, 9), 1)
    assert misfit(column(law, 1), exact_mean(law, 1), 3.0) < 1


@pytest.mark.parametrize("step", [0, 5, 12])
@pytest.mark.parametrize("kind", [GaussianSteps, FineGaussianSteps])
def test_gaussian_steps_are_normal_but_for_rounding(kind: type[GaussianSteps], step: int) -> None:
    law = kind(LEVELS[:13], Fraction(400), Fraction(1, 400), 12)
    scale = law.scale(step)
    assert misfit(column(law, step), lambda x: float(norm.cdf((x + 0.5) / scale)), scale) < 1


@pytest.mark.parametrize("steps", [(0, 12), (11, 12), (3, 4)])
def test_gaussian_steps_go_on_from_each_other(steps: tuple[int, int]) -> None:
    law = GaussianSteps(LEVELS[:13], Fraction(400), Fraction(1, 400), 12)
    releases = np.array(list(law.releases([0] * DRAWS)), dtype=float)
    early, late = releases[steps[0]], releases[steps[1]]
    found = float(np.corrcoef(early, late)[0, 1])
    assert abs(found - law.levels[steps[0]] / law.levels[steps[1]]) < 6.5 / math.sqrt(DRAWS)


def test_no_rounding_of_rounds_adds_up() -> None:
    """The exact value stands where it did, and hardly any noise is lost between the steps."""
    law = GaussianSteps(LEVELS, Fraction(1, 4), Fraction(4), len(LEVELS) - 1)
    first, *_, last = law.releases([1000] * 4000)
    assert abs(np.mean(first) - 1000) < 6.5 * law.scale(0) / math.sqrt(4000)
    assert abs(np.var(last) - 1 / 4 - 1 / 12) < 0.06


def laplace(scale: float) -> Callable[[int], float]:
    """The chance of one value."""
    x = math.exp(-1 / scale)
    return lambda n: (1 - x) / (1 + x) * x ** abs(n)


def laplace_below(scale: float) -> Callable[[int], float]:
    x = math.exp(-1 / scale)
    return lambda n: 1 - x ** (n + 1) / (1 + x) if n >= 0 else x**-n / (1 + x)


LAPLACE = LaplaceSteps((64, 96, 128, 512), Fraction(3, 2), Fraction(2, 3), 3)


@pytest.mark.parametrize("step", range(4))
def test_each_laplace_step_has_exactly_its_law(step: int) -> None:
    scale = LAPLACE.scale(step)
    assert misfit(column(LAPLACE, step), laplace_below(scale), scale) < 1


def staying(coarse: float, sharp: float) -> float:
    x, y = math.exp(-1 / coarse), math.exp(-1 / sharp)
    return y * (1 - x) ** 2 / (x * (1 - y) ** 2)


@pytest.mark.parametrize("step", [1, 2, 3])
def test_a_coarser_laplace_step_is_the_sharper_one_with_more_noise_or_none(step: int) -> None:
    """And that noise does not look at what it is put on."""
    coarse, sharp = islice(LAPLACE.releases([0] * DRAWS), step - 1, step + 1)
    moves = [a - b for a, b in zip(coarse, sharp, strict=True)]
    law, stays = laplace(LAPLACE.scale(step - 1)), staying(LAPLACE.scale(step - 1), LAPLACE.scale(step))
    for size in range(-3, 4):
        chance = (1 - stays) * law(size) + stays * (size == 0)
        assert not surprising(moves.count(size), DRAWS, chance)
    sides = [[m for m, at in zip(moves, sharp, strict=True) if at * sign > 0 and m] for sign in (1, -1)]
    assert differ(*sides) < 1


@pytest.mark.parametrize(("coarse", "sharp"), [(2, 1), (20, 10), (1.06, 1), (3e5, 2.9e5)])
def test_the_mixture_has_the_coarser_law(coarse: float, sharp: float) -> None:
    grid = np.arange(-int(40 * coarse), int(40 * coarse) + 1) if coarse < 100 else np.arange(-1000, 1001)
    narrow = np.vectorize(laplace(sharp))(grid)
    wide = np.vectorize(laplace(coarse))(grid)
    stays = staying(coarse, sharp)
    assert 0 < stays < 1
    if coarse < 100:
        mixed = stays * narrow + (1 - stays) * fftconvolve(narrow, wide, "same")
        assert np.abs(mixed - wide).max() < 1e-12


@pytest.mark.parametrize(("coarse", "sharp"), [(2, 1), (20, 10), (Fraction(53, 50), 1), (300_000, 290_000), (10**9, 5)])
@pytest.mark.parametrize("places", [1, 62, 190])
def test_the_chance_to_stay_is_known_to_any_place(coarse: Fraction, sharp: Fraction, places: int) -> None:
    """More places narrow the bounds down, and all of them hold the same number."""
    low, high = Staying(Fraction(coarse), Fraction(sharp)).bounds(places)
    finer_low, finer_high = Staying(Fraction(coarse), Fraction(sharp)).bounds(places + 200)
    assert 0 < high - low <= 3
    assert low << 200 <= finer_low < finer_high <= high << 200
    exact = Fraction(staying(float(coarse), float(sharp)))
    assert abs(exact - Fraction(low, 2**places)) <= Fraction(3, 2**places) + exact / 10**4


def test_vectors_of_the_note() -> None:
    assert staying(2, 1) == pytest.approx(0.235004, abs=5e-7)
    assert staying(20, 10) == pytest.approx(0.249844, abs=5e-7)
    zcdp, pure = (STEPS[name].calibrate(1, 1, Fraction(1, 8), name) for name in ("zcdp", "pure"))
    half = LEVELS.index(LEVELS[-1] // 2)
    assert (charged(zcdp.at(half), "zcdp"), charged(pure.at(half), "pure")) == (Fraction(1, 32), Fraction(1, 16))


# Coins of a chance that is known between two whole numbers.


@pytest.mark.parametrize("chance", [Fraction(1, 3), Fraction(999, 1000), Fraction(1, 10**6)])
def test_coins_of_a_bounded_chance(chance: Fraction) -> None:
    def within(places: int) -> tuple[int, int]:
        return int(chance * 2**places) - 1, int(chance * 2**places) + 2

    found = noise_source.heads(within, DRAWS)
    assert len(found) == DRAWS
    assert not surprising(sum(found), DRAWS, float(chance))


def test_a_coin_in_doubt_reveals_more_bits_until_there_is_none() -> None:
    third = Fraction(1, 3)

    def within(places: int) -> tuple[int, int]:
        return int(third * 2**places) - 1, int(third * 2**places) + 2

    places = 62
    v = int(third * 2**places)
    for first, below in ((b"\x00", True), (b"\xff", False)):
        assert coins.falls_below(v, places, within, iter(first * 8)) is below
    # 0.0101010... for as long as it takes: the next bits decide, and no more of them are asked for.
    stream = iter(b"\x55" * 8 + b"\xff" * 8)
    assert coins.falls_below(v, places, within, stream) is False
    assert next(stream, None) is None


# What everything that was seen costs: the inequality of ex-post prices, computed exactly.

GRID = range(-14, 15)


def kernel(coarse: float, sharp: float) -> Callable[[int, int], float]:
    """The chance of a coarser release given the sharper one."""
    law, stays = laplace(coarse), staying(coarse, sharp)
    return lambda above, below: (1 - stays) * law(above - below) + stays * (above == below)


def test_laplace_steps_never_tell_more_than_the_last_one_costs() -> None:
    """Every transcript of three steps, for any rule of stopping: its chance changes by exp(1 / scale) at most."""
    scales = [2.0, 1.5, 0.8]
    laws = [laplace(scale) for scale in scales]
    back = [kernel(coarse, sharp) for coarse, sharp in pairwise(scales)]

    def chance(seen: tuple[int, ...], exact: int) -> float:
        """The chance of a transcript, summed over what the sharper releases may be that are not seen."""
        last = len(seen) - 1
        found = laws[last](seen[last] - exact)
        for step in range(last, 0, -1):
            found *= back[step - 1](seen[step - 1], seen[step])
        return found

    for length in (1, 2, 3):
        for seen in product(range(-3, 5), repeat=length):
            loss = abs(math.log(chance(seen, 1) / chance(seen, 0)))
            assert loss <= 1 / scales[length - 1] + 1e-12
    for x in (-3, 0, 2):
        through = math.fsum(laws[2](z) * back[1](y, z) * back[0](x, y) for y, z in product(GRID, GRID))
        assert through == pytest.approx(laws[0](x), rel=2e-3)


@pytest.mark.parametrize("order", [1.01, 1.5, 2.0, 4.0, 16.0])
@pytest.mark.parametrize("moved", [1, 2])
def test_gaussian_steps_keep_their_ex_post_price_under_the_worst_rule(order: float, moved: int) -> None:
    """The sum of P^a Q^(1-a) exp(-a (a-1) rho(tau)) over all transcripts is at most one, when whether to go on is
    decided for each release so as to make it large; and it is nearly one, so that the price is not too high."""
    variances = [8.0, 3.0, 1.7]

    def tilted(variance: float) -> np.ndarray:
        """P^a Q^(1-a) exp(-a (a-1) rho) of one round, for all its outcomes."""
        grid = np.arange(-200.0, 201.0)
        constant = np.exp(-(grid**2) / (2 * variance)).sum()
        exponents = order * grid**2 + (1 - order) * (grid - moved) ** 2 + order * (order - 1) * moved**2
        return np.exp(-exponents / (2 * variance)) / constant

    worst = 1.0
    for variance in reversed(variances):
        # From each release on: stop here, or go on at the worst.
        worst = float((tilted(variance) * max(1.0, worst)).sum())
        assert worst <= 1 + 1e-9
    assert worst > 0.98
