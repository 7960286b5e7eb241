"""The walk up to the price: a pure function of public things, so the same text is walked once."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from dataclasses import dataclass
from fractions import Fraction

from discreet.engines import Engine
from discreet.errors import Refused
from discreet.ledger.accountants import Accountant, accountant
from discreet.mechanisms.accuracy import price_for
from discreet.mechanisms.choose import KeyRule, choose
from discreet.mechanisms.method import Method
from discreet.mechanisms.program import Program
from discreet.policy.catalogue import Catalogue
from discreet.policy.model import Policy
from discreet.privacy import Bounded, bound
from discreet.release.evaluate import check
from discreet.session.engines import Engines
from discreet.session.price import Price
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
    engine_sql: str
    name: str
    """Equal questions, equally bounded, have equal names."""


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

    def __init__(self, policy: Policy, catalogue: Catalogue, engines: Engines) -> None:
        self._policy, self._catalogue, self._engines = policy, catalogue, engines
        self._accountant: Accountant = accountant(policy.budget.accounting)
        self._asked: OrderedDict[object, Asked] = OrderedDict()

    def prepare(self, sql: str, price: Price, dialect: str | None, amount: Fraction | None = None) -> Prepared:
        """Walk up to the price: an amount that is given, or what the price comes to."""
        asked = self.ask(sql, dialect)
        keys, method = price.key_rule(asked.options, self._policy), price.method(asked.options, self._policy)
        if asked.options.epsilon is not None and (amount is not None or price.accuracy is not None):
            raise Refused("two-prices", "the statement and the call both name a price", "name the price in one place")
        spend = self._amount(asked, price, keys, method) if amount is None else amount
        program = choose(asked.bounded, spend, self._accountant.name, keys, method)
        named = [asked.name, repr(keys), *([repr(method)] if method.name else [])]
        return Prepared(asked, keys, method, program, joined(named), str(spend))

    def at(self, each: Prepared, price: str) -> Prepared:
        """The question with the noise of another price, which an answer was released with."""
        program = choose(each.asked.bounded, Fraction(price), self._accountant.name, each.keys, each.method)
        return Prepared(each.asked, each.keys, each.method, program, each.question, price)

    def ask(self, sql: str, dialect: str | None) -> Asked:
        engine = self._engines.here()
        key = (sql, dialect, engine.version())
        known = self._asked.get(key)
        if known is None:
            known = self._walk(engine, sql, dialect)
            self._asked[key] = known
            while len(self._asked) > REMEMBERED:
                self._asked.popitem(last=False)
        return known

    def _walk(self, engine: Engine, sql: str, dialect: str | None) -> Asked:
        question = read(sql, self._catalogue, dialect or engine.dialect)
        check(question.plan)
        bounded = bound(question.plan, self._catalogue, engine, question.options.max_groups_contributed)
        name = hashlib.sha256(repr(bounded).encode()).hexdigest()
        return Asked(sql, dialect, question.options, bounded, engine.emit(bounded), name)

    def _amount(self, asked: Asked, price: Price, keys: KeyRule | None, method: Method) -> Fraction:
        if price.accuracy is None:
            return self._accountant.price(price.epsilon_of(asked.options, self._policy))
        return self._accountant.price(price_for(asked.bounded, price.accuracy, self._accountant.name, keys, method))


def joined(names: list[str]) -> str:
    """One name for several questions."""
    return hashlib.sha256("\n".join(names).encode()).hexdigest()
