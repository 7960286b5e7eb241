"""``make figures``: the pictures of docs/mechanisms.md, each computed by the mechanism that it shows.

Every SVG holds the digest of what it was drawn from, so that a test can tell whether it is still true.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path

from discreet.accounting import linear
from discreet.ledger.accountants import ACCOUNTANTS
from discreet.mechanisms import CHOICES, MECHANISMS, Choice, Mechanism
from discreet.mechanisms.curves import Curve, Panel, drawn
from discreet.mechanisms.randomised_response import RandomisedResponse
from discreet.mechanisms.sparse_vector import SparseVector
from discreet.mechanisms.sums import half_width
from discreet.mechanisms.threshold import threshold
from discreet.picture import Picture

FOLDER = Path(__file__).parents[1] / "docs" / "figures"
EPSILONS = [Fraction(f"{10 ** (step / 8 - 2):.4g}") for step in range(25)]
"""From a hundredth to ten."""
CURRENCIES = ("pure", "zcdp", "gdp")
CONFIDENCE = 0.95


def curve(name: str, places: Sequence[Fraction | int | float], error: Callable[[Fraction], float]) -> Curve:
    found = [(float(place), error(Fraction(place))) for place in places]
    return Curve(name, tuple((place, each) for place, each in found if each > 0))


def noise(law: type[Mechanism]) -> Panel:
    """The error of a sum that one unit moves by a hundred, under every accounting that has a price for the law."""
    priced = [name for name in CURRENCIES if law.calibrate(1, 1, Fraction(1), name)]

    def error(currency: str, epsilon: Fraction) -> float:
        found = law.calibrate(100, 10_000, ACCOUNTANTS[currency].price(epsilon), currency)
        return found.half_width(CONFIDENCE) if found else 0

    lines = [curve(f"{name} accounting", EPSILONS, lambda epsilon, name=name: error(name, epsilon)) for name in priced]
    return Panel("a sum of values up to 100, one row a unit", "half width at 95 %", tuple(lines))


def choice(kind: type[Choice]) -> Panel:
    """By how many rows the rank of a median is off, among few values and among many."""

    def error(cells: int, epsilon: Fraction) -> float:
        found = kind.calibrate(2, ACCOUNTANTS["zcdp"].price(epsilon) / 2, "zcdp")
        return found.slack(cells, 1 - CONFIDENCE)

    lines = [
        curve(f"{cells:,} values", EPSILONS, lambda e, cells=cells: error(cells, e)) for cells in (1 << 16, 100, 2)
    ]
    return Panel("a median, zcdp accounting", "rows by which its rank is off, at 95 %", tuple(lines))


def response() -> Panel:
    rows = [round(10 ** (step / 4)) for step in range(8, 29)]
    laws = {epsilon: RandomisedResponse.at(Fraction(epsilon), 2) for epsilon in ("0.1", "1", "3")}
    lines = [
        curve(f"epsilon {name}", rows, lambda n, law=law: law.half_width(int(n), CONFIDENCE) / float(n))
        for name, law in laws.items()
    ]
    return Panel("a share of the rows", "half width at 95 %, as a share", tuple(lines), price="rows")


def keys() -> Panel:
    """The threshold of a question whose price goes in equal parts to the keys and to one other number."""

    def tau(groups: int, epsilon: Fraction) -> float:
        found = MECHANISMS["gaussian"].calibrate(groups, groups, ACCOUNTANTS["zcdp"].price(epsilon) / 2, "zcdp")
        assert found is not None
        return threshold(found, groups, Fraction(1, 10**8))

    lines = [
        curve(
            f"{groups} {'groups' if groups > 1 else 'group'} a unit", EPSILONS, lambda e, groups=groups: tau(groups, e)
        )
        for groups in (100, 10, 1)
    ]
    return Panel("delta 1e-8, zcdp accounting", "noisy units from which on a group is shown", tuple(lines))


def lists() -> Panel:
    """Thresholds of one column at epsilon 1, pure: the k-th number is a sum of k cells."""
    queries = [2, 3, 5, 8, 12, 20, 30, 50, 80, 120, 200]
    cell = MECHANISMS["laplace"].calibrate(1, 1, Fraction(1), "pure")
    return Panel(
        "nested counts, pure accounting, epsilon 1",
        "all of them within this, at 95 %",
        (
            curve("noise on each", queries, lambda k: linear.laplace_error(int(k), 1, 0.05)),
            curve("histogram once", queries, lambda k: half_width(cell, int(k), 1 - 0.05 / float(k))),
            curve("they exclude each other", queries, lambda k: linear.laplace_error(int(k), 1, 0.05, overlap=1)),
        ),
        price="counting queries",
    )


def watches() -> Panel:
    def margin(answers: int, epsilon: Fraction) -> float:
        return SparseVector.calibrate(answers, epsilon, "pure").margin(1, CONFIDENCE)

    lines = [
        curve(
            f"{answers} {'answers' if answers > 1 else 'answer'}",
            EPSILONS,
            lambda e, answers=answers: margin(answers, e),
        )
        for answers in (10, 3, 1)
    ]
    return Panel("any number of counts, pure accounting", "how far from the threshold, at 95 %", tuple(lines))


def figures() -> Iterator[tuple[str, Picture]]:
    """Each by its name, which is that of its mechanism."""
    titles = {"laplace": "Laplace noise", "gaussian": "Gaussian noise", "fine-gaussian": "Fine Gaussian noise"}
    for name, law in MECHANISMS.items():
        yield name, drawn([noise(law)], titles.get(name, name), "error against price")
    for name, kind in CHOICES.items():
        yield name, drawn([choice(kind)], name.capitalize(), "error against price")
    yield "randomised-response", drawn([response()], "Randomised response", "error against the number of rows")
    yield "private-keys", drawn([keys()], "Private keys", "the threshold against the price")
    yield "linear-queries", drawn([lists()], "Counting queries at one price", "error against their number")
    yield "sparse-vector", drawn([watches()], "Sparse vector", "how sure a watch is, against its price")


def digest(picture: Picture) -> str:
    """Floats differ in their last places from machine to machine: numbers are compared by six digits."""
    return hashlib.sha256(json.dumps(picture.spec, sort_keys=True).encode()).hexdigest()[:32]


def is_true(name: str, picture: Picture, folder: Path = FOLDER) -> bool:
    """Whether the figure in the docs was drawn from what the code computes now."""
    place = folder / f"{name}.svg"
    return place.exists() and f"<!-- {digest(picture)} -->" in place.read_text(encoding="utf-8")


def main() -> None:
    for name, picture in figures():
        text = f"{picture.svg()}\n<!-- {digest(picture)} -->\n"
        (FOLDER / f"{name}.svg").write_text(text, encoding="utf-8")
        print(f"docs/figures/{name}.svg")


if __name__ == "__main__":
    main()
