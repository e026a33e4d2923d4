-- Markets are found by when they may resolve: a game's start, else the scheduled end.
CREATE INDEX market_by_schedule ON market (
  (coalesce((facts ->> 'gameStartsAt')::float8, (facts ->> 'endsAt')::float8))
);
DROP INDEX market_by_end;
CREATE INDEX market_proposed ON market (market_id) WHERE facts ->> 'status' = 'proposed';

-- A sample of the forecasts that a market resolves within 24 hours, kept for ever.
CREATE TABLE resolution_forecast (
  market_id text NOT NULL REFERENCES score_market (market_id),
  made_at timestamptz NOT NULL,
  probability float8 NOT NULL CHECK (probability BETWEEN 0 AND 1),
  -- The forecast of an agent that reads the end date only.
  end_within boolean NOT NULL,
  -- When it can be judged: its 24 hours have passed, and resolutions had time to arrive.
  due_at timestamptz NOT NULL,
  verdict text CHECK (verdict IN ('resolved', 'open', 'unknown')),
  PRIMARY KEY (made_at, market_id)
);
CREATE INDEX resolution_forecast_due ON resolution_forecast (due_at) WHERE verdict IS NULL;
