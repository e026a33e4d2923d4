-- What the products that settle early look up before they take a payment: markets by their end, live
-- markets by their event, and wallets by their calibration. Each is asked for with every call.

CREATE INDEX market_by_end ON market (((facts ->> 'endsAt')::float8));
CREATE INDEX market_by_event ON market ((facts ->> 'eventSlug'));

-- One row a wallet whose entries were calibrated, rewritten when they are calibrated anew.
CREATE TABLE whale_calibration (
  wallet text PRIMARY KEY,
  computed_at timestamptz NOT NULL,
  -- json, not jsonb: the text is served as it was written, its keys in their order.
  calibration json NOT NULL
);
