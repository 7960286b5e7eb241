"""Ledgers to play with, on a clock that the test turns."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from fractions import Fraction

import pytest

from discreet.ledger import Ledger
from discreet.ledger.events import Charge, LaplaceNoise
from discreet.ledger.receipts import Paid


class Clock:
    """Stands still until it is moved."""

    def __init__(self):
        self.now = datetime(2026, 1, 1, tzinfo=UTC)

    def __call__(self):
        return self.now

    def move(self, **by):
        self.now += timedelta(**by)


class Shop:
    """One ledger file, opened as often as wanted, with short ways to spend."""

    def __init__(self, path):
        self.path, self.clock, self._open = path, Clock(), []

    def open(self, epsilon=1, *, quotas=None, renew=None, policy="p1", dataset="shop", accounting="pure", delta=0):
        ledger = Ledger.open(
            f"sqlite:///{self.path}",
            dataset=dataset,
            accounting=accounting,
            capacity=Charge(Fraction(epsilon), Fraction(delta)),
            quotas={name: Charge(Fraction(value), Fraction(delta)) for name, value in (quotas or {}).items()},
            renew=renew,
            policy=policy,
            clock=self.clock,
        )
        self._open.append(ledger)
        return ledger

    def close(self):
        for ledger in self._open:
            ledger.close()


def reserve(ledger, epsilon="1/10", analyst=None, question="q", version="v1"):
    return take(ledger.reserve, epsilon, analyst, question, version)


def hold(ledger, epsilon="1/10", analyst=None, question="q", version="v1"):
    return take(ledger.hold, epsilon, analyst, question, version)


def paid(epsilon):
    return Paid(Charge(Fraction(epsilon)), [LaplaceNoise(Fraction(epsilon))])


def take(how, epsilon, analyst, question, version):
    price = Fraction(epsilon)
    return how(
        analyst,
        Charge(price),
        [LaplaceNoise(price)],
        statement=f"SELECT {question}",
        question=question,
        price=str(price),
        version=version,
    )


@pytest.fixture
def shop(tmp_path):
    shop = Shop(tmp_path / "shop.ledger")
    yield shop
    shop.close()


@pytest.fixture(name="reserve")
def _reserve():
    return reserve


@pytest.fixture(name="hold")
def _hold():
    return hold


@pytest.fixture(name="paid")
def _paid():
    return paid
