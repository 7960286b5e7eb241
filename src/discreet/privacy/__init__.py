"""How much one unit can move an answer: facts go up the tree, and come out as declared sensitivities.

**Promise.** Two databases are neighbours when one of them has one unit more, with all of its rows
in every private table (a row reached through a chain of keys belongs to every unit that the
chain reaches, and is there as long as one of those units is). For every question that leaves this
room, each part of the answer, a vector over the groups, differs between neighbours by at most
``l1`` in L1 and ``l2_squared`` in squared L2 norm, in steps of its grid. Shape, keys, errors and
price do not differ at all.

**Why it holds.** Let J be the joined and filtered rows before any truncation. (1) Each row of J has
one value of the unit column, and whether it is in J depends on rows of that unit and of public tables
alone: private tables meet only on the unit itself or along a declared key whose parent carries the
unit, and a filter looks at one row. (2) Every truncation is a window whose partition includes the
unit, so what is kept of a unit depends on that unit's rows and on the secret of the query, never on
another unit. (3) What is kept of a unit is at most ``rows`` rows in at most ``groups`` groups, since the
windows count. (4) Each kept row adds a bounded integer, since the clamp is the last thing that happens
to it. So an answer is a sum over units of bounded vectors, and a neighbour has one summand more.
docs/proofs/bounding.md has it in full.

Reading order: ``ranges`` and ``grids`` (what a scalar can be), ``facts`` (whose rows, how many), ``keys``
(which groups), ``aggregates`` (parts of each answer), ``bound`` (the door).
"""

from discreet.privacy.bound import aligned, bound
from discreet.privacy.bounded import Bounded

__all__ = ["Bounded", "aligned", "bound"]
