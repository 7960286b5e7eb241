"""What was said about the price, and what that comes to."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Self

from discreet.errors import Refused
from discreet.ledger.amount import parse_accuracy, parse_delta, parse_price
from discreet.mechanisms.choose import KeyRule
from discreet.policy.model import Policy
from discreet.sql import Options

__all__ = ["Price"]


@dataclass(frozen=True, slots=True)
class Price:
    """What the call says: an epsilon, or a wanted accuracy, and the delta of private keys."""

    epsilon: Fraction | None = None
    accuracy: Fraction | None = None
    delta: Fraction | None = None

    @classmethod
    def named(cls, epsilon: object, delta: object, accuracy: object) -> Self:
        if epsilon is not None and accuracy is not None:
            raise Refused("two-prices", "both an epsilon and an accuracy are named", "name one of them")
        return cls(
            None if epsilon is None else parse_price(epsilon),
            None if accuracy is None else parse_accuracy(accuracy),
            None if delta is None else parse_delta(delta),
        )

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
        stated = parse_delta(options.delta) if options.delta is not None else None
        return KeyRule(self.delta or stated or rule.threshold_delta, rule.min_units)
