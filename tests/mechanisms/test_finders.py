"""Finding bounds: distances are what the note says, one unit moves them one way, and little is cut off."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, chi2

from discreet.ledger.accountants import ACCOUNTANTS
from discreet.mechanisms import CHOICES
from discreet.mechanisms.finders import MISS, PARTS, Finder, finder
from discreet.mechanisms.scores import BeyondScores
from discreet.privacy.bounded import Histogram, Kind
from discreet.privacy.ladders import COUNTS
from discreet.privacy.probe import Ends, Ladder, RowsOfUnit, Total, Wanted

ALARM = 1e-9
BOTH = Ladder(Fraction(1), (0, 1, 2, 4), (1, 2, 4, 8))
CURRENCIES = sorted({each.currency for each in ACCOUNTANTS.values()})


def counts_for(ladder: Ladder, rows: int = 1) -> Histogram:
    return Histogram(Total(Kind.ROWS, None), len(ladder.edges) + 1, rows, edges=ladder.edges)


def made(ladder: Ladder, amount: Fraction, accounting: str = "zcdp", rows: int = 1, spared: int = 0) -> Finder:
    return finder(Wanted(RowsOfUnit(), ladder), counts_for(ladder, rows), spared, amount, accounting)


def cells(ladder: Ladder, values: list[int]) -> Counter[int]:
    return Counter(sum(edge < value for edge in ladder.edges) for value in values)


def beyond(ladder: Ladder, values: list[int]) -> tuple[list[int], list[int]]:
    below = [sum(value < -low for value in values) for low in ladder.lows]
    return below, [sum(value > high for value in values) for high in ladder.highs]


def weights(scores: BeyondScores, rate: Fraction) -> list[float]:
    found = [math.exp(-float(rate) * scores.distance(cell)) for cell in range(scores.last + 1)]
    return [each / sum(found) for each in found]


@given(
    st.lists(st.integers(0, 50), min_size=1, max_size=8),
    st.integers(0, 20),
    st.integers(0, 9),
    st.integers(1, 16),
)
def test_a_distance_is_what_lies_beyond_and_a_step_and_is_counted_from_the_least(
    numbers: list[int], spared: int, steepness: int, scale: int
) -> None:
    falling = tuple(sorted(numbers, reverse=True))
    scores = BeyondScores(falling, spared, steepness, scale)
    plain = [scale * max(0, number - spared) + steepness * place for place, number in enumerate(falling)]
    assert [scores.distance(cell) for cell in range(len(plain))] == [each - min(plain) for each in plain]
    for limit in (0, 1, 7, 10**6):
        near = {run.start: run.distance for run in scores.near(limit)}
        assert near == {cell: scores.distance(cell) for cell in range(len(plain)) if scores.distance(cell) < limit}


@given(st.lists(st.integers(-9, 12), max_size=30), st.lists(st.integers(-9, 12), max_size=3), st.integers(0, 5))
def test_a_unit_moves_all_distances_one_way_and_both_sides_together_by_its_rows(
    others: list[int], unit: list[int], spared: int
) -> None:
    """Before the least is taken off, which moves all alike."""
    moved = 0
    for before, after in zip(beyond(BOTH, others), beyond(BOTH, others + unit), strict=True):
        grown = [
            PARTS * (max(0, more - spared) - max(0, fewer - spared)) for fewer, more in zip(before, after, strict=True)
        ]
        assert min(grown) >= 0
        moved += max(grown) - min(grown)
    assert moved <= PARTS * len(unit)


@given(st.lists(st.integers(-9, 12), max_size=30))
def test_counts_by_cell_tell_what_lies_beyond_each_candidate(values: list[int]) -> None:
    seen: list[list[int]] = []

    class Recorded:
        rate = Fraction(1)

        def choose(self, scores: BeyondScores) -> int:
            seen.append(list(scores.beyond))
            return 0

    found = Finder(Wanted(RowsOfUnit(), BOTH), Recorded(), 0).find(cells(BOTH, values))  # type: ignore[arg-type]
    assert (found, tuple(seen)) == ((0, 1), beyond(BOTH, values))


def pairs_of(each: Finder, values: list[int]) -> dict[Ends, float]:
    """The chances of low and high ends, drawn apart."""
    sides = [BeyondScores(tuple(counts), each.spared, each.steepness, PARTS) for counts in beyond(BOTH, values)]
    low, high = (weights(scores, each.choice.rate) for scores in sides)
    ends = product(enumerate(BOTH.lows), enumerate(BOTH.highs))
    return {(-one, other): low[i] * high[j] for (i, one), (j, other) in ends}


@pytest.mark.parametrize("values", [[], [1, 1, 2, 9], [-3, -3, -4, 5, 12, 12], [7] * 12])
def test_what_is_found_follows_the_law(values: list[int]) -> None:
    each = made(BOTH, Fraction(1, 50), rows=2, spared=1)
    assert each.choice.name == "exponential"
    draws, counts = 4000, cells(BOTH, values)
    found = Counter(each.find(counts) for _ in range(draws))
    law = {ends: draws * chance for ends, chance in pairs_of(each, values).items()}
    assert found.keys() <= law.keys()
    common = [ends for ends, number in law.items() if number >= 5]
    statistic = sum((found[ends] - law[ends]) ** 2 / law[ends] for ends in common)
    rest = draws - sum(found[ends] for ends in common)
    expected = draws - sum(law[ends] for ends in common)
    assert statistic < chi2.isf(ALARM, len(common))
    assert rest <= expected + 8 * math.sqrt(expected) + 20


@pytest.mark.parametrize("spared", [0, 2])
@pytest.mark.parametrize("rows", [1, 3])
def test_neighbours_are_as_alike_as_the_price_says(rows: int, spared: int) -> None:
    """The loss lies in an interval as long as the event's ratio, for both ends together."""
    each = made(BOTH, Fraction(1, 8), rows=rows, spared=spared)
    others = [-7, -2, -1, 1, 1, 2, 3, 3, 5, 9, 9]
    ratio = float(each.choice.event.ratio)
    longest = 0.0
    for unit in product(range(-6, 11), repeat=rows):
        before, after = pairs_of(each, others), pairs_of(each, [*others, *unit])
        losses = [math.log(after[ends] / before[ends]) for ends in before]
        longest = max(longest, max(losses) - min(losses))
    assert longest <= ratio + 1e-9
    assert longest > 0.9 * ratio


@pytest.mark.parametrize("accounting", CURRENCIES)
@pytest.mark.parametrize("rows", [1, 10])
def test_finding_costs_what_it_was_given(accounting: str, rows: int) -> None:
    amount = Fraction(1, 30)
    each = made(COUNTS, amount, accounting, rows)
    charged = ACCOUNTANTS[accounting].charge([each.choice.event]).amount
    assert amount * (1 - Fraction(1, 10**9)) <= charged <= amount
    assert each.choice.rate * PARTS * rows == each.choice.event.ratio
    assert each.choice.name == ("permute-and-flip" if accounting == "pure" else "exponential")


@pytest.mark.parametrize("accounting", CURRENCIES)
@pytest.mark.parametrize(
    "sizes",
    [{0: 30}, {3: 10_000}, {n: 2000 >> n for n in range(12)}, {2: 5000, 15: 40}, {21: 3}, {}],
    ids=["few", "one size", "ever fewer", "far apart", "beyond all", "nobody"],
)
def test_little_lies_beyond_what_is_found(sizes: dict[int, int], accounting: str) -> None:
    each = made(COUNTS, Fraction(1, 32), accounting, spared=3)
    wrong, trials = 0, 60
    for _ in range(trials):
        low, high = each.find(sizes)
        assert low == 0
        wrong += sum(number for cell, number in sizes.items() if cell > COUNTS.highs.index(high)) > each.beyond
    assert wrong <= binom.isf(ALARM, trials, MISS)


def test_a_bound_is_found_where_numbers_begin_to_be_few() -> None:
    """Ten thousand units have at most eight rows, a thousand more than four: eight it is, or a step or two up."""
    each = made(COUNTS, Fraction(1, 8))
    found = Counter(each.find({0: 5000, 1: 3000, 2: 1000, 3: 1000})[1] for _ in range(400))
    assert min(found) >= 8
    assert found[8] > 300
    assert max(found) <= 8 * 2**12


def test_vectors_of_the_note() -> None:
    scores = BeyondScores((6, 6, 1, 1), 0, 4)
    assert [scores.distance(cell) for cell in range(4)] == [0, 4, 3, 7]
    assert weights(scores, Fraction(1, 2)) == pytest.approx([0.7201, 0.0975, 0.1607, 0.0217], abs=5e-5)
    each = made(COUNTS, Fraction(1, 8))
    assert (each.choice.event.ratio, each.scale, each.steepness) == (1, 1, 32)


@pytest.mark.parametrize("name", sorted(CHOICES))
def test_each_choice_can_find(name: str) -> None:
    choice = CHOICES[name].calibrate(PARTS, Fraction(2), "pure")
    each = Finder(Wanted(RowsOfUnit(), BOTH), choice, 0)
    assert Counter(each.find({5: 500}) for _ in range(20)).most_common(1)[0][0][1] in BOTH.highs
