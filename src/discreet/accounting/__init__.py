"""Composition: what several answers cost together, by every theorem that the field has for it.

**Fixed in advance, or adaptive.** Each theorem here speaks of queries whose number and prices are fixed before the
first is asked. Then any of them holds, and so does the smallest total of several. An analyst who chooses the next
query, or whether to go on, by what was answered needs a filter instead: stopping when one of these curves crosses the
budget is not sound. The ledger is a filter (``ledger.accountants``) and leans on none of these totals; the conversion
of ``concentrated`` is the one thing that they share.

**What is composed.** ``Query(epsilon, delta)``: any mechanism of that guarantee, of which nothing else is known. Its
worst case is randomised response (Kairouz, Oh, Viswanath 2015), whose total is therefore the exact one. Where the
mechanism is known (Laplace or Gaussian noise) its own curve is below that.

    query       Query, and the checks of every number      pld            exact for any list, numerically
    basic       sums                                       renyi          one curve an order, summed
    advanced    Dwork, Rothblum, Vadhan 2010               concentrated   zCDP, and its conversion
    kov         the exact total of equal queries           gaussian       exact for Gaussian noise
    self_adaptive  the least of three bounds, any list     apart          groups of units, and disjoint parts
    comparison  all of them side by side                   slots          noise and guarantees of a number of slots
    formulas    textbook formulas of continuous noise      gaussian_dp    precision: what a ledger adds up under GDP
    linear      many counting queries at one budget
"""

from __future__ import annotations

from discreet.accounting import linear
from discreet.accounting.advanced import advanced
from discreet.accounting.apart import group, parallel
from discreet.accounting.basic import basic
from discreet.accounting.comparison import Comparison, Total, compose
from discreet.accounting.concentrated import zcdp
from discreet.accounting.gaussian import gaussian
from discreet.accounting.kov import kov, kov_points
from discreet.accounting.pld import pld
from discreet.accounting.query import Query
from discreet.accounting.renyi import rdp
from discreet.accounting.self_adaptive import self_adaptive
from discreet.accounting.slots import printed_mean_bound, printed_slot_sigma, printed_variance_bound, slot_sigma

__all__ = [
    "Comparison",
    "Query",
    "Total",
    "advanced",
    "basic",
    "compose",
    "gaussian",
    "group",
    "kov",
    "kov_points",
    "linear",
    "parallel",
    "pld",
    "printed_mean_bound",
    "printed_slot_sigma",
    "printed_variance_bound",
    "rdp",
    "self_adaptive",
    "slot_sigma",
    "zcdp",
]
