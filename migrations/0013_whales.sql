-- Tracked wallets: their activity, the entries computed from it, how their markets were resolved, and
-- the calibration of each wallet.
--
-- Wallets, markets, events and tokens have short keys, because tens of millions of rows refer to them.
-- Pending work is marked in separate tables, so that a queue is only as large as its pending work, and
-- marking rewrites no position.

CREATE SEQUENCE whale_change;

CREATE TABLE whale_wallet (
  wallet_id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  wallet text COLLATE "C" NOT NULL UNIQUE,
  name text NOT NULL,
  source text NOT NULL CHECK (source IN ('volume', 'profit')),
  tracked_at timestamptz NOT NULL,
  history text NOT NULL DEFAULT 'reading' CHECK (history IN ('reading', 'whole', 'truncated')),
  read_from timestamptz,
  read_to timestamptz,
  acts integer NOT NULL DEFAULT 0,
  -- Positions, and those of them with buys of both outcomes.
  markets integer NOT NULL DEFAULT 0,
  both_sides integer NOT NULL DEFAULT 0,
  CHECK (read_from <= read_to AND (read_from IS NULL) = (read_to IS NULL))
);

-- Markets of one event are scored together. A market keeps its first event, since sums depend on it.
CREATE TABLE whale_event (
  event_id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  event text COLLATE "C" NOT NULL UNIQUE
);

CREATE TABLE whale_market (
  market_id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  market text COLLATE "C" NOT NULL UNIQUE,
  -- From the facts of the market; null until they are known.
  event_id integer REFERENCES whale_event,
  fee_rate float8,
  ends_at timestamptz,
  facts_asked_at timestamptz NOT NULL DEFAULT '-infinity',
  has_entries boolean NOT NULL DEFAULT false,
  asked_at timestamptz NOT NULL DEFAULT '-infinity',
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
CREATE INDEX whale_market_unknown ON whale_market (facts_asked_at, market_id)
  WHERE event_id IS NULL;
CREATE INDEX whale_market_open ON whale_market (asked_at, market_id)
  WHERE has_entries AND ended_at IS NULL;
CREATE INDEX whale_market_ended ON whale_market (ended_at)
  WHERE has_entries AND ended_at IS NOT NULL;

-- Apart from whale_market, so that its updates stay small.
CREATE TABLE whale_market_facts (
  market_id integer PRIMARY KEY REFERENCES whale_market,
  facts json NOT NULL
);

CREATE TABLE whale_token (
  token_id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  token text COLLATE "C" NOT NULL UNIQUE
);

CREATE TYPE whale_act_kind AS ENUM ('buy', 'sell', 'split', 'merge', 'redeem', 'convert');

-- A set of activity events: the primary key is the whole identity of one. No foreign keys, since the
-- writer has just read the keys and there are tens of millions of rows.
CREATE TABLE whale_act (
  wallet_id integer NOT NULL,
  market_id integer NOT NULL,
  -- Milliseconds since the epoch.
  acted_at bigint NOT NULL,
  size float8 NOT NULL,
  price float8 NOT NULL,
  -- 0 where the venue names none.
  token_id integer NOT NULL,
  kind whale_act_kind NOT NULL,
  occurrence integer NOT NULL,
  transaction bytea NOT NULL,
  PRIMARY KEY (wallet_id, market_id, transaction, kind, token_id, size, price, occurrence)
);

-- A wallet's position in a market. Sorted by market, because markets end and wallets do not.
CREATE TABLE whale_position (
  market_id integer NOT NULL REFERENCES whale_market,
  wallet_id integer NOT NULL REFERENCES whale_wallet,
  -- How often its activity changed, and after which change its entries were computed (0: never).
  acts_version integer NOT NULL,
  made_version integer NOT NULL DEFAULT 0,
  entry_count integer NOT NULL DEFAULT 0,
  bought_both boolean NOT NULL DEFAULT false,
  due boolean NOT NULL DEFAULT false,
  entries json NOT NULL DEFAULT '[]',
  PRIMARY KEY (market_id, wallet_id) INCLUDE (entry_count)
);
CREATE INDEX whale_position_due ON whale_position (market_id, wallet_id) WHERE due;

-- Positions whose entries must be recomputed. A position in a market without facts is marked when its
-- facts arrive. The newest activity is processed first.
CREATE TABLE whale_stale (
  market_id integer NOT NULL,
  wallet_id integer NOT NULL,
  -- The newest activity event that made it stale, in milliseconds since the epoch.
  acted_at bigint NOT NULL,
  PRIMARY KEY (market_id, wallet_id)
);
CREATE INDEX whale_stale_newest ON whale_stale (acted_at DESC, market_id, wallet_id);

-- Positions that must be counted again. `version` is the number of the newest change, `since` of the
-- first.
CREATE TABLE whale_uncounted (
  event_id integer NOT NULL,
  wallet_id integer NOT NULL,
  market_id integer NOT NULL,
  since bigint NOT NULL,
  version bigint NOT NULL,
  PRIMARY KEY (event_id, wallet_id, market_id)
);
CREATE INDEX whale_uncounted_since ON whale_uncounted (since);

-- The scores that are counted in the sums of wallets.
CREATE TABLE whale_score (
  event_id integer NOT NULL,
  wallet_id integer NOT NULL,
  market_id integer NOT NULL,
  score json NOT NULL,
  PRIMARY KEY (event_id, wallet_id, market_id)
);

-- Rewritten completely with every change, so stored in the row, uncompressed, with room for the next
-- version in the same page.
CREATE TABLE whale_sums (
  wallet_id integer PRIMARY KEY REFERENCES whale_wallet,
  version integer NOT NULL,
  -- Positions counted in them.
  scores integer NOT NULL,
  judgement json NOT NULL,
  -- float8 numbers, least significant byte first.
  sums bytea NOT NULL
) WITH (toast_tuple_target = 8160, fillfactor = 50);

ALTER TABLE whale_calibration
  ADD COLUMN previous_computed_at timestamptz,
  ADD COLUMN previous_calibration json,
  ADD CHECK ((previous_computed_at IS NULL) = (previous_calibration IS NULL)),
  SET (toast_tuple_target = 8160);

-- Increases when a published calibration changes. Written last in a transaction, since all writers lock
-- it.
CREATE TABLE whale_revision (
  single boolean PRIMARY KEY DEFAULT true CHECK (single),
  revision bigint NOT NULL
);
