"""Do these draws follow that law? Fixed critical values: a right sampler fails a check less than once in 1e9 runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
from scipy import stats

FALSE_ALARM = 1e-10
LEAST_EXPECTED = 60


def cut(below_or_at: Callable[[int], float], spread: float, n: int, cells: int) -> list[int]:
    """Edges e1 < e2 < ... so that every cell (..e1], (e1..e2], ... (last..) expects enough of the n draws."""
    least = max(LEAST_EXPECTED / n, 1 / cells)
    reach = int(40 * spread) + 4
    edges, reached = [], 0.0
    while True:
        low, high = (edges[-1] if edges else -reach), reach
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if below_or_at(middle) - reached >= least else (middle, high)
        if 1 - below_or_at(high) < least:
            return edges
        edges.append(high)
        reached = below_or_at(high)


def count_cells(draws: Sequence[int], edges: Sequence[int]) -> np.ndarray:
    return np.bincount(np.searchsorted(np.array(edges), np.array(draws), side="left"), minlength=len(edges) + 1)


def misfit(draws: Sequence[int], below_or_at: Callable[[int], float], spread: float, cells: int = 24) -> float:
    """Pearson's statistic over its critical value: above 1 the draws do not follow the law."""
    edges = cut(below_or_at, spread, len(draws), cells)
    assert len(edges) >= 1, "a law with a single likely value is checked otherwise"
    upto = np.array([0.0, *(float(below_or_at(edge)) for edge in edges), 1.0])
    expected = np.diff(upto) * len(draws)
    seen = count_cells(draws, edges)
    return float(((seen - expected) ** 2 / expected).sum() / stats.chi2.isf(FALSE_ALARM / 1e3, len(edges)))


def surprising(hits: int, n: int, chance: float) -> bool:
    """Whether the exact binomial law finds so many, or so few, hits less likely than the false alarm."""
    return bool(min(stats.binom.cdf(hits, n, chance), stats.binom.sf(hits - 1, n, chance)) < FALSE_ALARM / 2)


def differ(first: Sequence[int], second: Sequence[int], cells: int = 40) -> float:
    """Two samples of one unknown law: the statistic over its critical value."""
    both = np.sort(np.concatenate([np.array(first), np.array(second)]))
    quantiles = np.unique(both[np.linspace(0, len(both) - 1, cells + 1).astype(int)[1:-1]])
    table = np.array([count_cells(first, quantiles), count_cells(second, quantiles)])
    table = table[:, table.sum(axis=0) >= 2 * LEAST_EXPECTED]
    statistic = stats.chi2_contingency(table, correction=False).statistic
    return float(statistic / stats.chi2.isf(FALSE_ALARM / 1e3, table.shape[1] - 1))


def sign_pairs(draws: Sequence[int]) -> float:
    """Does a draw foretell the sign or the size class of the next? The statistic over its critical value."""
    middle = float(np.median(np.abs(np.array(draws))))
    kinds = [(x > 0, abs(x) > middle) for x in draws]
    names = sorted(set(kinds))
    pairs = Counter(zip(kinds[:-1:2], kinds[1::2], strict=False))
    table = np.array([[pairs[a, b] for b in names] for a in names])
    statistic = stats.chi2_contingency(table, correction=False).statistic
    return float(statistic / stats.chi2.isf(FALSE_ALARM / 1e3, (len(names) - 1) ** 2))
