-- A hold is charged in full; what its answer turned out not to cost is returned. Both sums only grow, and what is
-- gone of a cap is their difference. Amounts have 48 digits, so they are added in three pieces of sixteen.

ALTER TABLE accounts ADD COLUMN returned TEXT NOT NULL DEFAULT '000000000000000000000000000000000000000000000000'
    CHECK (length(returned) = 48 AND returned NOT GLOB '*[^0-9]*' AND returned <= spent);

ALTER TABLE accounts ADD COLUMN sum_low INTEGER GENERATED ALWAYS AS (
    CAST(substr(cap, 33, 16) AS INTEGER) + CAST(substr(returned, 33, 16) AS INTEGER)) VIRTUAL;

ALTER TABLE accounts ADD COLUMN sum_middle INTEGER GENERATED ALWAYS AS (
    CAST(substr(cap, 17, 16) AS INTEGER) + CAST(substr(returned, 17, 16) AS INTEGER)
    + sum_low / 10000000000000000) VIRTUAL;

ALTER TABLE accounts ADD COLUMN most_spent TEXT GENERATED ALWAYS AS (printf('%016d%016d%016d',
    CAST(substr(cap, 1, 16) AS INTEGER) + CAST(substr(returned, 1, 16) AS INTEGER) + sum_middle / 10000000000000000,
    sum_middle % 10000000000000000, sum_low % 10000000000000000)) VIRTUAL;

DROP TRIGGER spending_starts_at_zero;

CREATE TRIGGER spending_starts_at_zero BEFORE INSERT ON accounts
WHEN NEW.spent GLOB '*[^0]*' OR NEW.delta_spent GLOB '*[^0]*' OR NEW.returned GLOB '*[^0]*'
BEGIN SELECT RAISE(ABORT, 'an account starts unspent'); END;

DROP TRIGGER spending_stays_within_its_cap;

-- After the update: before it, a computed column has no value yet.
CREATE TRIGGER spending_stays_within_its_cap AFTER UPDATE ON accounts
WHEN (NEW.spent > OLD.spent AND NEW.spent > NEW.most_spent)
  OR (NEW.delta_spent > OLD.delta_spent AND NEW.delta_spent > NEW.delta_cap)
BEGIN SELECT RAISE(ABORT, 'spent beyond the cap'); END;

CREATE TRIGGER what_was_returned_stays_returned BEFORE UPDATE ON accounts
WHEN NEW.returned < OLD.returned OR (NEW.returned > OLD.returned AND NEW.spent <> OLD.spent)
BEGIN SELECT RAISE(ABORT, 'what was returned stays returned'); END;
