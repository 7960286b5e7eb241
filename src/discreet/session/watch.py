"""A watch in an analyst's hands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from types import TracebackType
from typing import Self

from discreet.errors import LedgerError
from discreet.ledger import Receipt
from discreet.ledger.watch import Outcome, Watched
from discreet.mechanisms.explanation import Cost
from discreet.mechanisms.watch_explanation import Counted
from discreet.release import Observation
from discreet.session.lookout import Lookout, Opened

__all__ = ["Watch"]


class Watch:
    """Says of counts, one after another, whether they are above a threshold, until its answers are used up.

    It is kept in the ledger: whoever opens it again by its name, in whatever process, goes on with the same watch.
    """

    def __init__(self, lookout: Lookout, opened: Opened, dialect: str | None) -> None:
        self._lookout, self._opened, self._dialect = lookout, opened, dialect
        self._closed = False

    def ask(self, sql: str, *, dialect: str | None = None) -> Observation:
        """Whether the count of one statement is above the threshold; what was said of it before is said again."""
        if self._closed:
            raise LedgerError("closed", "the watch is closed", f"go on with it: db.watch(name={self.name!r})")
        compared = self._lookout.ask(self._opened, sql, dialect or self._dialect)
        return Observation.of(compared, self._opened.program)

    def over(self, statements: Iterable[str], *, dialect: str | None = None) -> Iterator[Observation]:
        """Ask statements as they come, until there are no more or the last answer is given."""
        for sql in statements:
            observation = self.ask(sql, dialect=dialect)
            yield observation
            if observation.left == 0:
                return

    def explain(self, sql: str, *, dialect: str | None = None) -> Counted:
        """How far one unit moves the count of a statement, and how sure what is said of it would be. Costs nothing."""
        return self._lookout.count(self._opened.program, sql, dialect or self._dialect)

    @property
    def observations(self) -> list[Observation]:
        """What was said so far, oldest first."""
        found = self._lookout.watches.compared(self._seq)
        return [Observation.of(each, self._opened.program) for each in found if each.outcome is not Outcome.FAILED]

    @property
    def name(self) -> str:
        return self._opened.watched.name

    @property
    def above(self) -> int:
        return self._opened.watched.threshold.above

    @property
    def answers(self) -> int:
        return self._opened.watched.threshold.answers

    @property
    def release(self) -> bool:
        """Whether the noisy value of what is above is released, too."""
        return self._opened.watched.threshold.values

    @property
    def left(self) -> int:
        """How many times it can still say "above"."""
        return self._now().left

    @property
    def finished(self) -> bool:
        """Nothing new can be asked: its answers are used up, or the period that paid for it has ended."""
        return self.left == 0

    @property
    def until(self) -> datetime | None:
        """When it ends at the latest: with the period of the budget that it was paid from."""
        return self._now().until

    @property
    def resumed(self) -> bool:
        """It was there, and paid for, before this call."""
        return self._opened.resumed

    @property
    def cost(self) -> Cost:
        """What the whole of it costs, however much is asked."""
        return self._lookout.cost(self._opened)

    @property
    def receipt(self) -> Receipt:
        """Of its price: settled once the last answer is given, reserved before."""
        return self._lookout.watches.receipt(self._seq)

    def close(self) -> None:
        """Put it down. It stays in the ledger, to be gone on with."""
        self._closed = True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Watch {self.name!r}: above {self.above}, {self.left} of {self.answers} answers left>"

    @property
    def _seq(self) -> int:
        return self._opened.watched.opened.seq

    def _now(self) -> Watched:
        return self._lookout.watches.standing(self._seq)
