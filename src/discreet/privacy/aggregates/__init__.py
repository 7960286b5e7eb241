"""The aggregates: one file each, and here the table of them.

An aggregate is asked for its parts, bounded integer vectors that engines know how to compute, and
gives back an ``Output``: how noisy parts combine into a number, and how sure that number is. To add
one, write its file and its line.
"""

from collections.abc import Callable

from discreet.plan.nodes import Aggregation
from discreet.privacy.aggregates.avg import average
from discreet.privacy.aggregates.count import count
from discreet.privacy.aggregates.count_distinct import count_distinct
from discreet.privacy.aggregates.mode import mode
from discreet.privacy.aggregates.quantile import quantile, quantiles
from discreet.privacy.aggregates.sum import total
from discreet.privacy.aggregates.variance import variance
from discreet.privacy.bounded import Output
from discreet.privacy.unit import Unit

__all__ = ["AGGREGATES"]

AGGREGATES: dict[str, Callable[[Aggregation, Unit], Output]] = {
    "avg": average,
    "count": count,
    "count_distinct": count_distinct,
    "max": quantile,
    "median": quantile,
    "min": quantile,
    "mode": mode,
    "quantile": quantile,
    "quantiles": quantiles,
    "stddev_pop": variance(sample=False, root=True),
    "stddev_samp": variance(sample=True, root=True),
    "sum": total,
    "var_pop": variance(sample=False, root=False),
    "var_samp": variance(sample=True, root=False),
}
