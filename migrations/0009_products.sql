-- What settle-early products read before they take a payment, with every call: markets by end, live
-- markets by event, and wallets by calibration.

CREATE INDEX market_by_end ON market (((facts ->> 'endsAt')::float8));
CREATE INDEX market_by_event ON market ((facts ->> 'eventSlug'));

-- One row for each calibrated wallet, rewritten when it is calibrated again.
CREATE TABLE whale_calibration (
  wallet text PRIMARY KEY,
  computed_at timestamptz NOT NULL,
  -- json, not jsonb: the text is served as it was written, with its keys in the same order.
  calibration json NOT NULL
);
