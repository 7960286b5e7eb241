"""The corridor: a question walks once through the house, and every door is here.

    read -> bound -> choose -> reserve -> fetch -> draw -> settle

Up to ``reserve`` nothing private is touched, so ``explain`` and ``quote`` are the same walk, stopped
early. From ``reserve`` on the price is spent, whatever happens.
"""

from __future__ import annotations

import hashlib
import hmac
import os
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Self
from weakref import WeakSet

from discreet.engines import Engine, Exact, open_engine
from discreet.errors import BudgetExhausted, EngineError, LedgerError, Refused
from discreet.ledger import Answer, Balance, Entry, Reservation, Verification
from discreet.ledger.accountants import Accountant, accountant
from discreet.ledger.amount import parse_accuracy, parse_delta, parse_price
from discreet.ledger.bundle import pack, unpack
from discreet.ledger.events import Charge, Event
from discreet.ledger.opening import open_ledger
from discreet.ledger.written import write_events
from discreet.mechanisms.accuracy import price_for
from discreet.mechanisms.choose import KeyRule, choose
from discreet.mechanisms.explanation import Cost, Explanation, cost_of
from discreet.mechanisms.noise_source import secret
from discreet.mechanisms.program import Program
from discreet.policy.catalogue import Catalogue, declared_types, resolve
from discreet.policy.load import load
from discreet.policy.model import Policy
from discreet.privacy import Bounded, bound
from discreet.release import Groups, Release, draw
from discreet.release.evaluate import check
from discreet.sql import Options, read

__all__ = ["Database", "connect"]

REMEMBERED = 256
"""Prepared questions that a connection keeps: planning is a pure function of public things."""


@dataclass(frozen=True, slots=True)
class Price:
    """What was said about the price: an epsilon, or a wanted accuracy, and the delta of private keys."""

    epsilon: Fraction | None
    accuracy: Fraction | None
    delta: Fraction | None


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with its bounds and its SQL: all that does not depend on the price."""

    statement: str
    dialect: str | None
    options: Options
    bounded: Bounded
    engine_sql: str
    name: str
    """Equal questions, equally bounded, have equal names."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A question that is ready to be paid for and run."""

    asked: Asked
    keys: KeyRule | None
    program: Program
    question: str
    price: str


def connect(policy: str | Path | None = None, *, analyst: str | None = None) -> Database:
    """Open the dataset of a policy file (default: ``discreet.toml`` here or in a folder above)."""
    return Database(load(policy), analyst=analyst)


class Database:
    """One dataset, asked by one analyst. Use it from as many threads and processes as you like."""

    def __init__(self, policy: Policy, *, analyst: str | None = None) -> None:
        self.policy, self.analyst = policy, _name(analyst)
        self._accountant: Accountant = accountant(policy.budget.accounting)
        self._engines: dict[int, Engine] = {}
        self._lock = Lock()
        self._closed = False
        self.catalogue: Catalogue = resolve(policy, self._engine.schema())
        self._ledger = open_ledger(policy)
        self._asked: OrderedDict[object, Asked] = OrderedDict()
        _open.add(self)

    def after_fork(self) -> None:
        """In the child: the lock may be held by a thread that has no life here."""
        self._lock = Lock()

    @property
    def _engine(self) -> Engine:
        """The engine of this process: a connection does not survive a fork, so a child opens its own."""
        with self._lock:
            if self._closed:
                raise LedgerError("closed", "the connection is closed", "open another with discreet.connect")
            process = os.getpid()
            if process not in self._engines:
                engine = open_engine(self.policy.source, declared_types(self.policy))
                engine.schema()
                self._engines[process] = engine
            return self._engines[process]

    def query(
        self,
        sql: str,
        *,
        epsilon: object = None,
        delta: object = None,
        accuracy: object = None,
        dialect: str | None = None,
    ) -> Release:
        """Answer one SELECT at a price (an epsilon, or the least one that reaches an absolute accuracy at 95 %)."""
        price = _price(epsilon, delta, accuracy)
        return self._run([self._prepare(sql, price, dialect)])[0]

    def batch(self, statements: Sequence[str], *, epsilon: object, dialect: str | None = None) -> list[Release]:
        """Answer several statements for one price, shared evenly; all are reserved together, or none."""
        total = self._accountant.price(parse_price(epsilon))
        if not statements:
            return []
        share = total / len(statements)
        return self._run([self._prepare(sql, _price(None, None, None), dialect, share) for sql in statements])

    def explain(
        self,
        sql: str,
        *,
        epsilon: object = None,
        delta: object = None,
        accuracy: object = None,
        dialect: str | None = None,
    ) -> Explanation:
        """What a question would release and cost, or why it is refused. Touches no private data and costs nothing."""
        try:
            prepared = self._prepare(sql, _price(epsilon, delta, accuracy), dialect)
        except Refused as error:
            return Explanation.refuse(error)
        return Explanation.answer(prepared.program, self.policy.budget.accounting, prepared.asked.engine_sql)

    def quote(
        self,
        sql: str,
        *,
        epsilon: object = None,
        delta: object = None,
        accuracy: object = None,
        dialect: str | None = None,
    ) -> Cost:
        """The price of a question; a refusal is raised."""
        prepared = self._prepare(sql, _price(epsilon, delta, accuracy), dialect)
        return self._cost(prepared.program.charge)

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
    def remaining(self) -> Cost:
        """The dearest question that can still be asked."""
        return self._cost(self.budget().remaining)

    def close(self) -> None:
        """Let go of the source and the ledger; nothing can be asked afterwards."""
        with self._lock:
            self._closed = True
            engine = self._engines.pop(os.getpid(), None)
        if engine is not None:
            engine.close()
        self._ledger.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _prepare(self, sql: str, price: Price, dialect: str | None, amount: Fraction | None = None) -> Prepared:
        """Walk up to the price: an amount that is given, or what the price comes to."""
        asked = self._ask(sql, dialect)
        accounting = self.policy.budget.accounting
        keys = self._key_rule(price, asked.options)
        if asked.options.epsilon is not None and (amount is not None or price.accuracy is not None):
            raise Refused("two-prices", "the statement and the call both name a price", "name the price in one place")
        if amount is None:
            epsilon = (
                self._epsilon(price, asked.options)
                if price.accuracy is None
                else price_for(asked.bounded, price.accuracy, accounting, keys)
            )
            amount = self._accountant.price(epsilon)
        question = _joined([asked.name, repr(keys)])
        return Prepared(asked, keys, choose(asked.bounded, amount, accounting, keys), question, str(amount))

    def _ask(self, sql: str, dialect: str | None) -> Asked:
        """The part of the walk that is a pure function of public things: the same text is walked once."""
        engine = self._engine
        key = (sql, dialect, engine.version())
        with self._lock:
            known = self._asked.get(key)
        if known is not None:
            return known
        question = read(sql, self.catalogue, dialect or engine.dialect)
        check(question.plan)
        bounded = bound(question.plan, self.catalogue, engine, question.options.max_groups_contributed)
        name = hashlib.sha256(repr(bounded).encode()).hexdigest()
        asked = Asked(sql, dialect, question.options, bounded, engine.emit(bounded), name)
        with self._lock:
            self._asked[key] = asked
            while len(self._asked) > REMEMBERED:
                self._asked.popitem(last=False)
        return asked

    def _epsilon(self, price: Price, options: Options) -> Fraction:
        """The named price: the argument's, the statement's (not both), or the policy's default."""
        stated = parse_price(options.epsilon) if options.epsilon is not None else None
        if price.epsilon is not None and stated is not None and price.epsilon != stated:
            hint = "name the price in one place"
            raise Refused("two-prices", "the statement and the call name different epsilons", hint)
        epsilon = price.epsilon or stated or self.policy.budget.per_query
        if epsilon is None:
            hint = "pass epsilon=…, or let the owner set budget.per_query"
            raise Refused("no-price", "the question names no price, and the policy has no default", hint)
        return epsilon

    def _key_rule(self, price: Price, options: Options) -> KeyRule | None:
        rule = self.policy.keys
        if rule is None:
            return None
        stated = parse_delta(options.delta) if options.delta is not None else None
        return KeyRule(price.delta or stated or rule.threshold_delta, rule.min_units)

    def _run(self, asked: list[Prepared]) -> list[Release]:
        """Pay once for all that is asked, run it, and keep the answers; or give what was released before."""
        question = asked[0].question if len(asked) == 1 else _joined([each.question for each in asked])
        price = ",".join(each.price for each in asked)
        version = self._version()
        before = self._ledger.find(question, price, version)
        if before is not None and _same_noise(asked, before):
            return self._repeat(asked, before)
        try:
            reservation = self._reserve(asked, question, price, version)
        except BudgetExhausted:
            kept = self._ledger.find(question, None, version) if self.policy.budget.when_spent == "cached" else None
            if kept is None:
                raise
            prices = kept.price.split(",")
            asked = [self._at(each, price) for each, price in zip(asked, prices, strict=True)]
            if not _same_noise(asked, kept):
                raise
            return self._repeat(asked, kept)
        groups, payload = self._answer(asked, reservation)
        receipt = self._ledger.settle(reservation, payload)
        left, whole = self._purse()
        return [
            Release(each.program, found, self._cost(each.program.charge), left, whole, receipt)
            for each, found in zip(asked, groups, strict=True)
        ]

    def _reserve(self, asked: list[Prepared], question: str, price: str, version: str) -> Reservation:
        charge = sum((each.program.charge for each in asked), Charge(Fraction(0)))
        events = _events(asked)
        statement = ";\n".join(each.asked.statement for each in asked)
        return self._ledger.reserve(
            self.analyst, charge, events, statement=statement, question=question, price=price, version=version
        )

    def _answer(self, asked: list[Prepared], reservation: Reservation) -> tuple[list[Groups], bytes]:
        """The only stretch with exact values in hand: whatever goes wrong in it has one text and no refund."""
        trouble: type[BaseException] = EngineError
        try:
            groups = [draw(each.program, self._fetch(each.asked)) for each in asked]
            return groups, pack([each.to_bytes() for each in groups])
        except KeyboardInterrupt:
            trouble = KeyboardInterrupt
        except Exception:
            trouble = EngineError
        # Raised out here, the error has no context: neither the database's message nor a frame with values in it.
        self._ledger.fail(reservation)
        raise trouble

    def _fetch(self, asked: Asked) -> Exact:
        """A question for declared groups alone needs no look at the data.

        Files may be replaced while they are read, and public ones bound the sensitivity: if what was planned would be
        planned otherwise now, nothing is released.
        """
        if not asked.bounded.parts:
            return Exact([], [])
        exact = self._engine.fetch(asked.engine_sql, asked.bounded, secret())
        if self._ask(asked.statement, asked.dialect).name != asked.name:
            raise EngineError
        return exact

    def _repeat(self, asked: list[Prepared], before: Answer) -> list[Release]:
        """The same numbers again: telling them twice tells nothing new, so it costs nothing."""
        free = self._cost(Charge(Fraction(0)))
        left, whole = self._purse()
        kept = [Groups.from_bytes(each) for each in unpack(before.payload)]
        return [
            Release(each.program, groups, free, left, whole, before.receipt, repeated=True)
            for each, groups in zip(asked, kept, strict=True)
        ]

    def _at(self, each: Prepared, price: str) -> Prepared:
        """The question with the noise that its kept answer was released with."""
        program = choose(each.asked.bounded, Fraction(price), self.policy.budget.accounting, each.keys)
        return Prepared(each.asked, each.keys, program, each.question, price)

    def _version(self) -> str:
        """The data version under the ledger's secret: file times and sizes are not for everyone's eyes."""
        return hmac.new(self._ledger.salt, self._engine.version().encode(), hashlib.sha256).hexdigest()

    def _purse(self) -> tuple[Cost, Cost]:
        """What this analyst may still spend, and the whole that it is left of."""
        balance = self.budget()
        return self._cost(balance.remaining), self._cost(balance.tightest.cap)

    def _cost(self, charge: Charge) -> Cost:
        return cost_of(charge, self.policy.budget.accounting)


def _events(asked: list[Prepared]) -> list[Event]:
    return [event for each in asked for event in each.program.events]


def _same_noise(asked: list[Prepared], kept: Answer) -> bool:
    """A kept answer can be read only with the noise that it has; another release of ours may calibrate otherwise."""
    return write_events(_events(asked)) == list(kept.receipt.events)


def _name(analyst: object) -> str | None:
    if isinstance(analyst, str | None):
        return analyst
    raise TypeError(f"an analyst is named by a text, not by a {type(analyst).__name__}")


_open: WeakSet[Database] = WeakSet()


def _after_fork() -> None:
    for database in list(_open):
        database.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def _price(epsilon: object, delta: object, accuracy: object) -> Price:
    if epsilon is not None and accuracy is not None:
        raise Refused("two-prices", "both an epsilon and an accuracy are named", "name one of them")
    return Price(
        None if epsilon is None else parse_price(epsilon),
        None if accuracy is None else parse_accuracy(accuracy),
        None if delta is None else parse_delta(delta),
    )


def _joined(names: list[str]) -> str:
    return hashlib.sha256("\n".join(names).encode()).hexdigest()
