"""The one touch of private data, and the version of what is touched."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable

from discreet.engines import Exact
from discreet.errors import EngineError
from discreet.mechanisms.noise_source import secret
from discreet.privacy import Bounded
from discreet.session.engines import Engines
from discreet.session.orders import Listed
from discreet.session.planning import Asked, Planner

__all__ = ["Fetcher"]


class Fetcher:
    """Runs what is paid for; ``salt`` is the ledger's secret."""

    def __init__(self, engines: Engines, planner: Planner, salt: bytes) -> None:
        self._engines, self._planner, self._salt = engines, planner, salt

    def version(self) -> str:
        """The data version under the ledger's secret: file times and sizes are not for everyone's eyes."""
        return hmac.new(self._salt, self._engines.here().version().encode(), hashlib.sha256).hexdigest()

    def fetch(self, asked: Asked, key: str, bounded: Bounded | None = None) -> Exact:
        """What is asked, as it is ``bounded`` after all, or a probe for its bounds.

        A question for declared groups alone needs no look at the data.
        """
        bounded = bounded or asked.bounded
        if not bounded.parts and not bounded.histograms:
            return Exact([], [])
        engine = self._engines.here()
        sql = asked.engine_sql if bounded is asked.bounded else engine.emit(bounded)
        exact = engine.fetch(sql, bounded, key)
        self._check_unchanged([asked])
        return exact

    def fetch_list(self, listed: Listed, asked: Iterable[Asked]) -> list[Exact]:
        """What each tally counts, under a secret of its own; ``asked`` are the statements of the list."""
        engine, tallies = self._engines.here(), listed.joint.tallies
        found = [
            engine.fetch(sql, tally.question, secret()) for sql, tally in zip(listed.engine_sql, tallies, strict=True)
        ]
        self._check_unchanged(asked)
        return found

    def _check_unchanged(self, asked: Iterable[Asked]) -> None:
        """Files may be replaced while they are read, and public ones bound the sensitivity: if what was planned would
        be planned otherwise now, nothing is released."""
        if any(self._planner.ask(each.statement, each.dialect).name != each.name for each in asked):
            raise EngineError
