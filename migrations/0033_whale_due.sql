-- Results of wallets count in the order of the schedule, not when they are paid: a Yes is often paid
-- before its deadline, and a No after it, so winners counted before losers.
--
-- Stop the service for this migration: the previous version would count results too early.
--
-- Every sum of wallets is counted again, from stored entries and resolutions. Calibrations and labels by
-- the previous rule are removed, so that none is published as proven; a wallet has none until it is
-- judged again.
ALTER TABLE whale_market ADD COLUMN due_at timestamptz NOT NULL DEFAULT '-infinity';
COMMENT ON COLUMN whale_market.due_at IS 'When its results may count: by its first known schedule, -infinity without one. Never changed: sums depend on it.';
-- The rule of `src/whales/domain/due.ts`; 1296000000 milliseconds are 15 days.
UPDATE whale_market m SET due_at = to_timestamp(due.ms / 1000)
FROM whale_market_facts f, LATERAL (
  SELECT (f.facts ->> 'endsAt')::float8 AS ends, (f.facts ->> 'gameStartsAt')::float8 AS game
) schedule, LATERAL (
  SELECT CASE WHEN game IS NOT NULL AND (ends IS NULL OR ends - game <= 1296000000)
    THEN game ELSE ends END AS ms
) due
WHERE f.market_id = m.market_id AND due.ms IS NOT NULL;

-- The open markets that may delay later results of their wallets.
CREATE INDEX whale_market_overdue ON whale_market (due_at) WHERE has_entries AND ended_at IS NULL;

TRUNCATE whale_score, whale_sums, whale_uncounted, whale_calibration;
DROP INDEX whale_uncounted_since;
ALTER TABLE whale_uncounted ADD COLUMN due_at timestamptz NOT NULL;
COMMENT ON COLUMN whale_uncounted.due_at IS 'When its market is due; -infinity if it is counted, because a correction counts at once.';
CREATE INDEX whale_uncounted_due ON whale_uncounted (due_at, since);
INSERT INTO whale_uncounted (event_id, wallet_id, market_id, due_at, since, version)
SELECT event_id, wallet_id, market_id, due_at, change, change
FROM (
  SELECT event_id, wallet_id, market_id, due_at, nextval('whale_change') AS change
  FROM whale_market JOIN whale_position USING (market_id)
  WHERE event_id IS NOT NULL AND state IS NOT NULL AND entry_count > 0
) ended;
INSERT INTO whale_revision AS stored (revision) VALUES (1)
ON CONFLICT (single) DO UPDATE SET revision = stored.revision + 1;
