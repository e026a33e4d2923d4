-- What became of the question whether a market's outcome exists already: so that nobody is asked again
-- about the same evidence, and that a market is told once, for ever. Items of the feed are forgotten
-- after a while; this is not.

CREATE TABLE detection (
  market_id text PRIMARY KEY,
  -- Names the evidence of the last question that was put; null while none was.
  evidence_key text,
  considered_at timestamptz NOT NULL,
  -- Why there is no item, or `told`.
  verdict text NOT NULL,
  told boolean NOT NULL
);
CREATE INDEX detection_untold ON detection (considered_at) WHERE NOT told;
