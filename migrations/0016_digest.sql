-- One digest for each slot of four hours; the first replica to write it wins.
CREATE TABLE digest (
  slot timestamptz PRIMARY KEY,
  created_at timestamptz NOT NULL,
  -- The end of the period it covers, and the newest feed item then; the next digest starts there.
  until_at timestamptz NOT NULL,
  feed_index bigint NOT NULL,
  -- json, not jsonb: the text is served as it was written.
  digest json NOT NULL
);
CREATE INDEX digest_by_time ON digest (created_at);

-- When the resolution of a market last changed here. A venue publishes it hours after the fact, and a
-- digest covers what was learned since the one before. Unknown for the existing rows.
ALTER TABLE whale_market ADD COLUMN told_at timestamptz NOT NULL DEFAULT '-infinity';
