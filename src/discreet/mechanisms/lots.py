"""Choosing a cell by its distance, exactly: the exponential mechanism, and permute-and-flip.

Theory. Cell v has the distance d(v) from what is wanted, and the weight exp(-rate * d(v)). No float holds a weight:

- by weight: v is drawn with a chance proportional to its weight. A uniform real U, of which some bits are known, is
  compared with running sums of weights that are known to as many places; where that does not decide, more bits of the
  same U and more places do. Cells whose weight is below the last place are left out until the places reach them: they
  count in the bound on the error;
- by coins: every cell tosses a coin with its weight as the chance of heads, and one of the heads is drawn uniformly.
  That is permute-and-flip (McKenna, Sheldon 2020): the first head of a random order is a random head, since the order
  does not depend on the coins. A cell of distance 0 always shows heads. The coins of all cells are tossed at once, on
  64 bits each; those that are within a unit of their chance are decided by as many bits more as it takes.

The first is report-noisy-max with Gumbel noise, the second with exponential noise; neither draws that noise.
Where nothing is preferred, ``some`` draws without putting back.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate, islice
from math import ceil, isqrt

from discreet.mechanisms.coins import below
from discreet.mechanisms.exponential import exp_minus
from discreet.mechanisms.scores import Run, Scores

__all__ = ["PLACES", "Tosses", "by_coins", "by_weight", "some"]

_MORE = 64

PLACES = 64
"""Of a coin that is tossed with many others."""

Tosses = Callable[[int], Sequence[int]]
"""So many uniform integers of ``PLACES`` bits."""


OFF = 4
"""How far a weight may be from its exact value, in units of the last place."""


@dataclass(frozen=True, slots=True)
class Weights:
    """exp(-rate * distance) for whole distances, as a product of two numbers from short tables.

    Both factors are at most 1 and known to within a unit, so their product is off by under 3 units, and by one more
    where it is cut off.
    """

    places: int
    fine: tuple[int, ...]
    coarse: tuple[int, ...]

    def at(self, distance: int) -> int:
        steps, rest = divmod(distance, len(self.fine))
        return self.coarse[steps] * self.fine[rest] >> self.places if steps < len(self.coarse) else 0


@lru_cache(maxsize=64)
def weights_of(rate: Fraction, places: int) -> Weights:
    """Tables up to the distance where a weight is below the last place."""
    step = isqrt(ceil(places / rate)) + 1
    fine = tuple(exp_minus(rate * n, places) for n in range(step))
    return Weights(places, fine, tuple(exp_minus(rate * step * n, places) for n in range(step)))


def by_weight(scores: Scores, rate: Fraction, source: Iterator[int]) -> int:
    """A cell with a chance proportional to exp(-rate * distance)."""
    u = places = 0
    while True:
        u, places = _longer(u, source), places + _MORE
        runs = scores.near(ceil(places / rate))
        run = _met(runs, u, places, rate, scores.last - scores.first + 1)
        if run is not None:
            return run.start + below(run.length, source)


def _met(runs: list[Run], u: int, places: int, rate: Fraction, cells: int) -> Run | None:
    """The run that holds U for certain; each of ``cells`` weights is known to within ``OFF``."""
    weights = weights_of(rate, places)
    reached = list(accumulate(run.length * weights.at(run.distance) for run in runs))
    total, off = reached[-1], cells * OFF
    place = bisect_right(reached, (u * total) >> places)
    if place == len(runs):
        return None
    past = place == 0 or u * (total - off) >= (reached[place - 1] + off) << places
    before = (u + 1) * (total + off) <= (reached[place] - off) << places
    return runs[place] if past and before else None


def by_coins(scores: Scores, rate: Fraction, toss: Tosses, source: Iterator[int]) -> int:
    """A random one of the cells whose coins, of chance exp(-rate * distance), show heads."""
    runs = scores.near(ceil(PLACES / rate))
    coins = toss(scores.last - scores.first + 1)
    heads = [cell for run in runs for cell in _heads(run, coins[run.start - scores.first :], rate, source)]
    far = _far(runs, coins, scores.first) if 0 in coins else []
    heads += [cell for cell in far if is_heads(0, PLACES, rate * scores.distance(cell), source)]
    return heads[below(len(heads), source)]


def _heads(run: Run, coins: Sequence[int], rate: Fraction, source: Iterator[int]) -> Iterator[int]:
    bound = weights_of(rate, PLACES).at(run.distance)
    for cell, v in zip(range(run.start, run.start + run.length), coins, strict=False):
        if v < bound - OFF or (v <= bound + OFF and is_heads(v, PLACES, rate * run.distance, source)):
            yield cell


def _far(runs: list[Run], coins: Sequence[int], first: int) -> list[int]:
    """Cells beyond the runs: their chances are below 2**-PLACES, so a coin has to begin with that many zeros."""
    inside = {cell for run in runs for cell in range(run.start, run.start + run.length)}
    return [cell for cell, v in enumerate(coins, first) if v == 0 and cell not in inside]


def is_heads(v: int, places: int, exponent: Fraction, source: Iterator[int]) -> bool:
    """Whether the uniform real V whose first ``places`` bits are v lies below exp(-exponent)."""
    while True:
        bound = exp_minus(exponent, places)
        if abs(v - bound) > 1:
            return v < bound
        v, places = _longer(v, source), places + _MORE


def some(of: int, number: int, source: Iterator[int]) -> list[int]:
    """So many different places of 0 to ``of - 1``, each set of them as likely: the beginning of a shuffled pack."""
    moved: dict[int, int] = {}
    drawn: list[int] = []
    for top in range(number):
        place = top + below(of - top, source)
        drawn.append(moved.get(place, place))
        moved[place] = moved.get(top, top)
    return drawn


def _longer(number: int, source: Iterator[int]) -> int:
    return number << _MORE | int.from_bytes(islice(source, _MORE // 8), "big")
