-- How the service's own items fared: what will be known of each, how its market ended, and what that
-- came to. Kept for ever, though items of the feed are forgotten: a score that forgot its misses would
-- be none.

-- Its row is locked before anything else is written here: writers come one after another.
CREATE TABLE score_state (
  single boolean PRIMARY KEY DEFAULT true CHECK (single),
  -- The last item of the feed that was taken up.
  last_index bigint NOT NULL DEFAULT 0,
  -- How often the counts changed.
  revision bigint NOT NULL DEFAULT 0
);

CREATE TABLE score_market (
  market_id text PRIMARY KEY,
  -- Whether an outcome was told of it, and when the last of its movers is looked at.
  told boolean NOT NULL,
  last_look_at timestamptz,
  asked_at timestamptz NOT NULL DEFAULT '-infinity',
  -- Counts the different words on how it ended.
  version integer NOT NULL DEFAULT 0,
  state text CHECK (state IN ('paid', 'cancelled')),
  payout_first float8,
  payout_second float8,
  source text,
  resolved_at timestamptz,
  -- When it was resolved, or first told to be where no time was given.
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
  -- The instant of a mover whose price counts; when an outcome was told.
  at timestamptz NOT NULL,
  price_start float8,
  price_now float8,
  outcome smallint CHECK (outcome IN (0, 1)),
  -- When it can be judged; null while that takes another word on the market.
  due_at timestamptz,
  verdict text CHECK (
    verdict IN ('persisted', 'reverted', 'unknown', 'correct', 'wrong', 'uneven', 'cancelled')
  ),
  -- What it was judged by.
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
