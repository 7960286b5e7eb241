"""The file under the ledger: where it may lie, what its own triggers refuse, and forks."""

from __future__ import annotations

import os
import sqlite3
import stat
import threading
from pathlib import Path

import pytest

from discreet.errors import LedgerError
from discreet.ledger import Ledger, amount, place
from discreet.ledger.events import Charge
from discreet.ledger.store import Store
from discreet.ledger.store import __file__ as store_file


def code_of(opening):
    with pytest.raises(LedgerError) as refused:
        opening()
    assert str(refused.value)
    return refused.value.code


def test_another_dataset_or_accounting_is_refused(shop):
    shop.open()
    assert code_of(lambda: shop.open(dataset="hospital")) == "wrong-dataset"
    assert code_of(lambda: shop.open(accounting="zcdp")) == "wrong-accounting"
    assert code_of(lambda: shop.open(accounting="moments")) == "unknown-accounting"
    assert shop.open().verify().entries == 1


def test_the_file_is_its_owners_alone(shop):
    shop.open()
    for path in shop.path.parent.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, path


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a directory that not even root may write to")
def test_a_place_that_cannot_be_written_is_refused():
    def opening():
        Ledger.open(
            "sqlite:////proc/self/shop.ledger",
            dataset="shop",
            accounting="pure",
            capacity=Charge(amount.Fraction(1)),
            quotas={},
            renew=None,
            policy="p",
        )

    assert code_of(opening) == "ledger-unwritable"


def test_a_ledger_that_became_read_only_is_refused(shop, monkeypatch):
    """As on a read-only mount: SQLite opens the file and cannot write to it."""
    shop.open().close()
    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda path, **how: connect(f"file:{path}?mode=ro", uri=True, **how))
    assert code_of(shop.open) == "ledger-unwritable"


def test_a_missing_directory_and_a_strange_file_are_refused(shop):
    good, shop.path = shop.path, shop.path.parent / "none" / "shop.ledger"
    assert code_of(shop.open) == "ledger-unwritable"
    good.write_bytes(b"not a ledger at all" * 1000)
    shop.path = good
    assert code_of(shop.open) == "not-a-ledger"


def test_urls():
    assert place.file_of("sqlite:////a/b") == Path("/a/b")
    assert place.file_of("sqlite:///a/b") == Path("a/b")
    assert place.file_of("/a/b") == Path("/a/b")
    assert code_of(lambda: place.file_of("mysql://host/db")) == "bad-ledger-url"


@pytest.mark.parametrize(
    ("mount", "refused"),
    [
        ("host:/vol {} nfs4 rw 0 0", True),
        ("//host/share {} cifs rw 0 0", True),
        ("me@host:/ {} fuse.sshfs rw 0 0", True),
        ("share {} 9p rw 0 0", True),
        ("/dev/sda1 {} ext4 rw 0 0", False),
        ("tmpfs {} tmpfs rw 0 0", False),
        ("overlay {} overlay rw 0 0", False),
    ],
)
def test_network_file_systems_are_refused(shop, tmp_path, monkeypatch, mount, refused):
    shop.path = tmp_path / "a share" / "shop.ledger"
    shop.path.parent.mkdir()
    point = str(shop.path.parent.resolve()).replace(" ", "\\040")
    mounts = tmp_path / "mounts"
    mounts.write_text(f"/dev/root / ext4 rw 0 0\n{mount.format(point)}\nhost:/x {point}/deeper nfs rw 0 0\n")
    monkeypatch.setattr(place, "MOUNTS", mounts)
    if refused:
        assert code_of(shop.open) == "ledger-on-network"
        assert not shop.path.exists()
    else:
        assert shop.open().verify().ok


def test_a_local_disk_inside_a_network_mount_is_fine(shop, tmp_path, monkeypatch):
    mounts = tmp_path / "mounts"
    mounts.write_text(f"host:/ / nfs rw 0 0\n/dev/sda1 {tmp_path.resolve()} xfs rw 0 0\n")
    monkeypatch.setattr(place, "MOUNTS", mounts)
    assert shop.open().verify().ok


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE entries SET body = '{}'",
        "DELETE FROM entries",
        "REPLACE INTO entries SELECT seq, kind, '{}', prev, hash, reservation FROM entries",
        "UPDATE accounts SET spent = printf('%048d', 0)",
        "UPDATE accounts SET spent = printf('%048d', 2) || ''",
        "UPDATE accounts SET spent = cap || '0'",
        "UPDATE accounts SET spent = printf('%.*c', 48, '9')",
        "UPDATE accounts SET delta_spent = printf('%048d', 1)",
        "INSERT INTO accounts (scope, period, cap, spent, delta_cap, delta_spent)"
        " SELECT 'more', period, cap, cap, delta_cap, delta_spent FROM accounts",
        "UPDATE accounts SET returned = printf('%048d', 0)",
        "UPDATE accounts SET returned = printf('%.*c', 48, '9')",
        "DELETE FROM accounts",
        "UPDATE answers SET payload = x'00'",
        "DELETE FROM answers",
        "INSERT INTO entries SELECT seq + 9, 'settled', body, prev, hash, 2 FROM entries WHERE seq = 3",
    ],
)
def test_the_store_itself_refuses(shop, reserve, hold, paid, statement):
    ledger = shop.open()
    ledger.settle(reserve(ledger), b"42")
    ledger.settle(hold(ledger, "1/5"), b"42", paid("1/10"))
    store = Store(shop.path)
    with pytest.raises(LedgerError) as refused, store.transaction("FULL") as tables:
        tables._run(statement)
    store.close()
    assert refused.value.code == "ledger-failed"
    assert ledger.verify().ok


def test_a_cap_may_be_lowered_under_what_is_spent_and_then_nothing_is_granted(shop, reserve):
    reserve(shop.open(1), "1/2")
    lower = shop.open("1/4", policy="p2")
    left = lower.balance()
    assert (left.dataset.cap, left.dataset.spent) == (Charge(amount.Fraction(1, 4)), Charge(amount.Fraction(1, 2)))
    assert left.remaining == Charge(amount.Fraction(0))
    with pytest.raises(LedgerError, match="spent beyond the cap"), lower._store.transaction("FULL") as tables:
        tables.spend("dataset", 0, amount.debit(amount.Fraction(1, 2)) + 1, 0)
    assert lower.verify().ok


def test_a_ledger_of_the_first_shape_goes_on(shop, reserve, hold, paid, monkeypatch):
    """Everything that was spent stays spent, and the chain goes on."""
    old = shop.path.parent / "old" / "schema"
    old.mkdir(parents=True)
    schema = Path(store_file).parent / "schema"
    (old / "0001.sql").write_bytes((schema / "0001.sql").read_bytes())
    with monkeypatch.context() as patch:
        patch.setattr("discreet.ledger.store.resources.files", lambda _package: old.parent)
        first = Store(shop.path)
        with first.transaction("FULL") as tables:
            assert tables._run("PRAGMA user_version").fetchone() == (1,)
            with pytest.raises(sqlite3.OperationalError, match="returned"):
                tables._run("SELECT returned FROM accounts")
        first.close()
    ledger = shop.open(1)
    reserve(ledger, "1/2")
    ledger.settle(hold(ledger, "1/2"), b"42", paid("1/5"))
    assert ledger.balance().remaining == Charge(amount.Fraction(3, 10))
    assert ledger.verify().ok


def test_a_newer_ledger_is_refused(shop):
    shop.open().close()
    with sqlite3.connect(shop.path) as raw:
        raw.execute("PRAGMA user_version = 99")
    raw.close()
    assert code_of(shop.open) == "newer-ledger"


def test_a_closed_ledger_says_so(shop, reserve):
    ledger = shop.open()
    ledger.close()
    ledger.close()
    assert code_of(lambda: reserve(ledger)) == "closed"


def test_two_openings_share_the_salt_and_two_ledgers_do_not(shop):
    salt = shop.open().salt
    assert shop.open().salt == salt
    assert len(salt) == 32
    shop.path = shop.path.with_name("other")
    assert shop.open().salt != salt


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_parent_and_child_go_on_after_a_fork(shop, reserve):
    ledger = shop.open()
    reserve(ledger)
    child = os.fork()
    if child == 0:
        # Leaves through the interpreter's normal end of a frame as far as it can without pytest.
        try:
            reserve(ledger)
            ledger.close()
            os._exit(0)
        finally:
            os._exit(1)
    reserve(ledger)
    assert os.waitpid(child, 0)[1] == 0
    reserve(ledger)
    assert ledger.balance().dataset.spent == Charge(amount.Fraction(4, 10))
    assert ledger.verify().ok


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_fork_waits_for_the_transaction_of_another_thread(shop, reserve):
    """The child never inherits a half-written ledger, nor a lock that nobody will release."""
    ledger, inside, forked = shop.open(), threading.Event(), []

    def fork():
        inside.wait()
        child = os.fork()
        if child == 0:
            try:
                reserve(ledger)
                os._exit(0)
            finally:
                os._exit(1)
        forked.append(os.waitpid(child, 0)[1])

    thread = threading.Thread(target=fork)
    thread.start()
    with ledger._store.transaction("FULL") as tables:
        inside.set()
        tables.append("policy", {"half": "written"})
        assert forked == []
    thread.join()
    assert forked == [0]
    assert ledger.balance().dataset.spent == Charge(amount.Fraction(1, 10))
