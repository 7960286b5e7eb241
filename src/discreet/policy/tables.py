"""What the owner declares of a table: public, or private with a unit or a way to one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

from discreet.policy.columns import VALUES_FROM, read_columns
from discreet.policy.keys import PRIVATE_ONLY
from discreet.policy.model import AUTO, ROW, Column, Table, Via
from discreet.policy.names import did_you_mean, fold

if TYPE_CHECKING:
    from collections.abc import Mapping

    from discreet.policy.model import Most
    from discreet.policy.reading import Section

__all__ = ["read_tables"]

UNIT = 'unit = "user_id" and rows_per_unit = 10'
VIA = 'via = "order_id -> orders.order_id" and rows_per_parent = 5'


def read_tables(root: Section) -> dict[str, Table]:
    sections = dict(root.sections("tables"))
    tables = {name: _table(name, section) for name, section in sections.items()}
    by_fold = {fold(name): table for name, table in tables.items()}
    tables = {name: _linked(table, sections[name], by_fold) for name, table in tables.items()}
    for name, table in tables.items():
        _check_chain(table, sections[name], tables)
    return tables


def _table(name: str, section: Section) -> Table:
    _check_keys(name, section)
    public = section.flag("public")
    columns = read_columns(section)
    line = section.lines.of(section.path) or 0
    if public:
        _check_public(section)
        return Table(name, public=True, columns=columns, line=line)
    unit, via = section.text("unit", UNIT), _via(section)
    _check_unit_or_via(section)
    return Table(
        name=name,
        unit=unit,
        rows_per_unit=_rows_per_unit(section, unit),
        via=via,
        rows_per_parent=_rows_per_parent(section),
        groups_per_unit=_groups_per_unit(section),
        key=_key(section),
        columns=columns,
        line=line,
    )


def _check_keys(name: str, section: Section) -> None:
    """Unknown keys; a table below a table is a name that needed quotes."""
    for key, value in section.data.items():
        if key != "columns" and isinstance(value, dict):
            message = f"{section.name_of(key)} is a table inside the table {name}"
            hint = f'for a table of a schema write [tables."{name}.{key}"]; for a column write columns.{key} = {{ … }}'
            raise section.refuse("unknown-key", message, hint, key)
    section.only("tables.*")


def _check_public(section: Section) -> None:
    for key in PRIVATE_ONLY:
        if key in section.data:
            message = f"{section.name_of()} is public and has {key}, which only a private table can have"
            raise section.refuse("contradiction", message, f"remove {key}, or remove public = true", key)


def _check_unit_or_via(section: Section) -> None:
    has_unit, has_via = "unit" in section.data, "via" in section.data
    if has_unit and has_via:
        message = f"{section.name_of()} has both unit and via"
        raise section.refuse("contradiction", message, "keep unit if the table has the column, else keep via", "via")
    if not has_unit and not has_via:
        message = f"{section.name_of()} is private and does not say whose rows it holds"
        raise section.refuse("no-unit", message, f"write {UNIT}, or {VIA}, or public = true")
    for key, owner in (("rows_per_unit", "unit"), ("rows_per_parent", "via")):
        if key in section.data and owner not in section.data:
            message = f"{section.name_of(key)} is given without {owner}"
            other = "rows_per_parent" if key == "rows_per_unit" else "rows_per_unit"
            raise section.refuse("contradiction", message, f"write {other} in its place", key)


def _rows_per_unit(section: Section, unit: str | None) -> Most | None:
    rows = section.most("rows_per_unit")
    if unit == ROW:
        if rows not in (None, 1):
            message = f'{section.name_of("rows_per_unit")} must be 1 where unit = "{ROW}": a row has one row'
            raise section.refuse("contradiction", message, "remove rows_per_unit", "rows_per_unit")
        return 1
    if unit is not None and rows is None:
        raise _missing_bound(section, "rows_per_unit", "of one unit")
    return rows


def _rows_per_parent(section: Section) -> Most | None:
    rows = section.most("rows_per_parent")
    if "via" in section.data and rows is None:
        raise _missing_bound(section, "rows_per_parent", "of one parent row")
    return rows


def _missing_bound(section: Section, key: str, whose: str) -> Exception:
    message = f"{section.name_of(key)} is missing: without it one unit could move an answer by any amount"
    return section.refuse("missing-bound", message, f'write {key} = 10, the most rows {whose} that count, or "auto"')


def _groups_per_unit(section: Section) -> int | None:
    """It needs no word to be chosen: where it is left out and rows are not bounded, it is."""
    if section.data.get("groups_per_unit") == AUTO:
        message = f'{section.name_of("groups_per_unit")} = "auto" is not a setting of its own'
        hint = 'leave it out: where rows_per_unit = "auto", a question with many groups chooses it too'
        raise section.refuse("unsupported", message, hint, "groups_per_unit")
    return section.count("groups_per_unit")


def _key(section: Section) -> tuple[str, ...]:
    written = section.data.get("key")
    items = cast("list[object]", written) if isinstance(written, list) else [written] if "key" in section.data else []
    names = tuple(item for item in items if isinstance(item, str) and item)
    if len(names) != len(items) or written == [] or len({fold(name) for name in names}) != len(names):
        raise section.wrong("key", "a column or a list of different columns", 'key = "order_id" or key = ["a", "b"]')
    return names


def _via(section: Section) -> Via | None:
    if isinstance(section.data.get("via"), list):
        message = f"{section.name_of('via')} as a list (rows of several kinds of unit) is not supported yet"
        raise section.refuse("unsupported", message, "write one way: the one to the unit that needs protection", "via")
    text = section.text("via", VIA)
    if text is None:
        return None
    column, arrow, target = (part.strip() for part in text.partition("->"))
    parent, _, parent_column = target.rpartition(".")
    if not (arrow and column and parent and parent_column) or "->" in target:
        message = f"{section.name_of('via')} must read: column -> table.column"
        raise section.refuse("bad-via", message, f"write {VIA}", "via")
    return Via(column, parent, parent_column)


def _linked(table: Table, section: Section, by_fold: Mapping[str, Table]) -> Table:
    """The table with the tables that it names in the spelling of their own declarations."""
    if table.via is not None:
        parent = _parent(table.via, section, by_fold)
        table = replace(table, via=replace(table.via, parent=parent.name))
    columns = {name: _linked_column(column, section, by_fold) for name, column in table.columns.items()}
    return replace(table, columns=columns)


def _parent(via: Via, section: Section, by_fold: Mapping[str, Table]) -> Table:
    parent = by_fold.get(fold(via.parent))
    if parent is None:
        private = [table.name for table in by_fold.values() if not table.public]
        message = f'{section.name_of("via")} leads to table "{via.parent}", which the policy does not declare'
        raise section.refuse("bad-via", message, did_you_mean(via.parent, private), "via")
    if parent.public:
        message = f'{section.name_of("via")} leads to table "{parent.name}", which is public and has no units'
        raise section.refuse("bad-via", message, "lead to the private table that has the unit", "via")
    if parent.unit == ROW:
        message = f'{section.name_of("via")} leads to table "{parent.name}", whose unit is its own row'
        hint = f'give {parent.name} a unit that this table can name: unit = "{via.parent_column}" and rows_per_unit = 1'
        raise section.refuse("via-row", message, hint, "via")
    return parent


def _linked_column(column: Column, section: Section, by_fold: Mapping[str, Table]) -> Column:
    if column.values_from is None:
        return column
    named, field = column.values_from
    table = by_fold.get(fold(named))
    place = ("columns", column.name, "values_from")
    if table is None:
        public = [table.name for table in by_fold.values() if table.public]
        message = f'{section.name_of(*place)} names table "{named}", which the policy does not declare'
        hint = did_you_mean(named, public, f"declare it: [tables.{named}] public = true")
        raise section.refuse("bad-values-from", message, hint, *place)
    if not table.public:
        message = f'{section.name_of(*place)} names table "{table.name}", which is private: its values are not known'
        raise section.refuse("bad-values-from", message, f"write {VALUES_FROM}, or write values = […]", *place)
    return replace(column, values_from=(table.name, field))


def _check_chain(table: Table, section: Section, tables: Mapping[str, Table]) -> None:
    """Every chain ends: parents exist and none is public, so it can only fail by going round."""
    seen = [table.name]
    while table.via is not None:
        table = tables[table.via.parent]
        seen.append(table.name)
        if table.name in seen[:-1]:
            message = f"{section.name_of('via')} goes round and reaches no unit: {' -> '.join(seen)}"
            raise section.refuse("via-cycle", message, f"give one of these tables a unit: {UNIT}", "via")
