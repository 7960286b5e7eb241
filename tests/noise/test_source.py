"""The source itself: exact coins, nothing kept between calls, nothing shared by forks or threads, no floats."""

from __future__ import annotations

import ast
import inspect
import json
import math
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from discreet.mechanisms import coins, exponential, law, noise_source, strips
from noise.harness import surprising

WIDE = Fraction(10**18)
"""So wide that two equal draws among some hundred mean a shared generator: chance under 1e-13."""

WIDE_AT_ONCE = Fraction(1 << 55)
"""The same for some thousand draws that are made at once: chance under 1e-9."""

MANY = 300
"""Enough for a vector that is drawn at once."""


def only(string: tuple[int, ...]):
    """These bytes and no more."""
    yield from string
    raise LookupError


def decided(coin, size: int) -> tuple[int, int]:
    """How many of all strings of ``size`` bytes make the coin fall, and how many of those to heads."""
    fallen = heads = 0
    for string in product(range(256), repeat=size):
        try:
            heads += coin(only(string))
        except LookupError:
            continue
        fallen += 1
    return fallen, heads


@pytest.mark.parametrize(("p", "q"), [(1, 3), (2, 3), (1, 256), (255, 257), (1, 10**9), (5, 7), (0, 4)])
def test_a_coin_is_exact_on_every_string_of_two_bytes(p: int, q: int):
    fallen, heads = decided(lambda source: coins.coin(p, q, source), 2)
    assert fallen >= 256**2 - 1
    assert Fraction(heads, 256**2) <= Fraction(p, q) <= Fraction(heads + 256**2 - fallen, 256**2)


def test_a_sure_coin_takes_no_byte():
    assert coins.coin(3, 3, iter(())) is True


@pytest.mark.parametrize("bound", [1, 2, 3, 10, 255, 256, 257, 1000])
def test_every_integer_below_a_bound_is_as_likely(bound: int):
    size = ((bound - 1).bit_length() + 7) // 8
    counts = [0] * bound
    for string in product(range(256), repeat=size):
        try:
            counts[coins.below(bound, only(string))] += 1
        except LookupError:
            continue
    assert len(set(counts)) == 1
    assert counts[0] > 0


@pytest.mark.parametrize(
    "gamma", [Fraction(0), Fraction(1, 7), Fraction(1), Fraction(5, 2), Fraction(10**40, 10**40 + 1)]
)
def test_exp_coins(gamma: Fraction):
    n, source = 50_000, noise_source._random_bytes()
    heads = sum(coins.exp_coin(gamma.numerator, gamma.denominator, source) for _ in range(n))
    assert not surprising(heads, n, math.exp(-gamma))


def in_a_child(work) -> list[int]:
    """What ``work`` returns in a forked process."""
    reads, writes = os.pipe()
    child = os.fork()
    if child == 0:
        with os.fdopen(writes, "w") as pipe:
            json.dump(work(), pipe)
        os._exit(0)
    os.close(writes)
    with os.fdopen(reads) as pipe:
        found = json.load(pipe)
    os.waitpid(child, 0)
    return found


def draw_both() -> list[int]:
    return [
        *noise_source.discrete_laplace(WIDE, 8),
        *noise_source.discrete_gaussian(WIDE**2, 8),
        *noise_source.discrete_laplace(WIDE_AT_ONCE, MANY),
        *noise_source.discrete_gaussian(WIDE_AT_ONCE**2, MANY),
        int(noise_source.secret(), 16),
    ]


def test_a_fork_shares_no_draw_with_its_parent_or_its_siblings():
    drawn = draw_both()
    for _ in range(4):
        drawn += in_a_child(draw_both)
        drawn += draw_both()
    assert len(set(drawn)) == len(drawn)


def test_a_fork_of_a_fork_shares_no_draw():
    drawn = in_a_child(lambda: draw_both() + in_a_child(draw_both)) + draw_both()
    assert len(set(drawn)) == len(drawn)


def test_threads_share_no_draw():
    with ThreadPoolExecutor(8) as pool:
        drawn = [x for part in pool.map(lambda _: draw_both(), range(16)) for x in part]
    assert len(set(drawn)) == len(drawn)


def test_secrets_do_not_repeat_and_every_bit_is_fair():
    n = 5_000
    secrets = [noise_source.secret() for _ in range(n)]
    assert all(len(secret) == 32 and set(secret) <= set("0123456789abcdef") for secret in secrets)
    assert len(set(secrets)) == n
    numbers = [int(secret, 16) for secret in secrets]
    for bit in range(128):
        assert not surprising(sum(number >> bit & 1 for number in numbers), n, 0.5)


def test_no_state_is_kept_between_calls():
    kept = {name: value for name, value in vars(noise_source).items() if not name.startswith("__")}
    assert not [name for name, value in kept.items() if isinstance(value, (list, dict, set, bytearray, bytes))]
    assert not [name for name, value in kept.items() if not isinstance(value, type) and hasattr(value, "__next__")]


@pytest.mark.parametrize("file", [coins, exponential, law, noise_source, strips], ids=lambda file: file.__name__)
def test_exact_files_have_no_float(file):
    tree = ast.parse(inspect.getsource(file))
    assert not [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, float)]
    assert {name for name in vars(file) if name in {"exp", "log", "sqrt", "random", "numpy", "np", "float"}} == set()


@pytest.mark.parametrize("file", [coins, exponential, noise_source, strips], ids=lambda file: file.__name__)
def test_whole_numbers_are_not_divided_into_floats(file):
    assert not [node for node in ast.walk(ast.parse(inspect.getsource(file))) if isinstance(node, ast.Div)]


def correlation(first, second) -> float:
    """Pearson's, in standard deviations of that of independent samples."""
    return abs(float(np.corrcoef(first, second)[0, 1])) * math.sqrt(len(first))


def draw_vector() -> list[int]:
    return noise_source.discrete_gaussian(Fraction(10**6), 20_000)


def test_a_fork_and_its_parent_are_not_correlated():
    before = draw_vector()
    child, parent = in_a_child(draw_vector), draw_vector()
    assert max(correlation(before, child), correlation(child, parent), correlation(before, parent)) < 7


def test_threads_are_not_correlated():
    with ThreadPoolExecutor(4) as pool:
        drawn = list(pool.map(lambda _: draw_vector(), range(4)))
    assert max(correlation(drawn[i], drawn[j]) for i in range(4) for j in range(i)) < 7


def test_neighbours_in_a_vector_are_not_correlated():
    drawn = draw_vector()
    assert max(correlation(drawn[lag:], drawn[:-lag]) for lag in (1, 2, 8, 256)) < 7


def test_every_block_has_a_key_of_its_own():
    blocks = [noise_source._random_block(48) for _ in range(50)]
    assert len(set(blocks)) == 50
    assert all(len(block) == 48 and block[:16] != block[16:32] != block[32:] for block in blocks)
    assert noise_source._random_block(0) == b""


def test_every_bit_of_a_block_is_fair():
    block = np.frombuffer(noise_source._random_block(8 * 40_000), np.uint64)
    for bit in range(64):
        assert not surprising(int((block >> np.uint64(bit) & np.uint64(1)).sum()), 40_000, 0.5)


def test_the_cipher_is_the_published_one(monkeypatch: pytest.MonkeyPatch):
    """NIST's vector of AES-256: the first key stream block is the encryption of a counter of 0 under the key."""
    monkeypatch.setattr(noise_source.os, "urandom", bytes)
    assert noise_source._random_block(16).hex() == "dc95c078a2408989ad48a21492842087"


@pytest.mark.parametrize("length", [0, 1, 255])
def test_a_short_vector_loads_no_library(length: int):
    code = (
        "import sys; from fractions import Fraction; from discreet.mechanisms import noise_source as source; "
        f"source.discrete_laplace(Fraction(9), {length}); source.discrete_gaussian(Fraction(9), {length}); "
        "sys.exit(not {'numpy', 'cryptography'}.isdisjoint(sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("draw", [noise_source.discrete_laplace, noise_source.discrete_gaussian])
def test_only_exact_positive_spreads(draw):
    for wrong in (1.0, 3, "1"):
        with pytest.raises(TypeError):
            draw(wrong, 1)
    for wrong in (Fraction(0), Fraction(-1, 3)):
        with pytest.raises(ValueError, match="positive"):
            draw(wrong, 1)
    for wrong in (1.0, True):
        with pytest.raises(TypeError):
            draw(Fraction(1), wrong)
    with pytest.raises(ValueError, match="count"):
        draw(Fraction(1), -1)
