"""Several payloads as one: a batch is settled whole."""

from __future__ import annotations

__all__ = ["pack", "unpack"]

LENGTH = 8


def pack(payloads: list[bytes]) -> bytes:
    """Each payload behind its length."""
    return b"".join(len(each).to_bytes(LENGTH, "big") + each for each in payloads)


def unpack(bundle: bytes) -> list[bytes]:
    found: list[bytes] = []
    place = 0
    while place < len(bundle):
        start = place + LENGTH
        place = start + int.from_bytes(bundle[place:start], "big")
        found.append(bundle[start:place])
    return found
