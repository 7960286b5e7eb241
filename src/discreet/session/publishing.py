"""The owner's act: what is released once, and paid for once, gets a name by which anybody may ask it for nothing.

    publishable? -> answer (reserve, fetch, draw, settle) -> publish

Between the last two the answer is kept: whoever is interrupted publishes it again, at no further price.
"""

from __future__ import annotations

from discreet.errors import Refused
from discreet.ledger import Ledger
from discreet.ledger.publications import taken
from discreet.plan.nodes import aggregate_of
from discreet.policy.catalogue import PUBLISHED, Catalogue
from discreet.policy.names import fold
from discreet.privacy.publishable import PLAIN
from discreet.release import Release
from discreet.release.answers import Answers
from discreet.release.counts import Counts
from discreet.release.view import Content, free_name
from discreet.session.answering import Desk
from discreet.session.orders import Order
from discreet.session.planning import Planner, Prepared
from discreet.session.price import Price

__all__ = ["Press"]


class Press:
    """Where publications are made."""

    def __init__(self, analyst: str | None, catalogue: Catalogue, planner: Planner, desk: Desk, ledger: Ledger) -> None:
        self._analyst, self._catalogue = analyst, catalogue
        self._planner, self._desk, self._ledger = planner, desk, ledger

    def publish(
        self, name: str, sql: str, price: Price, rows: int | None, dialect: str | None, *, replace: bool
    ) -> Release:
        """The release that was published: paid for now, or the one that this name has already."""
        name = self._named(name)
        prepared = self._planner.publication(sql, price, rows, dialect)
        standing = self._ledger.names().get(name)
        if standing is not None:
            kept = self._desk.before(Order((prepared,)))
            if kept is not None and kept[0].receipt.id == self._ledger.publication(standing).receipt.id:
                return kept[0]
            if not replace:
                raise taken(name)
        release = self._desk.answer(Order((prepared,)))[0]
        self._ledger.publish(name, _content(prepared, release).to_bytes(), release.receipt, replace=replace)
        return release

    def _named(self, name: str) -> str:
        if self._analyst is not None:
            hint = "publish without the name of an analyst"
            raise Refused("owners-act", "what is published is the owner's to decide, not an analyst's", hint)
        if not PLAIN.fullmatch(name):
            hint = "write a short name of letters, digits and _, such as people_by_city"
            raise Refused("bad-name", f"a publication cannot be called {name!r}", hint)
        if self._catalogue.table(f"{PUBLISHED}.{name}") is not None:
            message = f"the policy has a table {PUBLISHED}.{name} of its own"
            raise Refused("bad-name", message, "choose another name")
        return fold(name)


def _content(prepared: Prepared, release: Release) -> Content:
    """Columns, numbers and their law, as public as the release itself."""
    asked, program = aggregate_of(prepared.asked.bounded.plan), release.program
    columns = tuple((key.name, key.value.type) for key in asked.keys)
    statement, dialect = prepared.asked.statement, prepared.asked.dialect
    if program.survey is not None:
        return Content(statement, dialect, columns, None, Answers.of(program.survey, release.groups))
    (part,) = program.bounded.parts
    keys, numbers = tuple(release.groups.keys), tuple(release.groups.parts[0])
    written = asked.aggregations[0].name
    counted = free_name(written if PLAIN.fullmatch(written) else "n", [name for name, _ in columns])
    return Content(statement, dialect, columns, counted, Counts.of(keys, numbers, program.noise_of(part)))
