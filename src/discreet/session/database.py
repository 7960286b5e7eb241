"""The front door: one dataset, asked by one analyst."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from discreet.errors import Refused
from discreet.ledger import Balance, Entry, Verification
from discreet.ledger.accountants import Accountant, accountant
from discreet.ledger.events import Charge
from discreet.ledger.opening import open_ledger
from discreet.mechanisms.explanation import Cost, Explanation, cost_of
from discreet.mechanisms.list_plan import Wanted
from discreet.mechanisms.watch_explanation import WatchExplanation
from discreet.policy.catalogue import Catalogue, resolve
from discreet.policy.load import load
from discreet.policy.model import Policy
from discreet.release import BatchExplanation, Release
from discreet.session.answering import Desk
from discreet.session.batches import explained, order
from discreet.session.engines import Engines
from discreet.session.fetching import Fetcher
from discreet.session.lookout import Lookout
from discreet.session.orders import Order
from discreet.session.planning import Planner, Prepared
from discreet.session.price import Price
from discreet.session.schedule import schedule_of
from discreet.session.watch import Watch
from discreet.session.wish import Wish

__all__ = ["Database", "connect"]


def connect(policy: str | Path | None = None, *, analyst: str | None = None) -> Database:
    """Open the dataset of a policy file (default: ``discreet.toml`` here or in a folder above)."""
    return Database(load(policy), analyst=analyst)


class Database:
    """One dataset, asked by one analyst. Use it from as many threads and processes as you like."""

    def __init__(self, policy: Policy, *, analyst: str | None = None) -> None:
        self.policy, self.analyst = policy, _name(analyst)
        self._accountant: Accountant = accountant(policy.budget.accounting)
        self._engines = Engines(policy)
        self.catalogue: Catalogue = resolve(policy, self._engines.here().schema())
        self._ledger = open_ledger(policy)
        self._schedule = schedule_of(policy, self._ledger, self.analyst)
        self._planner = Planner(policy, self.catalogue, self._engines, self._schedule)
        fetcher = Fetcher(self._engines, self._planner, self._ledger.salt)
        self._desk = Desk(policy, self.analyst, self._planner, fetcher, self._ledger)
        self._lookout = Lookout(policy, self.analyst, self._planner, fetcher, self._ledger)

    def query(
        self,
        sql: str,
        *,
        epsilon: object = None,
        delta: object = None,
        accuracy: object = None,
        mechanism: object = None,
        dialect: str | None = None,
    ) -> Release:
        """Answer one SELECT at a price: an epsilon, or the least that reaches an accuracy at 95 %.

        Beside an accuracy, an epsilon is the most that may be paid for it.
        ``mechanism`` names one; without it each number gets the sharpest that there is.
        """
        price = Price.named(epsilon, delta, accuracy, mechanism)
        return self._desk.answer(Order((self._planner.prepare(sql, price, dialect),)))[0]

    def batch(
        self,
        statements: Sequence[str],
        *,
        epsilon: object = None,
        accuracy: object = None,
        dialect: str | None = None,
    ) -> list[Release]:
        """Answer several statements for one price, shared evenly; all are reserved together, or none.

        Counting queries over one relation are planned as a list: ``explain_batch`` says how. With an accuracy each
        statement costs the least that reaches it, and its share of ``epsilon`` at most.
        """
        asked = self._prepared(statements, epsilon, accuracy, dialect)
        return self._desk.answer(order(asked, self._planner)) if asked else []

    def _prepared(
        self, statements: Sequence[str], epsilon: object, accuracy: object, dialect: str | None
    ) -> list[Prepared]:
        if not statements:
            return []
        goal = Price.named(None, None, accuracy)
        amounts = self._planner.shared(statements, Price.named(epsilon, None, accuracy), dialect)
        asked = zip(statements, amounts, strict=True)
        return [self._planner.prepare(sql, goal, dialect, amount) for sql, amount in asked]

    def explain(
        self,
        sql: str,
        *,
        epsilon: object = None,
        delta: object = None,
        accuracy: object = None,
        mechanism: object = None,
        dialect: str | None = None,
    ) -> Explanation:
        """What a question would release and cost, or why it is refused. Touches no private data and costs nothing."""
        try:
            prepared = self._planner.prepare(sql, Price.named(epsilon, delta, accuracy, mechanism), dialect)
        except Refused as error:
            return Explanation.refuse(error)
        asked, accounting = prepared.asked, self.policy.budget.accounting
        probe_sql = [self._engines.here().emit(probe.question) for probe in asked.probes]
        return Explanation.answer(prepared.program, accounting, asked.engine_sql, prepared.keys, probe_sql)

    def explain_batch(
        self,
        statements: Sequence[str],
        *,
        epsilon: object = None,
        accuracy: object = None,
        within: object = "1%",
        rows: int | None = None,
        dialect: str | None = None,
    ) -> BatchExplanation:
        """What a batch would release and cost, and for counting queries what each way to answer them would give.

        ``within`` is a wanted error, as a share of the rows; ``rows`` a public guess of how many there are.
        """
        wanted = Wanted.named(within, rows)
        try:
            return explained(self._prepared(statements, epsilon, accuracy, dialect), self._planner, wanted)
        except Refused as error:
            return BatchExplanation(error=error, refused=self._refused(statements, dialect))

    def _refused(self, statements: Sequence[str], dialect: str | None) -> int | None:
        """The number of the first statement that cannot be asked at any price."""
        for number, sql in enumerate(statements, 1):
            try:
                self._planner.ask(sql, dialect)
            except Refused:
                return number
        return None

    def quote(
        self,
        sql: str,
        *,
        epsilon: object = None,
        delta: object = None,
        accuracy: object = None,
        mechanism: object = None,
        dialect: str | None = None,
    ) -> Cost:
        """The price of a question; a refusal is raised."""
        prepared = self._planner.prepare(sql, Price.named(epsilon, delta, accuracy, mechanism), dialect)
        return self._cost(prepared.program.charge)

    def watch(
        self,
        above: int | None = None,
        *,
        answers: int | None = None,
        release: bool | None = None,
        epsilon: object = None,
        name: str | None = None,
        dialect: str | None = None,
    ) -> Watch:
        """A watch that says of counts whether they are above a threshold, until it has said so ``answers`` times.

        It is paid for here, once, whatever is asked of it. One of this name, or one that was opened with the same
        words, is gone on with.
        """
        opened = self._lookout.open(Wish.named(above, answers, release, epsilon, name))
        return Watch(self._lookout, opened, dialect)

    def explain_watch(
        self,
        statements: Iterable[str] = (),
        *,
        above: int | None = None,
        answers: int | None = None,
        release: bool | None = None,
        epsilon: object = None,
        name: str | None = None,
        dialect: str | None = None,
    ) -> WatchExplanation:
        """What a watch would cost, and how sure it would be of these statements. Costs nothing; a refusal is raised."""
        return self._lookout.explain(Wish.named(above, answers, release, epsilon, name), statements, dialect)

    def budget(self) -> Balance:
        """What was granted and spent, exactly: for the dataset, and for this analyst where there is a quota."""
        return self._ledger.balance(self.analyst)

    def history(self, limit: int | None = None) -> list[Entry]:
        """The entries of this analyst (of everyone, without one), newest last."""
        return self._ledger.history(self.analyst, limit)

    def verify(self) -> Verification:
        """Recompute the hash chain and the accounts from the entries alone."""
        return self._ledger.verify()

    @property
    def dialect(self) -> str:
        """The SQL dialect of the source: what statements are read in when they name none."""
        return self._engines.here().dialect

    @property
    def remaining(self) -> Cost:
        """The dearest question that can still be asked."""
        return self._cost(self.budget().remaining)

    def close(self) -> None:
        """Let go of the source and the ledger; nothing can be asked afterwards."""
        self._engines.close()
        self._ledger.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _cost(self, charge: Charge) -> Cost:
        return cost_of(charge, self.policy.budget.accounting)


def _name(analyst: object) -> str | None:
    if isinstance(analyst, str | None):
        return analyst
    raise TypeError(f"an analyst is named by a text, not by a {type(analyst).__name__}")
