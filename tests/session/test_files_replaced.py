"""Files that change under a question: what is released was planned for the files that were read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import discreet
from discreet.engines.duckdb import DuckDB

if TYPE_CHECKING:
    from pathlib import Path

POLICY = """
[dataset]
name   = "shop"
source = "csv:///."
[budget]
epsilon = 10
delta   = 1e-6
[tables.orders]
unit            = "user"
rows_per_unit   = 2
columns.user    = { type = "integer" }
columns.product = { type = "text" }
[tables.products]
public = true
columns.product = { type = "text" }
"""
SQL = "SELECT COUNT(*) AS n FROM orders JOIN products USING (product)"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    (tmp_path / "orders.csv").write_text("user,product\n1,tea\n2,tea\n")
    (tmp_path / "products.csv").write_text("product,maker\ntea,a\n")
    (tmp_path / "discreet.toml").write_text(POLICY)
    return tmp_path


def replace_while_asking(monkeypatch: pytest.MonkeyPatch, file: Path, text: str) -> None:
    """The file has another content from the moment at which the engine is asked."""
    real = DuckDB.fetch

    def fetch(self: DuckDB, *question: Any) -> Any:
        file.write_text(text)
        return real(self, *question)

    monkeypatch.setattr(DuckDB, "fetch", fetch)


def test_a_public_table_that_grew_meanwhile_releases_nothing(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three products of one name would let a unit move the count by three times what was planned."""
    replace_while_asking(monkeypatch, shop / "products.csv", "product,maker\ntea,a\ntea,b\ntea,c\n")
    with discreet.connect(shop) as db:
        with pytest.raises(discreet.EngineError):
            db.query(SQL, epsilon=1)
        assert db.history()[-1].kind == "failed"
        assert db.explain(SQL, epsilon=1).releases[0].l1 == 6
        assert len(db.query(SQL, epsilon=1)) == 1


def test_a_private_table_that_grew_meanwhile_is_answered(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replace_while_asking(monkeypatch, shop / "orders.csv", "user,product\n1,tea\n2,tea\n3,tea\n")
    with discreet.connect(shop) as db:
        assert len(db.query(SQL, epsilon=1)) == 1
