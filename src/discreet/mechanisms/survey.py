"""A survey: whom it asks, what may be answered, and rows that show randomised answers.

Theory. A database with one unit more must not have one row more. So a survey has a public number of rows, fixed
beforehand, with room for everybody who might be there:

- one row for each of a public list of the units (``respondents``), named by it;
- or, without such a list, as many rows as the owner declares. Units for whom there is no row are left out by lot.

Whoever is not there, or has none of the declared answers, answers ``silence``: FALSE where a condition is asked for,
else NULL, which is an answer like the others. So every row has one right answer, a unit decides one row at most, and
each row is shown by the law of ``RandomisedResponse``. docs/proofs/randomised-response.md has the argument.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Self

from discreet.errors import Refused
from discreet.mechanisms import noise_source
from discreet.mechanisms.randomised_response import RandomisedResponse
from discreet.plan.scalar import Case, Literal, Scalar
from discreet.plan.types import Type, Value
from discreet.privacy.bounded import Bounded

__all__ = ["MOST_ROWS", "Survey"]

MOST_ROWS = 1_000_000

Row = tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Survey:
    """``rows`` rows of answers; where there are respondents, their names stand at ``place`` in a row."""

    answers: tuple[Row, ...]
    silence: int
    """The place among the answers of that of those who are not there."""
    respondents: tuple[Value, ...] | None
    place: int
    rows: int
    law: RandomisedResponse

    @classmethod
    def of(cls, bounded: Bounded, epsilon: Fraction, rows: int | None) -> Self:
        """The survey that a question for rows describes; ``rows`` where no key of it is a public list of the units."""
        assert bounded.domain is not None
        if bounded.rows != 1:
            number = "any number of" if bounded.rows is None else bounded.rows
            message = f"a unit may have {number} rows here, and randomised response hides one"
            raise Refused("not-publishable", message, "publish a histogram: GROUP BY the columns and COUNT(*)")
        place = next((n for n, key in enumerate(bounded.keys) if key.value == bounded.unit), None)
        asked = [key.value for n, key in enumerate(bounded.keys) if n != place]
        if not asked:
            hint = "select what is asked of it: SELECT user_id, smokes FROM users"
            raise Refused("not-publishable", "the unit alone is no answer", hint)
        found = dict.fromkeys(key if place is None else _without(key, place) for key in bounded.domain)
        silence = tuple(map(_silence, asked))
        answers = tuple(dict.fromkeys([*found, silence]))
        names = None if place is None else tuple(dict.fromkeys(key[place] for key in bounded.domain))
        return cls(
            answers,
            answers.index(silence),
            names,
            place or 0,
            _number(names, rows),
            RandomisedResponse.at(epsilon, len(answers)),
        )

    def ask(self, found: Mapping[Row, int]) -> dict[Row, int]:
        """How many rows show what, where ``found`` says how many units have which answer (and name)."""
        right = self._anonymous(found) if self.respondents is None else self._named(found, self.respondents)
        shifted = zip(right, self.law.shifts(self.rows), strict=True)
        shown = [self.answers[(answer + shift) % len(self.answers)] for answer, shift in shifted]
        if self.respondents is None:
            counts = Counter(shown)
            return {answer: counts[answer] for answer in self.answers}
        return {self._row(name, answer): 1 for name, answer in zip(self.respondents, shown, strict=True)}

    def _named(self, found: Mapping[Row, int], names: tuple[Value, ...]) -> list[int]:
        """The right answer of each respondent."""
        places = {answer: place for place, answer in enumerate(self.answers)}
        known = {row[self.place]: places.get(_without(row, self.place)) for row, number in found.items() if number}
        return [self.silence if (place := known.get(name)) is None else place for name in names]

    def _anonymous(self, found: Mapping[Row, int]) -> list[int]:
        """A right answer for each row; which units have none, where they are too many, is drawn by lot."""
        units = [place for place, answer in enumerate(self.answers) for _ in range(found.get(answer, 0))]
        if len(units) > self.rows:
            return [units[place] for place in noise_source.random_places(len(units), self.rows)]
        return units + [self.silence] * (self.rows - len(units))

    def _row(self, name: Value, answer: Row) -> Row:
        return (*answer[: self.place], name, *answer[self.place :])


def _without(row: Row, place: int) -> Row:
    return (*row[:place], *row[place + 1 :])


def _silence(asked: Scalar) -> Value:
    """What is told of nobody: a condition does not hold, and anything else is not known."""
    match asked:
        case Case(default=Literal(value=False), type=Type.BOOLEAN):
            return False
        case _:
            return None


def _number(names: tuple[Value, ...] | None, rows: int | None) -> int:
    if names is not None:
        if rows is not None:
            hint = "leave the number out, or leave the unit out of the SELECT list"
            raise Refused("two-sizes", "there is a row for each listed unit, so their number is fixed", hint)
        return len(names)
    if rows is None:
        hint = "rows=20000, a number that is known without the data and is no less than there can be units"
        raise Refused("no-size", "how many units there are is private, so the number of rows has to be declared", hint)
    if type(rows) is not int or not 1 <= rows <= MOST_ROWS:
        hint = "give a whole number without a unit, such as 20000"
        raise Refused("bad-size", f"a publication has between 1 and {MOST_ROWS} rows", hint)
    return rows
