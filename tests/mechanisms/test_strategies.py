"""Ways to answer a list: the price that events say, the errors that the formulas say, and which way is taken."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from functools import cache
from math import ceil

import duckdb
import pytest

from discreet.accounting import linear
from discreet.accounting.formulas import gaussian_accuracy
from discreet.ledger.accountants import ACCOUNTANTS
from discreet.ledger.events import FineGaussianNoise, GaussianNoise, LaplaceNoise
from discreet.mechanisms.list_plan import ListPlan, Wanted, Way, plan_list
from discreet.mechanisms.strategies import Joint, OneByOne, sharpest, strategies
from discreet.privacy.lists import Workload
from neighbours.lists import plan
from neighbours.mutants import ORDERS, SINGLE_USERS
from neighbours.world import World
from seams import engine_over

WORLD = World((SINGLE_USERS, ORDERS))
EPSILONS = [Fraction(1, 2), Fraction(1, 20), Fraction(4)]
COUNT = "SELECT COUNT(*) FROM users WHERE age "

LISTS = {
    "apart": [f"{COUNT} = {age}" for age in range(30)],
    "nested": [f"{COUNT} < {age}" for age in range(30)],
    "by city": ["SELECT city, COUNT(*) FROM users GROUP BY city", f"{COUNT} < 9", f"{COUNT} >= 9"],
    "orders": [f"SELECT COUNT(*) FROM orders WHERE channel = '{channel}'" for channel in ("web", "shop", "none")],
    "opaque": [f"SELECT COUNT(*) FROM users WHERE age % {n} = 1 OR age % {n + 1} = 1" for n in range(2, 16)],
}


@cache
def listed(name: str) -> Workload:
    with duckdb.connect(":memory:") as connection:
        WORLD.write(connection)
        with closing(engine_over(connection)) as engine:
            found = plan(engine, WORLD.policy(), LISTS[name]).workload
    assert found is not None
    return found


def price(epsilon: Fraction, accounting: str) -> Fraction:
    return ACCOUNTANTS[accounting].price(epsilon)


def ways(name: str, epsilon: Fraction = Fraction(1), accounting: str = "zcdp") -> dict[str, OneByOne | Joint]:
    return {way.name: way for way in strategies(listed(name), price(epsilon, accounting), accounting)}


def told(
    name: str, wanted: Wanted, epsilon: Fraction = Fraction(1), accounting: str = "pure"
) -> tuple[ListPlan, dict[str, Way]]:
    found = plan_list((0, 1), listed(name), price(epsilon, accounting), accounting, wanted)
    return found, {way.name: way for way in found.ways}


@pytest.mark.parametrize("accounting", ["zcdp", "pure", "gdp"])
@pytest.mark.parametrize("epsilon", EPSILONS, ids=str)
@pytest.mark.parametrize("name", LISTS)
def test_every_way_spends_the_price_and_no_more(name: str, epsilon: Fraction, accounting: str) -> None:
    amount = price(epsilon, accounting)
    for way in strategies(listed(name), amount, accounting):
        assert amount * (1 - Fraction(1, 10**6)) <= way.charge.amount <= amount
        assert way.charge.delta == 0


@pytest.mark.parametrize("accounting", ["zcdp", "pure", "gdp"])
@pytest.mark.parametrize("name", LISTS)
def test_events_say_how_far_a_unit_moves_what_has_noise(name: str, accounting: str) -> None:
    """Scale times ratio is the sensitivity: of the whole, or of each vector."""
    for way in ways(name, accounting=accounting).values():
        if isinstance(way, OneByOne):
            continue
        moved = [
            each for tally in way.tallies for each in (tally.cells_moved if way.over_cells else tally.numbers_moved)
        ]
        match way.events:
            case (GaussianNoise(ratio_squared) | FineGaussianNoise(ratio_squared),):
                assert way.noise.sigma_squared * ratio_squared == sum(each.l2_squared for each in moved)
            case (LaplaceNoise(ratio),):
                assert way.noise.scale * ratio == sum(each.l1 for each in moved)
            case events:
                assert [way.noise.scale * event.ratio for event in events] == [each.l1 for each in moved]


def test_queries_on_one_row_are_the_printed_formula() -> None:
    """The discrete law on whole numbers is within one of the continuous formula."""
    found = ways("nested", Fraction(1, 2), "pure")
    printed = linear.laplace_error(30, 0.5, 0.05)
    for name in ("one by one", "laplace"):
        assert abs(found[name].error - printed) <= 1
    found = ways("nested")
    sigma = 30**0.5
    assert found["gaussian"].error == pytest.approx(gaussian_accuracy(sigma, 0.05 / 30), abs=1)


def test_conditions_that_exclude_each_other_share_the_price_with_nobody() -> None:
    found = ways("apart", Fraction(1, 2), "pure")
    assert abs(found["laplace"].error - linear.laplace_error(30, 0.5, 0.05, overlap=1)) <= 1
    assert found["laplace"].noise == found["histogram"].noise
    assert abs(found["one by one"].error - linear.laplace_error(30, 0.5, 0.05)) <= 1


def test_rows_of_a_unit_stand_for_as_many() -> None:
    """Two rows a unit, in whichever channels: twice the noise of a list of one row a unit."""
    found = ways("orders", accounting="pure")
    assert found["laplace"].noise.scale == 2
    assert found["one by one"].programs[0].noises[0].scale == 6


def test_a_sum_of_cells_is_sharper_where_a_row_counts_often() -> None:
    found = ways("nested", accounting="pure")
    assert sharpest(list(found.values())).name == "histogram"
    cells = [found["histogram"].terms(number) for number in range(30)]
    assert cells == list(range(1, 31))
    widths = [found["histogram"].program(n).half_width(listed("nested").asked[n].parts[0], 0.95, 0) for n in (0, 3, 29)]
    assert widths == sorted(widths)
    assert widths[2] < widths[0] * 8


def test_the_sharpest_way_is_taken_and_the_plainest_of_equals() -> None:
    for accounting in ("zcdp", "pure", "gdp"):
        for name in LISTS:
            found = list(ways(name, accounting=accounting).values())
            best = sharpest(found)
            assert best.error <= min(way.error for way in found) * 1.01
            assert all(way.error > best.error for way in found[: found.index(best)])
    assert sharpest(list(ways("nested").values())).name == "one by one"
    assert sharpest(list(ways("apart").values())).name == "gaussian"


def test_what_does_not_apply_says_why() -> None:
    _, found = told("opaque", Wanted(Fraction(1, 100), 1000))
    assert "has no price under pure accounting" in found["gaussian"].note
    assert "4,096 cells" in found["histogram"].note
    assert "4,096 cells" in found["randomised response"].note
    assert found["histogram"].error_95 is None
    _, found = told("orders", Wanted(Fraction(1, 100), 1000))
    assert "may have 2 rows" in found["randomised response"].note


def test_rows_for_a_wanted_error() -> None:
    plan_, found = told("apart", Wanted(Fraction(1, 100), None))
    assert plan_.within == 0.01
    for name in ("one by one", "laplace", "histogram"):
        assert found[name].rows_needed == 100 * found[name].error_95
    assert "name about how many" in found["randomised response"].note


def test_randomised_response_of_one_bit_is_the_printed_formula() -> None:
    """One condition is two answers. Its error as a share is error / rows; the least whole number of rows is told."""
    whole = listed("apart")
    one = replace(whole, asked=whole.asked[:1], whole=replace(whole.whole, cells=whole.whole.cells[:1]))
    found = plan_list((0,), one, Fraction(1, 10), "pure", Wanted(Fraction(1, 10), 10_000)).ways[-1]
    assert found.error_95 == ceil(10_000 * linear.response_error(10_000, 0.1, 0.05)) == 2719
    assert found.rows_needed == pytest.approx(linear.response_rows(0.1, 0.05, 0.1), abs=1)


@pytest.mark.parametrize("within", ["0", "100%", "2", "many", "", "1/0", None, "-1%"])
def test_an_error_is_a_share(within: object) -> None:
    with pytest.raises(ValueError, match="share of the rows"):
        Wanted.named(within, None)


@pytest.mark.parametrize("rows", [0, -5, 2.5, "many", True])
def test_rows_are_a_whole_number(rows: object) -> None:
    with pytest.raises(ValueError, match="whole number"):
        Wanted.named("1%", rows)


def test_shares_are_read_as_people_write_them() -> None:
    assert {Wanted.named(each, 5).within for each in ("1%", "0.01", 0.01, Fraction(1, 100), " 1 %")} == {
        Fraction(1, 100)
    }
