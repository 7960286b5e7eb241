"""Choices: the law is the one that was proved, neighbours look alike within the price, intervals hold."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import count, product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, chi2

from discreet.ledger.accountants import ACCOUNTANTS
from discreet.mechanisms import CHOICES, lots
from discreet.mechanisms.exponential import exp_minus
from discreet.mechanisms.pickers import pickers
from discreet.mechanisms.picks import MISS, Chosen, Picker, in_order
from discreet.mechanisms.scores import CountScores, RankScores, Rows, Run, Scores
from discreet.plan.scalar import Literal
from discreet.plan.types import Type
from discreet.privacy.bounded import Histogram, Pick

PROOFS = Path(__file__).parents[2] / "docs" / "proofs"
NOTES = {"exponential": "exponential-mechanism", "permute-and-flip": "permute-and-flip"}
ALARM = 1e-9
ROWS = Rows.of({1: 2, 2: 1, 5: 4, 9: 1}.items())
CASES: dict[str, Scores] = {
    "a median": RankScores(ROWS, 0, 11, 8, 2),
    "nobody": RankScores(Rows.of([]), 0, 4, 0, 2),
    "from above": RankScores(ROWS, 0, 11, 8 - 20, 1),
    "the fullest": CountScores({1: 2, 2: 1, 5: 4, 9: 1}, 11),
}
RATES = [Fraction(1, 5), Fraction(7, 10), Fraction(3)]


def weights(scores: Scores, rate: Fraction) -> list[float]:
    cells = range(scores.first, scores.last + 1)
    return [math.exp(-float(rate) * scores.distance(cell)) for cell in cells]


def by_weight(scores: Scores, rate: Fraction) -> list[float]:
    found = weights(scores, rate)
    return [each / sum(found) for each in found]


def by_coins(scores: Scores, rate: Fraction) -> list[float]:
    """Over how many of the other coins show heads: P(v) = w(v) * E[1 / (1 + heads of others)]."""
    all_weights = weights(scores, rate)
    chances: list[float] = []
    for place, weight in enumerate(all_weights):
        heads = [1.0]
        for chance in all_weights[:place] + all_weights[place + 1 :]:
            heads = [a * (1 - chance) + b * chance for a, b in zip([*heads, 0.0], [0.0, *heads], strict=True)]
        chances.append(weight * sum(p / (1 + n) for n, p in enumerate(heads)))
    return chances


LAWS = {"exponential": by_weight, "permute-and-flip": by_coins}


CURRENCIES = sorted({each.currency for each in ACCOUNTANTS.values()})


@pytest.mark.parametrize("name", sorted(CHOICES))
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("rate", RATES, ids=str)
def test_draws_follow_the_law(name: str, case: str, rate: Fraction) -> None:
    scores, choice = CASES[case], CHOICES[name].calibrate(1, rate, "pure")
    assert choice.rate == rate
    draws = 3000
    expected = [draws * chance for chance in LAWS[name](scores, rate)]
    found = Counter(choice.choose(scores) for _ in range(draws))
    assert set(found) <= set(range(scores.first, scores.last + 1))
    rare = [cell for cell, number in enumerate(expected) if number < 5]
    cells = [[cell] for cell in range(len(expected)) if cell not in rare] + ([rare] if rare else [])
    pairs = [(sum(found[scores.first + c] for c in group), sum(expected[c] for c in group)) for group in cells]
    statistic = sum((seen - wanted) ** 2 / max(wanted, 1e-6) for seen, wanted in pairs if wanted > 1e-6)
    assert statistic < chi2.isf(ALARM, len(pairs)) + 50 * bool(rare)


@pytest.mark.parametrize("accounting", CURRENCIES)
@pytest.mark.parametrize("name", sorted(CHOICES))
@pytest.mark.parametrize("amount", [Fraction(1, 200), Fraction(1, 8), Fraction(3), Fraction(50)], ids=str)
@pytest.mark.parametrize("moved", [1, 2, 20])
def test_the_event_is_charged_no_more_than_the_price_and_hardly_less(
    name: str, accounting: str, amount: Fraction, moved: int
) -> None:
    choice = CHOICES[name].calibrate(moved, amount, accounting)
    charged = ACCOUNTANTS[accounting].charge([choice.event])
    assert amount * (1 - Fraction(1, 10**9)) <= charged.amount <= amount
    assert choice.rate * moved == choice.event.ratio


@pytest.mark.parametrize("name", sorted(CHOICES))
def test_a_proof_note_exists_and_has_its_four_parts(name: str) -> None:
    note = (PROOFS / f"{NOTES[name]}.md").read_text(encoding="utf-8")
    for part in ("## Statement", "## Proof", "## What the code does", "## Vectors"):
        assert part in note


@pytest.mark.parametrize("name", sorted(CHOICES))
def test_prices_are_exact_and_above_nothing(name: str) -> None:
    for amount in (0.5, 1):
        with pytest.raises(TypeError):
            CHOICES[name].calibrate(1, amount, "pure")  # pyright: ignore[reportArgumentType]
    with pytest.raises(ValueError, match="above 0"):
        CHOICES[name].calibrate(1, Fraction(0), "pure")
    with pytest.raises(ValueError, match="accounting"):
        CHOICES[name].calibrate(1, Fraction(1), "renyi")


def neighbours() -> Iterator[tuple[Scores, Scores, int]]:
    """Small histograms, one row more, and how far distances may move apart."""
    for counts in product(range(3), repeat=3):
        before = Rows.of(enumerate(counts))
        for cell in range(3):
            after = Rows.of((v, n + (v == cell)) for v, n in enumerate(counts))
            for p, m in ((1, 2), (3, 4)):
                scores = [RankScores(rows, 0, 2, p * rows.number, m) for rows in (before, after)]
                yield *scores, 2 * p
            full = [
                CountScores({v: n + (v == cell and more) for v, n in enumerate(counts) if n + (v == cell and more)}, 2)
                for more in (False, True)
            ]
            yield *full, 1


def test_neighbours_are_as_alike_as_the_price_says() -> None:
    for before, after, moved in neighbours():
        for rate in (Fraction(1, 3), Fraction(2)):
            ratio = float(rate * moved)
            for name, law in LAWS.items():
                p, q = law(before, rate), law(after, rate)
                losses = [math.log(a / b) for a, b in zip(p, q, strict=True)]
                assert max(map(abs, losses)) <= ratio + 1e-9
                per_order = ratio**2 / (8 if name == "exponential" else 2)
                if name == "exponential":
                    assert max(losses) - min(losses) <= ratio + 1e-9
                for order in (1.5, 2.0, 8.0):
                    for one, other in ((p, q), (q, p)):
                        moment = sum(b * (a / b) ** order for a, b in zip(one, other, strict=True))
                        assert math.log(moment) / (order - 1) <= order * min(per_order, ratio) + 1e-9


def test_vectors_of_the_notes() -> None:
    half = CHOICES["exponential"].calibrate(2, Fraction(1, 8), "zcdp")
    assert (half.rate, CHOICES["exponential"].calibrate(2, Fraction(1, 2), "pure").rate) == (
        Fraction(1, 2),
        Fraction(1, 4),
    )
    assert CHOICES["permute-and-flip"].calibrate(2, Fraction(1, 2), "pure").rate == Fraction(1, 4)
    log2 = Fraction(math.log(2))
    three = CountScores({0: 2, 1: 1}, 2)
    assert by_weight(three, log2) == pytest.approx([4 / 7, 2 / 7, 1 / 7])
    assert by_coins(CountScores({0: 1}, 1), log2) == pytest.approx([3 / 4, 1 / 4])
    assert by_coins(CountScores({0: 1, 1: 1}, 2), log2) == pytest.approx([5 / 12, 5 / 12, 1 / 6])


def test_permute_and_flip_is_never_worse() -> None:
    for scores in CASES.values():
        for rate in RATES:
            distances = [scores.distance(cell) for cell in range(scores.first, scores.last + 1)]
            worse = [sum(p * d for p, d in zip(law(scores, rate), distances, strict=True)) for law in LAWS.values()]
            assert worse[1] <= worse[0] + 1e-12


class TestExactness:
    """Near the edges between runs, what is decided is what exact arithmetic would decide."""

    RUNS = (Run(0, 3, 0), Run(3, 1, 2), Run(4, 5, 7))
    RATE = Fraction(1, 3)

    def edges(self, places: int) -> list[int]:
        """The running shares of the runs, to ``places`` bits, by arithmetic of 400 bits."""
        masses = [run.length * exp_minus(self.RATE * run.distance, 400) for run in self.RUNS]
        return [(sum(masses[: n + 1]) << places) // sum(masses) for n in range(len(masses))]

    def test_a_run_is_taken_only_where_no_error_could_matter(self) -> None:
        places, edges = 64, self.edges(64)
        for n, edge in enumerate(edges[:-1]):
            for away in (-(2**40), -(2**9), 2**9, 2**40):
                run = lots._met(list(self.RUNS), edge + away, places, self.RATE, 9)
                assert run == self.RUNS[n + (away > 0)]
            assert lots._met(list(self.RUNS), edge, places, self.RATE, 9) is None

    @pytest.mark.parametrize("below", [True, False])
    def test_more_bits_decide_at_an_edge(self, below: bool) -> None:
        edge = self.edges(128)[0] + (-(2**20) if below else 2**20)
        bits = iter(edge.to_bytes(16, "big") + bytes(64))
        scores = FixedScores(self.RUNS)
        cell = lots.by_weight(scores, self.RATE, bits)
        assert (cell < 3) is below

    @pytest.mark.parametrize(("below", "heads"), [(True, True), (False, False)])
    def test_a_coin_at_its_chance_is_decided_by_more_bits(self, below: bool, heads: bool) -> None:
        exponent = Fraction(2, 3)
        far = exp_minus(exponent, lots.PLACES + 64) + (-(2**20) if below else 2**20)
        first, rest = far >> 64, far & (2**64 - 1)
        assert lots.is_heads(first, lots.PLACES, exponent, iter(rest.to_bytes(8, "big") + bytes(64))) is heads

    def test_a_coin_of_a_far_cell_is_tossed_too(self) -> None:
        """Sixty-two zeros, and then the bits that a chance of exp(-70) still has."""
        scores = FixedScores((Run(0, 1, 0), Run(1, 1, 210)))
        under = exp_minus(Fraction(70), lots.PLACES + 64) - 2**10
        found = lots.by_coins(
            scores, self.RATE, lambda n: [2**61, 0][:n], iter(under.to_bytes(8, "big") + b"\xff" * 64)
        )
        assert found == 1
        over = exp_minus(Fraction(70), lots.PLACES + 64) + 2**30
        found = lots.by_coins(scores, self.RATE, lambda n: [2**61, 0][:n], iter(over.to_bytes(8, "big") + b"\xff" * 64))
        assert found == 0


class FixedScores:
    def __init__(self, runs: tuple[Run, ...]) -> None:
        self.runs, self.first, self.last = runs, runs[0].start, runs[-1].start + runs[-1].length - 1

    def near(self, limit: int) -> list[Run]:
        return [run for run in self.runs if run.distance < limit]

    def distance(self, cell: int) -> int:
        return next(run.distance for run in self.runs if run.start <= cell < run.start + run.length)


CELL = Literal(0, Type.INTEGER)
TRIALS = 60


def picker(pick: Pick, amount: Fraction, accounting: str) -> Picker:
    (found,) = pickers([pick], amount, accounting)
    return found


def missed(share: Fraction, accounting: str, counts: dict[int, int], amount: Fraction) -> int:
    """How often the interval of a pick leaves out every true quantile."""
    rows = Rows.of(counts.items())
    each = picker(Pick(Histogram(CELL, 1000, 1), share), amount, accounting)
    wrong = 0
    true = [cell for cell in range(1000) if rows.before(cell) <= share * rows.number <= rows.through(cell)]
    ends = {Fraction(0): rows.cells[:1], Fraction(1): rows.cells[-1:]}
    for _ in range(TRIALS):
        ((low, value, high),) = each.pick(rows)
        assert low <= value <= high
        wrong += not any(low <= cell <= high for cell in ends.get(share, true))
    return wrong


@pytest.mark.parametrize("accounting", CURRENCIES)
@pytest.mark.parametrize("share", [Fraction(1, 2), Fraction(9, 10), Fraction(0), Fraction(1)], ids=str)
@pytest.mark.parametrize(
    "counts", [dict.fromkeys(range(100, 900), 1), {300: 500}, {0: 3, 999: 4}, {10: 40, 11: 3, 700: 60}]
)
def test_intervals_hold(share: Fraction, accounting: str, counts: dict[int, int]) -> None:
    wrong = missed(share, accounting, counts, Fraction(1, 10))
    assert wrong <= binom.isf(ALARM, TRIALS, MISS)


def test_a_pick_is_near_where_rows_are_many() -> None:
    rows = Rows.of((cell, 10) for cell in range(1000))
    each = picker(Pick(Histogram(CELL, 1000, 1), Fraction(1, 2)), Fraction(1, 8), "zcdp")
    found = [each.pick(rows)[0] for _ in range(50)]
    assert all(480 <= one.value <= 520 for one in found)
    assert sum(one.high - one.low < 40 for one in found) >= 45
    assert len({one.value for one in found}) > 1


@pytest.mark.parametrize("share", [Fraction(1, 2), Fraction(1), None])
@pytest.mark.parametrize("accounting", CURRENCIES)
def test_a_pick_costs_what_it_was_given(share: Fraction | None, accounting: str) -> None:
    amount = Fraction(1, 10)
    each = picker(Pick(Histogram(CELL, 50, 7), share), amount, accounting)
    charged = ACCOUNTANTS[accounting].charge(each.events).amount
    assert amount * (1 - Fraction(1, 10**9)) <= charged <= amount
    (sharp,) = each.sharpness
    assert sharp.rank_error > 0
    assert sharp.scale > 0


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=6), st.randoms()
)
def test_what_is_told_is_in_the_order_of_the_shares(cells: list[tuple[int, int, int]], order: random.Random) -> None:
    chosen = [Chosen(*sorted(each)) for each in cells]
    shares = [Fraction(n, len(chosen)) for n in range(len(chosen))]
    order.shuffle(shares)
    told = in_order(shares, chosen)
    by_share = [each.value for _, each in sorted(zip(shares, told, strict=True))]
    assert by_share == sorted(each.value for each in chosen)
    for before, after in zip(chosen, told, strict=True):
        assert after.low <= min(before.low, after.value)
        assert after.high >= max(before.high, after.value)
        assert {after.low, after.high} <= {before.low, before.high, after.value}


def test_the_sharper_choice_is_taken() -> None:
    pick = Pick(Histogram(CELL, 50, 7), None)
    assert picker(pick, Fraction(1, 10), "zcdp").name == "exponential"
    assert picker(pick, Fraction(1, 10), "pure").name == "permute-and-flip"


def test_the_stream_is_read_as_far_as_it_is_needed() -> None:
    """No draw ends on a stream that never decides: the bits go on."""
    stream = (n % 251 for n in count())
    assert 0 <= lots.by_weight(CASES["a median"], Fraction(1, 5), stream) <= 11
