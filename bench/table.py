"""Tables that a terminal shows and that Markdown renders."""

from __future__ import annotations

__all__ = ["show"]


def show(title: str, head: list[str], rows: list[list[str]]) -> None:
    widths = [max(len(line[n]) for line in [head, *rows]) for n in range(len(head))]
    print(f"\n### {title}\n")
    for line in [head, ["-" * width for width in widths], *rows]:
        print("| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) + " |")
