"""Drop each unit in turn and compare: does anything move by more than was declared?

Exact integers are compared, through the seam without noise and with one secret, so a violation is a
fact and not a chance. What a violation is called says which promise was broken:

    l1, l2        a part moved further than its declared sensitivity
    fell          a count fell where a unit was added: comparisons with a threshold lean on that
    probe         counts that a bound is chosen from moved further than declared, or one of them fell
    public        plan, bounds, noise, price, domain, SQL or a refusal depends on private rows
    error         a question fails on one of the two databases only
    shape         columns, types or (public) keys of the release depend on private rows
    lone          a dropped unit was alone in more groups, or counted more in one, than was declared
    threshold     a key that one unit alone holds is shown although its count is below the threshold
    plain         with wide bounds and clean data the exact answer is not what the database itself says
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import duckdb

from discreet.engines import Exact
from discreet.engines.duckdb import DuckDB
from discreet.errors import Refused
from discreet.plan.nodes import aggregate_of
from discreet.policy.model import Policy
from discreet.privacy.bounded import Kind, Noisy
from neighbours.world import Row, World
from seams import Walked, engine_over, exact, shown, silent, walk

SECRET = "the secret of this test"


@dataclass(frozen=True)
class Violation:
    check: str
    what: str


@dataclass(frozen=True)
class Seen:
    """One question on one database: what was walked or refused, and the exact vectors over the released groups."""

    walked: Walked | None
    refusal: str = ""
    failed: bool = False
    vectors: tuple[dict[Row, int], ...] = ()
    shape: tuple[object, ...] = ()
    keys: frozenset[Row] = frozenset()
    histograms: tuple[dict[tuple[Row, int], int], ...] = ()
    probes: tuple[dict[int, int], ...] = ()

    @property
    def public(self) -> object:
        return self.walked.public() if self.walked else self.refusal


RUNGS = (0, 1, 2, 12)
"""Where bounds are chosen: with which of the candidates a question is run, since any of them may be chosen."""


def violations(world: World, question: str) -> list[Violation]:
    """Every broken promise of this question on this database; the first of each kind and unit."""
    policy = world.policy()
    with duckdb.connect(":memory:") as connection:
        world.write(connection)
        with closing(engine_over(connection)) as engine:
            full = look(engine, policy, question)
            rungs = RUNGS if full.walked and full.walked.probes else RUNGS[:1]
            return [each for rung in rungs for each in _each(world, connection, engine, policy, question, rung)]


def _each(
    world: World, connection: duckdb.DuckDBPyConnection, engine: DuckDB, policy: Policy, question: str, rung: int
) -> Iterator[Violation]:
    """Without each unit; the first neighbour is planned anew, and so is the database without anybody."""
    world.write(connection)
    full = look(engine, policy, question, rung=rung)
    there = world
    for place, unit in enumerate(world.units):
        less = world.without(unit)
        less.write(connection, there)
        there = less
        for violation in compare(full, look(engine, policy, question, full if place else None, rung)):
            yield Violation(violation.check, f"without {unit!r}: {violation.what}")
    world.without_anybody().write(connection, there)
    for violation in compare(full, look(engine, policy, question, rung=rung)):
        if violation.check in ("public", "error", "shape"):
            yield Violation(violation.check, f"without anybody: {violation.what}")


def look(engine: DuckDB, policy: Policy, question: str, planned: Seen | None = None, rung: int = 0) -> Seen:
    """Plan a question, unless it is planned already, and run it."""
    try:
        walked = planned.walked if planned else walk(engine, policy, question, rung)
    except Refused as error:
        return Seen(None, refusal=repr(error.to_dict()))
    if walked is None:
        return planned or Seen(None)
    try:
        first = [engine.fetch(sql, asked, SECRET) for asked, sql in walked.probes]
        found = exact(engine, walked, SECRET)
        groups = silent(walked.program, found)
    except Exception as error:  # as the session does: whatever goes wrong here has one text
        return Seen(walked, failed=True, refusal=type(error).__name__)
    release = shown(walked.program, groups)
    keys = tuple(groups.keys) if walked.program.bounded.domain is not None else ()
    return Seen(
        walked,
        vectors=tuple(_vectors(walked, found)),
        shape=(tuple(release.columns), str(release.to_arrow().schema), keys),
        keys=frozenset(map(_key, groups.keys)),
        histograms=tuple(_histograms(walked, found)),
        probes=tuple(counts for each in first for [counts] in each.histograms),
    )


def _vectors(walked: Walked, found: Exact) -> Iterator[dict[Row, int]]:
    """Of each part, the number of every group that can be released."""
    domain = walked.program.bounded.domain
    declared = None if domain is None else {_key(key) for key in domain}
    keys = [_key(key) for key in found.keys]
    for part in found.parts:
        yield {key: number for key, number in zip(keys, part, strict=True) if declared is None or key in declared}


def _histograms(walked: Walked, found: Exact) -> Iterator[dict[tuple[Row, int], int]]:
    """Of each histogram, the rows of every cell of every group that can be released."""
    domain = walked.program.bounded.domain
    declared = None if domain is None else {_key(key) for key in domain}
    for histogram in found.histograms:
        yield {
            (key, cell): count
            for key, counts in zip(map(_key, found.keys), histogram, strict=True)
            if declared is None or key in declared
            for cell, count in counts.items()
        }


def _key(key: Row) -> Row:
    """NaN is one group, and is not equal to itself in Python."""
    return tuple("nan" if isinstance(value, float) and math.isnan(value) else value for value in key)


def compare(full: Seen, less: Seen) -> Iterator[Violation]:
    if full.public != less.public:
        yield Violation("public", f"{full.public!r} became {less.public!r}"[:500])
    if full.failed != less.failed:
        yield Violation("error", f"{full.refusal or 'an answer'} became {less.refusal or 'an answer'}")
    elif full.walked and not full.failed:
        if full.shape != less.shape:
            yield Violation("shape", f"{full.shape} became {less.shape}")
        yield from _moved(full, less)
        yield from _mixed(full, less)
        yield from _probed(full, less)
        yield from _lone(full, less)


def _moved(full: Seen, less: Seen) -> Iterator[Violation]:
    assert full.walked
    for part, more, fewer in zip(full.walked.program.bounded.parts, full.vectors, less.vectors, strict=True):
        steps = [more.get(key, 0) - fewer.get(key, 0) for key in more.keys() | fewer.keys()]
        l1, l2 = sum(map(abs, steps)), sum(step * step for step in steps)
        if l1 > part.l1:
            yield Violation("l1", f"{part.kind} moved by {l1} > {part.l1}")
        if l2 > part.l2_squared:
            yield Violation("l2", f"{part.kind} moved by {l2} > {part.l2_squared} (squared)")
        if part.kind is not Kind.SUM and min(steps, default=0) < 0:
            yield Violation("fell", f"{part.kind} fell by {-min(steps)}")


def _mixed(full: Seen, less: Seen) -> Iterator[Violation]:
    """Rows of a histogram: all in a cell that there is, and no more of one unit than declared."""
    assert full.walked
    for histogram, more, fewer in zip(
        full.walked.program.bounded.histograms, full.histograms, less.histograms, strict=True
    ):
        steps = [more.get(key, 0) - fewer.get(key, 0) for key in more.keys() | fewer.keys()]
        if sum(map(abs, steps)) > histogram.rows:
            yield Violation("l1", f"a histogram moved by {sum(map(abs, steps))} > {histogram.rows}")
        if not all(0 <= cell < histogram.cells for _, cell in more):
            yield Violation("shape", f"cells outside of {histogram.cells}")


def _probed(full: Seen, less: Seen) -> Iterator[Violation]:
    """What bounds are chosen from: a unit more makes counts larger, none smaller, and by as much as was declared."""
    assert full.walked
    histograms = [each for asked, _ in full.walked.probes for each in asked.histograms]
    for histogram, more, fewer in zip(histograms, full.probes, less.probes, strict=True):
        steps = [more.get(cell, 0) - fewer.get(cell, 0) for cell in more.keys() | fewer.keys()]
        if min(steps, default=0) < 0 or sum(steps) > histogram.rows:
            yield Violation("probe", f"counts moved by {steps}, {histogram.rows} declared")
        if not all(0 <= cell < histogram.cells for cell in more):
            yield Violation("shape", f"cells outside of {histogram.cells}")


def _lone(full: Seen, less: Seen) -> Iterator[Violation]:
    assert full.walked
    bounded = full.walked.program.bounded
    if bounded.units_part is None:
        return
    place = bounded.parts.index(bounded.units_part)
    alone = {key: count for key, count in full.vectors[place].items() if key not in less.vectors[place]}
    if len(alone) > bounded.groups or any(count > 1 for count in alone.values()):
        yield Violation("lone", f"alone in {len(alone)} groups of {bounded.groups}, counting {max(alone.values())}")
    if alone.keys() & full.keys:
        yield Violation("threshold", f"{len(alone.keys() & full.keys)} keys of one unit are shown")


def answered(world: World, question: str) -> bool:
    """Whether the question is answered at all: a battery of refusals would prove nothing."""
    with duckdb.connect(":memory:") as connection:
        world.write(connection)
        with closing(engine_over(connection)) as engine:
            seen = look(engine, world.policy(), question)
            return seen.walked is not None and not seen.failed


def plain(world: World, question: str) -> list[Violation]:
    """The exact answer beside what the database itself says to the analyst's own words."""
    with duckdb.connect(":memory:") as connection:
        world.write(connection)
        expected = connection.execute(question).fetchall()
        with closing(engine_over(connection)) as engine:
            walked = walk(engine, world.policy(), question)
            found = exact(engine, walked, SECRET)
            width = len(aggregate_of(walked.program.bounded.plan).keys)
            ours = dict(_answers(walked, found))
    theirs = {row[:width]: row[width:] for row in expected}
    wrong = {key for key in ours.keys() | theirs.keys() if not _agree(ours.get(key), theirs.get(key))}
    return [Violation("plain", f"{key}: {ours.get(key)} and {theirs.get(key)}") for key in wrong]


def _answers(walked: Walked, found: Exact) -> Iterator[tuple[Row, Row]]:
    """Each group with the value of every output, combined as a release combines them."""
    bounded = walked.program.bounded
    for place, key in enumerate(found.keys):
        values: list[Any] = []
        for output in bounded.outputs:
            parts = output.parts.values()
            numbers = [found.parts[bounded.parts.index(part)][place] * part.grid for part in parts]
            values.append(output.value([Noisy(number, number, number) for number in numbers]))
        yield key, tuple(values)


def _agree(ours: Row | None, theirs: Row | None) -> bool:
    """No rows and a sum of nothing are zero in a release; doubles agree as far as the grid goes."""
    pairs = zip(ours or [0] * len(theirs or ()), theirs or [0] * len(ours or ()), strict=True)
    return all(_near(a, b) for a, b in pairs)


def _near(a: Any, b: Any) -> bool:
    a, b = (float(x) if isinstance(x, Decimal) else x or 0 for x in (a, b))
    return a == b if isinstance(a, int) and isinstance(b, int) else math.isclose(a, b, rel_tol=1e-4, abs_tol=1e-3)
