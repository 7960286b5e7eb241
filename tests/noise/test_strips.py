"""The rectangles lie as they should, their masses are exact to the last place, and exact decisions are exact."""

from __future__ import annotations

from bisect import bisect_right
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import accumulate, repeat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.mechanisms import strips
from discreet.mechanisms.exponential import exp_minus
from discreet.mechanisms.law import Law
from discreet.mechanisms.strips import Strips, cut, thresholds
from noise.laws import decimal

LAWS = [
    Law.laplace(Fraction(1, 1000)),
    Law.laplace(Fraction(7, 3)),
    Law.laplace(Fraction(128)),
    Law.laplace(Fraction(10**12 * 997 + 1, 991)),
    Law.gaussian(Fraction(1, 10**6)),
    Law.gaussian(Fraction(10**30 + 57, 3 * 10**29 + 7)),
    Law.gaussian(Fraction(128**2)),
    Law.gaussian(Fraction(10**24 * 3, 7)),
]

laws = st.builds(
    lambda kind, size: getattr(Law, kind)(size),
    st.sampled_from(["gaussian", "laplace"]),
    st.fractions(min_value=Fraction(1, 1000), max_value=10**17),
)


def weight(law: Law, x: int) -> Decimal:
    return (-decimal(law.exponent(abs(x)))).exp()


def ends(found: Strips, cell: int) -> tuple[int, int]:
    """The integers of a cell that are nearest to 0 and farthest from it."""
    low, high = cell * found.width, (cell + 1) * found.width - 1
    return (low, high) if cell >= 0 else (high, low)


def exact_masses(found: Strips) -> list[Decimal]:
    """The masses of all strips over the width, from their definition."""
    cells = range(-found.cells, found.cells)
    inner, outer = ([weight(found.law, ends(found, cell)[end]) for cell in cells] for end in (0, 1))
    beyond = [
        weight(found.law, start) / (1 - (-decimal(found.width * found.law.slope(start))).exp())
        for start in (found.cells * found.width, found.cells * found.width + 1)
    ]
    return [*outer, *(high - low for high, low in zip(inner, outer, strict=True)), *beyond]


@given(st.fractions(min_value=0, max_value=3000), st.integers(1, 700))
def test_exp_is_within_one(exponent: Fraction, places: int):
    with localcontext() as context:
        context.prec = 260
        assert abs((-decimal(exponent)).exp() * 2**places - exp_minus(exponent, places)) <= 1


@pytest.mark.parametrize("law", LAWS, ids=str)
@pytest.mark.parametrize("places", [62, 190])
def test_thresholds_are_within_one(law: Law, places: int):
    found = cut(law)
    with localcontext() as context:
        context.prec = 90
        masses = exact_masses(found)
        total = sum(masses)
        told = thresholds(found, places)
        assert len(told) == len(masses) - 1
        for bound, reached in zip(told, accumulate(masses[:-1]), strict=True):
            assert abs(bound - reached / total * 2**places) <= 1


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_thresholds_rise(law: Law):
    told = thresholds(cut(law), 62)
    assert told == sorted(told)
    assert told[0] >= 0
    assert told[-1] <= 2**62


@given(laws)
def test_cells_are_fine_enough_and_reach_far_enough(law: Law):
    found = cut(law)
    assert 1 <= found.cells < 2400
    assert found.width == 1 or law.size / 128 < found.width <= law.size / 64
    assert law.exponent(found.cells * found.width) >= strips.REACH
    assert found.drops(found.cells * found.width - 1)[1] <= Fraction(1, 8)
    assert found.drops(-found.cells * found.width)[1] <= Fraction(1, 8)
    assert found.cells * found.width < 2**62


@given(laws, st.data())
def test_what_lies_under_the_curve_is_the_law(law: Law, data: st.DataObject):
    """In the column of x: the sure strip, and the part of the doubtful one that is not above the curve."""
    found = cut(law)
    edges = [
        cell * found.width + off for cell in (-found.cells, -1, 0, found.cells - 1) for off in (0, found.width - 1)
    ]
    x = data.draw(st.sampled_from(edges) | st.integers(-found.cells * found.width, found.cells * found.width - 1))
    inner, outer = ends(found, x // found.width)
    part, whole = found.drops(x)
    assert part == law.exponent(abs(x)) - law.exponent(abs(inner))
    assert whole == law.exponent(abs(outer)) - law.exponent(abs(inner))
    assert 0 <= part <= whole
    with localcontext() as context:
        context.prec = 80
        above = (1 - (-decimal(part)).exp()) / (1 - (-decimal(whole)).exp()) if whole else Decimal(0)
        high, low = weight(law, inner), weight(law, outer)
        assert abs(low + (high - low) * (1 - above) - weight(law, x)) <= weight(law, x) * Decimal("1e-40")


@given(laws, st.booleans(), st.integers(0, 5), st.data())
def test_what_lies_beyond_is_the_law_too(law: Law, negative: bool, steps: int, data: st.DataObject):
    """A step of the series and the coin that follows have together the chance w(x) / w(start) of x."""
    found, coins = cut(law), []
    column = data.draw(st.integers(0, found.width - 1))
    start = found.cells * found.width + negative

    def hold(p: int, q: int, source: object) -> bool:
        coins.append(Fraction(p, q))
        return True

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(strips, "runs", lambda rate, source: coins.append(rate * steps) or steps)
        patch.setattr(strips, "below", lambda bound, source: column if bound == found.width else None)
        patch.setattr(strips, "exp_coin", hold)
        x = found.beyond(negative, iter(()))
        patch.setattr(strips, "exp_coin", lambda p, q, source: False)
        assert found.beyond(negative, iter(())) is None
    assert x == (-1 if negative else 1) * (start + steps * found.width + column)
    assert coins[1] >= 0
    assert coins[0] + coins[1] == law.exponent(abs(x)) - law.exponent(start)


@pytest.mark.parametrize("law", [law for law in LAWS if law.size], ids=str)
@pytest.mark.parametrize("byte", [0, 1, 128, 255])
def test_a_strip_is_chosen_exactly_at_its_very_edge(law: Law, byte: int):
    """62 bits that are those of a threshold, or next to them: the bytes that follow decide, as at 700 places."""
    found = cut(law)
    near, far = thresholds(found, 62), thresholds(found, 702)
    rest = int.from_bytes(bytes([byte] * 80), "big")
    for j in range(0, len(near), max(1, len(near) // 40)):
        for off in (-2, -1, 0, 1, 2):
            u = near[j] + off
            if 0 <= u < 2**62:
                assert found.choose(u, 62, repeat(byte)) == bisect_right(far, u << 640 | rest)


@pytest.mark.parametrize("law", [law for law in LAWS if cut(law).width > 1], ids=str)
@pytest.mark.parametrize("byte", [0, 1, 128, 255])
def test_what_is_above_the_curve_is_told_exactly_at_the_very_edge(law: Law, byte: int):
    found = cut(law)
    rest = int.from_bytes(bytes([byte] * 80), "big")
    for cell in (-found.cells, -2, -1, 0, 1, found.cells // 2, found.cells - 1):
        for column in {1, found.width // 3, found.width - 2} - {0, found.width - 1}:
            x = cell * found.width + column
            part, whole = found.drops(x)
            if not 0 < part < whole:
                continue
            risen, all_of_it = (2**900 - exp_minus(drop, 900) for drop in (part, whole))
            for off in (-2, -1, 0, 1, 2):
                v = (risen << 53) // all_of_it + off
                if 0 <= v < 2**53:
                    exact = (v << 640 | rest) * all_of_it < risen << 693
                    assert found.is_above(x, v, 53, repeat(byte)) == exact


@pytest.mark.parametrize("law", [law for law in LAWS if cut(law).width > 1], ids=str)
def test_the_inner_end_is_never_above_and_the_outer_end_always(law: Law):
    found = cut(law)
    for cell in (-1, 0, found.cells - 1):
        inner, outer = ends(found, cell)
        for v in (1, 2**52, 2**53 - 2):
            assert not found.is_above(inner, v + 1, 53, iter(()))
            assert found.is_above(outer, v - 1, 53, iter(()))
