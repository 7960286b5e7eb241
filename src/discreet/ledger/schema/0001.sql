-- The first shape of a ledger. Amounts are whole grains of 1e-30 as decimal text of 48 digits,
-- so that comparing the text compares the numbers.

CREATE TABLE meta (
    one          INTEGER PRIMARY KEY CHECK (one = 1),
    dataset      TEXT NOT NULL,
    accounting   TEXT NOT NULL,
    salt         BLOB NOT NULL CHECK (length(salt) = 32),
    terms        TEXT NOT NULL,
    period       INTEGER NOT NULL CHECK (period >= 0),
    period_start TEXT NOT NULL,
    head         INTEGER NOT NULL,
    head_hash    TEXT NOT NULL
);

CREATE TABLE entries (
    seq         INTEGER PRIMARY KEY,
    kind        TEXT NOT NULL,
    body        TEXT NOT NULL,
    prev        TEXT NOT NULL,
    hash        TEXT NOT NULL,
    -- What a settled or failed entry concludes. Unique: one price, one conclusion.
    reservation INTEGER UNIQUE REFERENCES entries (seq),
    CHECK ((reservation IS NOT NULL) = (kind IN ('settled', 'failed')))
);

CREATE TRIGGER entries_are_never_changed BEFORE UPDATE ON entries
BEGIN SELECT RAISE(ABORT, 'entries are never changed'); END;

CREATE TRIGGER entries_are_never_removed BEFORE DELETE ON entries
BEGIN SELECT RAISE(ABORT, 'entries are never removed'); END;

CREATE TABLE accounts (
    scope       TEXT NOT NULL,
    period      INTEGER NOT NULL,
    cap         TEXT NOT NULL CHECK (length(cap) = 48 AND cap NOT GLOB '*[^0-9]*'),
    spent       TEXT NOT NULL CHECK (length(spent) = 48 AND spent NOT GLOB '*[^0-9]*'),
    delta_cap   TEXT NOT NULL CHECK (length(delta_cap) = 48 AND delta_cap NOT GLOB '*[^0-9]*'),
    delta_spent TEXT NOT NULL CHECK (length(delta_spent) = 48 AND delta_spent NOT GLOB '*[^0-9]*'),
    PRIMARY KEY (scope, period)
) WITHOUT ROWID;

-- The owner may lower a cap below what is spent already; spending may never pass a cap, and never shrink.
CREATE TRIGGER spending_starts_at_zero BEFORE INSERT ON accounts
WHEN NEW.spent GLOB '*[^0]*' OR NEW.delta_spent GLOB '*[^0]*'
BEGIN SELECT RAISE(ABORT, 'an account starts unspent'); END;

CREATE TRIGGER spending_stays_within_its_cap BEFORE UPDATE ON accounts
WHEN (NEW.spent > OLD.spent AND NEW.spent > NEW.cap)
  OR (NEW.delta_spent > OLD.delta_spent AND NEW.delta_spent > NEW.delta_cap)
BEGIN SELECT RAISE(ABORT, 'spent beyond the cap'); END;

CREATE TRIGGER spending_never_shrinks BEFORE UPDATE ON accounts
WHEN NEW.spent < OLD.spent OR NEW.delta_spent < OLD.delta_spent
  OR NEW.scope <> OLD.scope OR NEW.period <> OLD.period
BEGIN SELECT RAISE(ABORT, 'nothing that is spent comes back'); END;

CREATE TRIGGER accounts_are_never_removed BEFORE DELETE ON accounts
BEGIN SELECT RAISE(ABORT, 'accounts are never removed'); END;

-- What was released, to be given again without a new price.
CREATE TABLE answers (
    question TEXT NOT NULL,
    price    TEXT NOT NULL,
    version  TEXT NOT NULL,
    amount   TEXT NOT NULL CHECK (length(amount) = 48 AND amount NOT GLOB '*[^0-9]*'),
    payload  BLOB NOT NULL,
    entry    INTEGER NOT NULL REFERENCES entries (seq),
    PRIMARY KEY (question, version, price)
);

CREATE TRIGGER answers_are_never_changed BEFORE UPDATE ON answers
BEGIN SELECT RAISE(ABORT, 'answers are never changed'); END;

CREATE TRIGGER answers_are_never_removed BEFORE DELETE ON answers
BEGIN SELECT RAISE(ABORT, 'answers are never removed'); END;
