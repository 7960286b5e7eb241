"""Questions about publications: they are read from public tables of our own, touch no private data and cost nothing.

read -> bound -> ask the held tables -> Reading
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from discreet.engines import Engine
from discreet.engines.held import hold
from discreet.errors import Refused
from discreet.ledger import Ledger
from discreet.ledger.events import Charge
from discreet.mechanisms.explanation import Cost, Explanation, Offer, Planned
from discreet.mechanisms.program import Program
from discreet.plan.nodes import Plan, Scan, aggregate_of, scans
from discreet.plan.restated import restated
from discreet.plan.show import show
from discreet.policy.catalogue import PUBLISHED, Catalogue, KnownTable
from discreet.policy.names import fold
from discreet.privacy.bounded import Bounded, Output
from discreet.privacy.published import bound_published, published_scan
from discreet.release import Reading, Release, View
from discreet.release.evaluate import check
from discreet.release.reading import weights_of
from discreet.session.answering import Desk
from discreet.session.engines import Engines
from discreet.session.fetching import Fetcher
from discreet.session.planning import text_of
from discreet.sql import read, read_publication

__all__ = ["Read", "Reader"]

KEPT = 8
"""Publications that a connection holds in memory, each with what it was joined with."""

NOTHING = Cost(0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Read:
    """A question to a publication with its answer, which costs nothing to find out."""

    plan: Plan
    sql: str
    reading: Reading

    def explain(self) -> Explanation:
        """What the question is answered with."""
        reading = self.reading
        return Explanation(
            "answer",
            None,
            tuple(_planned(output, reading) for output in reading.program.bounded.outputs),
            "public" if aggregate_of(self.plan).keys else "none",
            len(reading.groups.keys),
            None,
            cost=NOTHING,
            plan=show(self.plan),
            bounds=f"read from {reading.view.qualified}: {reading.view.law}",
            engine_sql=self.sql,
        )


class Reader:
    """What is published, by the connection that reads it."""

    def __init__(self, engines: Engines, catalogue: Catalogue, ledger: Ledger, fetcher: Fetcher, desk: Desk) -> None:
        self._engines, self._catalogue, self._ledger = engines, catalogue, ledger
        self._fetcher, self._desk = fetcher, desk
        self._views: dict[int, View] = {}
        self._known: dict[int, KnownTable] = {}
        self._held: OrderedDict[object, Engine] = OrderedDict()

    def views(self) -> Mapping[str, View]:
        """Everything that is published now, by name; what another connection published a moment ago, too."""
        names = self._ledger.names()
        for entry in names.values():
            if entry not in self._views:
                self._views[entry] = View.of(self._ledger.publication(entry))
        return {name: self._views[entry] for name, entry in sorted(names.items())}

    def read(self, sql: str, dialect: str | None) -> Read | None:
        """The answer to a question about a publication; None where the question is about something else."""
        if PUBLISHED not in fold(text_of(sql)):
            return None
        catalogue = self._public()
        plan = read(sql, catalogue, dialect or self._engines.here().dialect).plan
        scan = published_scan(plan, catalogue)
        if scan is None:
            return None
        check(plan)
        return self.answer(plan, bound_published(plan, scan, catalogue), self._view(scan))

    def show(self, release: Release, name: str) -> Release:
        """What was just published, as it is read, at the price that was paid for it."""
        view = self.views()[name]
        plan = view.overview()
        (scan,) = scans(aggregate_of(plan).input)
        found = self.answer(plan, bound_published(plan, scan, self._public()), view).reading
        return replace(found, cost=release.cost, repeated=release.repeated)

    def _public(self) -> Catalogue:
        """What the policy names, and what is published."""
        return self._catalogue.with_published(map(self._table, self.views().values()))

    def _view(self, scan: Scan) -> View:
        return next(view for view in self.views().values() if view.qualified == scan.table)

    def _table(self, view: View) -> KnownTable:
        entry = view.entry
        if entry not in self._known:
            self._known[entry] = view.known()
        return self._known[entry]

    def offers(self, plan: Plan) -> tuple[Offer, ...]:
        """The publications that hold enough to answer a question to the data, and how sharp each would be."""
        found = [self._offer(plan, view) for view in self.views().values()]
        return tuple(offer for offer in found if offer is not None)

    def _offer(self, plan: Plan, view: View) -> Offer | None:
        table, made = Scan(view.qualified, view.name), self._made(view)
        asked = None if made is None else restated(plan, made, table)
        if asked is None or not aggregate_of(asked).aggregations:
            return None
        try:
            found = self.answer(asked, bound_published(asked, table, self._public()), view).reading
        except Refused:
            return None
        widths = {output.name: found.half_width(output) for output in found.program.bounded.outputs}
        return None if found.counts_nobody else Offer(view.qualified, widths, found.outdated)

    def _made(self, view: View) -> Plan | None:
        """What was published, as a question of now; None where policy or schema do not allow it any more."""
        content = view.content
        try:
            return read_publication(
                content.statement, self._catalogue, content.dialect or self._engines.here().dialect
            ).plan
        except Refused:
            return None

    def answer(self, plan: Plan, bounded: Bounded, view: View) -> Read:
        held = self._hold(view, bounded)
        sql = held.emit(bounded)
        groups, weights = weights_of(bounded, held.fetch(sql, bounded, ""))
        program = Program(bounded, (), (), None, (), Charge(Fraction(0)))
        left, whole = self._desk.purse()
        outdated = view.receipt.version != self._fetcher.version()
        reading = Reading(
            program, groups, NOTHING, left, whole, view.receipt, view=view, weights=weights, outdated=outdated
        )
        return Read(plan, sql, reading)

    def _hold(self, view: View, bounded: Bounded) -> Engine:
        """The publication in memory, beside the public tables of the question. Rows are listed, and cells counted."""
        source = self._engines.here()
        others = sorted({scan.table for scan in scans(bounded.relation)} - {view.qualified})
        version = source.version() if others else ""
        key = (os.getpid(), view.entry, not bounded.parts, tuple(others), version)
        if key not in self._held:
            own = view.cells() if bounded.parts else view.rows()
            self._held[key] = hold({view.qualified: own} | {name: source.table(name) for name in others})
            while len(self._held) > KEPT:
                self._held.popitem(last=False)
        return self._held[key]


def _planned(output: Output, reading: Reading) -> Planned:
    """A number of the answer, and the widest of its intervals."""
    roles = list(output.parts)
    return Planned(
        column=output.name,
        aggregate=roles[0] if len(roles) == 1 else "avg",
        l1=0,
        l2=0,
        mechanism=reading.view.content.numbers.mechanism,
        scale=reading.view.content.numbers.scale,
        half_width_95=reading.half_width(output),
    )
