"""Noise, items a second in vectors of a million, beside OpenDP's integer samplers and numpy's insecure float normal."""

from __future__ import annotations

import time
from collections.abc import Callable
from fractions import Fraction

import numpy
import opendp.prelude as dp

from bench.table import show
from discreet.mechanisms.noise_source import discrete_gaussian, discrete_laplace

SCALES = (Fraction(1, 2), *(Fraction(10**power) for power in (0, 1, 2, 3, 4, 6, 9)))
ITEMS = 1_000_000
TIMES = 3
"""The best of so many runs; OpenDP's take seconds and are run once."""

HEAD = ["scale", "Laplace", "OpenDP", "ratio", "Gaussian", "OpenDP", "ratio", "numpy normal", "ratios"]


def main() -> None:
    dp.enable_features("contrib")
    integers = dp.vector_domain(dp.atom_domain(T=int))
    zeros = [0] * ITEMS
    rows: list[list[str]] = []
    for scale in SCALES:
        their_laplace = dp.m.make_laplace(integers, dp.l1_distance(T=int), float(scale))
        their_gaussian = dp.m.make_gaussian(integers, dp.l2_distance(T=float), float(scale))
        laplace = _rate(lambda scale=scale: discrete_laplace(scale, ITEMS))
        gaussian = _rate(lambda scale=scale: discrete_gaussian(scale**2, ITEMS))
        normal = _rate(lambda scale=scale: numpy.random.default_rng().normal(0, float(scale), ITEMS))
        theirs = _rate(lambda law=their_laplace: law(zeros), 1), _rate(lambda law=their_gaussian: law(zeros), 1)
        rows.append(_row(scale, laplace, gaussian, theirs, normal))
    show(f"Noise, million items a second (vectors of {ITEMS:,})", HEAD, rows)


def _row(scale: Fraction, laplace: float, gaussian: float, theirs: tuple[float, float], normal: float) -> list[str]:
    cells = [f"{float(scale):g}"]
    for ours, other in zip((laplace, gaussian), theirs, strict=True):
        cells += [f"{ours:.1f}", f"{other:.3f}", f"{ours / other:.0f}"]
    return [*cells, f"{normal:.0f}", f"1/{normal / laplace:.1f}, 1/{normal / gaussian:.1f}"]


def _rate(run: Callable[[], object], times: int = TIMES) -> float:
    """Million items a second."""
    took: list[float] = []
    for _ in range(times):
        start = time.perf_counter()
        run()
        took.append(time.perf_counter() - start)
    return ITEMS / min(took) / 1e6
