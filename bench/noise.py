"""Noise, items a second, beside OpenDP's integer samplers and numpy's insecure float normal."""

from __future__ import annotations

import time
from collections.abc import Callable
from fractions import Fraction

import numpy
import opendp.prelude as dp

from bench.table import show
from discreet.mechanisms.noise_source import discrete_gaussian, discrete_laplace

SCALES = (Fraction(1, 2), Fraction(10), Fraction(1000), Fraction(10**6), Fraction(10**9))
ITEMS = 50_000


def main() -> None:
    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int)
    space2 = dp.vector_domain(dp.atom_domain(T=int)), dp.l2_distance(T=float)
    rows: list[list[str]] = []
    for scale in SCALES:
        theirs_l = dp.m.make_laplace(*space, float(scale))
        theirs_g = dp.m.make_gaussian(*space2, float(scale))
        zeros = [0] * ITEMS
        found = [
            _rate(lambda scale=scale: discrete_laplace(scale, ITEMS)),
            _rate(lambda law=theirs_l, zeros=zeros: law(zeros)),
            _rate(lambda scale=scale: discrete_gaussian(scale**2, ITEMS)),
            _rate(lambda law=theirs_g, zeros=zeros: law(zeros)),
            _rate(lambda scale=scale: numpy.random.default_rng().normal(0, float(scale), ITEMS)),
        ]
        rows.append([f"{float(scale):g}", *(f"{rate / 1e6:.3f}" for rate in found)])
    head = ["scale", "Laplace", "OpenDP Laplace", "Gaussian", "OpenDP Gaussian", "numpy normal (insecure)"]
    show(f"Noise, million items a second (vectors of {ITEMS:,})", head, rows)


def _rate(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return ITEMS / (time.perf_counter() - start)
