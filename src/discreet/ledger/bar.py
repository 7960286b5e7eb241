"""What is left of a budget, drawn."""

from __future__ import annotations

__all__ = ["bar"]

BAR = 20


def bar(share: float) -> str:
    """What is left, drawn; only a budget that is whole is shown as whole, and only an empty one as empty."""
    share = min(1.0, max(0.0, share))
    full = round(share * BAR)
    full = min(full, BAR - 1) if share < 1 else full
    full = max(full, 1) if share > 0 else full
    percent = f"{share:.0%}" if 0.01 <= share <= 0.99 or share in (0, 1) else "<1%" if share < 0.5 else ">99%"
    return f"{'█' * full}{'░' * (BAR - full)} {percent}"
