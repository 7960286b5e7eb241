"""Many counting queries at one budget: the error that all of them keep at once, and the rows that make it small.

A counting query asks how many rows satisfy a condition; with n rows a share of them is the count over n. All answers
are within the error but for a chance of ``beta``, by the union bound. ``overlap`` is the most queries that one row
counts in: all of them, unless the conditions exclude each other, as those of a histogram do. It is the L1 sensitivity
of the list, and the square of its L2 sensitivity.

    Laplace     scale overlap / epsilon each; error scale ln(queries / beta)
    Gaussian    the least sigma for sqrt(overlap) (Balle, Wang 2018); error sigma z(beta / (2 queries))
    response    each row tells one bit itself, and lies with chance 1 / (1 + e**epsilon); as a share of the rows the
                error is sqrt(ln(2 / beta) / (2 n)) / tanh(epsilon / 2)

The error of noise does not grow with the rows, so a share is as sharp as alpha from n = error / alpha rows on. That of
randomised response grows with the root of the rows. The engine's own plan of a list (``discreet explain -f``) uses the
discrete laws and the list's real conditions; this is the textbook.
"""

from __future__ import annotations

from math import ceil, log, sqrt, tanh

from discreet.accounting.formulas import gaussian_accuracy, gaussian_sigma, laplace_accuracy

__all__ = [
    "gaussian_error",
    "gaussian_rows",
    "laplace_error",
    "laplace_rows",
    "response_error",
    "response_rows",
]


def laplace_error(queries: int, epsilon: float, beta: float, overlap: int | None = None) -> float:
    """The most that any answer is off by, in rows, but for a chance of ``beta``."""
    _check(queries, epsilon, beta, overlap)
    return laplace_accuracy((overlap or queries) / epsilon, beta, queries)


def laplace_rows(queries: int, epsilon: float, beta: float, alpha: float, overlap: int | None = None) -> int:
    """From how many rows on every share is off by at most ``alpha``."""
    return _rows(laplace_error(queries, epsilon, beta, overlap), alpha)


def gaussian_error(queries: int, epsilon: float, delta: float, beta: float, overlap: int | None = None) -> float:
    """The same for Gaussian noise, for which the whole list is (epsilon, delta)-private."""
    _check(queries, epsilon, beta, overlap)
    return gaussian_accuracy(gaussian_sigma(epsilon, delta, sqrt(overlap or queries)), beta / queries)


def gaussian_rows(
    queries: int, epsilon: float, delta: float, beta: float, alpha: float, overlap: int | None = None
) -> int:
    return _rows(gaussian_error(queries, epsilon, delta, beta, overlap), alpha)


def response_error(rows: int, epsilon: float, beta: float) -> float:
    """The most that one share is off by, as a share, where each of the rows answers at ``epsilon``; for k bits of a row
    together, the epsilon of each is a k-th, and so is its ``beta``."""
    _check(rows, epsilon, beta)
    return sqrt(log(2 / beta) / (2 * rows)) / tanh(epsilon / 2)


def response_rows(epsilon: float, beta: float, alpha: float) -> int:
    """From how many rows on a share is off by at most ``alpha``."""
    return _rows(response_error(1, epsilon, beta) ** 2 / alpha, alpha)


def _rows(error: float, alpha: float) -> int:
    """A whole number that comes out of floats a little too large is still that number."""
    if not 0 < alpha < 1:
        raise ValueError(f"an error as a share of the rows lies between 0 and 1, not at {alpha}")
    return ceil(error / alpha * (1 - 1e-12))


def _check(number: int, epsilon: float, beta: float, overlap: int | None = None) -> None:
    if number < 1 or not 1 <= (overlap or 1) <= number:
        raise ValueError("there is at least one query, and a row counts in one at least and in all at most")
    if not (epsilon > 0 and 0 < beta < 1):
        raise ValueError("epsilon is above 0, and the chance of a larger error lies between 0 and 1")
