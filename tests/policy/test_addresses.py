"""Sources and ledgers become one absolute URL, and the environment is expanded without being quoted."""

from __future__ import annotations

from pathlib import Path

import pytest

from discreet.errors import PolicyError
from discreet.policy.load import loads


def text(source: str, ledger: str = "") -> str:
    return f'[dataset]\nname = "shop"\nsource = "{source}"\n{ledger}\n[budget]\nepsilon = 1\ndelta = 1e-6\n'


@pytest.mark.parametrize(
    ("written", "absolute"),
    [
        ("duckdb:///shop.duckdb", "duckdb:////data/shop.duckdb"),
        ("duckdb:///in/shop.duckdb", "duckdb:////data/in/shop.duckdb"),
        ("duckdb:////abs/shop.duckdb", "duckdb:////abs/shop.duckdb"),
        ("parquet:///dir", "parquet:////data/dir"),
        ("csv:////abs/dir", "csv:////abs/dir"),
        ("orders.parquet", "parquet:////data/orders.parquet"),
        ("/abs/Orders.CSV", "csv:////abs/Orders.CSV"),
    ],
)
def test_sources(written: str, absolute: str) -> None:
    assert loads(text(written), "/data/discreet.toml").source == absolute


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_a_folder_is_known_by_the_files_in_it(tmp_path: Path, kind: str) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / f"a.{kind}").touch()
    assert loads(text("in"), tmp_path / "discreet.toml").source == f"{kind}:///{tmp_path}/in"


def test_a_folder_of_both_kinds_is_refused(tmp_path: Path) -> None:
    for name in ("a.csv", "b.parquet"):
        (tmp_path / name).touch()
    with pytest.raises(PolicyError, match="both"):
        loads(text("."), tmp_path / "discreet.toml")


def test_ledgers() -> None:
    assert loads(text("a.csv"), "/data/discreet.toml").ledger == "sqlite:////data/shop.ledger"
    other = text("a.csv", 'ledger = "sqlite:////var/x.ledger"')
    assert loads(other, "/data/discreet.toml").ledger == "sqlite:////var/x.ledger"


def test_the_environment_is_expanded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_DIR", "/srv")
    policy = loads(text("duckdb:///${SHOP_DIR}/shop.duckdb", 'ledger = "sqlite:///${SHOP_DIR}/l"'), "/p/d.toml")
    assert policy.source == "duckdb:////srv/shop.duckdb"
    assert policy.ledger == "sqlite:////srv/l"


def test_what_the_environment_holds_is_not_quoted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_URL", "swordfish")
    for source in ("duckdb://${SHOP_URL}", "${SHOP_URL}", "x${SHOP_URL}://y"):
        with pytest.raises(PolicyError) as refused:
            loads(text(source))
        assert refused.value.code == "bad-source"
        assert "swordfish" not in str(refused.value)
