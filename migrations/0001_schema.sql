-- The whole schema: types, tables by capability, functions, triggers, rights. A change of it is a
-- second file with the next number.

-- Types
-- -----

CREATE TYPE whale_activity_kind AS ENUM ('buy', 'sell', 'split', 'merge', 'redeem', 'convert');

-- The store: what it is bound to, jobs and limits of requests
-- -----------------------------------------------------------

-- The venue of this store. A feed must never mix two venues.
CREATE TABLE store_venue (
  only_row boolean DEFAULT true PRIMARY KEY CHECK (only_row),
  venue text NOT NULL
);

-- The kind of payments of this store. A store must never mix simulated and live payments.
CREATE TABLE store_payments (
  only_row boolean DEFAULT true PRIMARY KEY CHECK (only_row),
  payments text NOT NULL CHECK (payments IN ('simulated', 'live'))
);

-- Scheduled jobs. The fence increases with every claim of any slot of the job.
CREATE TABLE job (
  job text PRIMARY KEY,
  fence bigint NOT NULL DEFAULT 0
);

-- The scheduled runs of each job, with the lease of the replica that runs them.
CREATE TABLE job_slot (
  job text NOT NULL,
  slot timestamptz NOT NULL,
  fence bigint NOT NULL,
  lease_until timestamptz NOT NULL,
  finished_at timestamptz,
  outcome text CHECK (outcome IN ('ok', 'failed')),
  PRIMARY KEY (job, slot),
  CHECK ((finished_at IS NULL) = (outcome IS NULL))
);
CREATE INDEX job_slot_by_slot ON job_slot (slot);
CREATE INDEX job_slot_unfinished ON job_slot (job) WHERE finished_at IS NULL;

-- The recorded time of a UTC day that is over, and how much of it was good; slots are kept for a week.
CREATE TABLE status_day (
  day date PRIMARY KEY,
  recorded_ms bigint NOT NULL CHECK (recorded_ms BETWEEN 1 AND 86400000),
  good_ms bigint NOT NULL CHECK (good_ms BETWEEN 0 AND recorded_ms)
);

-- The rate-limit log of a policy and key. Unlogged: a crash of the database loses at most one window.
CREATE UNLOGGED TABLE rate_log (
  policy text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  -- Times in milliseconds, ascending, and how many grants were made at each. The next take drops those
  -- before the window.
  times bigint[] NOT NULL,
  counts integer[] NOT NULL,
  -- How many grants the newest take got.
  taken integer NOT NULL,
  -- The time of the newest take.
  taken_ms bigint NOT NULL,
  PRIMARY KEY (key, policy)
) WITH (fillfactor = 70);
ALTER TABLE rate_log ALTER COLUMN times SET STORAGE EXTERNAL;
ALTER TABLE rate_log ALTER COLUMN counts SET STORAGE EXTERNAL;

-- Markets: the last listing, and prices of the last days
-- ------------------------------------------------------

-- Facts of each market. They rarely change, so they are stored apart from market_quote.
CREATE TABLE market (
  market_id text PRIMARY KEY,
  slug text NOT NULL,
  facts json NOT NULL,
  changed_at timestamptz NOT NULL,
  -- The slugs that it had before, in lower case, oldest first.
  earlier_slugs text[] NOT NULL DEFAULT '{}'
);
CREATE INDEX market_by_earlier_slug ON market USING gin (earlier_slugs) WHERE earlier_slugs <> '{}';
CREATE INDEX market_by_event ON market (lower((facts ->> 'eventSlug') COLLATE "C"));
CREATE INDEX market_by_schedule ON market (coalesce(
  (facts ->> 'gameStartsAt')::double precision, (facts ->> 'endsAt')::double precision));
CREATE INDEX market_by_slug ON market (lower(slug COLLATE "C"));
CREATE INDEX market_proposed ON market (market_id) WHERE (facts ->> 'status') = 'proposed';

-- Volume, liquidity and best prices of each market; rewritten with every listing.
CREATE TABLE market_quote (
  market_id text PRIMARY KEY,
  volume_usd double precision NOT NULL,
  liquidity_usd double precision NOT NULL,
  best_bid double precision,
  best_ask double precision,
  changed_at timestamptz NOT NULL,
  volume_24h_usd double precision
) WITH (fillfactor = 50);

-- One series of mid prices for each market, under a short key.
CREATE TABLE mid_series (
  series_id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  market_id text NOT NULL UNIQUE,
  -- When its history was fetched from the venue.
  seeded_at timestamptz
);

-- One hour of a series: the n-th offset belongs to the n-th mid. Not in order of time.
CREATE TABLE mid_hour (
  series_id integer NOT NULL,
  -- Whole hours since the epoch.
  hour integer NOT NULL,
  -- Milliseconds since the start of the hour.
  offsets_ms integer[] NOT NULL,
  mids double precision[] NOT NULL,
  PRIMARY KEY (series_id, hour)
) WITH (fillfactor = 70);
CREATE INDEX mid_hour_by_hour ON mid_hour (hour);

-- The feed, and its chain of hashes
-- ---------------------------------

-- The last feed index. Locked by every append, so that items are committed in index order without
-- gaps.
CREATE TABLE feed_counter (
  only_row boolean DEFAULT true PRIMARY KEY CHECK (only_row),
  last_index bigint NOT NULL DEFAULT 0,
  -- The hash of item last_index (last), of where it skips to, and so on. All that the next items
  -- need, so items can be pruned.
  chain_peaks bytea[] NOT NULL DEFAULT '{}'
);
INSERT INTO feed_counter DEFAULT VALUES;

-- The items of the feed.
CREATE TABLE feed_item (
  feed_index bigint PRIMARY KEY CHECK (feed_index > 0),
  dedupe_key text NOT NULL UNIQUE,
  type text NOT NULL CHECK (type IN ('mover', 'whale_entry', 'predetermined')),
  created_at timestamptz NOT NULL,
  title text NOT NULL,
  -- json and not jsonb: the text is served as it was written.
  data json NOT NULL,
  -- Random; sold with the item, so that its content cannot be guessed from content_hash.
  salt bytea NOT NULL,
  -- SHA-256 of the canonical JSON of the published item and its salt (feed/domain/chain.ts).
  content_hash bytea NOT NULL,
  -- The hash of the item before it.
  previous_hash bytea NOT NULL,
  -- The hash of an earlier item (skipIndex in feed/domain/chain.ts), so that proofs are short.
  skip_hash bytea NOT NULL,
  -- SHA-256 of the canonical JSON of its index and the three hashes before.
  hash bytea NOT NULL
);
CREATE INDEX feed_item_by_market
  ON feed_item (lower((data -> 'market' ->> 'slug') COLLATE "C"), feed_index);
CREATE INDEX feed_item_by_time ON feed_item (created_at, type);
CREATE INDEX feed_item_by_type ON feed_item (type, feed_index);

-- The signed head of the chain at the end of each UTC day, kept for ever.
CREATE TABLE feed_head (
  -- Every item that was appended in it is at or before feed_index.
  day date PRIMARY KEY,
  feed_index bigint NOT NULL,
  hash bytea NOT NULL,
  made_at timestamptz NOT NULL,
  jws text NOT NULL
);

-- News
-- ----

-- When each news source was last requested, and when it last responded.
CREATE TABLE news_source (
  name text COLLATE "C" PRIMARY KEY,
  requested_at timestamptz NOT NULL,
  responded_at timestamptz,
  CHECK (responded_at <= requested_at)
);

-- Headlines of the last week.
CREATE TABLE headline (
  url text COLLATE "C" PRIMARY KEY,
  title text NOT NULL,
  source text NOT NULL,
  published_at timestamptz NOT NULL,
  seen_at timestamptz NOT NULL
);
CREATE INDEX headline_newest ON headline (published_at DESC, url);
-- A source that gives its pages new addresses does not fill the store.
CREATE UNIQUE INDEX headline_day
  ON headline (source, title, ((published_at AT TIME ZONE 'UTC')::date));

-- What a model found in a story about a market, after the checks of code. One pair is read once.
CREATE TABLE news_reading (
  market_id text NOT NULL,
  -- The story's first publication.
  url text COLLATE "C" NOT NULL REFERENCES headline ON DELETE CASCADE,
  verdict text NOT NULL CHECK (verdict IN ('about', 'unrelated', 'refused')),
  outcome text,
  bears text CHECK (bears IN ('for', 'against')),
  decides boolean NOT NULL,
  -- Words of the title.
  quote text NOT NULL,
  read_at timestamptz NOT NULL,
  PRIMARY KEY (market_id, url)
);
CREATE INDEX news_reading_url ON news_reading (url);

-- Whales: tracked wallets, what they did, and what they are worth
-- ---------------------------------------------------------------

-- Tracked wallets, and how much of their activity was read.
CREATE TABLE whale_wallet (
  wallet_id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  wallet text COLLATE "C" NOT NULL UNIQUE,
  name text NOT NULL,
  source text NOT NULL CHECK (source IN ('volume', 'profit')),
  tracked_at timestamptz NOT NULL,
  history text NOT NULL DEFAULT 'reading' CHECK (history IN ('reading', 'whole', 'truncated')),
  read_from timestamptz,
  read_to timestamptz,
  activity_count integer NOT NULL DEFAULT 0,
  -- Number of positions.
  markets integer NOT NULL DEFAULT 0,
  -- Number of positions with buys of both outcomes.
  both_sides integer NOT NULL DEFAULT 0,
  -- Number of positions bought in many equal prints at an almost certain price.
  farmed integer NOT NULL DEFAULT 0,
  CHECK (read_from <= read_to AND (read_from IS NULL) = (read_to IS NULL))
);

-- Events: markets that may depend on each other have one. The results of a wallet in them are one trial.
CREATE TABLE whale_event (
  event_id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  event text COLLATE "C" NOT NULL UNIQUE
);

-- Markets with whale activity: event, resolution, and when each was last requested.
CREATE TABLE whale_market (
  market_id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  market text COLLATE "C" NOT NULL UNIQUE,
  -- The first event the venue named, null until the facts are known. Never changed: records
  -- depend on it.
  event_id integer REFERENCES whale_event,
  fee_rate double precision,
  ends_at timestamptz,
  facts_requested_at timestamptz NOT NULL DEFAULT '-infinity',
  has_entries boolean NOT NULL DEFAULT false,
  -- When its resolution was last requested from the venue.
  requested_at timestamptz NOT NULL DEFAULT '-infinity',
  state text CHECK (state IN ('paid', 'cancelled')),
  payout_first double precision,
  payout_second double precision,
  source text,
  resolved_at timestamptz,
  -- When it was resolved, or when that was learned if the venue gives no time.
  ended_at timestamptz,
  -- When its resolution last changed here. A digest covers what was learned since the one before.
  resolution_learned_at timestamptz NOT NULL DEFAULT '-infinity',
  -- When its results may count: by its first known schedule, -infinity without one. Never changed:
  -- records depend on it.
  due_at timestamptz NOT NULL DEFAULT '-infinity',
  CHECK ((state IS NULL) = (ended_at IS NULL) AND (state IS NULL) = (source IS NULL)),
  CHECK ((NOT state IS DISTINCT FROM 'paid') = (payout_first IS NOT NULL)
    AND (payout_first IS NULL) = (payout_second IS NULL))
);
CREATE INDEX whale_market_ended ON whale_market (ended_at)
  WHERE has_entries AND ended_at IS NOT NULL;
CREATE INDEX whale_market_open ON whale_market (requested_at, market_id)
  WHERE has_entries AND ended_at IS NULL;
CREATE INDEX whale_market_overdue ON whale_market (due_at) WHERE has_entries AND ended_at IS NULL;
CREATE INDEX whale_market_unknown ON whale_market (facts_requested_at, market_id)
  WHERE event_id IS NULL;

-- Facts of each market, apart from whale_market so that its updates stay small.
CREATE TABLE whale_market_facts (
  market_id integer PRIMARY KEY REFERENCES whale_market,
  facts json NOT NULL
);

-- Outcome tokens, under short keys.
CREATE TABLE whale_token (
  token_id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  token text COLLATE "C" NOT NULL UNIQUE
);

-- Activity events of tracked wallets. The primary key is the whole identity of an event. No foreign
-- keys: there are tens of millions of rows.
CREATE TABLE whale_activity (
  wallet_id integer NOT NULL,
  market_id integer NOT NULL,
  -- Milliseconds since the epoch.
  activity_at_ms bigint NOT NULL,
  size double precision NOT NULL,
  price double precision NOT NULL,
  -- 0 if the venue names none.
  token_id integer NOT NULL,
  kind whale_activity_kind NOT NULL,
  occurrence integer NOT NULL,
  transaction bytea NOT NULL,
  PRIMARY KEY (wallet_id, market_id, transaction, kind, token_id, size, price, occurrence)
);

-- A wallet in a market, and the entries computed from its activity.
CREATE TABLE whale_position (
  market_id integer NOT NULL REFERENCES whale_market,
  wallet_id integer NOT NULL REFERENCES whale_wallet,
  -- Increases when activity is added.
  activity_version integer NOT NULL,
  -- The activity_version the entries were computed from; 0 before the first computation.
  entries_version integer NOT NULL DEFAULT 0,
  entry_count integer NOT NULL DEFAULT 0,
  bought_both boolean NOT NULL DEFAULT false,
  farmed boolean NOT NULL DEFAULT false,
  -- An entry may have to be published.
  due boolean NOT NULL DEFAULT false,
  -- Its result counts in whale_record; then a correction counts at once.
  counted boolean NOT NULL DEFAULT false,
  entries json NOT NULL DEFAULT '[]',
  PRIMARY KEY (market_id, wallet_id) INCLUDE (entry_count)
);
CREATE INDEX whale_position_by_wallet ON whale_position (wallet_id, market_id) WHERE entry_count > 0;
CREATE INDEX whale_position_due ON whale_position (market_id, wallet_id) WHERE due;

-- Positions whose entries must be recomputed, newest activity first. Only in markets whose facts
-- are known.
CREATE TABLE whale_stale (
  market_id integer NOT NULL,
  wallet_id integer NOT NULL,
  activity_at_ms bigint NOT NULL,
  PRIMARY KEY (market_id, wallet_id)
);
CREATE INDEX whale_stale_newest ON whale_stale (activity_at_ms DESC, market_id, wallet_id);

-- What the results of each wallet with a result add up to. Stored in the row, with room to be
-- rewritten in place.
CREATE TABLE whale_record (
  wallet_id integer PRIMARY KEY REFERENCES whale_wallet,
  -- Number of changes of its results.
  version integer NOT NULL DEFAULT 1,
  -- When it must be computed again: -infinity after a change, else when a waiting result may count.
  count_at timestamptz NOT NULL DEFAULT '-infinity',
  counted_at timestamptz NOT NULL DEFAULT '-infinity',
  sums json,
  evidence json,
  CHECK ((sums IS NULL) = (evidence IS NULL))
) WITH (toast_tuple_target = 8160, fillfactor = 50);

-- The published calibration of each wallet, and the one before.
CREATE TABLE whale_calibration (
  wallet text PRIMARY KEY,
  computed_at timestamptz NOT NULL,
  calibration json NOT NULL,
  previous_computed_at timestamptz,
  previous_calibration json,
  CHECK ((previous_computed_at IS NULL) = (previous_calibration IS NULL))
) WITH (toast_tuple_target = 8160);

-- Increases when a published calibration changes. Written last in a transaction, since all writers
-- lock it.
CREATE TABLE whale_revision (
  single boolean DEFAULT true PRIMARY KEY CHECK (single),
  revision bigint NOT NULL
);

-- Digests and research reports
-- ----------------------------

-- One digest for each slot of four hours.
CREATE TABLE digest (
  slot timestamptz PRIMARY KEY,
  created_at timestamptz NOT NULL,
  -- The end of the period it covers.
  until_at timestamptz NOT NULL,
  -- The newest feed item it covers; the next digest starts after it.
  feed_index bigint NOT NULL,
  digest json NOT NULL,
  below_threshold boolean NOT NULL DEFAULT true
);
CREATE INDEX digest_by_time ON digest (created_at);

-- Research reports, shared by all replicas: one row for each generation of a market's report.
CREATE TABLE research_report (
  market text COLLATE "C" NOT NULL,
  generation integer NOT NULL,
  -- lost: the lease of the replica that made it has expired.
  state text NOT NULL CHECK (state IN ('making', 'made', 'failed', 'lost')),
  lease_until timestamptz NOT NULL,
  begun_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  made_at timestamptz,
  report json,
  PRIMARY KEY (market, generation),
  CHECK ((state = 'made') = (made_at IS NOT NULL) AND (made_at IS NULL) = (report IS NULL))
);
CREATE INDEX research_report_begun ON research_report (begun_at);
CREATE UNIQUE INDEX research_report_making ON research_report (market) WHERE state = 'making';

-- The track record: what became of what was published
-- ---------------------------------------------------

-- The cursor of the self-score in the feed. Locked by every writer of the score tables.
CREATE TABLE score_state (
  single boolean DEFAULT true PRIMARY KEY CHECK (single),
  -- The last feed item that was read.
  last_index bigint NOT NULL DEFAULT 0,
  -- Increases when the counts change.
  revision bigint NOT NULL DEFAULT 0
);

-- Markets of scored feed items, and how they were resolved.
CREATE TABLE score_market (
  market_id text PRIMARY KEY,
  -- A predetermined outcome was published.
  outcome_published boolean NOT NULL,
  -- When the last of its movers is scored.
  last_mover_at timestamptz,
  -- When its resolution was last requested from the venue.
  requested_at timestamptz NOT NULL DEFAULT '-infinity',
  -- Increases when the resolution changes.
  version integer NOT NULL DEFAULT 0,
  state text CHECK (state IN ('paid', 'cancelled')),
  payout_first double precision,
  payout_second double precision,
  source text,
  resolved_at timestamptz,
  -- When it was resolved, or when that was learned if the venue gives no time.
  ended_at timestamptz,
  CHECK ((state IS NULL) = (ended_at IS NULL) AND (state IS NULL) = (source IS NULL)),
  CHECK ((NOT state IS DISTINCT FROM 'paid') = (payout_first IS NOT NULL)
    AND (payout_first IS NULL) = (payout_second IS NULL))
);
CREATE INDEX score_market_ended ON score_market (ended_at);
CREATE INDEX score_market_open ON score_market (last_mover_at) WHERE ended_at IS NULL;
CREATE INDEX score_market_unresolved ON score_market (requested_at)
  WHERE outcome_published AND ended_at IS NULL;

-- The score of each feed item, kept for ever.
CREATE TABLE score_check (
  feed_index bigint NOT NULL,
  kind text NOT NULL CHECK (kind IN ('mover_1h', 'mover_6h', 'mover_24h', 'predetermined',
    'whale_24h')),
  market_id text REFERENCES score_market,
  -- When its price is compared; for a predetermined outcome, when it was published.
  at timestamptz NOT NULL,
  price_start double precision,
  price_now double precision,
  outcome smallint CHECK (outcome IN (0, 1)),
  -- When it can be judged; null until the resolution changes again.
  due_at timestamptz,
  verdict text CHECK (verdict IN ('persisted', 'reverted', 'unknown', 'correct', 'wrong',
    'uneven', 'cancelled', 'priced')),
  -- The time of the mid price it was judged by.
  point_at timestamptz,
  point_mid double precision,
  -- Of a contested proposal, the venue's word alone at a price that doubts it: that price.
  contested_price double precision CHECK (contested_price BETWEEN 0 AND 1),
  -- Of a mover with a stored market.
  phase text CHECK (phase IN ('running', 'settled')),
  -- Moves with one key are one independent trial.
  event_key text,
  -- Direction x (later price - price_now) in half price steps; null while unknown.
  drift integer,
  -- 2 x drift + size of the move; the move kept half from 0 on.
  margin integer,
  -- The later price of the outcome that a whale entry bought.
  value double precision CHECK (value BETWEEN 0 AND 1),
  PRIMARY KEY (feed_index, kind),
  CHECK (kind IN ('mover_1h', 'mover_6h', 'mover_24h') = (outcome IS NULL)
    AND (outcome IS NULL) = (price_start IS NOT NULL)
    AND (price_start IS NULL) = (price_now IS NULL)),
  CHECK ((point_at IS NULL) = (point_mid IS NULL)),
  CHECK ((phase IS NULL) = (event_key IS NULL)),
  CHECK ((drift IS NULL) = (margin IS NULL))
);
CREATE INDEX score_check_by_market ON score_check (market_id);
CREATE INDEX score_check_due ON score_check (due_at) WHERE due_at IS NOT NULL;

-- A published whale entry as it was published.
CREATE TABLE score_entry (
  feed_index bigint PRIMARY KEY,
  wallet text NOT NULL,
  -- Entries with the same key are not independent.
  event_key text NOT NULL,
  -- Published with it; none without a calibration.
  label text NOT NULL CHECK (label IN ('follow', 'fade', 'neutral', 'none')),
  -- What the wallet paid.
  entry_price double precision NOT NULL,
  -- Best ask of the bought outcome at publication; null without a book.
  ask double precision,
  -- Best ask of the other outcome.
  other_ask double precision,
  -- Taker rate of the venue: fee = shares x rate x p x (1 - p).
  fee_rate double precision NOT NULL,
  CHECK ((ask IS NULL) = (other_ask IS NULL))
);

-- What buying after a published whale entry costs, read from the book 1 and 60 minutes after it.
CREATE TABLE score_reading (
  feed_index bigint NOT NULL REFERENCES score_entry,
  delay_minutes smallint NOT NULL,
  due_at timestamptz NOT NULL,
  state text NOT NULL DEFAULT 'due' CHECK (state IN ('due', 'read', 'missed', 'no_book')),
  -- The mean price of a small stake on the bought outcome, and on the other one; null: the book was
  -- too thin.
  stake_price double precision,
  other_stake_price double precision,
  PRIMARY KEY (feed_index, delay_minutes)
);
CREATE INDEX score_reading_due ON score_reading (due_at) WHERE state = 'due';

-- Forecasts for the day after they were made, and what became of them: that a market is resolved by
-- then, and its price (the probability that a report stated). Kept for a year.
CREATE TABLE forecast (
  kind text NOT NULL CHECK (kind IN ('resolution', 'price')),
  market_id text NOT NULL REFERENCES score_market,
  made_at timestamptz NOT NULL,
  probability double precision NOT NULL CHECK (probability BETWEEN 0 AND 1),
  -- The forecast that it is compared with: 1 if the end date is within the day, else 0; the mid.
  baseline double precision NOT NULL CHECK (baseline BETWEEN 0 AND 1),
  -- Of a price: where nine of ten mids are then; 0 and 1 where that is not said.
  low double precision NOT NULL CHECK (low BETWEEN 0 AND probability),
  high double precision NOT NULL CHECK (high BETWEEN probability AND 1),
  -- Forecasts with one key are one trial.
  event_key text NOT NULL,
  due_at timestamptz NOT NULL,
  judged boolean NOT NULL DEFAULT false,
  -- 1 if resolved, else 0; the price or the payout then. Null when it is not known.
  value double precision CHECK (value BETWEEN 0 AND 1),
  PRIMARY KEY (kind, made_at, market_id),
  CHECK (judged OR value IS NULL)
);
CREATE INDEX forecast_due ON forecast (due_at) WHERE NOT judged;

-- Payments and refunds
-- --------------------

-- Every payment, its state, and the answer that was sold.
CREATE TABLE payment (
  payment_id text PRIMARY KEY,
  chain_id bigint NOT NULL,
  asset text NOT NULL,
  token_name text NOT NULL,
  token_version text NOT NULL,
  payer text NOT NULL,
  nonce text NOT NULL,
  pay_to text NOT NULL,
  -- Atomic units of the token, as the payer signed them.
  amount bigint NOT NULL,
  -- Seconds since the epoch, as in the token contract.
  valid_after bigint NOT NULL,
  -- Seconds since the epoch, as in the token contract.
  valid_before bigint NOT NULL,
  -- Null for an unmatched transfer: no call presented it.
  signature text,
  settlement text NOT NULL,
  product_id text,
  request text,
  created_at timestamptz NOT NULL DEFAULT now(),
  state text NOT NULL CHECK (state IN ('claimed', 'released', 'settling', 'unresolved', 'settled',
    'answered', 'refund_due', 'refunded', 'void')),
  reason text,
  -- Increases with every claim.
  fence integer NOT NULL DEFAULT 1 CHECK (fence > 0),
  lease_until timestamptz,
  -- Hash of a secret that only the first caller knows.
  secret_hash text,
  changed_at timestamptz NOT NULL DEFAULT now(),
  -- When the intent to settle was stored, before the facilitator is called.
  intended_at timestamptz,
  -- The transaction the facilitator named; not verified on the chain.
  transaction_hint text,
  -- The transfer as read from the chain.
  paid_transaction text,
  paid_block bigint,
  paid_log_index integer,
  paid_finality text CHECK (paid_finality IN ('latest', 'safe')),
  answer_body bytea,
  answered_at timestamptz,
  -- When the answer was delivered. After this the payment cannot be refunded.
  sent_at timestamptz,
  -- What was paid, if it is not the agreed amount; this is what is refunded.
  paid_amount bigint,
  -- Hash of chain, payer, request and purchase key, without the nonce, or of chain and A2A task; null
  -- without a key, or when the answer was erased.
  key_hash text COLLATE "C",
  UNIQUE (chain_id, asset, payer, nonce),
  CONSTRAINT payment_answer_before_settlement
    CHECK (state NOT IN ('settling', 'unresolved') OR settlement = 'settle-early'
      OR answer_body IS NOT NULL),
  CONSTRAINT payment_answer_until_delivered
    CHECK (state <> 'answered'
      OR answered_at IS NOT NULL AND (answer_body IS NOT NULL OR sent_at IS NOT NULL)),
  CONSTRAINT payment_intent_required
    CHECK (state NOT IN ('settling', 'unresolved', 'settled', 'answered')
      OR intended_at IS NOT NULL),
  CONSTRAINT payment_lease_required
    CHECK (state NOT IN ('claimed', 'settling', 'settled') OR lease_until IS NOT NULL),
  CONSTRAINT payment_no_answer_unless_charged
    CHECK (state NOT IN ('claimed', 'released', 'refund_due', 'refunded', 'void')
      OR answer_body IS NULL AND sent_at IS NULL),
  CONSTRAINT payment_transfer_required
    CHECK (state NOT IN ('settled', 'answered', 'refund_due', 'refunded')
      OR paid_transaction IS NOT NULL AND paid_block IS NOT NULL AND paid_log_index IS NOT NULL
        AND paid_finality IS NOT NULL)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
-- An answer can be almost a megabyte. The default compression takes about 40 ms for it, more than
-- the rest of the sale; lz4 takes about 2 ms, where PostgreSQL was built with it.
DO $$
BEGIN
  ALTER TABLE payment ALTER COLUMN answer_body SET COMPRESSION lz4;
EXCEPTION WHEN feature_not_supported OR invalid_parameter_value THEN NULL;
END $$;
CREATE INDEX payment_charged_by_payer ON payment (payer, created_at)
  WHERE settlement = 'settle-early' AND request IS NOT NULL
    AND state IN ('settled', 'answered', 'refund_due', 'refunded');
-- The bodies to delete: the answers of about a day.
CREATE INDEX payment_delivered_body ON payment (sent_at)
  WHERE sent_at IS NOT NULL AND answer_body IS NOT NULL;
-- What may still have to be refunded; summed before every settle-early sale.
CREATE INDEX payment_liability ON payment (settlement)
  WHERE state = 'refund_due' AND request IS NOT NULL AND paid_amount IS NULL
    OR settlement = 'settle-early' AND state IN ('claimed', 'settling', 'unresolved', 'settled');
CREATE UNIQUE INDEX payment_live_key ON payment (key_hash)
  WHERE key_hash IS NOT NULL
    AND state IN ('claimed', 'settling', 'unresolved', 'settled', 'answered');
CREATE INDEX payment_refunded_key ON payment (key_hash)
  WHERE key_hash IS NOT NULL AND state IN ('refund_due', 'refunded');
CREATE INDEX payment_refund_due ON payment (changed_at) WHERE state = 'refund_due';
CREATE INDEX payment_released ON payment (valid_before) WHERE state = 'released';
CREATE INDEX payment_unsent ON payment (answered_at) WHERE state = 'answered' AND sent_at IS NULL;
CREATE INDEX payment_urgent ON payment (changed_at)
  WHERE state IN ('claimed', 'settling', 'unresolved', 'settled');

-- Every state change of every payment, in order. Written by triggers only.
CREATE TABLE payment_event (
  event_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  payment_id text NOT NULL REFERENCES payment ON DELETE CASCADE,
  from_state text,
  to_state text NOT NULL,
  fence integer NOT NULL,
  reason text,
  at timestamptz NOT NULL DEFAULT clock_timestamp()
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02);
-- Events are found by their payment only. A hash index has a third of the size.
CREATE INDEX payment_event_by_payment ON payment_event USING hash (payment_id);

-- The newest block of a deleted payment. Transfers up to it cannot be inserted as unmatched.
CREATE TABLE payment_deleted (
  chain_id bigint NOT NULL,
  asset text NOT NULL,
  pay_to text NOT NULL,
  through_block bigint NOT NULL,
  PRIMARY KEY (chain_id, asset, pay_to)
);

-- At most one refund for each payment. Each is an EIP-3009 authorization, so the token contract
-- pays it at most once.
CREATE TABLE refund (
  payment_id text PRIMARY KEY REFERENCES payment ON DELETE CASCADE,
  payer text NOT NULL,
  amount bigint NOT NULL,
  asset text NOT NULL,
  chain_id bigint NOT NULL,
  reason text NOT NULL,
  state text NOT NULL DEFAULT 'queued'
    CHECK (state IN ('queued', 'signed', 'broadcast', 'confirmed', 'cancelled', 'needs_review',
    'settled_by_hand')),
  treasury text CHECK (treasury ~ '^0x[0-9a-f]{40}$'),
  refund_nonce text CHECK (refund_nonce ~ '^0x[0-9a-f]{64}$'),
  valid_before bigint,
  signature text,
  -- The transaction as read from the chain; as a person named it if settled_by_hand.
  transaction text,
  attempts integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz NOT NULL DEFAULT now(),
  lease_until timestamptz,
  last_error text,
  created_at timestamptz NOT NULL DEFAULT now(),
  changed_at timestamptz NOT NULL DEFAULT now(),
  -- Increases with every claim of a worker, so that one whose lease has expired cannot write.
  fence integer NOT NULL DEFAULT 0 CHECK (fence >= 0),
  -- When it was last signed; the hourly and daily caps sum over it.
  signed_at timestamptz,
  -- The transaction the facilitator named; not verified on the chain.
  transaction_hint text,
  confirmed_at timestamptz,
  confirmed_block bigint,
  confirmed_log_index integer,
  -- 'unmatched' for a transfer without a request or of another amount than requested. It has caps
  -- of its own and never delays a refund of a sale.
  queue text NOT NULL DEFAULT 'sales' CHECK (queue IN ('sales', 'unmatched')),
  -- A person has approved an amount over the dearest product. Only the owner of the tables can set
  -- it.
  amount_approved boolean NOT NULL DEFAULT false,
  UNIQUE (treasury, refund_nonce),
  CONSTRAINT refund_confirmed_with_transfer
    CHECK ((state = 'confirmed')
      = (num_nulls(transaction, confirmed_at, confirmed_block, confirmed_log_index) = 0)),
  CONSTRAINT refund_confirmed_with_treasury CHECK (state <> 'confirmed' OR treasury IS NOT NULL),
  CONSTRAINT refund_signature_complete
    CHECK (num_nulls(valid_before, signature, signed_at) IN (0, 3)
      AND num_nulls(treasury, refund_nonce) IN (0, 2)
      AND (signature IS NULL OR treasury IS NOT NULL)),
  CONSTRAINT refund_signature_format CHECK (signature ~ '^0x[0-9a-f]{130}$'),
  CONSTRAINT refund_signature_required
    CHECK (state NOT IN ('signed', 'broadcast')
      OR num_nulls(treasury, refund_nonce, valid_before, signature, signed_at) = 0)
);
-- Refunds that need review are checked too, but rarely: the chain may have paid them after all.
CREATE INDEX refund_due ON refund (queue, next_attempt_at)
  WHERE state IN ('queued', 'signed', 'broadcast', 'needs_review');
-- Those of the last day are counted on the status page.
CREATE INDEX refund_confirmed_at ON refund (confirmed_at) WHERE state = 'confirmed';
CREATE INDEX refund_signed_at ON refund (signed_at) WHERE signed_at IS NOT NULL;

-- What persons did with refunds that needed review. Append-only. No foreign key: it is kept longer
-- than the payment.
CREATE TABLE refund_action (
  action_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  payment_id text NOT NULL,
  action text NOT NULL CHECK (action IN ('requeue', 'approve_amount', 'settle')),
  -- Who did it, as given on the command line.
  person text NOT NULL CHECK (length(person) BETWEEN 1 AND 100),
  note text NOT NULL CHECK (length(note) BETWEEN 1 AND 1000),
  transaction text CHECK (transaction ~ '^0x[0-9a-f]{64}$'),
  -- The start of the transaction that also moved the refund, set by a trigger.
  at timestamptz NOT NULL,
  -- The database login, set by a trigger.
  login text NOT NULL,
  CHECK (transaction IS NULL OR action = 'settle')
);
CREATE INDEX refund_action_by_payment ON refund_action (payment_id, at);

-- Which treasury refunds which payments, by the block of the payment. Never changed: a second
-- treasury must not refund what the first has refunded.
CREATE TABLE refund_treasury (
  treasury text PRIMARY KEY CHECK (treasury ~ '^0x[0-9a-f]{40}$'),
  -- It refunds payments of later blocks, up to the after_block of the next treasury. Null for the
  -- first.
  after_block bigint UNIQUE CHECK (after_block >= 0),
  entered_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX refund_treasury_first ON refund_treasury ((true)) WHERE after_block IS NULL;

-- The range of blocks read for transfers to each pay_to address: (after_block, through_block].
CREATE TABLE chain_scan (
  chain_id bigint NOT NULL,
  asset text NOT NULL,
  pay_to text NOT NULL,
  through_block bigint NOT NULL CHECK (through_block >= 0),
  after_block bigint NOT NULL,
  PRIMARY KEY (chain_id, asset, pay_to),
  CHECK (after_block >= 0 AND after_block <= through_block)
);

-- Payments whose answer was delivered, from delivery journals that `deno task restore` read. They
-- are not refunded.
CREATE TABLE delivered_before_restore (
  payment_id text PRIMARY KEY CHECK (payment_id ~ '^0x[0-9a-f]{64}$'),
  loaded_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX delivered_before_restore_loaded ON delivered_before_restore (loaded_at);

-- The simulated token
-- -------------------

-- Balances of the simulated token. A payer without a row has a starting balance.
CREATE TABLE simulated_account (
  address text PRIMARY KEY,
  -- Atomic units. What pay_to receives is summed from the authorizations instead: one row would
  -- make all sales wait.
  balance bigint NOT NULL CHECK (balance >= 0)
);

-- Used authorizations of the simulated token. recipient is null for a cancelled one.
CREATE TABLE simulated_authorization (
  asset text NOT NULL,
  payer text NOT NULL,
  nonce text NOT NULL,
  recipient text,
  amount bigint,
  transaction text NOT NULL UNIQUE,
  -- Seconds since the epoch.
  block_time bigint NOT NULL,
  PRIMARY KEY (asset, payer, nonce),
  CHECK ((recipient IS NULL) = (amount IS NULL))
);
CREATE INDEX simulated_authorization_by_recipient ON simulated_authorization (recipient);

-- Functions: limits of requests
-- -----------------------------

-- Takes up to asked[i] grants for client_keys[i], as many as the limit allows. A log has at most 240
-- times: above that limit a grant is logged under a later one, up to 1/240 of the window.
CREATE FUNCTION rate_takes(policy_name text, client_keys text[], asked integer[],
  grants_max integer, window_ms bigint, test_now_ms bigint)
  RETURNS TABLE(client_key text, granted integer, remaining integer, reset_ms bigint)
  LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  step_ms bigint := CASE WHEN grants_max <= 240 THEN 1 ELSE greatest(1, window_ms / 240) END;
BEGIN
  RETURN QUERY
    INSERT INTO rate_log AS log (policy, key, times, counts, taken, taken_ms)
    SELECT policy_name, input.key, ARRAY[at_ms + (step_ms - at_ms % step_ms) % step_ms],
      ARRAY[least(input.asked, grants_max)], least(input.asked, grants_max), at_ms
    FROM unnest(client_keys, asked) AS input (key, asked), (
      SELECT coalesce(test_now_ms, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint)
        AS at_ms) clock
    ON CONFLICT (key, policy) DO UPDATE SET (times, counts, taken, taken_ms) = (
      SELECT
        CASE WHEN is_new THEN kept_times || grant_ms ELSE kept_times END,
        CASE WHEN is_new THEN kept || more ELSE kept[: last - 1] || kept[last] + more END,
        more, at_ms
      FROM (
        SELECT greatest(log.taken_ms, coalesce(test_now_ms,
          floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint)) AS at_ms OFFSET 0) clock,
        LATERAL (SELECT width_bucket(at_ms - window_ms, log.times) AS gone OFFSET 0) edge,
        LATERAL (SELECT log.times[gone + 1 :] AS kept_times, log.counts[gone + 1 :] AS kept,
          cardinality(log.times) - gone AS last,
          at_ms + (step_ms - at_ms % step_ms) % step_ms AS grant_ms OFFSET 0) live,
        LATERAL (SELECT greatest(0, least(excluded.taken, grants_max - (
          SELECT coalesce(sum(count), 0) FROM unnest(kept) count)))::integer AS more OFFSET 0) share,
        LATERAL (SELECT more > 0 AND kept_times[last] IS DISTINCT FROM grant_ms AS is_new
          OFFSET 0) entry)
    RETURNING log.key, log.taken,
      grants_max - (SELECT sum(count) FROM unnest(log.counts) count)::integer,
      log.times[1] + window_ms - log.taken_ms;
END $$;

-- Functions: the feed
-- -------------------

-- Appends new items with the next indices, in one statement, so that no writer keeps the counter
-- locked while it waits for its client.
CREATE FUNCTION feed_append(items json) RETURNS SETOF feed_item LANGUAGE plpgsql AS $$
DECLARE
  counter feed_counter%ROWTYPE;
  item record;
  linked record;
  added boolean := false;
BEGIN
  SELECT * INTO STRICT counter FROM feed_counter FOR UPDATE;
  FOR item IN
    WITH incoming AS (
      SELECT DISTINCT ON (i.dedupe_key) i.*
      FROM ROWS FROM (json_to_recordset(items)
        AS (dedupe_key text, type text, created_at timestamptz, title text, data json, salt text,
          content_hash text))
        WITH ORDINALITY
        AS i (dedupe_key, type, created_at, title, data, salt, content_hash, item_number)
      ORDER BY i.dedupe_key, i.item_number
    )
    SELECT i.dedupe_key, i.type, i.created_at, i.title, i.data, decode(i.salt, 'hex') AS salt,
      decode(i.content_hash, 'hex') AS content_hash
    FROM incoming i
    -- One index lookup for each key, whatever the planner's row estimate is.
    WHERE (SELECT true FROM feed_item other WHERE other.dedupe_key = i.dedupe_key LIMIT 1) IS NULL
    ORDER BY i.item_number
  LOOP
    added := true;
    counter.last_index := counter.last_index + 1;
    SELECT * INTO STRICT linked
    FROM feed_link(counter.last_index, item.content_hash, counter.chain_peaks);
    counter.chain_peaks := linked.peaks;
    RETURN QUERY
      INSERT INTO feed_item (feed_index, dedupe_key, type, created_at, title, data, salt,
        content_hash, previous_hash, skip_hash, hash)
      VALUES (counter.last_index, item.dedupe_key, item.type, item.created_at, item.title,
        item.data, item.salt, item.content_hash, linked.previous_link, linked.skip_link,
        linked.link)
      RETURNING *;
  END LOOP;
  IF added THEN
    UPDATE feed_counter SET last_index = counter.last_index, chain_peaks = counter.chain_peaks;
  END IF;
END $$;

-- One link of the chain, from the peaks before it. The hash of an index that was never in the chain
-- is 32 zero bytes.
CREATE FUNCTION feed_link(item_index bigint, content bytea, INOUT peaks bytea[],
  OUT previous_link bytea, OUT skip_link bytea, OUT link bytea)
  LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  zero CONSTANT bytea := decode(repeat('00', 32), 'hex');
BEGIN
  previous_link := coalesce(peaks[cardinality(peaks)], zero);
  -- Two equal parts and one make the next larger part.
  IF feed_skip(item_index) > 1 THEN peaks := trim_array(peaks, 2); END IF;
  skip_link := coalesce(peaks[cardinality(peaks)], zero);
  link := sha256(convert_to(format(
    '{"contentHash":"%s","feedIndex":%s,"previousHash":"%s","skipHash":"%s"}',
    encode(content, 'hex'), item_index, encode(previous_link, 'hex'), encode(skip_link, 'hex')
  ), 'UTF8'));
  peaks := array_append(peaks, link);
END $$;

-- The smallest part of an index as a sum of numbers 2^k - 1, the largest first.
CREATE FUNCTION feed_skip(item_index bigint) RETURNS bigint LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  rest bigint := item_index;
  part bigint := 0;
BEGIN
  WHILE rest > 0 LOOP
    part := 1;
    WHILE 2 * part + 1 <= rest LOOP part := 2 * part + 1; END LOOP;
    rest := rest - part;
  END LOOP;
  RETURN part;
END $$;

-- Of tables whose rows never change: an item of the feed is corrected by a later one.
CREATE FUNCTION row_is_final() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'a % row cannot be changed', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;

-- Functions: payments
-- -------------------

-- Refuses new payments that are malformed or not at the start of their life.
CREATE FUNCTION payment_before_insert() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- An unmatched transfer is inserted as refund_due: the chain shows it, and no call presented it.
  IF NEW.state NOT IN ('claimed', 'refund_due') THEN
    RAISE EXCEPTION 'a payment cannot be inserted in state %', NEW.state
      USING ERRCODE = 'restrict_violation';
  END IF;
  IF NEW.intended_at IS NOT NULL OR NEW.answered_at IS NOT NULL OR (NEW.state = 'claimed'
    AND (NEW.paid_transaction, NEW.paid_block, NEW.paid_log_index, NEW.paid_finality)
      IS DISTINCT FROM (NULL, NULL, NULL, NULL)) THEN
    RAISE EXCEPTION 'a payment must be inserted without intent, answer and, if claimed, transfer'
      USING ERRCODE = 'restrict_violation';
  END IF;
  IF NEW.paid_amount IS NOT NULL THEN
    RAISE EXCEPTION 'a payment must be inserted without paid_amount'
      USING ERRCODE = 'restrict_violation';
  END IF;
  -- Checked here and not by CHECK constraints: payment_guard lets none of these columns change, and
  -- every UPDATE would prepare the constraints again.
  -- Length and digits are compared separately: a counted repetition such as {64} makes the pattern
  -- ten times as slow.
  IF NOT (NEW.payment_id ~ '^0x[0-9a-f]*$' AND length(NEW.payment_id) = 66
    AND NEW.nonce ~ '^0x[0-9a-f]*$' AND length(NEW.nonce) = 66
    AND NEW.asset ~ '^0x[0-9a-f]*$' AND length(NEW.asset) = 42
    AND NEW.payer ~ '^0x[0-9a-f]*$' AND length(NEW.payer) = 42
    AND NEW.pay_to ~ '^0x[0-9a-f]*$' AND length(NEW.pay_to) = 42 AND NEW.pay_to <> NEW.payer
    AND coalesce(NEW.signature ~ '^0x[0-9a-f]*$' AND length(NEW.signature) % 2 = 0
      AND length(NEW.signature) BETWEEN 132 AND 4098, true)
    AND NEW.chain_id > 0 AND NEW.amount > 0
    AND NEW.settlement IN ('compute-first', 'settle-early')
    AND num_nulls(NEW.signature, NEW.product_id, NEW.request) IN (0, 3)) THEN
    RAISE EXCEPTION 'the payment is malformed' USING ERRCODE = 'check_violation';
  END IF;
  IF (NEW.signature IS NULL) <> (NEW.state = 'refund_due') THEN
    RAISE EXCEPTION 'a payment must be inserted as claimed with a signature, or as refund_due without'
      USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END $$;

-- Refuses changes of a payment that would lose or invent money, whatever the code does.
CREATE FUNCTION payment_guard() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  state_changes boolean;
  transfer_changes boolean;
BEGIN
  state_changes := NEW.state <> OLD.state;
  IF state_changes AND NOT (CASE OLD.state
      WHEN 'claimed' THEN NEW.state IN ('settling', 'released')
      WHEN 'released' THEN NEW.state IN ('claimed', 'void', 'refund_due')
      WHEN 'settling' THEN NEW.state IN ('unresolved', 'void',
        CASE NEW.settlement WHEN 'compute-first' THEN 'answered' ELSE 'settled' END)
      WHEN 'unresolved' THEN NEW.state IN ('refund_due', 'void',
        CASE NEW.settlement WHEN 'compute-first' THEN 'answered' ELSE 'settled' END)
      WHEN 'settled' THEN NEW.settlement <> 'compute-first'
        AND NEW.state IN ('answered', 'refund_due')
      WHEN 'answered' THEN NEW.state = 'refund_due'
      WHEN 'refund_due' THEN NEW.state IN ('refunded', 'void')
      WHEN 'void' THEN NEW.state = 'refund_due'
      ELSE false END) THEN
    RAISE EXCEPTION 'a payment cannot go from % to %', OLD.state, NEW.state
      USING ERRCODE = 'restrict_violation';
  END IF;

  IF state_changes AND OLD.sent_at IS NOT NULL THEN
    RAISE EXCEPTION 'a payment cannot change state after its answer was delivered'
      USING ERRCODE = 'restrict_violation';
  END IF;
  IF NEW.sent_at IS DISTINCT FROM OLD.sent_at
    AND (state_changes OR OLD.state <> 'answered' OR OLD.sent_at IS NOT NULL) THEN
    RAISE EXCEPTION 'sent_at can be set once, while the payment is answered'
      USING ERRCODE = 'restrict_violation';
  END IF;

  IF NEW.intended_at IS DISTINCT FROM OLD.intended_at
    AND NOT (state_changes AND NEW.state = 'settling' AND OLD.intended_at IS NULL) THEN
    RAISE EXCEPTION 'intended_at can be set once, with the change to settling'
      USING ERRCODE = 'restrict_violation';
  END IF;
  IF NEW.answered_at IS DISTINCT FROM OLD.answered_at
    AND NOT (state_changes AND NEW.state = 'answered' AND OLD.answered_at IS NULL) THEN
    RAISE EXCEPTION 'answered_at can be set once, with the change to answered'
      USING ERRCODE = 'restrict_violation';
  END IF;

  -- The transfer on the chain is stored with the state change it causes. It may change in two cases:
  -- its block becomes safe from reorganisation, or a payment recorded as void was paid after all.
  transfer_changes := (NEW.paid_transaction, NEW.paid_block, NEW.paid_log_index, NEW.paid_finality)
    IS DISTINCT FROM
    (OLD.paid_transaction, OLD.paid_block, OLD.paid_log_index, OLD.paid_finality);
  IF transfer_changes AND NOT coalesce(
    CASE
      WHEN OLD.paid_transaction IS NULL
        THEN state_changes AND NEW.state IN ('settled', 'answered', 'refund_due')
      WHEN state_changes AND OLD.state = 'void' THEN true
      ELSE OLD.paid_finality = 'latest' AND NEW.paid_finality = 'safe'
        AND NEW.state IN ('settled', 'answered', 'refund_due', 'refunded')
    END, false) THEN
    RAISE EXCEPTION 'the recorded transfer of a payment cannot be changed here'
      USING ERRCODE = 'restrict_violation';
  END IF;

  IF NEW.fence <> OLD.fence + (OLD.state = 'released' AND NEW.state = 'claimed')::int THEN
    RAISE EXCEPTION 'the fence of a payment increases by one with every claim and never else'
      USING ERRCODE = 'restrict_violation';
  END IF;
  IF NEW.secret_hash IS DISTINCT FROM OLD.secret_hash AND NEW.fence = OLD.fence THEN
    RAISE EXCEPTION 'secret_hash can change only with a claim' USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END $$;

CREATE FUNCTION payment_identity_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.payment_id, NEW.chain_id, NEW.asset, NEW.token_name, NEW.token_version, NEW.payer,
      NEW.nonce, NEW.pay_to, NEW.amount, NEW.valid_after, NEW.valid_before, NEW.signature,
      NEW.settlement, NEW.product_id, NEW.request, NEW.created_at)
    IS DISTINCT FROM
     (OLD.payment_id, OLD.chain_id, OLD.asset, OLD.token_name, OLD.token_version, OLD.payer,
      OLD.nonce, OLD.pay_to, OLD.amount, OLD.valid_after, OLD.valid_before, OLD.signature,
      OLD.settlement, OLD.product_id, OLD.request, OLD.created_at) THEN
    RAISE EXCEPTION 'the identity columns of a payment cannot change'
      USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END $$;

CREATE FUNCTION payment_answer_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- The answer is stored with a state change and may be erased later. It is never replaced: the payer
  -- is charged for the answer that was stored before settlement was requested.
  IF NEW.answer_body IS DISTINCT FROM OLD.answer_body AND NEW.answer_body IS NOT NULL
    AND (OLD.answer_body IS NOT NULL OR NEW.state = OLD.state) THEN
    RAISE EXCEPTION 'answer_body can be set once, with a state change'
      USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END $$;

-- A buyer can fetch an answer again for 24 hours. A state change that owes a refund deletes it at
-- once.
CREATE FUNCTION payment_body_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT coalesce(NEW.state = 'answered' AND NEW.sent_at <= clock_timestamp() - interval '24 hours',
    false) THEN
    RAISE EXCEPTION 'the body of an answer cannot be deleted until 24 hours after its delivery'
      USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END $$;

-- A key is set by a claim. It is erased only with the answer, so that a live key is never free.
CREATE FUNCTION payment_key_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.key_hash !~ '^0x[0-9a-f]{64}$' THEN
    RAISE EXCEPTION 'the key_hash of a payment is malformed' USING ERRCODE = 'check_violation';
  END IF;
  IF TG_OP = 'UPDATE' AND NEW.fence = OLD.fence AND NOT (NEW.key_hash IS NULL
    AND NEW.state = 'answered' AND OLD.state = 'answered' AND NEW.answer_body IS NULL) THEN
    RAISE EXCEPTION 'key_hash can change only with a claim, or be erased with a delivered answer'
      USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END $$;

-- A payer may use the nonce of a payment for another amount. That amount is recorded once, when it
-- becomes due.
CREATE FUNCTION payment_paid_amount_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.state = 'refund_due' OR NEW.state <> 'refund_due'
    OR NEW.paid_amount <= 0 OR NEW.paid_amount = NEW.amount THEN
    RAISE EXCEPTION 'paid_amount can be set only with the change to refund_due, to another positive amount'
      USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END $$;

-- A payment becomes refunded only after its refund is confirmed, and void only after its refund is
-- cancelled.
CREATE FUNCTION payment_refund_guard() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  refund_state text;
BEGIN
  EXECUTE format('SELECT state FROM %I.refund WHERE payment_id = $1', TG_TABLE_SCHEMA)
    INTO refund_state USING NEW.payment_id;
  IF NOT coalesce(refund_state = ANY (CASE NEW.state
      WHEN 'refunded' THEN ARRAY['confirmed', 'settled_by_hand']
      ELSE ARRAY['cancelled'] END), false) THEN
    RAISE EXCEPTION 'a payment cannot become % while its refund is %', NEW.state,
      coalesce(refund_state, 'missing') USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END $$;

-- Logs new payments, with the owner's rights: a login that may write payments may not write their
-- log.
CREATE FUNCTION log_payment_insert() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  INSERT INTO payment_event (payment_id, to_state, fence, reason)
  SELECT payment_id, state, fence, reason FROM new_rows;
  RETURN NULL;
END $$;

-- Logs state changes, with the owner's rights, in one statement for a batch.
CREATE FUNCTION log_payment_update() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  INSERT INTO payment_event (payment_id, from_state, to_state, fence, reason)
  SELECT payment_id, old_rows.state, new_rows.state, new_rows.fence, new_rows.reason
  FROM new_rows JOIN old_rows USING (payment_id) WHERE new_rows.state <> old_rows.state;
  RETURN NULL;
END $$;

-- Functions: refunds
-- ------------------

-- Queues the refund in the statement that makes the payment due, with the owner's rights. A
-- cancelled refund is queued again.
CREATE FUNCTION queue_refund()
  RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  -- Tables are resolved in the schema of the payments first, and in pg_temp last, where any login may
  -- create a table of the same name.
  PERFORM set_config('search_path', format('%I, pg_temp', TG_TABLE_SCHEMA), true);
  INSERT INTO refund (payment_id, payer, amount, asset, chain_id, reason, queue)
  VALUES (NEW.payment_id, NEW.payer, coalesce(NEW.paid_amount, NEW.amount), NEW.asset,
    NEW.chain_id, coalesce(NEW.reason, 'owed'),
    CASE WHEN NEW.request IS NULL OR NEW.paid_amount IS NOT NULL THEN 'unmatched' ELSE 'sales' END)
  ON CONFLICT (payment_id) DO UPDATE
    SET state = 'queued', reason = excluded.reason, amount = excluded.amount,
      queue = excluded.queue, amount_approved = false, changed_at = clock_timestamp();
  RETURN NULL;
END $$;

-- A refund starts as queued.
CREATE FUNCTION refund_before_insert() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.state <> 'queued' OR num_nonnulls(NEW.treasury, NEW.refund_nonce, NEW.signature,
      NEW.transaction) > 0 THEN
    RAISE EXCEPTION 'a refund must be inserted as queued, without signature and transaction'
      USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END $$;

-- Refuses changes of a refund that could pay it twice.
CREATE FUNCTION refund_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    RAISE EXCEPTION 'a refund row cannot be deleted' USING ERRCODE = 'restrict_violation';
  END IF;
  -- The amount and its queue may change while no refund was ever signed: when a cancelled refund is
  -- queued again. The treasury and the nonce make the token contract pay the refund at most once.
  IF (NEW.payment_id, NEW.payer, NEW.asset, NEW.chain_id, NEW.created_at)
    IS DISTINCT FROM (OLD.payment_id, OLD.payer, OLD.asset, OLD.chain_id, OLD.created_at)
    OR ((NEW.amount, NEW.queue) IS DISTINCT FROM (OLD.amount, OLD.queue)
      AND NOT (OLD.state = 'cancelled' AND NEW.state = 'queued' AND OLD.treasury IS NULL))
    OR (OLD.treasury IS NOT NULL AND NEW.treasury IS DISTINCT FROM OLD.treasury)
    OR (OLD.refund_nonce IS NOT NULL AND NEW.refund_nonce IS DISTINCT FROM OLD.refund_nonce) THEN
    RAISE EXCEPTION 'the identity columns of a refund cannot change'
      USING ERRCODE = 'restrict_violation';
  END IF;
  IF OLD.state IN ('confirmed', 'settled_by_hand') THEN
    RAISE EXCEPTION 'a % refund cannot change', OLD.state USING ERRCODE = 'restrict_violation';
  END IF;
  IF NEW.state <> OLD.state AND NOT (OLD.state || ' ' || NEW.state = ANY (ARRAY[
      'queued signed', 'queued confirmed', 'queued cancelled', 'queued needs_review',
      'signed broadcast', 'signed confirmed', 'signed needs_review',
      'broadcast signed', 'broadcast confirmed', 'broadcast needs_review',
      'needs_review queued', 'needs_review confirmed', 'needs_review settled_by_hand',
      'cancelled queued'])) THEN
    RAISE EXCEPTION 'a refund cannot go from % to %', OLD.state, NEW.state
      USING ERRCODE = 'restrict_violation';
  END IF;
  IF NEW.state = 'cancelled' AND NEW.treasury IS NOT NULL THEN
    RAISE EXCEPTION 'a signed refund cannot be cancelled' USING ERRCODE = 'restrict_violation';
  END IF;
  IF (NEW.signature, NEW.valid_before, NEW.signed_at)
    IS DISTINCT FROM (OLD.signature, OLD.valid_before, OLD.signed_at)
    AND NOT coalesce(NEW.state = 'signed'
      AND (OLD.valid_before IS NULL OR NEW.valid_before > OLD.valid_before), false) THEN
    RAISE EXCEPTION 'a refund can be signed again only with a later valid_before'
      USING ERRCODE = 'restrict_violation';
  END IF;
  IF (NEW.treasury IS DISTINCT FROM OLD.treasury)
    AND NEW.state NOT IN ('signed', 'confirmed') THEN
    RAISE EXCEPTION 'the treasury of a refund can be set only when it is signed or confirmed'
      USING ERRCODE = 'restrict_violation';
  END IF;
  IF NEW.amount_approved <> OLD.amount_approved AND NOT (NEW.state = 'queued'
    AND OLD.state = CASE WHEN NEW.amount_approved THEN 'needs_review' ELSE 'cancelled' END) THEN
    RAISE EXCEPTION 'the amount of a refund can be approved only when it leaves needs_review'
      USING ERRCODE = 'restrict_violation';
  END IF;
  IF NEW.fence < OLD.fence THEN
    RAISE EXCEPTION 'the fence of a refund cannot decrease' USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END $$;

-- A refund leaves needs_review only with an action of the same transaction, and is settled by hand
-- only when no signature of it can be used.
CREATE FUNCTION refund_review_guard()
  RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  recorded boolean;
BEGIN
  EXECUTE format('SELECT EXISTS (SELECT FROM %I.refund_action
      WHERE payment_id = $1 AND action = $2 AND at = transaction_timestamp()
        AND transaction IS NOT DISTINCT FROM $3)', TG_TABLE_SCHEMA)
    INTO recorded USING NEW.payment_id,
      CASE WHEN NEW.state = 'settled_by_hand' THEN 'settle'
        WHEN NEW.amount_approved AND NOT OLD.amount_approved THEN 'approve_amount'
        ELSE 'requeue' END,
      CASE WHEN NEW.state = 'settled_by_hand' THEN NEW.transaction END;
  IF NOT recorded THEN
    RAISE EXCEPTION 'a refund can leave needs_review only with a row of refund_action'
      USING ERRCODE = 'restrict_violation';
  END IF;
  -- The token contract accepts a signature until valid_before, on the clock of its blocks.
  IF NEW.state = 'settled_by_hand'
    AND OLD.valid_before >= extract(epoch FROM clock_timestamp()) - 600 THEN
    RAISE EXCEPTION 'a refund whose signature can still be used cannot be settled by hand'
      USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END $$;

-- Ends a payment when its refund ends, with the owner's rights: the refund worker may not write
-- payments.
CREATE FUNCTION finish_refunded_payment()
  RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  -- As in queue_refund: the schema of the refunds first, and pg_temp last.
  PERFORM set_config('search_path', format('%I, pg_temp', TG_TABLE_SCHEMA), true);
  UPDATE payment
  SET state = CASE NEW.state WHEN 'cancelled' THEN 'void' ELSE 'refunded' END,
    reason = CASE NEW.state WHEN 'cancelled' THEN NEW.last_error ELSE reason END,
    changed_at = clock_timestamp()
  WHERE payment_id = NEW.payment_id AND state = 'refund_due';
  RETURN NULL;
END $$;

-- At commit: a due payment has a refund, a refunded one a confirmed refund, and both name the same
-- debt.
CREATE FUNCTION refund_matches_payment()
  RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  payment_state text;
  refund_state text;
  same_debt boolean;
BEGIN
  -- As in queue_refund: the schema of the table first, and pg_temp last.
  PERFORM set_config('search_path', format('%I, pg_temp', TG_TABLE_SCHEMA), true);
  SELECT payment.state, refund.state,
    (payment.payer, coalesce(payment.paid_amount, payment.amount), payment.asset, payment.chain_id)
      IS NOT DISTINCT FROM (refund.payer, refund.amount, refund.asset, refund.chain_id)
  INTO payment_state, refund_state, same_debt
  FROM payment LEFT JOIN refund USING (payment_id) WHERE payment_id = NEW.payment_id;
  IF NOT (CASE payment_state
      WHEN 'refund_due' THEN coalesce(refund_state NOT IN ('cancelled'), false)
      WHEN 'refunded' THEN coalesce(refund_state IN ('confirmed', 'settled_by_hand'), false)
      WHEN 'void' THEN coalesce(refund_state = 'cancelled', true)
      ELSE refund_state IS NULL END) THEN
    RAISE EXCEPTION 'a payment in state % does not match its refund: %', payment_state,
      coalesce(refund_state, 'missing') USING ERRCODE = 'restrict_violation';
  END IF;
  IF refund_state IS NOT NULL AND NOT same_debt THEN
    RAISE EXCEPTION 'a refund must have the payer, paid amount, asset and chain of its payment'
      USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NULL;
END $$;

-- Actions are only appended, with the time and the login of the database.
CREATE FUNCTION refund_action_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    RAISE EXCEPTION 'a refund_action row cannot be changed or deleted'
      USING ERRCODE = 'restrict_violation';
  END IF;
  NEW.at := transaction_timestamp();
  NEW.login := session_user;
  RETURN NEW;
END $$;

-- Treasuries are only appended, in the order of their blocks.
CREATE FUNCTION refund_treasury_guard() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  later_terms bigint;
BEGIN
  IF TG_OP <> 'INSERT' THEN
    RAISE EXCEPTION 'a refund_treasury row cannot be changed or deleted'
      USING ERRCODE = 'restrict_violation';
  END IF;
  EXECUTE format('SELECT count(*) FROM %I.refund_treasury
      WHERE $1 IS NULL OR coalesce(after_block, -1) >= $1', TG_TABLE_SCHEMA)
    INTO later_terms USING NEW.after_block;
  IF later_terms > 0 THEN
    RAISE EXCEPTION 'a treasury must start after every treasury before it'
      USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END $$;

-- A transfer that is as old as deleted payments may be one of theirs, so it is not refunded.
CREATE FUNCTION unmatched_transfer_guard() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  deleted_through bigint;
BEGIN
  EXECUTE format('SELECT through_block FROM %I.payment_deleted
      WHERE chain_id = $1 AND asset = $2 AND pay_to = $3', TG_TABLE_SCHEMA)
    INTO deleted_through USING NEW.chain_id, NEW.asset, NEW.pay_to;
  IF NEW.paid_block <= deleted_through THEN
    RAISE EXCEPTION 'payments through block % were deleted: a transfer in block % may have been one of them',
      deleted_through, NEW.paid_block USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END $$;

-- Functions: deletion of old payments
-- -----------------------------------

-- Deletes ended payments after 13 months, with the owner's rights: the guards decide which.
CREATE FUNCTION delete_old_payments(after_event bigint, events_max integer,
  OUT through_event bigint, OUT deleted integer)
  LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  old_ids text[];
BEGIN
  SELECT array_agg(DISTINCT payment_id), max(event_id) INTO old_ids, through_event
  FROM (
    SELECT event_id, payment_id, at FROM payment_event WHERE event_id > after_event
    ORDER BY event_id LIMIT events_max
  ) AS oldest WHERE at < clock_timestamp() - interval '13 months';
  WITH gone AS (
    DELETE FROM payment WHERE payment_id = ANY (old_ids) AND payment_is_deletable(payment)
    RETURNING chain_id, asset, pay_to, paid_block
  ), through AS (
    INSERT INTO payment_deleted AS known (chain_id, asset, pay_to, through_block)
    SELECT chain_id, asset, pay_to, max(paid_block) FROM gone
    WHERE paid_block IS NOT NULL GROUP BY chain_id, asset, pay_to
    ON CONFLICT (chain_id, asset, pay_to)
      DO UPDATE SET through_block = greatest(known.through_block, excluded.through_block)
  )
  SELECT count(*) INTO deleted FROM gone;
END $$;

-- Whether a payment has ended and last changed 13 months ago.
CREATE FUNCTION payment_is_deletable(old_payment payment) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT (old_payment.state IN ('refunded', 'void')
      OR old_payment.state = 'answered' AND old_payment.sent_at IS NOT NULL)
    AND coalesce(old_payment.sent_at < clock_timestamp() - interval '13 months', true)
    -- An authorization that could still be presented must find its payment. It is unknown (and the
    -- column has no meaning) for an unmatched transfer.
    AND (old_payment.signature IS NULL OR old_payment.valid_before
      < extract(epoch FROM clock_timestamp() - interval '13 months'))
    -- The age is read from the events, which no login can write. changed_at and created_at can be forged.
    AND (SELECT max(event.at) < clock_timestamp() - interval '13 months'
      FROM payment_event event WHERE event.payment_id = old_payment.payment_id)
$$;

CREATE FUNCTION payment_delete_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT coalesce(payment_is_deletable(OLD), false) THEN
    RAISE EXCEPTION 'a payment row cannot be deleted until 13 months after its end'
      USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN OLD;
END $$;

-- Allows only the deletion that follows from the deletion of the payment, which has its own guard.
CREATE FUNCTION deleted_with_payment() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  has_payment boolean;
BEGIN
  EXECUTE format('SELECT EXISTS (SELECT FROM %I.payment WHERE payment_id = $1)', TG_TABLE_SCHEMA)
    INTO has_payment USING OLD.payment_id;
  IF has_payment THEN
    RAISE EXCEPTION 'a % row cannot be deleted without its payment', TG_TABLE_NAME
      USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN OLD;
END $$;

-- Row triggers do not fire on TRUNCATE.
CREATE FUNCTION forbid_truncate() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the table % cannot be truncated', TG_TABLE_NAME
    USING ERRCODE = 'restrict_violation';
END $$;

-- Functions: the simulated token
-- ------------------------------

-- One transfer, complete or not at all. Returns transferred, used or insufficient_funds.
CREATE FUNCTION simulated_transfer(token text, sender text, used_nonce text, receiver text,
  units bigint, play_balance bigint, hash text, at bigint)
  RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO simulated_authorization (asset, payer, nonce, recipient, amount, transaction, block_time)
  VALUES (token, sender, used_nonce, receiver, units, hash, at)
  ON CONFLICT (asset, payer, nonce) DO NOTHING;
  IF NOT FOUND THEN RETURN 'used'; END IF;
  INSERT INTO simulated_account AS account (address, balance)
  SELECT sender, greatest(play_balance - units, 0) WHERE play_balance >= units
    OR EXISTS (SELECT FROM simulated_account WHERE address = sender)
  ON CONFLICT (address) DO UPDATE SET balance = account.balance - units
    WHERE account.balance >= units;
  IF NOT FOUND THEN
    DELETE FROM simulated_authorization
    WHERE asset = token AND payer = sender AND nonce = used_nonce;
    RETURN 'insufficient_funds';
  END IF;
  RETURN 'transferred';
END $$;

-- Triggers
-- --------

CREATE TRIGGER feed_item_is_final BEFORE UPDATE ON feed_item FOR EACH ROW
  EXECUTE FUNCTION row_is_final();

CREATE TRIGGER log_payment_insert AFTER INSERT ON payment
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION log_payment_insert();
CREATE TRIGGER log_payment_update AFTER UPDATE ON payment
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT
  EXECUTE FUNCTION log_payment_update();
CREATE TRIGGER payment_answer_guard BEFORE UPDATE OF answer_body ON payment FOR EACH ROW
  EXECUTE FUNCTION payment_answer_guard();
CREATE TRIGGER payment_before_insert BEFORE INSERT ON payment FOR EACH ROW
  EXECUTE FUNCTION payment_before_insert();
CREATE TRIGGER payment_body_guard BEFORE UPDATE ON payment FOR EACH ROW
  WHEN (OLD.answer_body IS NOT NULL AND NEW.answer_body IS NULL AND NEW.state = OLD.state)
  EXECUTE FUNCTION payment_body_guard();
CREATE TRIGGER payment_delete_guard BEFORE DELETE ON payment FOR EACH ROW
  EXECUTE FUNCTION payment_delete_guard();
CREATE TRIGGER payment_forbid_truncate BEFORE TRUNCATE ON payment FOR EACH STATEMENT
  EXECUTE FUNCTION forbid_truncate();
CREATE TRIGGER payment_guard BEFORE UPDATE ON payment FOR EACH ROW EXECUTE FUNCTION payment_guard();
CREATE TRIGGER payment_identity_guard BEFORE UPDATE OF payment_id, chain_id, asset, token_name,
  token_version, payer, nonce, pay_to, amount, valid_after, valid_before, signature, settlement,
  product_id, request, created_at ON payment FOR EACH ROW EXECUTE FUNCTION payment_identity_guard();
CREATE TRIGGER payment_key_guard BEFORE UPDATE ON payment FOR EACH ROW
  WHEN (NEW.key_hash IS DISTINCT FROM OLD.key_hash) EXECUTE FUNCTION payment_key_guard();
CREATE TRIGGER payment_key_insert BEFORE INSERT ON payment FOR EACH ROW
  WHEN (NEW.key_hash IS NOT NULL) EXECUTE FUNCTION payment_key_guard();
CREATE CONSTRAINT TRIGGER payment_matches_refund AFTER INSERT OR UPDATE ON payment
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (NEW.state IN ('refund_due', 'refunded', 'void')) EXECUTE FUNCTION refund_matches_payment();
CREATE TRIGGER payment_paid_amount_guard BEFORE UPDATE ON payment FOR EACH ROW
  WHEN (NEW.paid_amount IS DISTINCT FROM OLD.paid_amount)
  EXECUTE FUNCTION payment_paid_amount_guard();
CREATE TRIGGER payment_refund_guard BEFORE UPDATE ON payment FOR EACH ROW
  WHEN (OLD.state = 'refund_due' AND NEW.state IN ('refunded', 'void'))
  EXECUTE FUNCTION payment_refund_guard();
CREATE TRIGGER queue_refund_on_insert AFTER INSERT ON payment FOR EACH ROW
  WHEN (NEW.state = 'refund_due') EXECUTE FUNCTION queue_refund();
CREATE TRIGGER queue_refund_on_update AFTER UPDATE ON payment FOR EACH ROW
  WHEN (NEW.state = 'refund_due' AND OLD.state <> 'refund_due') EXECUTE FUNCTION queue_refund();
CREATE TRIGGER unmatched_transfer_guard BEFORE INSERT ON payment FOR EACH ROW
  WHEN (NEW.state = 'refund_due') EXECUTE FUNCTION unmatched_transfer_guard();

CREATE TRIGGER payment_event_delete_guard BEFORE DELETE ON payment_event FOR EACH ROW
  EXECUTE FUNCTION deleted_with_payment();
CREATE TRIGGER payment_event_forbid_truncate BEFORE TRUNCATE ON payment_event
  FOR EACH STATEMENT EXECUTE FUNCTION forbid_truncate();
CREATE TRIGGER payment_event_guard BEFORE UPDATE ON payment_event FOR EACH ROW
  EXECUTE FUNCTION row_is_final();

CREATE TRIGGER finish_refunded_payment AFTER UPDATE ON refund FOR EACH ROW
  WHEN (NEW.state IN ('confirmed', 'cancelled', 'settled_by_hand') AND OLD.state <> NEW.state)
  EXECUTE FUNCTION finish_refunded_payment();
CREATE TRIGGER refund_before_insert BEFORE INSERT ON refund FOR EACH ROW
  EXECUTE FUNCTION refund_before_insert();
CREATE TRIGGER refund_delete_guard BEFORE DELETE ON refund FOR EACH ROW
  EXECUTE FUNCTION deleted_with_payment();
CREATE TRIGGER refund_forbid_truncate BEFORE TRUNCATE ON refund FOR EACH STATEMENT
  EXECUTE FUNCTION forbid_truncate();
CREATE TRIGGER refund_guard BEFORE UPDATE ON refund FOR EACH ROW EXECUTE FUNCTION refund_guard();
CREATE CONSTRAINT TRIGGER refund_matches_payment AFTER INSERT OR UPDATE ON refund
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  EXECUTE FUNCTION refund_matches_payment();
CREATE TRIGGER refund_review_guard BEFORE UPDATE ON refund FOR EACH ROW
  WHEN (OLD.state = 'needs_review' AND NEW.state IN ('queued', 'settled_by_hand'))
  EXECUTE FUNCTION refund_review_guard();

CREATE TRIGGER refund_action_forbid_truncate BEFORE TRUNCATE ON refund_action
  FOR EACH STATEMENT EXECUTE FUNCTION forbid_truncate();
CREATE TRIGGER refund_action_guard BEFORE INSERT OR DELETE OR UPDATE ON refund_action
  FOR EACH ROW EXECUTE FUNCTION refund_action_guard();

CREATE TRIGGER refund_treasury_forbid_truncate BEFORE TRUNCATE ON refund_treasury
  FOR EACH STATEMENT EXECUTE FUNCTION forbid_truncate();
CREATE TRIGGER refund_treasury_guard BEFORE INSERT OR DELETE OR UPDATE ON refund_treasury
  FOR EACH ROW EXECUTE FUNCTION refund_treasury_guard();

-- Rights
-- ------

-- What runs with the rights of the owner, or decides what may be deleted, finds its tables in this
-- schema first, and in pg_temp last, where any login may create a table of the same name.
DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['log_payment_insert()', 'log_payment_update()',
    'payment_is_deletable(payment)', 'delete_old_payments(bigint, integer)'] LOOP
    EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', name, current_schema());
  END LOOP;
END $$;
-- `deno task migrate` grants each role its rights (rights.sql).
REVOKE ALL ON FUNCTION delete_old_payments(bigint, integer) FROM PUBLIC;
