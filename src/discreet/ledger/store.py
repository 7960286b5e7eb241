"""The SQLite file under the ledger: connections, transactions, forks and migrations.

Writers take turns: a process has one connection under a lock, and ``BEGIN IMMEDIATE`` makes
processes wait for one another before they read what they are about to change. A transaction says
how it must be written:

    FULL    synced to the disk before the call returns: a reservation, the terms, a period
    NORMAL  atomic and ordered, but synced with a later write: a settlement. A power cut (not a
            crash of the process) may take it back; the reservation under it was synced and stays.

No connection crosses a fork: just before one, every store finishes its transaction and closes, and
parent and child each open again when they need to. (A child that inherited a connection would
release the parent's locks, or fold up its log, merely by exiting.)
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from contextlib import closing, contextmanager
from importlib import resources
from typing import TYPE_CHECKING, Literal
from weakref import WeakSet

from discreet.errors import LedgerError
from discreet.ledger.place import claim, refuse_network, sync_directory
from discreet.ledger.tables import Tables

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from pathlib import Path

__all__ = ["Store", "Synchronous"]

Synchronous = Literal["FULL", "NORMAL"]
PATIENCE = 60.0
"""Seconds to wait for another writer."""


class Store:
    """One ledger file; safe to use from many threads, and from many processes through many stores."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._closed = False
        refuse_network(path)
        claim(path)
        with _forking:
            _stores.add(self)
        with self.transaction("FULL") as tables:
            tables.touch()
        sync_directory(path)

    @contextmanager
    def transaction(self, synchronous: Synchronous) -> Generator[Tables]:
        """All or nothing, alone among all writers; raising leaves the ledger as it was."""
        with self.lock, _explained(self.path):
            connection = self._open()
            connection.execute(f"PRAGMA synchronous = {synchronous}")
            with _atomic(connection, "BEGIN IMMEDIATE"):
                yield Tables(connection)

    @contextmanager
    def reading(self) -> Generator[Tables]:
        """A short look at one moment, which waits for no other process."""
        with self.lock, _explained(self.path):
            connection = self._open()
            with _atomic(connection, "BEGIN"):
                yield Tables(connection)

    @contextmanager
    def snapshot(self) -> Generator[Tables]:
        """One moment of the ledger to read at leisure: nobody waits for it."""
        with _explained(self.path), closing(_connect(self.path)) as connection:
            connection.execute("BEGIN")
            yield Tables(connection)

    def close(self) -> None:
        with self.lock:
            self._closed = True
            self.let_go()

    def let_go(self) -> None:
        """Close the connection, to open another when needed. The caller holds the lock."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _open(self) -> sqlite3.Connection:
        if self._closed:
            raise LedgerError("closed", "the ledger is closed", "open it again with discreet.connect")
        if self._connection is None:
            connection = _connect(self.path)
            _migrate(connection)
            self._connection = connection
        return self._connection


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
    try:
        _write_ahead(connection)
        for setting in ("foreign_keys", "recursive_triggers", "fullfsync", "checkpoint_fullfsync"):
            connection.execute(f"PRAGMA {setting} = ON")
        connection.execute("PRAGMA trusted_schema = OFF")
    except BaseException:
        connection.close()
        raise
    return connection


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Turn the write-ahead log on. SQLite does not wait for the lock that this takes, so we do."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
            continue
        if mode != "wal":
            raise LedgerError("ledger-unwritable", "this place does not support a write-ahead log", _ELSEWHERE)
        return


@contextmanager
def _atomic(connection: sqlite3.Connection, begin: Literal["BEGIN", "BEGIN IMMEDIATE"]) -> Generator[None]:
    connection.execute(begin)
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        # Some failures (a full disk) roll back by themselves.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _migrate(connection: sqlite3.Connection) -> None:
    """Bring the file to the newest shape, one numbered step after another, in one transaction."""
    steps = sorted(
        (each for each in (resources.files("discreet.ledger") / "schema").iterdir() if each.name.endswith(".sql")),
        key=lambda each: each.name,
    )
    if _version(connection) == len(steps):
        return
    connection.execute("PRAGMA synchronous = FULL")
    with _atomic(connection, "BEGIN IMMEDIATE"):
        done = _version(connection)  # asked again: another process may have been quicker
        if done > len(steps):
            raise LedgerError(
                "newer-ledger", "the ledger was written by a newer version of discreet", "upgrade discreet"
            )
        for step in steps[done:]:
            for statement in _statements(step.read_text(encoding="utf-8")):
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {len(steps)}")


def _version(connection: sqlite3.Connection) -> int:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return version


def _statements(script: str) -> Iterator[str]:
    """The statements of a script, one by one: running it whole would end our transaction."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


_ELSEWHERE = "keep the ledger on a local disk that this user may write to"


@contextmanager
def _explained(path: Path) -> Generator[None]:
    """Turn the store's complaints into ours."""
    try:
        yield
    except sqlite3.Error as error:
        raise _explain(path, error) from error


def _explain(path: Path, error: sqlite3.Error) -> LedgerError:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    match code:
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return LedgerError(
                "ledger-busy",
                f"another process kept the ledger {path} locked for {PATIENCE:.0f} seconds",
                "find out who holds it, then try again",
            )
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM:
            return LedgerError("ledger-unwritable", f"the ledger {path} cannot be written ({error})", _ELSEWHERE)
        case sqlite3.SQLITE_NOTADB | sqlite3.SQLITE_CORRUPT:
            return LedgerError(
                "not-a-ledger", f"{path} is not a ledger, or is damaged ({error})", "check dataset.ledger in the policy"
            )
        case _:
            return LedgerError("ledger-failed", f"the ledger {path} could not be used ({error})", _ELSEWHERE)


_stores: WeakSet[Store] = WeakSet()
_forking = threading.Lock()
_held: list[Store] = []


def _before_fork() -> None:
    _forking.acquire()
    for store in _stores:
        store.lock.acquire()
        _held.append(store)
        store.let_go()


def _after_fork() -> None:
    while _held:
        _held.pop().lock.release()
    _forking.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)
