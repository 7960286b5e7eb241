"""One engine a process: a connection does not survive a fork, so a child opens its own."""

from __future__ import annotations

import os
from threading import Lock
from weakref import WeakSet

from discreet.engines import Engine, open_engine
from discreet.errors import LedgerError
from discreet.policy.catalogue import declared_types
from discreet.policy.model import Policy

__all__ = ["Engines"]


class Engines:
    """The engine of a policy's source, opened when a process first asks for it."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._opened: dict[int, Engine] = {}
        self._lock = Lock()
        self._closed = False
        _all.add(self)

    def here(self) -> Engine:
        with self._lock:
            if self._closed:
                raise LedgerError("closed", "the connection is closed", "open another with discreet.connect")
            process = os.getpid()
            if process not in self._opened:
                engine = open_engine(self._policy.source, declared_types(self._policy))
                engine.schema()
                self._opened[process] = engine
            return self._opened[process]

    def close(self) -> None:
        with self._lock:
            self._closed = True
            engine = self._opened.pop(os.getpid(), None)
        if engine is not None:
            engine.close()

    def after_fork(self) -> None:
        """In the child: the lock may be held by a thread that has no life here."""
        self._lock = Lock()


_all: WeakSet[Engines] = WeakSet()


def _after_fork() -> None:
    for engines in list(_all):
        engines.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
