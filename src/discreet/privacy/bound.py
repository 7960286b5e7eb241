"""The door of the room: a plan goes in, a plan with bounds comes out, or a refusal."""

from __future__ import annotations

from dataclasses import replace

from discreet.errors import Refused
from discreet.plan.nodes import Aggregate, Plan, Relation, aggregate_of, scans
from discreet.plan.types import Value
from discreet.policy.catalogue import Catalogue
from discreet.privacy.aggregates import AGGREGATES
from discreet.privacy.bounded import Bounded, Histogram, Key, KeyFilter, Kind, Level, Output, Part, Pick, PublicFacts
from discreet.privacy.contribution import unit_of
from discreet.privacy.facts import Facts, as_a_whole, fan_outs, levels, reach_unit, relation_facts
from discreet.privacy.keys import domain_query, key_filters
from discreet.privacy.probe import NOTHING, Found
from discreet.privacy.probing import probe_of
from discreet.privacy.unit import Unit

__all__ = ["aligned", "bound"]


def bound(
    plan: Plan, catalogue: Catalogue, public: PublicFacts, most_groups: int | None = None, found: Found = NOTHING
) -> Bounded:
    """``most_groups``: the analyst may ask for fewer groups a unit than the policy allows.

    ``found``: bounds that were chosen. While some are lacking, what comes out is as wide as they could be, and has the
    probe that finds the next of them. Shape, keys and the number of parts are the same whatever is found.
    """
    asked = aggregate_of(plan)
    relation = reach_unit(asked.input, catalogue)
    facts = _facts(relation, catalogue, public)
    domain, filters = _domain(asked, relation, catalogue, public)
    unit = unit_of(asked, relation, facts, catalogue, None if domain is None else len(domain), most_groups, found)
    outputs = tuple(AGGREGATES[aggregation.function](aggregation, unit) for aggregation in asked.aggregations)
    units_part = _units_part(unit, facts) if domain is None else None
    parts, histograms = _parts(outputs, units_part), _histograms(outputs)
    over_rows = _levels_over_rows(facts, unit, (*parts, *histograms))
    over_groups = _levels_over_groups(facts, unit, asked, domain, bool(over_rows)) if parts or histograms else ()
    bounded = Bounded(
        plan=plan,
        relation=relation,
        unit=facts.unit[0] if facts.unit else None,
        levels=(*over_rows, *over_groups),
        keys=tuple(Key(f"k{n}", key.value) for n, key in enumerate(asked.keys)),
        key_filters=filters,
        domain=domain,
        outputs=outputs,
        parts=parts,
        histograms=histograms,
        rows=unit.rows if unit.counted else None,
        groups=unit.groups,
        units_part=units_part,
    )
    return replace(bounded, probe=probe_of(bounded, unit, over_rows))


def aligned(planned: Bounded, found: Bounded) -> Bounded:
    """The parts of what was found in the places where they were planned.

    A sum and an average are two parts when they are planned, and pay for two, even where the middle that was found is 0
    and both are one sum.
    """
    pairs = zip(*(_asked_parts(each.outputs, each.units_part) for each in (planned, found)), strict=True)
    places = dict(pairs)
    return replace(found, parts=tuple(places[part] for part in planned.parts))


def _asked_parts(outputs: tuple[Output, ...], units_part: Part | None) -> list[Part]:
    asked = [part for output in outputs for part in output.parts.values() if isinstance(part, Part)]
    return [*([units_part] if units_part else []), *asked]


def _facts(relation: Relation, catalogue: Catalogue, public: PublicFacts) -> Facts:
    facts = relation_facts(relation, catalogue)
    if not facts.private:
        first = next(scans(relation))
        hint = "public tables can be read where they are published; name a private table"
        raise Refused("all-public", "every table of the question is public", hint, first.span)
    return replace(facts, factor=facts.factor * fan_outs(relation, catalogue, public))


def _domain(
    asked: Aggregate, relation: Relation, catalogue: Catalogue, public: PublicFacts
) -> tuple[tuple[tuple[Value, ...], ...] | None, tuple[KeyFilter, ...]]:
    if not asked.keys:
        return ((),), ()
    query = domain_query(asked.keys, relation, catalogue)
    if query is None:
        _needs_key_rules(asked, catalogue)
        return None, ()
    return public.domain(query), key_filters(asked.keys, relation, catalogue)


def _needs_key_rules(asked: Aggregate, catalogue: Catalogue) -> None:
    if catalogue.policy.keys is None:
        names = ", ".join(key.name for key in asked.keys)
        raise Refused(
            "private-keys",
            f"the groups of {names} are not public, and the policy has no rule for private keys",
            "group by columns with declared values, or ask the owner for a [keys] section",
            asked.keys[0].value.span,
        )


def _units_part(unit: Unit, facts: Facts) -> Part:
    if facts.row_level and facts.side > 1:
        hint = "group by declared keys, or leave out the public table that matches more than once"
        raise Refused("private-keys", "a row that a join multiplies cannot be counted once in a private group", hint)
    return unit.units_where(None)


def _parts(outputs: tuple[Output, ...], units_part: Part | None) -> tuple[Part, ...]:
    """Every part once: aggregates of one statement share what they have in common."""
    return tuple(dict.fromkeys(_asked_parts(outputs, units_part)))


def _histograms(outputs: tuple[Output, ...]) -> tuple[Histogram, ...]:
    picks = [part for output in outputs for part in output.parts.values() if isinstance(part, Pick)]
    return tuple(dict.fromkeys(pick.histogram for pick in picks))


def _levels_over_rows(facts: Facts, unit: Unit, parts: tuple[Part | Histogram, ...]) -> tuple[Level, ...]:
    """The windows over rows that are needed: none when only units are counted, or when their totals are held."""
    if all(isinstance(part, Part) and part.kind is Kind.UNITS for part in parts) or not unit.counted:
        return ()
    return as_a_whole(facts, unit.rows) if facts.undecided else levels(facts)


def _levels_over_groups(
    facts: Facts, unit: Unit, asked: Aggregate, domain: tuple[tuple[Value, ...], ...] | None, over_rows: bool
) -> tuple[Level, ...]:
    """The window over groups: none where there are no more of them than a unit may touch, or no more rows of it."""
    most = unit.rows if over_rows or (unit.counted and not levels(facts)) else None
    possible = [size for size in (most, None if domain is None else len(domain)) if size is not None]
    if not asked.keys or (possible and min(possible) <= unit.groups):
        return ()
    return (Level((), tuple(key.value for key in asked.keys), unit.groups, distinct=True),)
