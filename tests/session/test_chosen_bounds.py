"""Bounds that nobody declared, through the front door: chosen first, told, kept, and paid for as was said."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

import discreet
from discreet.engines.duckdb import DuckDB
from discreet.mechanisms.finders import Finder
from discreet.privacy.probe import Ends

POLICY = """
[dataset]
name   = "rides"
source = "duckdb:///rides.duckdb"
[budget]
epsilon    = {epsilon}
delta      = 1e-6
accounting = "{accounting}"
[tables.riders]
unit          = "rider"
rows_per_unit = 1
columns.age   = {{ range = "auto" }}
[tables.rides]
unit           = "rider"
rows_per_unit  = "auto"
columns.kind   = {{ values = ["a", "b", "c", "d", "e", "f"] }}
columns.fare   = {{ range = "auto" }}
columns.miles  = {{ range = "auto", within = [-100, 100] }}
[tables.legs]
via             = "ride -> rides.ride"
rows_per_parent = "auto"
columns.minutes = {{ range = [0, 60] }}
[tables.stops]
unit            = "row"
columns.seconds = {{ range = "auto" }}
[keys]
threshold_delta = 1e-8
"""

SCHEMA = """
CREATE TABLE riders AS SELECT i::INTEGER AS rider, (20 + i % 50)::INTEGER AS age FROM range(2000) t(i);
CREATE TABLE rides AS SELECT row_number() OVER ()::INTEGER AS ride, i::INTEGER AS rider,
    ['a', 'b', 'c', 'd', 'e', 'f'][1 + (i + j) % 6] AS kind, (5 + (i * 7 + j) % 40)::DECIMAL(10, 2) AS fare,
    (j - 1.5)::DOUBLE AS miles, 'note ' || (i % 3) AS note FROM range(2000) t(i), range(4) s(j) WHERE j <= i % 4;
INSERT INTO rides SELECT 100000 + j, 7, 'a', 9e7, 1e300, 'odd' FROM range(3000) s(j);
INSERT INTO rides VALUES (1, NULL, 'a', 1, 1, 'x'), (2, 3, NULL, NULL, 'nan'::DOUBLE, NULL), (3, 3, 'a', 1, 'inf'::DOUBLE, NULL);
CREATE TABLE legs AS SELECT ride, (10 + ride % 7)::INTEGER AS minutes FROM rides, range(3);
CREATE TABLE stops AS SELECT (i % 90)::DOUBLE AS seconds FROM range(3000) t(i);
"""

Connect = Callable[[str], discreet.Database]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with duckdb.connect(str(tmp_path / "rides.duckdb")) as connection:
        connection.execute(SCHEMA)
    return tmp_path


@pytest.fixture
def connect(folder: Path) -> Iterator[Connect]:
    opened: list[discreet.Database] = []

    def of(accounting: str = "zcdp") -> discreet.Database:
        place = folder / "discreet.toml"
        place.write_text(POLICY.format(accounting=accounting, epsilon=20 if accounting == "gdp" else 100))
        opened.append(discreet.connect(place))
        return opened[-1]

    yield of
    for each in opened:
        each.close()


@pytest.fixture
def db(connect: Connect) -> discreet.Database:
    return connect("zcdp")


def one(release: discreet.Release) -> tuple[Any, ...]:
    [row] = release
    return row


def test_what_one_rider_does_thousands_of_times_hardly_shows(db: discreet.Database) -> None:
    """The other riders take five thousand rides for 120,000 in all, and one rider three thousand more."""
    number, fares = one(db.query("SELECT COUNT(*) AS n, SUM(fare) AS s FROM rides", epsilon=3))
    assert 4900 < number < 5200
    assert 115_000 < fares < 130_000


@pytest.mark.parametrize(
    ("question", "low", "high", "note"),
    [
        ("SELECT AVG(fare) AS a FROM rides", 23, 26, "rows of a unit count at most"),
        ("SELECT MEDIAN(fare) AS m FROM rides", 22, 27, "rides.fare is held between"),
        ("SELECT SUM(minutes) AS s FROM legs", 180_000, 210_000, "a unit adds"),
        ("SELECT COUNT(*) AS n FROM legs l JOIN rides r ON l.ride = r.ride", 14_500, 15_600, "a unit adds"),
        ("SELECT AVG(age) AS a FROM riders", 43, 46, "riders.age is held between 0 and"),
        ("SELECT SUM(seconds) AS s FROM stops", 128_000, 139_000, "stops.seconds is held between"),
        ("SELECT SUM(miles) AS s FROM rides WHERE rider <> 7", -2600, -2300, "to 's' at most"),
        ("SELECT SUM(r.fare) AS s FROM rides r JOIN riders u USING (rider) WHERE u.age > 0", 1e5, 1.4e5, "a unit adds"),
    ],
)
def test_answers_are_near_the_truth_and_say_what_was_chosen(
    db: discreet.Database, question: str, low: float, high: float, note: str
) -> None:
    release = db.query(question, epsilon=8)
    assert low < one(release)[0] < high
    assert any(note in each for each in release.notes)
    assert release.notes[-1] == "this was chosen privately; what it cuts off is in no interval"


@pytest.mark.parametrize("accounting", ["zcdp", "pure", "gdp"])
@pytest.mark.parametrize(
    "question",
    [
        "SELECT kind, COUNT(*) AS n, SUM(fare) AS s FROM rides GROUP BY kind",
        "SELECT note, COUNT(*) AS n, COUNT(DISTINCT rider) AS d FROM rides GROUP BY note",
        "SELECT kind, AVG(fare) AS a, MAX(miles) AS m FROM rides GROUP BY kind",
    ],
)
def test_the_price_is_what_was_said_whatever_is_chosen(connect: Connect, accounting: str, question: str) -> None:
    db = connect(accounting)
    said = db.explain(question, epsilon=2)
    release = db.query(question, epsilon=2)
    assert release.cost == said.cost == db.quote(question, epsilon=2)
    chosen = [each.mechanism for each in said.chosen_first]
    assert [event["kind"] for event in release.receipt.events][: len(chosen)] == chosen
    assert set(chosen) == {"permute-and-flip" if accounting == "pure" else "exponential"}
    assert sum(each.share for each in said.chosen_first) < 0.35
    assert db.verify().ok


def test_a_repeat_is_free_and_the_same(db: discreet.Database) -> None:
    question = "SELECT kind, COUNT(*) AS n, SUM(fare) AS s FROM rides GROUP BY kind"
    first = db.query(question, epsilon=2)
    left = db.remaining
    for again in (
        db.query(question, epsilon=2),
        db.query("select kind, count(*) as n, sum(fare) as s from rides group by 1", epsilon=2),
    ):
        assert again.repeated
        assert (list(again), again.intervals(), again.notes) == (list(first), first.intervals(), first.notes)
    assert db.remaining == left
    assert not db.query(question, epsilon=1).repeated


def test_a_batch_chooses_for_each_of_its_questions(db: discreet.Database) -> None:
    answers = db.batch(["SELECT AVG(fare) AS a FROM rides", "SELECT AVG(miles) AS s FROM rides"], epsilon=8)
    assert [len(answer.notes) for answer in answers] == [3, 3]
    assert 22 < one(answers[0])[0] < 27


def test_a_sum_and_an_average_stay_two_parts_where_the_middle_is_zero(
    db: discreet.Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With ends that mirror each other both are one sum: it is paid for twice, as was said, and told once."""

    def mirrored(self: Finder, counts: object) -> Ends:
        high = self.wanted.ladder.highs[5]
        return (-high if len(self.wanted.ladder.lows) > 1 else 0), high

    monkeypatch.setattr(Finder, "find", mirrored)
    question = "SELECT SUM(miles) AS s, AVG(miles) AS a, VAR_POP(miles) AS v FROM rides"
    release = db.query(question, epsilon=2)
    assert release.cost == db.quote(question, epsilon=2)
    assert db.query(question, epsilon=2).repeated


def test_explain_says_what_will_be_chosen(db: discreet.Database) -> None:
    said = db.explain("SELECT AVG(miles) AS a, COUNT(DISTINCT rider) AS d FROM rides", epsilon=1).to_dict()
    rows, miles = said["chosen_first"]
    assert (rows["bound"], rows["counted"], rows["candidates"][0], rows["candidates"][-1]) == (
        "rows of a unit",
        "units",
        1,
        2**20,
    )
    assert (miles["bound"], miles["counted"], miles["beyond_95"]) == ("range of rides.miles", "rows", None)
    assert (miles["candidates"][0], miles["candidates"][-1]) == (-128, 128)
    assert rows["share"] == pytest.approx(miles["share"]) == pytest.approx(1 / 11)
    assert rows["beyond_95"] > 0
    assert "HISTOGRAM" in rows["engine_sql"] != miles["engine_sql"]
    total, number, people = said["releases"]
    assert total["awaits"] == ["rows of a unit", "range of rides.miles"]
    assert [total[name] for name in ("l1", "l2", "scale", "half_width_95")] == [None] * 4
    assert number["awaits"] == ["rows of a unit"]
    assert "awaits" not in people
    assert people["l1"] == 1
    assert people["half_width_95"] > 0


def test_what_has_declared_bounds_is_explained_as_ever(db: discreet.Database) -> None:
    said = db.explain("SELECT COUNT(*) AS n FROM riders", epsilon=1).to_dict()
    assert said["chosen_first"] == []
    assert said["releases"][0]["l1"] == 1


def test_no_accuracy_is_promised(db: discreet.Database) -> None:
    for question in ("SELECT COUNT(*) FROM rides", "SELECT SUM(age) FROM riders"):
        with pytest.raises(discreet.Refused, match="chosen from the data first") as caught:
            db.query(question, accuracy=100)
        assert caught.value.code == "accuracy-unknown"
    assert db.query("SELECT COUNT(DISTINCT rider) FROM rides", accuracy=100).cost.epsilon < 0.1


def test_a_watch_takes_no_count_whose_bound_is_chosen(db: discreet.Database) -> None:
    watch = db.watch(above=100, epsilon=1)
    with pytest.raises(discreet.Refused) as caught:
        watch.ask("SELECT COUNT(*) FROM rides")
    assert caught.value.code == "bound-not-declared"
    assert watch.ask("SELECT COUNT(DISTINCT rider) FROM rides").above


def test_when_the_second_step_fails_the_price_is_spent_and_one_text_is_said(
    db: discreet.Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetched: list[str] = []

    def broken(self: DuckDB, sql: str, *args: Any) -> Any:
        fetched.append(sql)
        if len(fetched) == 2:
            raise ValueError("9e7 is a private number")
        return fetch(self, sql, *args)

    fetch = DuckDB.fetch
    monkeypatch.setattr(DuckDB, "fetch", broken)
    before = db.budget().dataset.spent.amount
    with pytest.raises(discreet.EngineError) as caught:
        db.query("SELECT COUNT(*) FROM rides", epsilon=1)
    assert "9e7" not in str(caught.value)
    assert caught.value.__context__ is None
    assert db.budget().dataset.spent.amount > before
    assert len(fetched) == 2
    assert "HISTOGRAM" in fetched[0]


def test_a_reservation_stands_before_the_first_probe(db: discreet.Database, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[object] = []
    fetch = DuckDB.fetch

    def watched(self: DuckDB, sql: str, *args: Any) -> Any:
        seen.append(db.budget().dataset.spent.amount)
        return fetch(self, sql, *args)

    monkeypatch.setattr(DuckDB, "fetch", watched)
    db.query("SELECT AVG(fare) FROM rides", epsilon=1)
    assert len(seen) == 3
    assert seen[0] == seen[1] == seen[2] == db.budget().dataset.spent.amount > 0


def test_under_slots_bounds_take_whole_slots(folder: Path) -> None:
    words = POLICY.format(accounting="slots", epsilon=3)
    (folder / "discreet.toml").write_text(words.replace('"slots"', '"slots"\nslots = 40'))
    with discreet.connect(folder / "discreet.toml") as db:
        assert db.explain("SELECT COUNT(*) FROM rides").slots == 2
        assert db.explain("SELECT AVG(fare) FROM rides").slots == 3
        assert db.explain("SELECT COUNT(*) FROM riders").slots == 1
        assert one(db.query("SELECT COUNT(*) FROM rides")) is not None
