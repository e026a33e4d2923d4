-- The last review of each market as a candidate for an already decided outcome, so that the model is not
-- asked twice about the same evidence and a market is published only once. Feed items are deleted after
-- a while; the rows of published markets are not.

CREATE TABLE detection (
  market_id text PRIMARY KEY,
  -- Identifies the evidence of the last question to the model; null if there was none.
  evidence_key text,
  considered_at timestamptz NOT NULL,
  -- Why no item was published, or that one was (`published` since migration 0021).
  verdict text NOT NULL,
  told boolean NOT NULL
);
CREATE INDEX detection_untold ON detection (considered_at) WHERE NOT told;
