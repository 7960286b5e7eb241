"""What was said about the price, and what that comes to."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Self

from discreet.errors import Refused
from discreet.ledger.amount import parse_accuracy, parse_delta, parse_price
from discreet.mechanisms.choose import KeyRule
from discreet.mechanisms.method import Method, known_mechanism
from discreet.policy.model import Policy
from discreet.sql import Options

__all__ = ["Price"]


@dataclass(frozen=True, slots=True)
class Price:
    """What the call says: an epsilon, or a wanted accuracy; the delta of what needs some; a mechanism."""

    epsilon: Fraction | None = None
    accuracy: Fraction | None = None
    delta: Fraction | None = None
    mechanism: str | None = None

    @classmethod
    def named(cls, epsilon: object, delta: object, accuracy: object, mechanism: object = None) -> Self:
        if epsilon is not None and accuracy is not None:
            raise Refused("two-prices", "both an epsilon and an accuracy are named", "name one of them")
        return cls(
            None if epsilon is None else parse_price(epsilon),
            None if accuracy is None else parse_accuracy(accuracy),
            None if delta is None else parse_delta(delta),
            None if mechanism is None else known_mechanism(mechanism),
        )

    @property
    def is_named(self) -> bool:
        return self.epsilon is not None or self.accuracy is not None

    def epsilon_of(self, options: Options, policy: Policy) -> Fraction:
        """The argument's, the statement's (not both), or the policy's default."""
        stated = parse_price(options.epsilon) if options.epsilon is not None else None
        if self.epsilon is not None and stated is not None and self.epsilon != stated:
            hint = "name the price in one place"
            raise Refused("two-prices", "the statement and the call name different epsilons", hint)
        epsilon = self.epsilon or stated or policy.budget.per_query
        if epsilon is None:
            hint = "pass epsilon=…, or let the owner set budget.per_query"
            raise Refused("no-price", "the question names no price, and the policy has no default", hint)
        return epsilon

    def key_rule(self, options: Options, policy: Policy) -> KeyRule | None:
        rule = policy.keys
        if rule is None:
            return None
        return KeyRule(self._delta(options) or rule.threshold_delta, rule.min_units)

    def method(self, options: Options, policy: Policy) -> Method:
        """The mechanism that the call or the statement names; a delta counts only where the account keeps some."""
        stated = known_mechanism(options.mechanism) if options.mechanism is not None else None
        if self.mechanism is not None and stated not in (None, self.mechanism):
            hint = "name the mechanism in one place"
            raise Refused("two-mechanisms", "the statement and the call name different mechanisms", hint)
        delta = self._delta(options) or policy.budget.per_query_delta
        return Method(self.mechanism or stated, delta if policy.delta_aside else None)

    def _delta(self, options: Options) -> Fraction | None:
        return self.delta or (parse_delta(options.delta) if options.delta is not None else None)
