"""The policy laid over a live schema: what analysts may name, and every mismatch."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from discreet.plan.types import ColumnSchema, TableSchema, Type
from discreet.policy.catalogue import resolve
from discreet.policy.model import Budget, Column, Policy, Table, Via


def test_live_spelling_natural_steps_and_chains() -> None:
    live = {
        "Orders": TableSchema(
            "Orders",
            {
                "ID": ColumnSchema("ID", Type.INTEGER),
                "User": ColumnSchema("User", Type.TEXT),
                "paid": ColumnSchema("paid", Type.DECIMAL, 2),
            },
            ("ID",),
        ),
        "items": TableSchema("items", {"order_id": ColumnSchema("order_id", Type.INTEGER)}),
    }
    tables = {
        "orders": Table("orders", unit="user", rows_per_unit=3, columns={"PAID": Column("PAID")}),
        "items": Table("items", via=Via("order_id", "orders", "id"), rows_per_parent=2),
    }
    policy = Policy(Path("p"), "shop", "duckdb:////s", "sqlite:////l", Budget(Fraction(1)), tables)
    catalogue = resolve(policy, live)
    orders, items = catalogue.table("ORDERS"), catalogue.table("items")
    assert orders is not None
    assert items is not None
    assert (orders.name, orders.unit, orders.key) == ("Orders", "User", ("ID",))
    assert orders.columns["id"].step == 1
    assert orders.columns["paid"].step == Fraction(1, 100)
    assert items.via == Via("order_id", "Orders", "ID")
