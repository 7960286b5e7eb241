"""Real noise rounded to whole steps: of the right law, and decided bit by bit where the first bits leave it open."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from discreet.mechanisms import noise_source, ratios
from noise.harness import FALSE_ALARM, sign_pairs

LAWS: dict[str, tuple[ratios.Inside, Callable[[float], float]]] = {
    "cauchy": (ratios.under_cauchy, stats.cauchy.cdf),
    "laplace": (ratios.under_laplace, stats.laplace.cdf),
    "gaussian": (ratios.under_gaussian, stats.norm.cdf),
}
SCALES = [Fraction(1, 50), Fraction(2, 3), Fraction(5), Fraction(12345, 678), Fraction(10**7, 3)]
DRAWS = 12_000


@pytest.mark.parametrize("scale", SCALES, ids=str)
@pytest.mark.parametrize("name", LAWS)
def test_draws_are_the_rounded_law(name: str, scale: Fraction) -> None:
    inside, cdf = LAWS[name]
    most = 100 if scale < 100 else 10 * int(scale)
    draws = [noise_source.rounded_real(scale, inside, most) for _ in range(DRAWS)]
    assert max(map(abs, draws)) <= most
    edges = sorted({round(float(scale) * z) for z in np.linspace(-3, 3, 25)} - {-most, most})
    upto = np.array([0.0, *(cdf((edge + 0.5) / float(scale)) for edge in edges), 1.0])
    seen = np.bincount(np.searchsorted(np.array(edges), np.array(draws), side="left"), minlength=len(edges) + 1)
    expected = np.diff(upto) * DRAWS
    kept = expected > 5
    statistic = ((seen - expected)[kept] ** 2 / expected[kept]).sum()
    assert statistic < stats.chi2.isf(FALSE_ALARM, max(1, kept.sum() - 1))
    assert seen[~kept].sum() < 60


@pytest.mark.parametrize("name", LAWS)
def test_what_is_past_the_range_stands_at_its_end(name: str) -> None:
    inside, cdf = LAWS[name]
    draws = [noise_source.rounded_real(Fraction(4), inside, 3) for _ in range(4000)]
    tail = 1 - cdf(2.5 / 4)
    for end in (-3, 3):
        assert abs(draws.count(end) - 4000 * tail) < 7 * math.sqrt(4000 * tail)


@pytest.mark.parametrize("name", LAWS)
def test_a_draw_says_nothing_of_the_next(name: str) -> None:
    inside, _ = LAWS[name]
    assert sign_pairs([noise_source.rounded_real(Fraction(50), inside, 10**6) for _ in range(4000)]) < 1


def chance(name: str, u: int, v: int, places: int) -> bool:
    """Whether the point (u, v) / 2**places lies in the set, to a hundred digits."""
    with localcontext() as context:
        context.prec = 100
        x, y = Decimal(u) / 2**places, Decimal(v) / 2**places
        bound = {
            "cauchy": lambda z: (1 / (1 + z * z)).sqrt(),
            "laplace": lambda z: (-z / 2).exp(),
            "gaussian": lambda z: (-z * z / 4).exp(),
        }
        return x <= bound[name](y / x)


@pytest.mark.parametrize("name", LAWS)
def test_all_of_a_square_is_inside_or_none_or_it_is_left_open(name: str) -> None:
    inside, _ = LAWS[name]
    kinds: set[bool | None] = set()
    for places in (4, 6):
        for u in range(1, 2**places):
            for v in range(2**places):
                corners = {chance(name, u + a, v + b, places) for a in (0, 1) for b in (0, 1)}
                found = inside(u, v, places)
                kinds.add(found)
                assert found is None or corners == {found}
    assert kinds == {True, False, None}


@pytest.mark.parametrize("name", LAWS)
def test_hardly_anything_is_left_open_by_many_bits(name: str) -> None:
    inside, _ = LAWS[name]
    draw = np.random.default_rng(5)
    for _ in range(300):
        u, v = (int.from_bytes(draw.bytes(8), "big") for _ in range(2))
        assert inside(u, v, 64) is chance(name, u, v, 64)


def stream(u: int, v: int, more_u: int, more_v: int) -> Iterator[int]:
    """A sign, and 128 bits of either real."""
    return iter(b"\0" + b"".join(word.to_bytes(8, "big") for word in (u, v, more_u, more_v)))


def test_more_bits_decide_between_two_steps() -> None:
    """V / U is a half, as far as the first 64 bits go: what follows says to which side it is rounded."""
    u, v = 2**62, 2**61
    assert ratios.rounded(Fraction(1), ratios.under_cauchy, 9, stream(u, v, 0, 2**40)) == 1
    assert ratios.rounded(Fraction(1), ratios.under_cauchy, 9, stream(u, v - 1, 2**40, 2**64 - 1)) == 0


def test_noise_takes_exact_scales_alone() -> None:
    with pytest.raises(TypeError):
        noise_source.rounded_real(0.5, ratios.under_cauchy, 3)  # pyright: ignore[reportArgumentType]
    with pytest.raises(ValueError, match="positive"):
        noise_source.rounded_real(Fraction(0), ratios.under_cauchy, 3)
