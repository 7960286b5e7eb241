"""Noise for a number of slots that is fixed before the first of them: the query-budget protocol.

The owner grants t basic queries. Each gets Gaussian noise of deviation sigma sqrt(t) times its sensitivity, so that all
t together are one answer of deviation sigma. Two ways to a sigma:

- ``printed_slot_sigma``: (sqrt(L) + sqrt(L + epsilon)) / (sqrt(2) epsilon), L = ln(1 / delta), from one order of Renyi;
- ``slot_sigma``: the least one that is (epsilon, delta)-private (Balle, Wang 2018).

The protocol gives guarantees of its own for quotients. With n, S and T the noisy count, sum and sum of squares, and
s_i the deviations of their noises, c_i = s_i sqrt(2 ln(4 / a)) bounds each noise but for a chance of a / 2. Where
n > 2 c_n,

    |mean - S / n| <= f(S) = c_S / n + 2 c_n (|S| + c_S) / n**2,

since the true count is then at least n / 2, and a true sum at most |S| + c_S. For the variance

    f(T) + f(S) (f(S) + 2 |S| / n).

As they were printed, the sum stood without its absolute value, which is wrong for negative ones. Two noises miss with
a chance of at most a, the three of a variance with 3 a / 2.
"""

from __future__ import annotations

from math import log, sqrt

from discreet.accounting.gaussian import sigma_of
from discreet.accounting.query import Query, check_delta

__all__ = ["printed_mean_bound", "printed_slot_sigma", "printed_variance_bound", "slot_sigma"]


def printed_slot_sigma(epsilon: float, delta: float) -> float:
    """The formula as it is printed; it is sound, and about a sixth larger than need be."""
    check_delta(delta)
    spare = log(1 / delta)
    return (sqrt(spare) + sqrt(spare + epsilon)) / (sqrt(2) * epsilon)


def slot_sigma(epsilon: float, delta: float) -> float:
    return sigma_of(Query(epsilon, delta))


def printed_mean_bound(number: float, off_number: float, total: float, off_total: float, a: float) -> float | None:
    """How far S / n may be from the mean but for a chance of a; None where n is too small for it to hold."""
    reach = sqrt(2 * log(4 / a))
    if number <= 2 * reach * off_number:
        return None
    sure_number, sure_total = reach * off_number, reach * off_total
    return sure_total / number + 2 * sure_number * (abs(total) + sure_total) / number**2


def printed_variance_bound(
    number: float, off_number: float, total: float, off_total: float, squares: float, off_squares: float, a: float
) -> float | None:
    """How far T / n - (S / n)**2 may be from the variance but for a chance of 3 a / 2."""
    of_squares = printed_mean_bound(number, off_number, squares, off_squares, a)
    of_total = printed_mean_bound(number, off_number, total, off_total, a)
    if of_squares is None or of_total is None:
        return None
    return of_squares + of_total * (of_total + 2 * abs(total) / number)
