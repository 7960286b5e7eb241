-- Watches: streams of comparisons with one threshold, paid for by one reservation.

CREATE TABLE watches (
    reservation INTEGER PRIMARY KEY REFERENCES entries (seq),
    scope       TEXT NOT NULL,
    name        TEXT NOT NULL,
    period      INTEGER NOT NULL,
    answers     INTEGER NOT NULL CHECK (answers >= 1),
    used        INTEGER NOT NULL CHECK (used BETWEEN 0 AND answers),
    -- The noise of the threshold, and what hides it in its commitment. Secret; forgotten when the watch is over.
    noise       TEXT,
    nonce       BLOB,
    UNIQUE (scope, name, period)
);

CREATE INDEX watches_by_period ON watches (period);

CREATE TRIGGER watches_start_unused BEFORE INSERT ON watches
WHEN NEW.used <> 0 OR NEW.noise IS NULL OR length(NEW.nonce) <> 32
BEGIN SELECT RAISE(ABORT, 'a watch starts unused, with its noise'); END;

CREATE TRIGGER watches_only_run_down BEFORE UPDATE ON watches
WHEN NEW.used < OLD.used OR NEW.answers <> OLD.answers OR NEW.reservation <> OLD.reservation
  OR NEW.scope <> OLD.scope OR NEW.name <> OLD.name OR NEW.period <> OLD.period
BEGIN SELECT RAISE(ABORT, 'no answer of a watch comes back'); END;

CREATE TRIGGER the_noise_of_a_watch_stands BEFORE UPDATE ON watches
WHEN (NEW.noise IS NOT NULL AND NEW.noise IS NOT OLD.noise) OR (NEW.nonce IS NOT NULL AND NEW.nonce IS NOT OLD.nonce)
BEGIN SELECT RAISE(ABORT, 'the noise of a threshold is drawn once'); END;

CREATE TRIGGER watches_are_never_removed BEFORE DELETE ON watches
BEGIN SELECT RAISE(ABORT, 'watches are never removed'); END;

-- One comparison: begun with its noise and the secret of its query, concluded by an entry, and then without them.
CREATE TABLE comparisons (
    watch    INTEGER NOT NULL REFERENCES watches (reservation),
    question TEXT NOT NULL,
    version  TEXT NOT NULL,
    noise    TEXT,
    secret   TEXT,
    entry    INTEGER UNIQUE REFERENCES entries (seq),
    PRIMARY KEY (watch, question, version),
    CHECK (entry IS NULL OR (noise IS NULL AND secret IS NULL))
) WITHOUT ROWID;

CREATE TRIGGER comparisons_are_drawn_once BEFORE UPDATE ON comparisons
WHEN OLD.entry IS NOT NULL OR NEW.watch <> OLD.watch OR NEW.question <> OLD.question OR NEW.version <> OLD.version
  OR (NEW.noise IS NOT NULL AND NEW.noise IS NOT OLD.noise)
  OR (NEW.secret IS NOT NULL AND NEW.secret IS NOT OLD.secret)
BEGIN SELECT RAISE(ABORT, 'a comparison is drawn once and ends once'); END;

CREATE TRIGGER comparisons_are_never_removed BEFORE DELETE ON comparisons
BEGIN SELECT RAISE(ABORT, 'comparisons are never removed'); END;
