"""Mechanisms: how much noise, of which law, at what price, as one value.

Theory. A statement's numbers are a vector of integers, counted in steps of the plan's grid. Adding or removing one
unit moves it by at most ``l1`` in the sum of absolute changes and by at most sqrt(``l2_squared``) in Euclid's length;
the emitted SQL enforces that. A mechanism adds to every cell an independent integer, drawn exactly:

- discrete Laplace of scale b: the chance of any answer changes by a factor of at most exp(l1 / b). The event is the
  ratio r = l1 / b; pure accounting charges r, zCDP min(r**2 / 2, r).
- discrete Gaussian of variance parameter s2: the Renyi divergence of order a is at most a * l2_squared / (2 s2). The
  event is r**2 = l2_squared / s2; zCDP charges r**2 / 2, pure accounting has no price for it.
- fine Gaussian of the same variance, drawn on a finer grid and rounded: within a hair of normal noise, which is what
  Gaussian DP charges r**2 of precision for; the others have no price for it.

``calibrate`` turns this round: from what may be spent to the least noise, so the noise and its event are made together
and cannot come apart. Where ``l1`` is 0 no unit can change the answer: it is the same in every neighbouring database,
which is the definition of giving nothing away, so it is released without noise under an event of ratio 0, which costs
nothing.

What is not a number to be blurred is a cell to be chosen: a median, a maximum, the most frequent value. An engine
counts rows in the cells of a declared range; each cell has a whole distance from what is wanted (``scores``), and a
choice is drawn that prefers the near ones (``lots``); ``picks`` makes answers of choices, and ``together`` of many
that are helped by counts. One unit may move the distances of any two cells apart by at most ``moved``:

- exponential mechanism, weight exp(-rate * distance): the logarithm of how the chance of a cell changes lies, over all
  cells, in an interval of length r = rate * moved. Pure accounting charges r, zCDP min(r**2 / 8, r).
- permute-and-flip, coins of that chance: the same r, never worse at it; zCDP charges min(r**2 / 2, r).

What is to be published as rows is asked in a survey (``survey``): a public number of rows, of which a unit decides one
at most, each showing the right one of K answers with odds of exp(r) against each other one (``randomised_response``).
Pure accounting charges r, zCDP r tanh(r / 2).

What is only asked about is whether counts are above a threshold, one after another (``sparse_vector``): the threshold's
noise is kept, each comparison has a fresh one, and what is not above is free. The event holds the threshold's share t
and the answers' share a; pure accounting charges t + a, zCDP min((t + 2a)**2 / 8, t + a).

What is asked for by name (``method``) releases a quantile in other ways, by what its own rows allow (``jumps``): with
noise in proportion to a smooth bound (``smooth``), or, where a noisy count of units says that this is safe, with noise
for a proposed bound (``proposal``) or exactly (``stable``). Smooth noise has a real law, is drawn exactly and rounded
once (``ratios``), and is charged like a pure mechanism of its epsilon, and its delta. A test is charged as the noise on
its count, and the delta with which it may be wrong.

Amounts, scales and ratios are fractions. Floats appear in what is told (``spread``) and in bounds on chances, which
are raised past their rounding (``rounding``). Noise is added to Python integers only (``perturb``): a fraction, a
float or a Decimal is refused. ``noise_source`` alone draws. docs/proofs has one note for each mechanism.

A new mechanism is one file here, one line in ``MECHANISMS`` (noise), ``CHOICES`` or ``SMOOTH``, and one note in
docs/proofs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Protocol, Self

from discreet.mechanisms.exponential_choice import Exponential
from discreet.mechanisms.fine_gaussian import FineGaussian
from discreet.mechanisms.gaussian import Gaussian
from discreet.mechanisms.laplace import Laplace
from discreet.mechanisms.permute_and_flip import PermuteAndFlip
from discreet.mechanisms.smooth_cauchy import SmoothCauchy
from discreet.mechanisms.smooth_gaussian import SmoothGaussian
from discreet.mechanisms.smooth_laplace import SmoothLaplace

if TYPE_CHECKING:
    from fractions import Fraction

    from discreet.ledger.events import Event
    from discreet.mechanisms.scores import Scores

__all__ = ["CHOICES", "MECHANISMS", "SMOOTH", "Admissible", "Choice", "Mechanism"]


class Mechanism(Protocol):
    """One law of noise, already scaled, with the event that a ledger prices. All lengths are in grid steps."""

    name: ClassVar[str]

    @property
    def event(self) -> Event: ...

    @classmethod
    def calibrate(cls, l1: int, l2_squared: int, amount: Fraction, accounting: str) -> Self | None:
        """The least noise whose event is charged at most ``amount``; None where the accounting has no price for it."""
        ...

    @property
    def spread(self) -> float:
        """The scale that is told to users."""
        ...

    def half_width(self, confidence: float) -> int:
        """The least w for which the noise stays within -w..w with at least this chance."""
        ...

    def upper_tail(self, t: int) -> float:
        """Never less than P(noise >= t), and hardly more."""
        ...

    def draw(self, n: int) -> list[int]:
        """``n`` fresh independent draws."""
        ...


MECHANISMS: dict[str, type[Mechanism]] = {"fine-gaussian": FineGaussian, "gaussian": Gaussian, "laplace": Laplace}


class Choice(Protocol):
    """One way to choose a cell by its distance, with the event that a ledger prices."""

    name: ClassVar[str]

    @property
    def rate(self) -> Fraction:
        """A cell's chance falls by exp(-rate) for each step of distance."""
        ...

    @property
    def event(self) -> Event: ...

    @classmethod
    def calibrate(cls, moved: int, amount: Fraction, accounting: str) -> Self:
        """The sharpest choice whose event is charged at most ``amount``."""
        ...

    def slack(self, cells: int, miss: float) -> int:
        """The distance that the chosen one of so many cells has or passes with a chance of at most ``miss``."""
        ...

    def choose(self, scores: Scores) -> int:
        """One cell, freshly drawn."""
        ...


CHOICES: dict[str, type[Choice]] = {"permute-and-flip": PermuteAndFlip, "exponential": Exponential}


class Admissible(Protocol):
    """A law of noise that may be put in proportion to a smooth bound S, with the event that a ledger prices."""

    name: ClassVar[str]
    tail_95: ClassVar[float]
    """What the standard law stays within at 95 %."""

    @property
    def strength(self) -> Fraction:
        """The noise has the scale S / strength."""
        ...

    @property
    def rate(self) -> Fraction:
        """By how much ln(S) may differ between neighbours."""
        ...

    @property
    def event(self) -> Event: ...

    @classmethod
    def calibrate(cls, epsilon: Fraction, delta: Fraction | None, groups: int) -> Self | None:
        """(epsilon, delta)-private in each of the groups; None where it needs a delta and there is none."""
        ...

    def steps(self, bound: Fraction, most: int) -> int:
        """A fresh draw at S = ``bound``, to the nearest whole number, cut off at ``most`` on either side."""
        ...


SMOOTH: dict[str, type[Admissible]] = {
    "smooth-cauchy": SmoothCauchy,
    "smooth-laplace": SmoothLaplace,
    "smooth-gaussian": SmoothGaussian,
}
