"""What was said about the price, and what that comes to."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Self

from discreet.errors import Refused
from discreet.ledger.amount import parse_delta, parse_price, parse_proposal
from discreet.mechanisms.choose import KeyRule
from discreet.mechanisms.goal import Goal, parse_goal
from discreet.mechanisms.method import Method, known_mechanism
from discreet.policy.model import Policy
from discreet.sql import Options

__all__ = ["Price"]


@dataclass(frozen=True, slots=True)
class Price:
    """What the call says: an epsilon, a wanted accuracy, or both; the delta of what needs some; a mechanism."""

    epsilon: Fraction | None = None
    accuracy: Goal | None = None
    delta: Fraction | None = None
    mechanism: str | None = None
    proposal: Fraction | None = None

    @classmethod
    def named(
        cls, epsilon: object, delta: object, accuracy: object, mechanism: object = None, proposal: object = None
    ) -> Self:
        return cls(
            None if epsilon is None else parse_price(epsilon),
            None if accuracy is None else parse_goal(accuracy),
            None if delta is None else parse_delta(delta),
            None if mechanism is None else known_mechanism(mechanism),
            None if proposal is None else parse_proposal(proposal),
        )

    @property
    def is_named(self) -> bool:
        return self.epsilon is not None or self.accuracy is not None

    def goal(self, options: Options) -> Goal | None:
        """The argument's or the statement's."""
        stated = parse_goal(options.accuracy) if options.accuracy is not None else None
        if self.accuracy is not None and stated not in (None, self.accuracy):
            hint = "name the accuracy in one place"
            raise Refused("two-prices", "the statement and the call name different accuracies", hint)
        return self.accuracy or stated

    def named_epsilon(self, options: Options) -> Fraction | None:
        """The argument's or the statement's: the price, or beside an accuracy the most that may be paid for it."""
        stated = parse_price(options.epsilon) if options.epsilon is not None else None
        if self.epsilon is not None and stated not in (None, self.epsilon):
            hint = "name the price in one place"
            raise Refused("two-prices", "the statement and the call name different epsilons", hint)
        return self.epsilon or stated

    def epsilon_of(self, options: Options, policy: Policy) -> Fraction:
        """What is named, or the policy's default."""
        epsilon = self.named_epsilon(options) or policy.budget.per_query
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
        stated = known_mechanism(options.mechanism, options.span) if options.mechanism is not None else None
        if self.mechanism is not None and stated not in (None, self.mechanism):
            hint = "name the mechanism in one place"
            raise Refused("two-mechanisms", "the statement and the call name different mechanisms", hint)
        delta = self._delta(options) or policy.budget.per_query_delta
        proposal = self.proposal or (parse_proposal(options.proposal) if options.proposal is not None else None)
        return Method(self.mechanism or stated, delta if policy.delta_aside else None, proposal)

    def _delta(self, options: Options) -> Fraction | None:
        return self.delta or (parse_delta(options.delta) if options.delta is not None else None)
