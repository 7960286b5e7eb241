"""The door of the room: a plan goes in, a plan with bounds comes out, or a refusal."""

from __future__ import annotations

from dataclasses import replace

from discreet.errors import Refused
from discreet.plan.nodes import Aggregate, Plan, Relation, aggregate_of, scans
from discreet.plan.types import Value
from discreet.policy.catalogue import Catalogue
from discreet.policy.names import fold
from discreet.privacy.aggregates import AGGREGATES
from discreet.privacy.bounded import Bounded, Histogram, Key, KeyFilter, Kind, Level, Output, Part, Pick, PublicFacts
from discreet.privacy.facts import Facts, fan_outs, levels, reach_unit, relation_facts
from discreet.privacy.keys import domain_query, key_filters
from discreet.privacy.ranges import declared_in
from discreet.privacy.unit import Unit

__all__ = ["bound"]


def bound(plan: Plan, catalogue: Catalogue, public: PublicFacts, most_groups: int | None = None) -> Bounded:
    """``most_groups``: the analyst may ask for fewer groups a unit than the policy allows."""
    asked = aggregate_of(plan)
    relation = reach_unit(asked.input, catalogue)
    facts = _facts(relation, catalogue, public)
    domain, filters = _domain(asked, relation, catalogue, public)
    groups = _groups(facts, relation, catalogue, domain, asked, most_groups)
    unit = Unit(facts.unit, facts.rows, groups, declared_in(relation, catalogue))
    outputs = tuple(AGGREGATES[aggregation.function](aggregation, unit) for aggregation in asked.aggregations)
    units_part = _units_part(unit, facts) if domain is None else None
    parts, histograms = _parts(outputs, units_part), _histograms(outputs)
    return Bounded(
        plan=plan,
        relation=relation,
        unit=facts.unit[0] if facts.unit else None,
        levels=_levels(facts, asked, (*parts, *histograms), groups, domain),
        keys=tuple(Key(f"k{n}", key.value) for n, key in enumerate(asked.keys)),
        key_filters=filters,
        domain=domain,
        outputs=outputs,
        parts=parts,
        histograms=histograms,
        rows=facts.rows,
        groups=groups,
        units_part=units_part,
    )


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


def _groups(
    facts: Facts,
    relation: Relation,
    catalogue: Catalogue,
    domain: tuple[tuple[Value, ...], ...] | None,
    asked: Aggregate,
    most_groups: int | None,
) -> int:
    """The most groups that one unit touches: as many as it has rows, or fewer by policy or request."""
    if not asked.keys:
        return 1
    size = [] if domain is None else [max(1, len(domain))]
    if facts.row_level:
        return min([facts.rows, *size])
    tables = (catalogue.tables[fold(scan.table)] for scan in scans(relation))
    declared = [table.declared.groups_per_unit for table in tables if table.declared.groups_per_unit]
    return min([facts.rows, *declared, *size, *([most_groups] if most_groups else [])])


def _units_part(unit: Unit, facts: Facts) -> Part:
    if facts.row_level and facts.side > 1:
        hint = "group by declared keys, or leave out the public table that matches more than once"
        raise Refused("private-keys", "a row that a join multiplies cannot be counted once in a private group", hint)
    return unit.units_where(None)


def _parts(outputs: tuple[Output, ...], units_part: Part | None) -> tuple[Part, ...]:
    """Every part once: aggregates of one statement share what they have in common."""
    asked = [part for output in outputs for part in output.parts.values() if isinstance(part, Part)]
    return tuple(dict.fromkeys([*([units_part] if units_part else []), *asked]))


def _histograms(outputs: tuple[Output, ...]) -> tuple[Histogram, ...]:
    picks = [part for output in outputs for part in output.parts.values() if isinstance(part, Pick)]
    return tuple(dict.fromkeys(pick.histogram for pick in picks))


def _levels(
    facts: Facts,
    asked: Aggregate,
    parts: tuple[Part | Histogram, ...],
    groups: int,
    domain: tuple[tuple[Value, ...], ...] | None,
) -> tuple[Level, ...]:
    """The windows that are needed: none over rows when only units are counted, none over groups when they are few."""
    of_units = all(isinstance(part, Part) and part.kind is Kind.UNITS for part in parts)
    over_rows = () if of_units else levels(facts)
    most = facts.rows if over_rows or not levels(facts) else None
    possible = [size for size in (most, None if domain is None else len(domain)) if size is not None]
    if not asked.keys or not parts or (possible and min(possible) <= groups):
        return over_rows
    return (*over_rows, Level((), tuple(key.value for key in asked.keys), groups, distinct=True))
