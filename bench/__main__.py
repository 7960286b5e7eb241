"""``make bench``: every measurement, or those that are named (``python -m bench overhead``)."""

from __future__ import annotations

import sys

from bench import clipping, memory, noise, overhead, quantiles

MEASUREMENTS = {
    "overhead": overhead.main,
    "memory": memory.main,
    "noise": noise.main,
    "quantiles": quantiles.main,
    "clipping": clipping.main,
}


def main(names: list[str]) -> int:
    unknown = sorted(set(names) - MEASUREMENTS.keys())
    if unknown:
        print(f"no measurement {unknown[0]!r}; there are {', '.join(MEASUREMENTS)}", file=sys.stderr)
        return 1
    for name in names or MEASUREMENTS:
        MEASUREMENTS[name]()
    return 0


sys.exit(main(sys.argv[1:]))
