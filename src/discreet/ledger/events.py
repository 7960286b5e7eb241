"""What happened to the data, as data: accountants price an event that they know and refuse any other.

The meaning of an event never changes and no event is removed (ledgers are for ever).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

__all__ = [
    "AboveThreshold",
    "Charge",
    "Event",
    "ExponentialChoice",
    "FineGaussianNoise",
    "GaussianNoise",
    "KeyThreshold",
    "LaplaceNoise",
    "PermuteAndFlipChoice",
    "RandomisedAnswer",
    "SharpenedFineGaussian",
    "SharpenedGaussian",
    "SharpenedLaplace",
    "SmoothNoise",
    "StabilityThreshold",
]


@dataclass(frozen=True, slots=True)
class LaplaceNoise:
    """Discrete Laplace noise of scale ``l1 / ratio`` on a vector of L1 sensitivity ``l1``."""

    ratio: Fraction


@dataclass(frozen=True, slots=True)
class GaussianNoise:
    """Discrete Gaussian noise of variance ``l2**2 / ratio_squared`` on a vector of L2 sensitivity ``l2``."""

    ratio_squared: Fraction


@dataclass(frozen=True, slots=True)
class FineGaussianNoise:
    """Gaussian noise of variance ``l2**2 / ratio_squared``, drawn on a grid 2**32 times as fine, and rounded."""

    ratio_squared: Fraction


@dataclass(frozen=True, slots=True)
class KeyThreshold:
    """Undeclared group keys were shown where a noisy count of units passed a threshold.

    ``delta`` bounds the chance that any key of one unit alone is shown.
    """

    delta: Fraction


@dataclass(frozen=True, slots=True)
class ExponentialChoice:
    """A cell was drawn with weight exp(-rate * distance), where a unit moves no two distances apart by ratio / rate."""

    ratio: Fraction


@dataclass(frozen=True, slots=True)
class PermuteAndFlipChoice:
    """A random one of the cells whose coins of such a chance showed heads; ``ratio`` is as above."""

    ratio: Fraction


@dataclass(frozen=True, slots=True)
class RandomisedAnswer:
    """Rows were shown with their answers randomised, where a unit decides one row at most.

    A row shows each wrong answer with a chance of exp(-ratio) times that of the right one.
    """

    ratio: Fraction


@dataclass(frozen=True, slots=True)
class AboveThreshold:
    """Counts, which one unit more never lowers, were compared with a threshold, one after another.

    In units of what one unit can move: the threshold has one discrete Laplace noise of scale ``1 / threshold`` for all
    comparisons; each comparison has a fresh one, and is worth ``answers / n`` where it is one of at most n that say
    "above", and nothing where it says "not above".
    """

    threshold: Fraction
    answers: Fraction

    def __post_init__(self) -> None:
        if self.threshold <= 0 or self.answers <= 0:
            raise ValueError("neither the threshold nor the comparisons go without noise")


@dataclass(frozen=True, slots=True)
class SmoothNoise:
    """Noise in proportion to a smooth bound on what a unit can move.

    It is (ratio, delta)-private in each of the ``groups`` groups that a unit may touch.
    """

    ratio: Fraction
    delta: Fraction
    groups: Fraction


@dataclass(frozen=True, slots=True)
class StabilityThreshold:
    """Answers were shown where a noisy distance passed a threshold.

    ``delta`` bounds the chance that any is shown where a single unit could have made it another.
    """

    delta: Fraction


@dataclass(frozen=True, slots=True)
class SharpenedGaussian:
    """Gaussian noises were put on one vector, fresh ones one after the other, as long as what was released so far asked
    for more: discrete ones on the vector's grid or a finer one. ``ratio_squared`` is the sum of theirs."""

    ratio_squared: Fraction


@dataclass(frozen=True, slots=True)
class SharpenedFineGaussian:
    """The same of noises that are drawn on a grid 2**32 times as fine."""

    ratio_squared: Fraction


@dataclass(frozen=True, slots=True)
class SharpenedLaplace:
    """A vector was released with discrete Laplace noise of falling scale, as long as what was released so far asked for
    more, each release being a random function of the next; ``ratio`` is that of the last."""

    ratio: Fraction


Event = (
    LaplaceNoise
    | GaussianNoise
    | FineGaussianNoise
    | KeyThreshold
    | ExponentialChoice
    | PermuteAndFlipChoice
    | RandomisedAnswer
    | AboveThreshold
    | SmoothNoise
    | StabilityThreshold
    | SharpenedGaussian
    | SharpenedFineGaussian
    | SharpenedLaplace
)


@dataclass(frozen=True, slots=True)
class Charge:
    """An amount of the dataset's currency and of delta; rho under zCDP, epsilon under pure, precision under GDP."""

    amount: Fraction
    delta: Fraction = Fraction(0)

    def __add__(self, other: Charge) -> Charge:
        return Charge(self.amount + other.amount, self.delta + other.delta)
