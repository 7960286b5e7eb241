"""The grammar of a policy file: every key that each section may hold, and what a marked one decides."""

from __future__ import annotations

__all__ = ["DECIDE", "DECISIONS", "KEYS", "PRIVATE_ONLY"]

KEYS: dict[str, tuple[str, ...]] = {
    "": ("dataset", "budget", "analysts", "tables", "keys"),
    "dataset": ("name", "source", "ledger"),
    "budget": ("epsilon", "delta", "accounting", "slots", "sigma", "per_query", "renew", "when_spent"),
    "budget.per_query": ("epsilon", "delta"),
    "analysts.*": ("epsilon", "slots"),
    "tables.*": (
        "public",
        "unit",
        "rows_per_unit",
        "via",
        "rows_per_parent",
        "groups_per_unit",
        "key",
        "columns",
    ),
    "tables.*.columns.*": ("type", "range", "within", "step", "values", "values_from"),
    "keys": ("threshold_delta", "min_units"),
}

PRIVATE_ONLY = ("unit", "rows_per_unit", "via", "rows_per_parent", "groups_per_unit", "key")
"""What a public table cannot have: nobody's rows are counted in it."""

DECIDE = "DECIDE"
"""The mark that a draft leaves where only the owner can decide. It is never a value."""

DECISIONS: dict[str, str] = {
    "name": "write the name of the dataset; its ledger belongs to that name",
    "source": "write where the data is, for example duckdb:///shop.duckdb",
    "epsilon": "write the privacy that all answers together may spend; 1 is strong, 3 is common, 10 is weak",
    "delta": "write a public number far below one over the number of units, for example 1e-6 or 1e-8",
    "public": "write true only if every row may be known to everyone; else remove it and say unit or via",
    "unit": 'write the column that names whose privacy is protected, or "row" if every row is somebody else',
    "rows_per_unit": (
        "write how many rows of one unit count at most (further rows are left out of every answer), "
        'or "auto": each question then chooses it privately, on a part of its price'
    ),
    "rows_per_parent": 'write how many rows of one parent row count at most (further rows are left out), or "auto"',
    "groups_per_unit": "write in how many groups of one answer a unit counts at most",
    "type": "write integer, decimal, float, text, date, timestamp or boolean; it is never guessed from the rows",
    "range": (
        "write [low, high] from what is known of the subject, not from the data (values outside are clamped), "
        'or "auto": each question then chooses it privately, on a part of its price; '
        "or remove the line: the column then cannot be summed"
    ),
    "values": "write the list of group keys that are public, or remove it: the keys are then private",
}
