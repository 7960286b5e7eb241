"""One text file a case: a question, and everything that follows from it before any private row is read.

    -- about      optional, one sentence: what to look at
    -- policy     optional: "without keys" takes the rule for private keys away
    -- query      what the analyst writes
    -- plan       what was understood
    -- bounded    the unit, what is kept of it, the groups, and how far one unit moves each part
    -- sql duckdb what is sent; before it, where bounds are chosen, what finds them: "sql duckdb first", "second"
    -- price      each release at the policy's default price, and the cost
    -- refused    in place of the last four: the message, as it is shown

``UPDATE_GOLDEN=1 pytest tests/golden`` writes what the product says now; the difference is then reviewed
like code.
"""

from __future__ import annotations

import re
from pathlib import Path

import duckdb
import sqlglot

import discreet
from discreet.mechanisms.explanation import Planned
from discreet.mechanisms.sought import Sought

HERE = Path(__file__).parent
CASES = HERE / "cases"
GIVEN = ("about", "policy", "query")


def sections(text: str) -> dict[str, str]:
    names = "about|policy|query|plan|bounded|sql duckdb first|sql duckdb second|sql duckdb|price|refused"
    parts = re.split(rf"^-- ({names})\n", text, flags=re.MULTILINE)
    return {name: body.strip("\n") for name, body in zip(parts[1::2], parts[2::2], strict=True)}


def written(case: dict[str, str]) -> str:
    return "\n".join(f"-- {name}\n{body}\n" for name, body in case.items())


def build(folder: Path, policy: str) -> Path:
    """The shop and its policy; ``policy`` is empty, or names a section to leave out: "without keys"."""
    with duckdb.connect(str(folder / "shop.duckdb")) as connection:
        connection.execute((HERE / "shop.sql").read_text(encoding="utf-8"))
    text = (HERE / "discreet.toml").read_text(encoding="utf-8")
    left_out = policy.removeprefix("without ")
    place = folder / "discreet.toml"
    place.write_text(re.sub(rf"^\[{left_out}\]\n[^\[]*", "", text, flags=re.MULTILINE) if policy else text)
    return place


def answer(database: discreet.Database, case: dict[str, str]) -> dict[str, str]:
    """The case with the sections that the product writes."""
    given = {name: case[name] for name in GIVEN if name in case}
    found = database.explain(case["query"])
    if found.error is not None:
        return {**given, "refused": str(found.error)}
    first = dict(zip(("sql duckdb first", "sql duckdb second"), probes(found), strict=False))
    sql = {name: printed(each) for name, each in (first | {"sql duckdb": found.engine_sql}).items()}
    return {**given, "plan": found.plan, "bounded": found.bounds, **sql, "price": price(found)}


def probes(found: discreet.Explanation) -> list[str]:
    return list(dict.fromkeys(each.engine_sql for each in found.chosen_first))


def printed(sql: str) -> str:
    return sqlglot.parse_one(sql, read="duckdb").sql("duckdb", pretty=True)


def price(found: discreet.Explanation) -> str:
    lines = [*map(first, found.chosen_first), *map(released, found.releases)]
    keys = [f"keys shown from a noisy count of {found.threshold} units"] if found.threshold is not None else []
    return "\n".join([*lines, *keys, f"cost {found.cost}, rho {found.cost.rho:g}"])


def first(each: Sought) -> str:
    beyond = "" if each.beyond_95 is None else f", {each.beyond_95} {each.counted} beyond it at 95 %"
    return f"(first) {each.bound}: {each.mechanism}, {each.share:.4g} of the price{beyond}"


def released(each: Planned) -> str:
    head = f"{each.column or '(keys)'} {each.aggregate}: {each.mechanism}"
    if each.l1 is None or each.l2 is None or each.scale is None:
        return f"{head}, as {' and '.join(each.awaits)} will be"
    return f"{head}, l1 {each.l1:g}, l2 {each.l2:.6g}, scale {each.scale:.6g}, {error(each)} at 95 %"


def error(each: Planned) -> str:
    if each.half_width_95 is not None:
        return f"+-{each.half_width_95:.6g}" + (f" from {each.threshold} units" if each.threshold is not None else "")
    return "+-what data decide" if each.rank_error_95 is None else f"+-{each.rank_error_95} rows"
