"""The walk up to the price: a pure function of public things, so the same text is walked once."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from discreet.engines import Engine
from discreet.errors import BudgetExhausted, EngineError, Refused
from discreet.ledger import Balance
from discreet.ledger.accountants import Accountant, accountant
from discreet.mechanisms.accuracy import aim, reach
from discreet.mechanisms.choose import KeyRule, choose
from discreet.mechanisms.method import Method
from discreet.mechanisms.preludes import narrowed, prefaced
from discreet.mechanisms.program import Program
from discreet.policy.catalogue import Catalogue
from discreet.policy.model import Policy
from discreet.privacy import Bounded, aligned, bound
from discreet.privacy.probe import NOTHING, Ends, Found, Probe
from discreet.release.evaluate import check
from discreet.session.engines import Engines
from discreet.session.price import Price
from discreet.session.schedule import Schedule
from discreet.session.spend import Spend
from discreet.sql import Options, read

__all__ = ["Asked", "Planner", "Prepared", "joined"]

REMEMBERED = 256
"""Questions that a connection keeps."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with its bounds and its SQL: all that does not depend on the price."""

    statement: str
    dialect: str | None
    options: Options
    bounded: Bounded
    """Where bounds are to be chosen first, with the widest."""
    engine_sql: str
    name: str
    """Equal questions, equally bounded, have equal names."""
    probes: tuple[Probe, ...] = ()
    """What finds the bounds, in turn; where one follows another, with the widest that may be found before it."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A question that is ready to be paid for and run."""

    asked: Asked
    keys: KeyRule | None
    method: Method
    program: Program
    question: str
    price: str


class Planner:
    """Reads, bounds and prices questions about one dataset. What it keeps needs no lock: at worst it walks twice."""

    def __init__(
        self, policy: Policy, catalogue: Catalogue, engines: Engines, schedule: Schedule | None = None
    ) -> None:
        self._policy, self.catalogue, self._engines, self._schedule = policy, catalogue, engines, schedule
        self._accountant: Accountant = accountant(policy.budget.accounting)
        self._asked: OrderedDict[object, Asked] = OrderedDict()

    @property
    def accounting(self) -> str:
        return self._policy.budget.accounting

    @property
    def currency(self) -> str:
        return self._accountant.currency

    @property
    def plans_lists(self) -> bool:
        """Under slots every number has the noise of its slot, whatever it is asked with."""
        return self.accounting != "slots"

    def emit(self, bounded: Bounded) -> str:
        """The SQL that the engine would run."""
        return self._engines.here().emit(bounded)

    def prepare(self, sql: str, price: Price, dialect: str | None, amount: Fraction | None = None) -> Prepared:
        """Walk up to the price: an amount that is given, or what the price comes to."""
        asked = self.ask(sql, dialect)
        keys, method = price.key_rule(asked.options, self._policy), price.method(asked.options, self._policy)
        if asked.options.epsilon is not None and amount is not None:
            raise Refused("two-prices", "the statement and the call both name a price", "name the price in one place")
        spend = self._spend(asked, price, amount)
        program = self._program(asked, spend, keys, method)
        named = [asked.name, repr(keys), *([repr(method)] if method.name else [])]
        return Prepared(asked, keys, method, program, joined(named), str(spend))

    def at(self, each: Prepared, price: str) -> Prepared:
        """The question with the noise of another price, which an answer was released with."""
        program = self._program(each.asked, Spend.read(price), each.keys, each.method)
        return Prepared(each.asked, each.keys, each.method, program, each.question, price)

    def as_found(self, each: Prepared, ends: Sequence[Ends]) -> Program:
        """The same with bounds that were chosen, all of them or the first: neither events nor price are other ones."""
        if not ends:
            return each.program
        wanted = [wanted for prelude in each.program.preludes for wanted in prelude.probe.wanted]
        found = NOTHING.and_of(wanted[: len(ends)], ends)
        bounded, probes = self._bounded(each.asked, found), tuple(self._probes(each.asked, found))
        amount, currency = Spend.read(each.price).amount, self._accountant.currency
        assert amount is not None
        program = narrowed(each.program, bounded, probes, amount, currency, each.keys, each.method)
        if program.events != each.program.events:
            raise EngineError
        return program

    def ask(self, sql: str, dialect: str | None) -> Asked:
        engine = self._engines.here()
        key = (_text(sql), dialect, engine.version())
        known = self._asked.get(key)
        if known is None:
            known = self._walk(engine, sql, dialect)
            self._asked[key] = known
            while len(self._asked) > REMEMBERED:
                self._asked.popitem(last=False)
        return known

    def _walk(self, engine: Engine, sql: str, dialect: str | None) -> Asked:
        question = read(sql, self.catalogue, dialect or engine.dialect)
        check(question.plan)
        bounded = bound(question.plan, self.catalogue, engine, question.options.max_groups_contributed)
        name = hashlib.sha256(repr(bounded).encode()).hexdigest()
        asked = Asked(sql, dialect, question.options, bounded, engine.emit(bounded), name)
        return replace(asked, probes=tuple(self._probes(asked, NOTHING)))

    def _bounded(self, asked: Asked, found: Found) -> Bounded:
        most_groups = asked.options.max_groups_contributed
        bounded = bound(asked.bounded.plan, self.catalogue, self._engines.here(), most_groups, found)
        return aligned(asked.bounded, bounded)

    def _probes(self, asked: Asked, found: Found) -> Iterator[Probe]:
        """Each with what was found before it, or with the widest that may be."""
        known, probe = NOTHING, asked.bounded.probe
        while probe is not None:
            yield probe
            known = known.and_of(probe.wanted, [found.of(each.subject) or each.ladder.widest for each in probe.wanted])
            probe = self._bounded(asked, known).probe

    def shared(self, statements: Sequence[str], price: Price, dialect: str | None) -> Sequence[Fraction | None]:
        """What each of several statements may spend of one price; None where an accuracy alone decides."""
        if self._schedule is not None:
            self._check_unnamed(price, None)
            return self._schedule.amounts([self.ask(sql, dialect).bounded for sql in statements])
        if price.accuracy is not None and price.epsilon is None:
            return [None] * len(statements)
        whole = self._accountant.price(price.epsilon_of(Options(), self._policy))
        return [whole / len(statements)] * len(statements)

    def epsilon(self, price: Price) -> Fraction | None:
        """What a price comes to where no statement names one; None where the accounting sets it."""
        if self._schedule is not None:
            self._check_unnamed(price, None)
            return None
        return price.epsilon_of(Options(), self._policy)

    def single(self, price: Price) -> Fraction:
        """What may be spent on one thing that is no statement."""
        epsilon = self.epsilon(price)
        if epsilon is None:
            assert self._schedule is not None
            return self._schedule.single()
        return self._accountant.price(epsilon)

    def again(self, asked: Sequence[Prepared]) -> list[Prepared] | None:
        """The same questions at the prices of now, where a schedule sets prices and they have fallen since."""
        if self._schedule is None:
            return None
        amounts = self._schedule.amounts([each.asked.bounded for each in asked])
        if sum(amounts) >= sum(Fraction(each.price) for each in asked):
            return None
        return [self.at(each, str(amount)) for each, amount in zip(asked, amounts, strict=True)]

    def refusal(self, error: BudgetExhausted, asked: Sequence[Prepared], balance: Balance) -> BudgetExhausted:
        """That too little is left: in the words of the schedule where there is one, or with what could be had."""
        if self._schedule is not None:
            return self._schedule.too_little([each.asked.bounded for each in asked], balance) or error
        best = self._reach(asked[0], balance.remaining.amount) if len(asked) == 1 else ""
        message = f"{error.message}, which reaches {best}" if best else error.message
        return BudgetExhausted(message, error.hint, remaining=error.remaining)

    def _reach(self, each: Prepared, left: Fraction) -> str:
        """How sharp an answer the amount that is left would buy; nothing where no accuracy was asked for."""
        if Spend.read(each.price).goal is None or not left:
            return ""
        return reach(each.asked.bounded, left, self._accountant.currency, each.keys, each.method)

    def _check_unnamed(self, price: Price, stated: str | None) -> None:
        assert self._schedule is not None
        if price.is_named or stated is not None:
            hint = f'leave it out: accounting = "{self._schedule.name}" sets every price itself'
            raise Refused("price-is-set", "the question names a price, and this dataset sets it", hint)

    def _spend(self, asked: Asked, price: Price, amount: Fraction | None) -> Spend:
        """A price, or an accuracy with the most that may be paid for it where that is named."""
        if self._schedule is not None:
            self._check_unnamed(price, asked.options.epsilon or asked.options.accuracy)
            return Spend(amount or self._schedule.amounts([asked.bounded])[0])
        goal = price.goal(asked.options)
        if amount is not None:
            return Spend(amount, goal)
        if goal is None:
            return Spend(self._accountant.price(price.epsilon_of(asked.options, self._policy)))
        most = price.named_epsilon(asked.options)
        return Spend(None if most is None else self._accountant.price(most), goal)

    def _program(self, asked: Asked, spend: Spend, keys: KeyRule | None, method: Method) -> Program:
        if spend.goal is not None:
            return aim(asked.bounded, spend.goal, spend.amount, self._accountant.currency, keys, method)
        assert spend.amount is not None
        program = choose(asked.bounded, spend.amount, self._accountant.currency, keys, method)
        return prefaced(program, asked.probes, spend.amount, self._accountant.currency)


def _text(sql: object) -> str:
    if isinstance(sql, str):
        return sql
    raise TypeError(f"a question is a text, not a {type(sql).__name__}")


def joined(names: list[str]) -> str:
    """One name for several questions."""
    return hashlib.sha256("\n".join(names).encode()).hexdigest()
