"""Whose rows a relation holds, and how many of them one unit can have: one transfer function per node.

A private relation is one or more chains of tables of the same unit, each from its deepest table up to
the one whose column names the unit (items, orders). In the end the longest chain is truncated table by
table, and whatever stands beside it (other chains, public tables that match more than once) is a factor
of how often one of its bottom rows can occur.

    scan      a chain of one table; its top is open when the unit is reached through a key
    join      on the unit: the chains of both sides, beside each other
              on a declared key: the child's chain goes on in the chain of its parent
              anything else between private tables is refused
    filter    looks at one row: nothing changes
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import prod
from typing import assert_never

from discreet.errors import Refused
from discreet.plan.nodes import Filter, Join, Relation, Scan, scans
from discreet.plan.scalar import Call, ColumnRef, Op, Scalar, columns
from discreet.plan.types import Type
from discreet.policy.catalogue import Catalogue, KnownTable
from discreet.policy.model import AUTO
from discreet.policy.names import fold
from discreet.privacy.bounded import Level, PublicFacts

__all__ = ["Chain", "Facts", "Hop", "as_a_whole", "fan_outs", "levels", "reach_unit", "relation_facts"]


COMPARED_AS_THEY_ARE = {Type.BOOLEAN, Type.INTEGER, Type.TEXT, Type.DATE, Type.TIMESTAMP, Type.OTHER}
"""Types of which two values are equal in a join exactly when they are the same."""


@dataclass(frozen=True, slots=True)
class Hop:
    """One private table of a chain: at most ``limit`` of its rows under one row of the hop above (or one unit)."""

    alias: str
    table: KnownTable
    limit: int
    enforced: bool
    """The database itself enforces the limit, by a primary key or a unique constraint."""
    identity: tuple[ColumnRef, ...]
    undecided: bool = False
    """Nobody declared the limit: there is none."""


Chain = tuple[Hop, ...]
"""From the deepest table up to the one that names the unit."""


@dataclass(frozen=True, slots=True)
class Facts:
    """Private tables of one unit, as chains that stand beside each other; no chains: public."""

    chains: tuple[Chain, ...] = ()
    unit: tuple[ColumnRef, ...] = ()
    """The columns that hold the unit; none while the one chain is open."""
    factor: int = 1
    """How often everything else can repeat a row: public tables, and children of a parent that has others."""
    absorbed: tuple[ColumnRef, ...] = ()
    """What tells joined rows apart besides the keys of the chains."""
    single: bool = True
    """The database's own constraints see to it that a child meets its parent once."""

    @property
    def private(self) -> bool:
        return bool(self.chains)

    @property
    def hops(self) -> Chain:
        """The longest chain: its tables are truncated one by one, and all others are a factor of its bottom rows."""
        return max(self.chains, key=len)

    @property
    def others(self) -> Chain:
        return tuple(hop for chain in self.chains if chain is not self.hops for hop in chain)

    @property
    def side(self) -> int:
        return self.factor * prod(hop.limit for hop in self.others)

    @property
    def once(self) -> bool:
        """No window is needed for what stands beside the chain."""
        return self.single and self.side == 1 and all(hop.enforced for hop in self.others)

    @property
    def rows(self) -> int:
        return prod(hop.limit for hop in self.hops) * self.side

    @property
    def undecided(self) -> bool:
        """Whether the rows of a unit have no bound that is declared all the way."""
        return any(hop.undecided for chain in self.chains for hop in chain)

    @property
    def row_level(self) -> bool:
        return self.private and self.hops[-1].table.row_level

    @property
    def open(self) -> bool:
        """The chain ends below the table that names the unit."""
        return self.private and not self.unit and not self.row_level


def relation_facts(relation: Relation, catalogue: Catalogue) -> Facts:
    match relation:
        case Scan():
            return _scan(relation, catalogue)
        case Join(left=left, right=right):
            return _join(relation, relation_facts(left, catalogue), relation_facts(right, catalogue))
        case Filter(input=inner):
            return relation_facts(inner, catalogue)
        case _:
            assert_never(relation)


def _scan(scan: Scan, catalogue: Catalogue) -> Facts:
    table = catalogue.tables[fold(scan.table)]
    if table.public:
        return Facts()
    if table.row_level:
        return Facts(((Hop(scan.alias, table, 1, True, ()),),))
    link = table.via.column if table.via else table.unit
    assert link is not None
    enforced = table.identifies(link)
    declared = (table.declared.rows_per_parent if table.via else table.declared.rows_per_unit) or 1
    undecided = declared == AUTO and not enforced
    limit = 1 if enforced or declared == AUTO else declared
    hop = Hop(scan.alias, table, limit, enforced, _identity(scan.alias, table), undecided)
    return Facts(((hop,),), () if table.via else (_ref(scan.alias, table, link),))


def _identity(alias: str, table: KnownTable) -> tuple[ColumnRef, ...]:
    """What tells a unit's rows apart: the key if there is one, else everything that is in the row."""
    names = table.key or tuple(column.name for column in table.columns.values())
    return tuple(_ref(alias, table, name) for name in names)


def _ref(alias: str, table: KnownTable, name: str) -> ColumnRef:
    column = table.columns[fold(name)]
    return ColumnRef(alias, column.name, column.type)


def _join(join: Join, left: Facts, right: Facts) -> Facts:
    if not right.private:
        return left
    if not left.private:
        if join.kind == "left":
            hint = "write the private table first, or use an inner join"
            raise Refused("unsupported", "a public table cannot keep rows that no unit has", hint, join.span)
        return right
    if left.row_level or right.row_level:
        hint = "a row that is its own unit belongs to no other table's unit"
        raise Refused("bad-join", "a table with unit = 'row' can be joined with public tables only", hint, join.span)
    return _private_join(join, left, right)


def _private_join(join: Join, left: Facts, right: Facts) -> Facts:
    for ours, theirs in _equalities(join.on):
        for a, b in ((ours, theirs), (theirs, ours)):
            if a in left.unit and b in right.unit:
                return _side_by_side(left, right, join.kind)
            if _links(a, left, b, right):
                return _chained(left, right, b.source, join.kind)
            if _links(b, right, a, left):
                return _chained(right, left, a.source, join.kind)
    raise Refused(
        "bad-join",
        f"{left.hops[0].table.name!r} and {right.hops[0].table.name!r} are joined neither on the unit "
        "nor along a declared key",
        "add the equality of their unit columns, or of the key that `via` declares",
        join.span,
    )


def _equalities(on: tuple[Scalar, ...]) -> Iterator[tuple[ColumnRef, ColumnRef]]:
    """Equalities of two columns that are compared as they are: as doubles, two units could look like one."""
    for condition in on:
        match condition:
            case Call(op=Op.EQ, args=(ColumnRef() as a, ColumnRef() as b)) if a.type is b.type in COMPARED_AS_THEY_ARE:
                yield a, b
            case _:
                pass


def _links(child: ColumnRef, below: Facts, parent: ColumnRef, above: Facts) -> bool:
    """``child`` is the declared key at the open top of ``below``, and ``parent`` what it points to in ``above``."""
    if not below.open:
        return False
    top, via = below.hops[-1], below.hops[-1].table.via
    target = next((hop for chain in above.chains for hop in chain if hop.alias == parent.source), None)
    return (
        via is not None
        and target is not None
        and (child.source, child.name) == (top.alias, via.column)
        and (fold(target.table.name), parent.name) == (fold(via.parent), via.parent_column)
    )


def _chained(below: Facts, above: Facts, parent: str, kind: str) -> Facts:
    """The child's chain goes on in the parent's; where the parent has children already, the new ones are a factor.

    Where the database does not enforce that the parent's key is unique, a child may meet its parent
    twice: then what it enforces about the child's table says nothing about joined rows. A unique key may
    be NULL many times over, which a LEFT JOIN keeps.
    """
    via = below.hops[-1].table.via
    assert via is not None
    absorbed = (*below.absorbed, *above.absorbed)
    chain = next((chain for chain in above.chains if chain[0].alias == parent), None)
    if chain is None:
        factor = below.rows * above.factor
        return Facts(above.chains, above.unit, factor, (*absorbed, *_identities(below.hops)), single=False)
    bottom = chain[0]
    key = _ref(bottom.alias, bottom.table, via.parent_column)
    joined = (*below.hops, replace(bottom, identity=(key,)), *chain[1:])
    once = bottom.enforced or (bottom.table.identifies(via.parent_column) and kind == "inner")
    return Facts(
        chains=tuple(joined if each is chain else each for each in above.chains),
        unit=above.unit,
        factor=below.factor * above.factor,
        absorbed=(*absorbed, *bottom.identity),
        single=below.single and above.single and once,
    )


def _side_by_side(left: Facts, right: Facts, kind: str) -> Facts:
    """Two relations of one unit; a left join may leave the right side's unit empty."""
    return Facts(
        chains=(*left.chains, *right.chains),
        unit=left.unit if kind == "left" else (*left.unit, *right.unit),
        factor=left.factor * right.factor,
        absorbed=(*left.absorbed, *right.absorbed),
        single=left.single and right.single,
    )


def _identities(hops: Chain) -> tuple[ColumnRef, ...]:
    return tuple(ref for hop in hops for ref in hop.identity)


def reach_unit(relation: Relation, catalogue: Catalogue) -> Relation:
    """Add the parents that the analyst left out: ``SELECT COUNT(*) FROM items`` still needs the orders."""
    facts = relation_facts(relation, catalogue)
    while facts.open:
        top, via = facts.hops[-1], facts.hops[-1].table.via
        assert via is not None
        parent = catalogue.tables[fold(via.parent)]
        alias = _free_alias(parent.name, relation)
        ends = (_ref(top.alias, top.table, via.column), _ref(alias, parent, via.parent_column))
        relation = _under_filters(relation, Scan(parent.name, alias), Call(Op.EQ, ends, Type.BOOLEAN))
        facts = relation_facts(relation, catalogue)
    return relation


def _free_alias(name: str, relation: Relation) -> str:
    taken = {fold(scan.alias) for scan in scans(relation)}
    return next(alias for n in range(len(taken) + 1) if fold(alias := f"{name}~{n}") not in taken)


def _under_filters(relation: Relation, scan: Scan, condition: Scalar) -> Relation:
    if isinstance(relation, Filter):
        return Filter(_under_filters(relation.input, scan, condition), relation.predicate)
    return Join(relation, scan, "inner", (condition,))


def levels(facts: Facts) -> tuple[Level, ...]:
    """The truncations of a chain, top down: parents of a unit, then rows of a parent. None that is not needed."""
    found: list[Level] = []
    above: tuple[ColumnRef, ...] = ()
    for hop in reversed(facts.hops[1:]):
        if not hop.enforced:
            found.append(Level(above, hop.identity, hop.limit, distinct=True))
        above = (*above, *hop.identity)
    bottom = facts.hops[0]
    if not facts.row_level and not (bottom.enforced and facts.once):
        identity = (*bottom.identity, *facts.absorbed, *_identities(facts.others))
        found.append(Level(above, identity, bottom.limit * facts.side, distinct=False))
    return tuple(found)


def as_a_whole(facts: Facts, limit: int) -> tuple[Level, ...]:
    """One truncation of a unit's joined rows, whatever tables they come from."""
    identity = (*_identities(facts.hops), *facts.absorbed, *_identities(facts.others))
    return (Level((), identity, limit, distinct=False),)


def fan_outs(relation: Relation, catalogue: Catalogue, facts: PublicFacts) -> int:
    """By how much public tables can multiply a private row: what they hold is public, so it is looked up.

    Tables are taken in an order in which each is tied by an equality to what is already there.
    """
    public = {scan.alias: scan for scan in scans(relation) if catalogue.tables[fold(scan.table)].public}
    ties = list(_ties(relation))
    there = {scan.alias for scan in scans(relation)} - public.keys()
    factor = 1
    while public:
        alias = next((a for a in public if _tied_columns(a, ties, there)), None)
        if alias is None:
            scan = next(iter(public.values()))
            hint = "join it ON an equality with a table that is already there"
            raise Refused("bad-join", f"the public table {scan.table!r} is not tied to the others", hint, scan.span)
        factor *= max(1, facts.fan_out(public.pop(alias).table, _tied_columns(alias, ties, there)))
        there.add(alias)
    return factor


def _ties(relation: Relation) -> Iterator[tuple[Scalar, str | None]]:
    """The conditions that hold of every joined row; those of a left join bind its right table only."""
    match relation:
        case Scan():
            return
        case Filter(input=inner):
            yield from _ties(inner)
        case Join(left=left, right=right, kind=kind, on=on):
            yield from _ties(left)
            yield from _ties(right)
            bound = right.alias if kind == "left" and isinstance(right, Scan) else None
            yield from ((condition, bound) for condition in on)


def _tied_columns(alias: str, ties: list[tuple[Scalar, str | None]], there: set[str]) -> tuple[str, ...]:
    """The columns of a public table that are equal to something which is already there."""
    found: set[str] = set()
    for condition, bound in ties:
        if bound not in (None, alias) or not (isinstance(condition, Call) and condition.op is Op.EQ):
            continue
        for mine, other in (condition.args, condition.args[::-1]):
            others = {column.source for column in columns(other)}
            if (
                isinstance(mine, ColumnRef)
                and mine.source == alias
                and others
                and others <= there
                and _plain(mine, other)
            ):
                found.add(mine.name)
    return tuple(sorted(found))


def _plain(mine: ColumnRef, other: Scalar) -> bool:
    """Whether rows that match one value share it exactly, so that counting them by value bounds the matches."""
    same = mine.type is other.type in COMPARED_AS_THEY_ARE
    return same and (isinstance(other, ColumnRef) or mine.type is not Type.INTEGER)
