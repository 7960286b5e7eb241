"""What a command is."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["Command"]


@dataclass(frozen=True, slots=True)
class Command:
    """Its name, one line about it, what it takes, and what it does: arguments in, exit code out."""

    name: str
    summary: str
    options: Callable[[ArgumentParser], None]
    run: Callable[[Namespace], int]
    policy: bool = True
    """It works on a dataset, and so takes ``--policy`` and ``--analyst``."""
