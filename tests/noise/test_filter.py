"""Floats decide nothing by themselves: the computed bound is within its error, and what it leaves open is decided exactly."""

from __future__ import annotations

import random
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest

from discreet.mechanisms import strips, vectors
from discreet.mechanisms.law import Law
from discreet.mechanisms.noise_source import _random_bytes
from discreet.mechanisms.strips import Strips, cut, thresholds
from noise.laws import decimal

CLAIMED = 2.0**-48
WIDE = [
    Law.laplace(Fraction(128)),
    Law.laplace(Fraction(1000, 7)),
    Law.laplace(Fraction(10**12 * 997 + 1, 991)),
    Law.laplace(Fraction((1 << 56) - 1)),
    Law.gaussian(Fraction(128**2)),
    Law.gaussian(Fraction(10**60 + 57, 3 * 10**52 + 7)),
    Law.gaussian(Fraction(10**18)),
    Law.gaussian(Fraction(((1 << 56) - 1) ** 2)),
]
ALL = [Law.laplace(Fraction(2, 5)), Law.gaussian(Fraction(9, 4)), Law.gaussian(Fraction(700)), *WIDE]

longdouble_is_long = pytest.mark.skipif(np.finfo(np.longdouble).nmant < 63, reason="no wider float to compare with")


def blocks(seed: int) -> Callable[[int], bytes]:
    return random.Random(seed).randbytes


def columns(found: Strips, n: int) -> np.ndarray:
    """Random integers of random cells, and in every cell the two next to each end and the one in the middle."""
    dice = np.random.default_rng(7)
    cells = np.arange(-found.cells, found.cells) * found.width
    edges = [
        cells + off for off in (0, 1, found.width // 2, found.width - 2, found.width - 1) if 0 <= off < found.width
    ]
    anywhere = dice.integers(-found.cells * found.width, found.cells * found.width, n)
    return np.concatenate([*edges, anywhere])


def exact_bound(found: Strips, x: int) -> Decimal:
    part, whole = found.drops(x)
    return (1 - (-decimal(part)).exp()) / (1 - (-decimal(whole)).exp())


@pytest.mark.parametrize("law", WIDE, ids=str)
def test_the_computed_bound_is_within_its_error(law: Law):
    """The ends of all cells, where cancellation is worst, and some thousand columns, against forty digits."""
    found = cut(law)
    values = columns(found, 1000)
    with localcontext() as context:
        context.prec = 40
        for x, told in zip(values.tolist(), vectors._bound(found, values).tolist(), strict=True):
            assert abs(Decimal(told) - exact_bound(found, x)) < CLAIMED


@longdouble_is_long
@pytest.mark.parametrize("law", WIDE, ids=str)
def test_the_computed_bound_is_within_its_error_on_a_million_columns(law: Law):
    """Against the processor's widest float, whose own error is some thousandths of what is claimed."""
    found = cut(law)
    values = columns(found, 1_000_000)
    last = found.width - 1
    depth = np.where(values < 0, last - (values & last), values & last)
    start = (np.abs(values) - depth).astype(np.longdouble)
    linear, square = (
        np.longdouble(term.numerator) / np.longdouble(term.denominator) for term in (law.linear, law.square)
    )

    def risen(depth: np.ndarray) -> np.ndarray:
        return -np.expm1(-(depth * (linear + square * (2 * start + depth))))

    exact = risen(depth.astype(np.longdouble)) / risen(np.full_like(start, last))
    assert float(np.abs(vectors._bound(found, values) - exact).max()) < CLAIMED


def test_the_bands_hold_the_errors():
    assert vectors._BAND >= 1
    assert vectors._COIN_BAND >= CLAIMED + 2.0**-vectors._COIN_PLACES + 2.0**-53
    assert vectors._COIN_PLACES == 53, "an integer of these bits is a float without rounding"


@pytest.mark.parametrize("law", ALL, ids=str)
def test_sixteen_bits_decide_only_what_every_number_behind_them_agrees_on(law: Law):
    table, sharp = vectors.tabulate(law), thresholds(cut(law), 126)
    decided = 0
    for first, cell in enumerate(table.by_first_bits.tolist()):
        if cell != vectors._OPEN:
            decided += 1
            lowest, highest = first << 110, (first + 1 << 110) - 1
            strip = cell + table.strips.cells
            assert bisect_right(sharp, lowest - 1) == bisect_right(sharp, highest + 1) == strip < 2 * table.strips.cells
    assert decided > 0.9 * 65_536


def reference(law: Law, n: int, block: Callable[[int], bytes]) -> list[int]:
    """What candidates come to, from the same bits, each decided by itself with far more places than are needed."""
    found, sharp = cut(law), thresholds(cut(law), 190)

    def integers(bits: int, count: int) -> list[int]:
        size = 2 if bits <= 16 else 4 if bits <= 32 else 8
        raw = block(size * count) if bits else b""
        return [
            int.from_bytes(raw[i * size :][:size], "little") >> (8 * size - bits) for i in range(count if bits else 0)
        ]

    def strip_of(number: int, places: int) -> int | None:
        low, high = (bisect_right(sharp, ((number + off) << (190 - places)) - off) for off in (0, 1))
        return low if low == high else None

    firsts = integers(16, n)
    chosen = [strip_of(first, 16) for first in firsts]
    still_open = [i for i in range(n) if chosen[i] is None or chosen[i] >= 2 * found.cells]
    for i, more in zip(still_open, integers(46, len(still_open)), strict=True):
        chosen[i] = strip_of(firsts[i] << 46 | more, 62)
    places = integers(found.bits, n) or [0] * n
    values = [
        (strip % (2 * found.cells) - found.cells) * found.width + at for strip, at in zip(chosen, places, strict=True)
    ]
    doubtful = [i for i in still_open if 2 * found.cells <= chosen[i] < 4 * found.cells]
    with localcontext() as context:
        context.prec = 40
        above = {
            i
            for i, v in zip(doubtful, integers(53, len(doubtful)), strict=True)
            if Decimal(v) / 2**53 < exact_bound(found, values[i])
        }
    return [values[i] for i in range(n) if i not in above]


@pytest.mark.parametrize("law", ALL, ids=str)
def test_the_same_bits_give_the_same_draws_as_exact_arithmetic(law: Law):
    expected = reference(law, 20_000, blocks(11))
    assert (
        vectors._candidates(vectors.tabulate(law), 20_000, vectors.Randomness(blocks(11), _random_bytes())) == expected
    )
    if law in WIDE:
        assert len(expected) < 20_000


@pytest.mark.parametrize("law", ALL, ids=str)
def test_a_filter_that_doubts_nearly_everything_changes_nothing(law: Law, monkeypatch: pytest.MonkeyPatch):
    """With wide bands the exact decisions are taken by the hundred, and agree with those that floats had taken."""
    table, asked = vectors.tabulate(law), Counter()
    expected = vectors.draw(law, 100_000, vectors.Randomness(blocks(12), _random_bytes()))
    for name in ("choose", "is_above"):
        exact = getattr(Strips, name)
        monkeypatch.setattr(Strips, name, lambda *given, exact=exact, name=name: asked.update([name]) or exact(*given))
    bounds = np.array(thresholds(table.strips, 62))
    doubtful = replace(table, past=bounds + (1 << 60), near=np.append(bounds - (1 << 60), 2**63 - 1))
    monkeypatch.setattr(vectors, "tabulate", lambda law: doubtful)
    monkeypatch.setattr(vectors, "_COIN_BAND", 2.0)
    assert vectors.draw(law, 100_000, vectors.Randomness(blocks(12), _random_bytes())) == expected
    assert asked["choose"] > 10
    if law in WIDE:
        assert asked["is_above"] > 100


def test_numbers_from_beyond_the_cells_keep_their_places_and_may_be_of_any_size(monkeypatch: pytest.MonkeyPatch):
    law = Law.gaussian(Fraction(10**6))
    monkeypatch.setattr(strips, "REACH", 1)
    vectors.tabulate.cache_clear()
    huge = iter(range(2**70, 2**70 + 10**6))
    monkeypatch.setattr(Strips, "beyond", lambda self, negative, source: next(huge) if negative else None)
    drawn = vectors.draw(law, 5000, vectors.Randomness(blocks(13), _random_bytes()))
    vectors.tabulate.cache_clear()
    far = [x for x in drawn if abs(x) > 2**62]
    assert len(drawn) == 5000
    assert all(type(x) is int for x in drawn)
    assert far == list(range(2**70, 2**70 + len(far)))
    assert len(far) > 100
    middles = [place for place, x in enumerate(drawn) if x >= 2**70]
    assert 1500 < sum(middles) / len(middles) < 3500


def test_a_table_is_made_once_for_a_law():
    assert vectors.tabulate(Law.laplace(Fraction(20))) is vectors.tabulate(Law.laplace(Fraction(40, 2)))
