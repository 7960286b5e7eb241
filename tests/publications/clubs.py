"""A club: a public list of members, private health and visits, and questions that a publication answers as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb

if TYPE_CHECKING:
    from pathlib import Path

SCHEMA = """
CREATE TABLE members AS
SELECT i AS member, ['basic', 'gold', NULL][1 + i % 3] AS plan, DATE '2020-01-01' + i::INTEGER AS joined
FROM range(1, 31) AS t(i);
CREATE TABLE areas AS SELECT * FROM (VALUES ('north', 'N', 1.5), ('south', 'S', 2.0), ('west', 'S', 0.5)) AS t(area, pole, rate);
CREATE TABLE health (member BIGINT, area VARCHAR, age INTEGER, smokes BOOLEAN, fit BOOLEAN, grade DECIMAL(4, 2), born DATE);
INSERT INTO health
SELECT i, ['north', 'south', 'west'][1 + i % 3], 15 + i * 7 % 70, i % 10 < 3, i % 4 = 0,
    [1.25, 2.50][1 + i % 2], DATE '1980-01-01' + (i % 2)::INTEGER
FROM range(1, 26) AS t(i);
CREATE TABLE visits AS SELECT 1 + i % 25 AS member, ['gym', 'pool'][1 + i % 2] AS place, i AS minute FROM range(60) AS t(i);
"""

POLICY = """
[dataset]
name   = "club"
source = "duckdb:///club.duckdb"
[budget]
epsilon    = 10000
delta      = 1e-6
accounting = "zcdp"
per_query  = { epsilon = 1 }
[analysts.alice]
epsilon = 1
[tables.health]
unit           = "member"
rows_per_unit  = 1
columns.member = { values_from = "members.member" }
columns.area   = { values_from = "areas.area" }
columns.age    = { range = [0, 120] }
columns.fit    = { values = [true, false] }
columns.grade  = { values = [1.25, 2.50] }
columns.born   = { values = [1980-01-01, 1980-01-02] }
[tables.visits]
unit           = "member"
rows_per_unit  = 4
columns.place  = { values = ["gym", "pool"] }
[tables.members]
public = true
[tables.areas]
public = true
[keys]
threshold_delta = 1e-9
"""

SURE = 100
"""An epsilon at which a histogram has no noise to speak of, and no row lies."""


def build(folder: Path, *changes: str, policy: str = POLICY) -> Path:
    """The database and its policy in a folder of their own; the path of the policy."""
    folder.mkdir(parents=True)
    with duckdb.connect(str(folder / "club.duckdb")) as connection:
        connection.execute(SCHEMA)
        for change in changes:
            connection.execute(change)
    (folder / "discreet.toml").write_text(policy, encoding="utf-8")
    return folder / "discreet.toml"


def plainly(policy: Path, sql: str) -> list[tuple]:
    """What the database itself says."""
    with duckdb.connect(str(policy.parent / "club.duckdb"), read_only=True) as connection:
        return connection.execute(sql).fetchall()
