"""Accuracy that depends on the data: noise that becomes less, step by step, until what is released is sharp enough.

Theory. Trying prices until one fits and charging the last is not sound. What is sound is to release at growing
sharpness in such a way that everything seen up to a step costs what that step alone would:

- Gaussian noise: each step is a fresh release, and what is told is their mean, weighted by precision. Precision and
  price add up alike, so the price of all of them is that of the mean. (The Brownian mechanism of Whitehouse, Wu, Ramdas
  and Rogers 2022 in increments; here on the grid, where each increment is exact.)
- Laplace noise: each coarser release is a random function of the next sharper one, so all of them together say no more
  than the sharpest (Koufogiannis, Han and Pappas 2015; here for the discrete law).

When to stop is decided by looking at what was released. The price is then a function of the answer:
docs/proofs/ex-post.md says why that is sound when the most that it may cost was reserved before,
docs/proofs/noise-reduction.md has the two laws, and docs/proofs/stopping.md why intervals hold although the numbers
themselves decide when to stop.

    levels           how sharp each step is          looks     how wide intervals must be, wherever it stops
    steps            the law of noise at a step      climb     the rule: when a number is sharp enough
    gaussian_steps, laplace_steps, staying           plan      from a goal to a program, and to what it cost
"""

from __future__ import annotations

from discreet.mechanisms.sharpening.gaussian_steps import FineGaussianSteps, GaussianSteps
from discreet.mechanisms.sharpening.laplace_steps import LaplaceSteps
from discreet.mechanisms.sharpening.steps import Steps

__all__ = ["STEPS"]

STEPS: dict[str, type[Steps]] = {"gdp": FineGaussianSteps, "pure": LaplaceSteps, "zcdp": GaussianSteps}
"""By the currency of the accounting."""
