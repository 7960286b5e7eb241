"""OpenDP's integer mechanisms draw from the same laws: two samples that cannot be told apart."""

from __future__ import annotations

from fractions import Fraction

import opendp.prelude as dp
import pytest

from discreet.mechanisms import noise_source
from noise.harness import differ

N = 50_000
SCALES = [Fraction(1, 2), Fraction(7, 2), Fraction(81, 4), Fraction(12_345, 64), Fraction(1 << 20), Fraction(10**9)]

dp.enable_features("contrib")


@pytest.mark.parametrize("scale", SCALES, ids=str)
def test_laplace(scale: Fraction):
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")
    theirs = dp.m.make_laplace(*space, scale=float(scale))([0] * N)
    assert differ(noise_source.discrete_laplace(scale, N), theirs) < 1


@pytest.mark.parametrize("scale", SCALES, ids=str)
def test_gaussian(scale: Fraction):
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l2_distance(T=float)
    theirs = dp.m.make_gaussian(*space, scale=float(scale))([0] * N)
    assert differ(noise_source.discrete_gaussian(scale**2, N), theirs) < 1
