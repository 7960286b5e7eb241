"""The harness sees faults: laws that are a little off fail the checks that the product passes."""

from __future__ import annotations

import math
import random
from fractions import Fraction

from noise.harness import differ, misfit, sign_pairs, surprising
from noise.laws import Law

N = 100_000
SCALE = Fraction(25)
CDF = Law("laplace", SCALE).below_or_at


def geometric(dice: random.Random, scale: float) -> int:
    return int(dice.expovariate(1 / scale))


def right(dice: random.Random, scale: float) -> int:
    return geometric(dice, scale) - geometric(dice, scale)


def test_a_right_law_passes():
    dice = random.Random(1)
    assert misfit([right(dice, 25) for _ in range(N)], lambda x: float(CDF(x)), 25) < 1


def test_a_scale_that_is_four_percent_small_is_seen():
    dice = random.Random(2)
    assert misfit([right(dice, 24) for _ in range(N)], lambda x: float(CDF(x)), 25) > 1


def test_a_double_zero_is_seen():
    dice = random.Random(3)
    assert misfit([dice.choice((-1, 1)) * geometric(dice, 25) for _ in range(N)], lambda x: float(CDF(x)), 25) > 1


def test_a_clipped_tail_is_seen():
    dice = random.Random(4)
    far = next(t for t in range(1000) if CDF(-t) < 50 / N)
    draws = [max(-far + 1, min(far - 1, right(dice, 25))) for _ in range(N)]
    assert surprising(sum(x >= far for x in draws), N, float(Law("laplace", SCALE).above(far)))


def test_a_memory_is_seen():
    dice = random.Random(5)
    draws = [right(dice, 25) for _ in range(N)]
    for i in range(1, N, 20):
        draws[i] = draws[i - 1]
    assert sign_pairs(draws) > 1


def test_another_law_of_the_same_variance_is_seen():
    dice = random.Random(6)
    first = [right(dice, 25) for _ in range(N // 2)]
    assert differ(first, [right(dice, 25) for _ in range(N // 2)]) < 1
    assert differ(first, [round(dice.gauss(0, 25 * math.sqrt(2))) for _ in range(N // 2)]) > 1
