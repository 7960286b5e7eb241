-- What the owner published: a table of released numbers under a name. The newest of a name is the one that stands.
CREATE TABLE publications (
    entry   INTEGER PRIMARY KEY REFERENCES entries (seq),
    name    TEXT NOT NULL,
    answer  INTEGER NOT NULL REFERENCES entries (seq),
    payload BLOB NOT NULL
);

CREATE INDEX publications_by_name ON publications (name, entry);

CREATE TRIGGER publications_are_never_changed BEFORE UPDATE ON publications
BEGIN SELECT RAISE(ABORT, 'publications are never changed'); END;

CREATE TRIGGER publications_are_never_removed BEFORE DELETE ON publications
BEGIN SELECT RAISE(ABORT, 'publications are never removed'); END;
