"""The owner's numbers: the budget, the analysts' quotas under it, and the delta of private keys."""

from __future__ import annotations

import re
from datetime import timedelta
from fractions import Fraction
from typing import TYPE_CHECKING, Literal, get_args

from discreet.accounting.gaussian_dp import capacity
from discreet.policy.model import Accounting, Budget, Keys, Quota
from discreet.policy.names import did_you_mean

if TYPE_CHECKING:
    from discreet.policy.reading import Section

__all__ = ["read_analysts", "read_budget", "read_keys"]

LARGEST_EPSILON = Fraction(10**4)
SMALLEST_EPSILON = Fraction(1, 10**9)
LONGEST_DAYS = 36_500
ACCOUNTINGS: tuple[Accounting, ...] = get_args(Accounting)
HOURS = {"h": 1, "d": 24, "w": 24 * 7}


def read_budget(root: Section) -> Budget:
    root.need("budget", "[budget] with epsilon = 3.0 and delta = 1e-6")
    budget = root.inner("budget")
    accounting = _accounting(budget)
    budget.only("budget")
    epsilon = _epsilon(budget, "epsilon = 3.0")
    delta = _budget_delta(budget, accounting, epsilon)
    return Budget(
        epsilon=epsilon,
        delta=delta,
        accounting=accounting,
        slots=_slots(budget, accounting),
        sigma=_sigma(budget, accounting),
        per_query=_per_query(budget, epsilon, accounting),
        per_query_delta=_per_query_delta(budget, delta),
        renew=_renew(budget),
        when_spent=_when_spent(budget),
    )


def read_analysts(root: Section, budget: Budget) -> dict[str, Quota]:
    quotas: dict[str, Quota] = {}
    for name, section in root.sections("analysts"):
        section.only("analysts.*")
        quotas[name] = _slots_quota(name, section, budget.slots) if budget.slots else _quota(name, section, budget)
    return quotas


def _quota(name: str, section: Section, budget: Budget) -> Quota:
    if "slots" in section.data:
        message = f'{section.name_of("slots")} needs a budget of slots: accounting = "slots"'
        raise section.refuse("bad-quota", message, "write epsilon = 1.0", "slots")
    epsilon = _epsilon(section, "epsilon = 1.0")
    if epsilon > budget.epsilon:
        message = f"{section.name_of('epsilon')} is more than the dataset's epsilon, so it is no limit"
        hint = f"write at most {float(budget.epsilon):g}, or remove the quota"
        raise section.refuse("bad-quota", message, hint, "epsilon")
    return Quota(name, epsilon)


def _slots_quota(name: str, section: Section, granted: int) -> Quota:
    slots = section.count("slots")
    if slots is None or "epsilon" in section.data:
        message = f"{section.name_of()} divides a budget of slots, so it is a number of slots"
        raise section.refuse("bad-quota", message, "write slots = 100", *({"epsilon"} & section.data.keys()))
    if slots > granted:
        message = f"{section.name_of('slots')} is more than the dataset's slots, so it is no limit"
        raise section.refuse("bad-quota", message, f"write at most {granted}, or remove the quota", "slots")
    return Quota(name, slots=slots)


def read_keys(root: Section, budget: Budget) -> Keys | None:
    section = root.section("keys")
    if section is None:
        return None
    section.only("keys")
    section.need("threshold_delta", "threshold_delta = 1e-8")
    delta = _part_of(budget.delta, section, "threshold_delta", "every key selection is paid from it")
    return Keys(delta, section.count("min_units") or 1)


def _epsilon(section: Section, example: str) -> Fraction:
    section.need("epsilon", example)
    epsilon = section.number("epsilon", "bad-epsilon", example) or Fraction(0)
    if not SMALLEST_EPSILON <= epsilon <= LARGEST_EPSILON:
        message = f"{section.name_of('epsilon')} must be above 0 (at least 1e-9) and at most {LARGEST_EPSILON}"
        raise section.refuse("bad-epsilon", message, f"write {example}", "epsilon")
    return epsilon


def _delta(section: Section, key: str, example: str) -> Fraction:
    delta = section.number(key, "bad-delta", example) or Fraction(0)
    if not 0 <= delta < 1:
        message = f"{section.name_of(key)} is a chance and must be at least 0 and below 1"
        raise section.refuse("bad-delta", message, f"write {example}", key)
    return delta


def _part_of(whole: Fraction, section: Section, key: str, why: str) -> Fraction:
    """A delta that is spent again and again."""
    delta = _delta(section, key, f"{key} = 1e-8")
    if not 0 < delta <= whole:
        message = f"{section.name_of(key)} must be above 0 and at most budget.delta: {why}"
        hint = f"write less than {float(whole):g}" if whole else "give the budget a delta first"
        raise section.refuse("bad-delta", message, f"{hint}; a hundredth leaves room for many", key)
    return delta


def _budget_delta(budget: Section, accounting: str, epsilon: Fraction) -> Fraction:
    delta = _delta(budget, "delta", "delta = 1e-6")
    if accounting not in ("pure", "zcdp") and delta > 0 and not capacity(epsilon, delta / 2):
        message = f'budget.delta is too small for this epsilon under accounting = "{accounting}"'
        raise budget.refuse("bad-delta", message, 'lower epsilon, raise delta, or write accounting = "zcdp"', "delta")
    if accounting != "pure" and delta == 0:
        message = f'budget.accounting = "{accounting}" needs a delta above 0'
        raise budget.refuse("bad-delta", message, 'write delta = 1e-6, or accounting = "pure"', "delta")
    return delta


def _accounting(budget: Section) -> Accounting:
    written = budget.text("accounting", 'accounting = "zcdp"') or "zcdp"
    for known in ACCOUNTINGS:
        if written == known:
            return known
    hint = did_you_mean(written, ACCOUNTINGS)
    raise budget.refuse("bad-accounting", "budget.accounting is not known", hint, "accounting")


def _slots(budget: Section, accounting: str) -> int | None:
    slots = budget.count("slots")
    if (slots is None) == (accounting == "slots"):
        missing = slots is None
        message = "budget.slots is missing" if missing else 'budget.slots needs accounting = "slots"'
        hint = "write slots = 2000, the number of basic queries: COUNT and SUM take one, AVG two, VARIANCE three"
        raise budget.refuse("bad-slots", message, hint, "accounting" if missing else "slots")
    return slots


def _sigma(budget: Section, accounting: str) -> Literal["tight", "printed"]:
    match budget.text("sigma", 'sigma = "tight"'):
        case None:
            return "tight"
        case ("tight" | "printed") as written if accounting == "slots":
            return written
        case str() as other:
            hint = did_you_mean(other, ("tight", "printed")) if accounting == "slots" else "remove it"
            raise budget.refuse(
                "bad-slots", 'budget.sigma is "tight" or "printed", of a budget of slots', hint, "sigma"
            )


def _per_query(budget: Section, total: Fraction, accounting: str) -> Fraction | None:
    section = budget.section("per_query")
    if section is None:
        return None
    if accounting in ("slots", "decaying"):
        message = f'budget.per_query has no meaning under accounting = "{accounting}", which sets every price itself'
        raise budget.refuse("bad-accounting", message, "remove it", "per_query")
    section.only("budget.per_query")
    epsilon = _epsilon(section, "per_query = { epsilon = 0.1 }")
    if epsilon > total:
        message = "budget.per_query is more than the whole budget"
        raise section.refuse("bad-epsilon", message, "write a part of it: per_query = { epsilon = 0.1 }", "epsilon")
    return epsilon


def _per_query_delta(budget: Section, total: Fraction) -> Fraction | None:
    section = budget.section("per_query")
    if section is None or "delta" not in section.data:
        return None
    return _part_of(total, section, "delta", "every mechanism that needs some is paid from it")


def _renew(budget: Section) -> timedelta | None:
    text = budget.text("renew", 'renew = "30d"')
    if text is None:
        return None
    match = re.fullmatch(r"([0-9]{1,7})([hdw])", text, re.ASCII)
    period = timedelta(hours=int(match[1]) * HOURS[match[2]]) if match else timedelta(0)
    if not timedelta(0) < period <= timedelta(days=LONGEST_DAYS):
        message = "budget.renew must be a positive number of hours, days or weeks"
        raise budget.refuse("bad-renew", message, 'write renew = "12h", "30d" or "4w"', "renew")
    return period


def _when_spent(budget: Section) -> Literal["refuse", "cached"]:
    match budget.text("when_spent", 'when_spent = "refuse"'):
        case None | "refuse":
            return "refuse"
        case "cached":
            return "cached"
        case str() as other:
            hint = f"{did_you_mean(other, ('refuse', 'cached'))} (cached: only answers already released)"
            raise budget.refuse("bad-when-spent", "budget.when_spent is not known", hint, "when_spent")
