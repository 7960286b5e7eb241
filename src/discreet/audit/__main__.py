"""``python -m discreet.audit``: about a minute of attacks, and what they prove beside what was paid for."""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from discreet.audit.blackbox import Finding
from discreet.audit.twins import QUESTIONS, Question, attack

ASKED = 1_000
DOUBT = "a proven price is too high with a chance of at most one in a million"


def line(question: Question, found: Finding) -> str:
    verdict = "ok" if found.sound else "BROKEN"
    return f"{verdict:7}{question.name:34}{found.claimed:>9.3g}{found.proven:>11.3f}   {found.event}"


def main() -> int:
    """0 when nothing was proved against the build, else 1."""
    out = sys.stdout
    out.write(f"{'':7}{'question':34}{'claimed':>9}{'proven':>11}   event\n")
    sound = True
    with TemporaryDirectory(prefix="discreet-audit-") as folder:
        for place, question in enumerate(QUESTIONS):
            found = attack(question, Path(folder) / str(place), ASKED)
            out.write(line(question, found) + "\n")
            out.flush()
            sound = sound and found.sound
    out.write(f"Each question was put {ASKED} times to two databases that differ in one person; {DOUBT}.\n")
    return 0 if sound else 1


if __name__ == "__main__":
    sys.exit(main())
