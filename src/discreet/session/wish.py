"""What a call says of a watch: what is left out is as usual, or as the watch was opened."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from operator import index
from typing import Self, SupportsIndex

from discreet.errors import Refused
from discreet.ledger.accountants import Accountant
from discreet.ledger.watch import Threshold, Watched
from discreet.session.price import Price

__all__ = ["Wish"]

HIGHEST, MOST = 10**18, 10**6
"""Of a threshold, and of the answers of one watch."""

LONGEST = 200
"""Characters of a name."""


@dataclass(frozen=True, slots=True)
class Wish:
    above: int | None
    answers: int | None
    values: bool | None
    price: Price
    name: str | None

    @classmethod
    def named(cls, above: object, answers: object, release: object, epsilon: object, name: object) -> Self:
        return cls(
            _whole("a threshold", above, 0, HIGHEST),
            _whole("a number of answers", answers, 1, MOST),
            _flag(release),
            Price.named(epsilon, None, None),
            _name(name),
        )

    @property
    def threshold(self) -> Threshold:
        """What is opened: one answer, without its value, where nothing else is said."""
        if self.above is None and self.name is None:
            raise Refused("bad-watch", "no threshold is named", "name one, such as above=1000")
        if self.above is None:
            hint = "name a threshold, such as above=1000, to open it; a watch ends with its period of the budget"
            raise Refused("no-such-watch", f"there is no watch {self.name!r} of this analyst", hint)
        return Threshold(self.above, self.answers or 1, bool(self.values))

    def words(self, epsilon: Fraction | None) -> str:
        """What a wish without a name is called, so that a call that is made again goes on with the same watch."""
        threshold = self.threshold
        answers = "1 answer" if threshold.answers == 1 else f"{threshold.answers} answers"
        values = " with values" if threshold.values else ""
        price = "" if epsilon is None else f", epsilon {float(epsilon):.12g}"
        return f"above {threshold.above}, {answers}{values}{price}"

    def check(self, watched: Watched, accounts: Accountant) -> None:
        """Refuse to take a watch for another one of the same name."""
        epsilon = self.price.epsilon
        wanted = (self.above, self.answers, self.values, None if epsilon is None else str(accounts.price(epsilon)))
        there = (watched.threshold.above, watched.threshold.answers, watched.threshold.values, watched.price)
        for word, one, other in zip(("above", "answers", "release", "epsilon"), wanted, there, strict=True):
            if one is not None and one != other:
                opened = _told(word, watched, accounts)
                hint = "leave out what it was opened with, or open another watch under another name"
                raise Refused("watch-differs", f"the watch {watched.name!r} was opened with {opened}", hint)


def _told(word: str, watched: Watched, accounts: Accountant) -> str:
    threshold = watched.threshold
    told = {
        "above": f"above={threshold.above}",
        "answers": f"answers={threshold.answers}",
        "release": f"release={threshold.values}",
        "epsilon": f"epsilon={accounts.epsilon(Fraction(watched.price)):.12g}",
    }
    return told[word]


def _whole(what: str, value: object, least: int, most: int) -> int | None:
    if value is None:
        return None
    number = index(value) if isinstance(value, SupportsIndex) and not isinstance(value, bool) else None
    if number is None or not least <= number <= most:
        found = f"a {type(value).__name__}" if number is None else f"{number}"
        raise Refused("bad-watch", f"{found} is not {what}", f"give a whole number from {least} to {most}")
    return number


def _flag(value: object) -> bool | None:
    if not isinstance(value, bool | None):
        raise Refused("bad-watch", f"release is a {type(value).__name__}", "give True or False")
    return value


def _name(value: object) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str) or not value.strip() or len(value) > LONGEST or not value.isprintable():
        raise Refused("bad-watch", "this is not a name of a watch", f"give up to {LONGEST} printable characters")
    return value
