"""Quantiles picked together: what is told of ranks is true, a unit moves no step further than is paid for, intervals hold."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, chi2

from discreet.ledger.accountants import ACCOUNTANTS
from discreet.mechanisms import CHOICES
from discreet.mechanisms.forks import Level, Tree
from discreet.mechanisms.perturb import perturb
from discreet.mechanisms.pickers import pickers, weight
from discreet.mechanisms.picks import MISS
from discreet.mechanisms.scores import Rows
from discreet.mechanisms.sharpest import EVERY_CHOICE
from discreet.mechanisms.together import Together
from discreet.plan.scalar import Literal
from discreet.plan.types import Type
from discreet.privacy.bounded import Histogram, Pick

ALARM = 1e-9
CELL = Literal(0, Type.INTEGER)
F = Fraction
PRICE = F(1, 8)
CURRENCIES = sorted({each.currency for each in ACCOUNTANTS.values()})
QUARTERS = (F(1, 4), F(1, 2), F(3, 4))
DECILES = tuple(F(n, 10) for n in range(1, 10))
TAIL = (F(1, 2), F(9, 10), F(99, 100))
SETS = {"alone": (F(1, 2),), "quarters": QUARTERS, "deciles": DECILES, "tail": TAIL}


def together(
    shares: Sequence[Fraction], cells: int = 1000, price: Fraction = PRICE, accounting: str = "zcdp", rows: int = 1
) -> Together:
    picks = [Pick(Histogram(CELL, cells, rows), q) for q in shares]
    found = list(pickers(picks, price / weight(picks), accounting))
    assert len(found) == 1
    assert isinstance(found[0], Together)
    return found[0]


@dataclass
class Script:
    """What every step is given and what it says: the cells that are chosen and the noise come from a list."""

    cells: Iterator[float]
    noise: Iterator[int]
    scores: list[Any] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)
    told: list[int] | None = None
    """What counts come out as whatever they are, for a second run that sees what the first did."""

    @contextmanager
    def played(self) -> Iterator[None]:
        with (
            patch.object(CHOICES["exponential"], "choose", self._choose),
            patch.object(CHOICES["permute-and-flip"], "choose", self._choose),
            patch("discreet.mechanisms.forks.perturb", self._perturb),
            patch("discreet.mechanisms.together.perturb", self._perturb),
        ):
            yield

    def _choose(self, scores: Any) -> int:
        self.scores.append(scores)
        return scores.first + round(next(self.cells) * (scores.last - scores.first))

    def _perturb(self, noise: object, values: list[int]) -> list[int]:
        self.counts += values
        if self.told is not None:
            return [self.told[len(self.counts) - 1]]
        return [value + next(self.noise) for value in values]


def play(picker: Together, rows: Rows, cells: Sequence[float], noise: Sequence[int], told: list[int] | None = None):
    script = Script(iter(cells), iter(noise), told=told)
    with script.played():
        chosen = picker.pick(rows)
    return script, chosen


SHARES = st.sampled_from([(F(1, 2),), (F(1, 3), F(2, 3)), QUARTERS, TAIL, (F(1, 10), F(1, 2), F(4, 5), F(9, 10))])
COUNTS = st.dictionaries(st.integers(0, 7), st.integers(1, 5), max_size=8)
ANY_CELLS = st.lists(st.floats(0, 1), min_size=20, max_size=20)
ANY_NOISE = st.lists(st.integers(-9, 9), min_size=20, max_size=20)


@given(SHARES, COUNTS, ANY_CELLS)
def test_without_noise_every_edge_falls_short_by_what_is_told(
    shares: tuple[Fraction, ...], counts: dict[int, int], cells: list[float]
) -> None:
    """Whatever cells are chosen, good or bad."""
    rows, picker = Rows.of(counts.items()), together(shares, 8)
    with Script(iter(cells), iter([0] * 20)).played():
        marks = picker.tree.marks(rows, 8)
    for place, share in enumerate(picker.tree.shares):
        assert marks[place].short == share * rows.number - rows.before(marks[place].edge)


@given(SHARES, COUNTS, ANY_CELLS, ANY_NOISE)
def test_what_is_told_is_off_by_the_weighted_draws(
    shares: tuple[Fraction, ...], counts: dict[int, int], cells: list[float], noise: list[int]
) -> None:
    rows, picker = Rows.of(counts.items()), together(shares, 8)
    with Script(iter(cells), iter(noise)).played():
        marks = picker.tree.marks(rows, 8)
    drawn = {fork.here: draw for fork, draw in zip(picker.tree.forks, noise, strict=False)}
    for place, share in enumerate(picker.tree.shares):
        error = marks[place].short - (share * rows.number - rows.before(marks[place].edge))
        weights = picker.tree.errors[place]
        assert float(error) == pytest.approx(sum(weight * drawn[of] for of, weight in weights.items()), abs=1e-9)


@given(SHARES, COUNTS, ANY_CELLS)
def test_sides_are_counted_from_their_cell(
    shares: tuple[Fraction, ...], counts: dict[int, int], cells: list[float]
) -> None:
    rows, picker = Rows.of(counts.items()), together(shares, 8)
    with Script(iter(cells), iter([0] * 50)).played():
        marks = picker.tree.marks(rows, 8)
        for place in range(1, len(shares) + 1):
            beside = picker._beside(rows, place, marks)
            for mark in (beside.below, beside.above):
                if mark is not None:
                    assert mark.short == picker.tree.shares[place] * rows.number - rows.before(mark.edge)


@settings(max_examples=60)
@given(SHARES, COUNTS, ANY_CELLS)
def test_without_noise_every_interval_holds_its_quantile(
    shares: tuple[Fraction, ...], counts: dict[int, int], cells: list[float]
) -> None:
    """Intervals rest on counts: however badly the cells are chosen."""
    rows, picker = Rows.of(counts.items()), together(shares, 8)
    _, chosen = play(picker, rows, cells, [0] * 50)
    for pick, (low, value, high) in zip(picker.picks, chosen, strict=True):
        assert pick.share is not None
        wanted = pick.share * rows.number
        assert low <= value <= high
        assert any(rows.before(cell) <= wanted <= rows.through(cell) for cell in range(low, high + 1))


@given(SHARES, COUNTS, ANY_CELLS, ANY_NOISE)
def test_cells_are_in_the_order_of_their_shares(
    shares: tuple[Fraction, ...], counts: dict[int, int], cells: list[float], noise: list[int]
) -> None:
    _, chosen = play(together(shares, 8), Rows.of(counts.items()), cells, noise * 2)
    values = [each.value for each in chosen]
    assert values == sorted(values)
    assert all(0 <= low <= value <= high <= 7 for low, value, high in chosen)


def steps_of(picker: Together) -> list[tuple[object, int]]:
    """The picks in the order in which they are made: what pays for each of them, and the parts of a row it counts in."""
    depths = {0: 0, len(picker.picks) + 1: 0}
    found: list[tuple[object, int]] = []
    for fork in picker.tree.forks:
        depths[fork.here] = max(depths[fork.low], depths[fork.high]) + 1
        found.append((depths[fork.here], max(fork.part.numerator, fork.part.denominator - fork.part.numerator)))
    assert max(depths.values()) <= picker.tree.levels
    return found


@settings(max_examples=300)
@given(SHARES, COUNTS, st.lists(st.integers(0, 7), min_size=1, max_size=3), ANY_CELLS, ANY_NOISE)
def test_what_a_unit_moves_at_all_steps_of_a_level_is_paid_for(
    shares: tuple[Fraction, ...], counts: dict[int, int], unit: list[int], cells: list[float], noise: list[int]
) -> None:
    """The same answers given on both databases: how far apart are the distances and the counts that they came from?"""
    picker = together(shares, 8, rows=3)
    grown = Counter(counts) + Counter(unit)
    first, _ = play(picker, Rows.of(counts.items()), cells, noise * 3)
    answers = [count + draw for count, draw in zip(first.counts, noise * 3, strict=False)]
    second, _ = play(picker, Rows.of(grown.items()), cells, [], told=answers)
    assert len(first.scores) == len(second.scores)
    tree = steps_of(picker)
    picked, counted = defaultdict[object, Fraction](Fraction), defaultdict[object, Fraction](Fraction)
    for n, (before, after) in enumerate(zip(first.scores, second.scores, strict=True)):
        assert (before.first, before.last) == (after.first, after.last)
        level, reach = tree[n] if n < len(tree) else ("sides", 1)
        moves = [after.distance(cell) - before.distance(cell) for cell in range(before.first, before.last + 1)]
        picked[level] += F(max(moves) - min(moves), 2 * reach)
        counted[level] += F(abs(second.counts[n] - first.counts[n]), reach)
    assert max(picked.values()) <= len(unit)
    assert max(counted.values()) <= len(unit)
    if picker.whole:
        assert abs(second.counts[-1] - first.counts[-1]) == len(unit)


@pytest.mark.parametrize("accounting", CURRENCIES)
@pytest.mark.parametrize("shares", SETS.values(), ids=SETS)
def test_together_they_cost_what_they_were_given(shares: tuple[Fraction, ...], accounting: str) -> None:
    price = F(1, 7)
    picker = together(shares, price=price, accounting=accounting, rows=5)
    charged = ACCOUNTANTS[accounting].charge(picker.events).amount
    assert price * (1 - F(1, 10**8)) <= charged <= price


@pytest.mark.parametrize("shares", SETS.values(), ids=SETS)
def test_forks_of_a_level_have_one_event(shares: tuple[Fraction, ...]) -> None:
    """They are priced once, so they must be calibrated alike."""
    for accounting in CURRENCIES:
        picker = together(shares, accounting=accounting, rows=4)
        for fork in picker.tree.forks:
            reach = max(fork.part.numerator, fork.part.denominator - fork.part.numerator)
            assert fork.choice.event == picker.tree.forks[0].choice.event
            assert fork.noise.event == picker.tree.forks[0].noise.event
            assert fork.choice.rate * 2 * reach * 4 == fork.choice.event.ratio
            assert type(fork.noise) is type(picker.tree.forks[0].noise)


@given(st.sets(st.integers(1, 99), min_size=1, max_size=40))
def test_a_tree_finds_every_share_once_between_shares_that_it_knows(places: set[int]) -> None:
    shares = [F(0), *(F(n, 100) for n in sorted(places)), F(1)]
    levels = len(places).bit_length()
    tree = Tree.of(shares, levels, Level(1, F(1), F(1), "zcdp", EVERY_CHOICE))
    depth = {0: 0, len(shares) - 1: 0}
    for fork in tree.forks:
        assert fork.low < fork.here < fork.high
        assert {fork.low, fork.high} <= depth.keys()
        assert fork.here not in depth
        assert fork.part == (shares[fork.here] - shares[fork.low]) / (shares[fork.high] - shares[fork.low])
        depth[fork.here] = 1 + max(depth[fork.low], depth[fork.high])
    assert len(depth) == len(shares)
    assert max(depth.values()) <= levels


def test_the_vector_of_the_proof() -> None:
    tree = together(QUARTERS).tree
    assert [(fork.here, fork.part) for fork in tree.forks] == [(2, F(1, 2)), (1, F(1, 2)), (3, F(1, 2))]
    assert tree.levels == 2
    assert tree.errors[2] == {2: 0.5}
    assert tree.errors[1] == {2: 0.25, 1: 0.5}
    assert tree.errors[3] == {2: 0.25, 3: 0.5}


DATA: dict[str, dict[int, int]] = {
    "even": dict.fromkeys(range(1000), 20),
    "one cell": {300: 5000},
    "two clusters": {**dict.fromkeys(range(40, 60), 200), **dict.fromkeys(range(900, 920), 200)},
    "mostly nought": {0: 6000, **dict.fromkeys(range(100, 900), 5)},
    "few rows": dict.fromkeys(range(0, 1000, 50), 1),
    "nobody": {},
    "both ends": {0: 3, 999: 4},
}
TRIALS = 25


@pytest.mark.parametrize("accounting", ["pure", "zcdp"])
@pytest.mark.parametrize("shares", SETS.values(), ids=SETS)
@pytest.mark.parametrize("counts", DATA.values(), ids=DATA)
def test_intervals_hold(shares: tuple[Fraction, ...], accounting: str, counts: dict[int, int]) -> None:
    rows, picker = Rows.of(counts.items()), together(shares, price=F(1, 4), accounting=accounting)
    wrong = dict.fromkeys(shares, 0)
    for _ in range(TRIALS):
        chosen = picker.pick(rows)
        values = [each.value for each in chosen]
        assert values == sorted(values)
        for share, (low, value, high) in zip(shares, chosen, strict=True):
            assert 0 <= low <= value <= high <= 999
            wrong[share] += not rows.before(low) <= share * rows.number <= rows.through(high)
    assert max(wrong.values()) <= binom.isf(ALARM, TRIALS, MISS)


def test_intervals_are_narrow_where_rows_are_many() -> None:
    rows, picker = Rows.of(DATA["even"].items()), together(DECILES)
    for low, value, high in picker.pick(rows):
        assert high - low < 20
        assert rows.through(high) - rows.before(low) < 400
        assert low <= value <= high


def test_a_value_that_many_rows_share_is_told_exactly() -> None:
    """The median and its neighbours lie in one cell: edges on both sides of it are counted."""
    rows = Rows.of({300: 50_000, 301: 10, 100: 20_000, 700: 20_000}.items())
    middle = [F(2, 5), F(1, 2), F(3, 5)]
    assert [tuple(each) for each in together(middle).pick(rows)] == [(300, 300, 300)] * 3


def test_where_shares_lie_close_the_edges_of_others_are_ends() -> None:
    """A gap of six rows holds no side that is far enough; without the others the whole range would be told."""
    percents = tuple(F(n, 100) for n in range(1, 100))
    rows, picker = Rows.of((cell, 1) for cell in range(0, 1000, 2)), together(percents, price=F(1, 2))
    chosen = picker.pick(rows)
    assert sum(low > 0 and high < 999 for low, _, high in chosen[30:70]) >= 35


def test_the_first_cell_follows_the_law_of_its_choice() -> None:
    """The root of a tree, over a histogram so small that every chance can be added up."""
    counts, draws = (2, 0, 1, 3), 4000
    rows = Rows.of(enumerate(counts))
    for accounting in ("pure", "zcdp"):
        picker = together([F(1, 2)], 4, F(1), accounting)
        rate = float(picker.tree.forks[0].choice.rate)
        distances = [max(0, 2 * sum(counts[:v]) - 6, 6 - 2 * sum(counts[: v + 1])) for v in range(4)]
        weights = [math.exp(-rate * distance) for distance in distances]
        law = {"exponential": by_weight, "permute-and-flip": by_coins}[picker.name](weights)
        found = Counter(picker.pick(rows)[0].value for _ in range(draws))
        statistic = sum((found[v] - draws * p) ** 2 / (draws * p) for v, p in enumerate(law))
        assert statistic < chi2.isf(ALARM, 3)


def by_weight(weights: list[float]) -> list[float]:
    return [each / sum(weights) for each in weights]


def by_coins(weights: list[float]) -> list[float]:
    chances = [0.0] * len(weights)
    for heads in product((True, False), repeat=len(weights)):
        chance = math.prod(w if head else 1 - w for w, head in zip(weights, heads, strict=True))
        for place, head in enumerate(heads):
            chances[place] += chance / sum(heads) if head and chance else 0.0
    return chances


def test_counts_are_as_noisy_as_is_paid_for() -> None:
    """The short of the root, beside what the cell that was picked really falls short by."""
    rows, picker, draws = Rows.of(DATA["even"].items()), together([F(1, 2)], price=F(1, 50)), 400
    fork = picker.tree.forks[0]
    errors: list[float] = []
    for _ in range(draws):
        mark = picker.tree.marks(rows, 1000)[1]
        errors.append(float(mark.short - (F(rows.number, 2) - rows.before(mark.edge))))
    spread = fork.noise.spread / 2
    assert abs(sum(errors) / draws) < 6.2 * spread / math.sqrt(draws)
    assert 0.7 < math.sqrt(sum(x * x for x in errors) / draws) / spread < 1.3


def test_many_quantiles_cost_hardly_more_than_a_few() -> None:
    """At one price the rank error that is told grows with the logarithm of their number, not with its root."""
    told = {
        n: max(each.rank_error for each in together([F(k, n + 1) for k in range(1, n + 1)]).sharpness)
        for n in (1, 9, 99)
    }
    split = {n: together([F(n, n + 1)], price=F(1, 8 * n)).sharpness[0].rank_error for n in (9, 99)}
    assert told[9] < split[9]
    assert told[99] < split[99] / 3
    assert told[99] < 6 * told[1]


def test_noise_is_added_by_the_one_door() -> None:
    """What is counted is exact integers, and ``perturb`` refuses anything else."""
    assert perturb.__module__ == "discreet.mechanisms.perturb"
    seen: list[int] = []
    with patch(
        "discreet.mechanisms.forks.perturb", lambda noise, values: seen.extend(values) or perturb(noise, values)
    ):
        together([F(1, 3), F(2, 3)]).pick(Rows.of(DATA["even"].items()))
    assert len(seen) == 2
    assert all(type(value) is int for value in seen)
