-- Labels have evidence that is valid at every look, and markets of one game or window are one event.
-- Every sum of wallets is counted again, with the new event of each market.
--
-- Stop the service for this migration: the previous version cannot read the new sums.
--
-- The facts of all markets are requested again, because only the venue knows their event key; the newest
-- markets first, a few thousand at each tick. Until then a market has no event: its positions are not
-- counted, and its new entries wait. Calibrations and labels by the previous rule are removed, so that
-- none is published as proven; a wallet has none until it is judged again.
TRUNCATE whale_score, whale_sums, whale_uncounted, whale_stale, whale_calibration;
UPDATE whale_market SET event_id = NULL, facts_requested_at = '-infinity'
WHERE event_id IS NOT NULL;
INSERT INTO whale_revision AS stored (revision) VALUES (1)
ON CONFLICT (single) DO UPDATE SET revision = stored.revision + 1;

-- The open markets of an event, of which the evidence of the others waits.
CREATE INDEX whale_market_waiting ON whale_market (event_id) WHERE has_entries AND ended_at IS NULL;
COMMENT ON COLUMN whale_market.event_id IS 'The first event the venue named, null until the facts are known. Never changed: sums depend on it.';
COMMENT ON TABLE whale_event IS 'Events: markets that may depend on each other have one. Positions in them are scored together.';
