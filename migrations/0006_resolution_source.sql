-- Where a payout was read is not stored: nothing used it.
-- Locks: whale_market and score_market, for reads and writes, 1 s per million rows.

-- Their checks name the columns and go with them.
ALTER TABLE whale_market DROP COLUMN source, ADD CHECK ((state IS NULL) = (ended_at IS NULL));
ALTER TABLE score_market DROP COLUMN source, ADD CHECK ((state IS NULL) = (ended_at IS NULL));
