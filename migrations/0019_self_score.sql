-- The score of the service's own items: when each can be judged, how its market was resolved, and the
-- verdict. Kept for ever, although feed items are deleted: a score without its misses is worthless.

-- Every writer locks this row first, so writers run one after another.
CREATE TABLE score_state (
  single boolean PRIMARY KEY DEFAULT true CHECK (single),
  -- The last feed item that was read.
  last_index bigint NOT NULL DEFAULT 0,
  -- Increases when the counts change.
  revision bigint NOT NULL DEFAULT 0
);

CREATE TABLE score_market (
  market_id text PRIMARY KEY,
  -- Whether an outcome was published for it, and when the last of its movers is scored.
  told boolean NOT NULL,
  last_look_at timestamptz,
  asked_at timestamptz NOT NULL DEFAULT '-infinity',
  -- Increases when the resolution changes.
  version integer NOT NULL DEFAULT 0,
  state text CHECK (state IN ('paid', 'cancelled')),
  payout_first float8,
  payout_second float8,
  source text,
  resolved_at timestamptz,
  -- When it was resolved, or when that was learned if the venue gives no time.
  ended_at timestamptz,
  CHECK ((state IS NULL) = (ended_at IS NULL) AND (state IS NULL) = (source IS NULL)),
  CHECK ((state IS NOT DISTINCT FROM 'paid') = (payout_first IS NOT NULL)
    AND (payout_first IS NULL) = (payout_second IS NULL))
);
CREATE INDEX score_market_told ON score_market (asked_at) WHERE told AND ended_at IS NULL;
CREATE INDEX score_market_ended ON score_market (ended_at);
CREATE INDEX score_market_open ON score_market (last_look_at) WHERE ended_at IS NULL;

CREATE TABLE score_check (
  feed_index bigint NOT NULL,
  kind text NOT NULL CHECK (kind IN ('mover_1h', 'mover_24h', 'predetermined')),
  market_id text REFERENCES score_market,
  -- For a mover, when its price is compared; for an outcome, when it was published.
  at timestamptz NOT NULL,
  price_start float8,
  price_now float8,
  outcome smallint CHECK (outcome IN (0, 1)),
  -- When it can be judged; null until the resolution changes again.
  due_at timestamptz,
  verdict text CHECK (
    verdict IN ('persisted', 'reverted', 'unknown', 'correct', 'wrong', 'uneven', 'cancelled')
  ),
  -- The mid price it was judged by.
  point_at timestamptz,
  point_mid float8,
  PRIMARY KEY (feed_index, kind),
  CHECK ((kind = 'predetermined') = (outcome IS NOT NULL)
    AND (outcome IS NULL) = (price_start IS NOT NULL)
    AND (price_start IS NULL) = (price_now IS NULL)),
  CHECK ((point_at IS NULL) = (point_mid IS NULL))
);
CREATE INDEX score_check_due ON score_check (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX score_check_by_market ON score_check (market_id);
