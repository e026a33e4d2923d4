-- What is written every four hours: one digest a slot, whoever writes it first.
CREATE TABLE digest (
  slot timestamptz PRIMARY KEY,
  created_at timestamptz NOT NULL,
  -- The end of what it tells of, and the newest item of the feed then: the next one begins there.
  until_at timestamptz NOT NULL,
  feed_index bigint NOT NULL,
  -- json, not jsonb: the text is served as it was written.
  digest json NOT NULL
);
CREATE INDEX digest_by_time ON digest (created_at);

-- When how a market ended was last news to us: a venue tells it hours after it happened, and a digest
-- is about what became known since the one before. Of what was told already nobody knows when.
ALTER TABLE whale_market ADD COLUMN told_at timestamptz NOT NULL DEFAULT '-infinity';
