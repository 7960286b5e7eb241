"""A folder for what a query spills: it goes with the process that made it, and a forked child leaves it alone."""

from __future__ import annotations

import os
import shutil
from tempfile import mkdtemp
from weakref import finalize

__all__ = ["Scratch"]


class Scratch:
    """A private folder, removed by ``cleanup`` or at the end of the process."""

    def __init__(self) -> None:
        self.name = mkdtemp(prefix="discreet-")
        self.cleanup = finalize(self, _remove, self.name, os.getpid())


def _remove(name: str, owner: int) -> None:
    if os.getpid() == owner:
        shutil.rmtree(name, ignore_errors=True)
