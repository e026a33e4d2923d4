-- The store of one service: feed, markets, mid series, job slots and the log of the rate limits. Any
-- number of replicas share it.

-- The only source of feed indices. The row is locked until the appending transaction ends, so items
-- become visible in index order and without gaps, and no index is used twice.
CREATE TABLE feed_counter (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  last_index bigint NOT NULL DEFAULT 0
);
INSERT INTO feed_counter DEFAULT VALUES;

CREATE TABLE feed_item (
  feed_index bigint PRIMARY KEY CHECK (feed_index > 0),
  dedupe_key text NOT NULL UNIQUE,
  type text NOT NULL CHECK (type IN ('mover', 'whale_entry', 'predetermined')),
  created_at timestamptz NOT NULL,
  title text NOT NULL,
  -- json, not jsonb: the text is served as it was written, with its keys in the same order.
  data json NOT NULL
);
CREATE INDEX feed_item_by_type ON feed_item (type, feed_index);
CREATE INDEX feed_item_by_time ON feed_item (created_at, type);

-- Gives each new item the next index, in order. One statement, so that no writer keeps the counter
-- locked while it waits for its client. The duplicate check runs in a new snapshot after the lock, so
-- it sees every item of earlier writers.
CREATE FUNCTION feed_append(items json) RETURNS SETOF feed_item LANGUAGE plpgsql AS $$
DECLARE
  held bigint;
  added bigint;
BEGIN
  SELECT last_index INTO STRICT held FROM feed_counter FOR UPDATE;
  RETURN QUERY
    WITH incoming AS (
      SELECT DISTINCT ON (i.dedupe_key) i.*
      FROM ROWS FROM (json_to_recordset(items)
        AS (dedupe_key text, type text, created_at timestamptz, title text, data json))
        WITH ORDINALITY AS i (dedupe_key, type, created_at, title, data, place)
      ORDER BY i.dedupe_key, i.place
    )
    INSERT INTO feed_item (feed_index, dedupe_key, type, created_at, title, data)
    SELECT held + row_number() OVER (ORDER BY place),
      i.dedupe_key, i.type, i.created_at, i.title, i.data
    FROM incoming i
    -- One index lookup for each key, whatever the planner's row estimate is.
    WHERE (SELECT true FROM feed_item other WHERE other.dedupe_key = i.dedupe_key LIMIT 1) IS NULL
    RETURNING *;
  GET DIAGNOSTICS added = ROW_COUNT;
  IF added > 0 THEN
    UPDATE feed_counter SET last_index = held + added;
  END IF;
END
$$;

-- The venue's latest data about a market. Facts that rarely change are stored apart from the prices,
-- which change with every listing: a tick rewrites 100 bytes per market instead of 1,000.
CREATE TABLE market (
  market_id text PRIMARY KEY,
  slug text NOT NULL,
  facts json NOT NULL,
  changed_at timestamptz NOT NULL
);
CREATE INDEX market_by_slug ON market (slug);

CREATE TABLE market_quote (
  market_id text PRIMARY KEY,
  volume_usd double precision NOT NULL,
  liquidity_usd double precision NOT NULL,
  best_bid double precision,
  best_ask double precision,
  changed_at timestamptz NOT NULL
) WITH (fillfactor = 50);

-- One series of mid prices for each market, under a short key. seeded_at: when its history was fetched
-- from the venue.
CREATE TABLE mid_series (
  series_id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  market_id text NOT NULL UNIQUE,
  seeded_at timestamptz
);

-- One hour of a series: the n-th offset (milliseconds into the hour) belongs to the n-th mid. Points
-- are not in order of time. One row per hour instead of one per point saves 5/6 of the rows and 2/3 of
-- the bytes.
CREATE TABLE mid_hour (
  series_id integer NOT NULL,
  -- Whole hours since the epoch.
  hour integer NOT NULL,
  offsets_ms integer[] NOT NULL,
  mids double precision[] NOT NULL,
  PRIMARY KEY (series_id, hour)
) WITH (fillfactor = 70);
CREATE INDEX mid_hour_by_hour ON mid_hour (hour);

-- Scheduled jobs. Every claim locks the job's row, so two slots of one job are never claimed at once.
-- The fence only increases, and distinguishes a claim from earlier ones.
CREATE TABLE job (
  job text PRIMARY KEY,
  fence bigint NOT NULL DEFAULT 0
);

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

-- The exact sliding-window log of the rate limits: the grants of a key, in a ring buffer as long as its
-- limit.
-- Grant n is stored at place n % limit and overwrites one that has left every window. Unlogged: a crash
-- of the database loses at most one window of requests.
CREATE UNLOGGED TABLE rate_key (
  key_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  policy text NOT NULL,
  key text NOT NULL,
  -- The number of grants made so far, which is the number of the next grant.
  next bigint NOT NULL DEFAULT 0,
  -- The oldest grant that may still be inside a window.
  oldest bigint NOT NULL DEFAULT 0,
  newest_ms bigint NOT NULL DEFAULT 0,
  UNIQUE (policy, key)
) WITH (fillfactor = 50);

CREATE UNLOGGED TABLE rate_grant (
  key_id bigint NOT NULL,
  place integer NOT NULL,
  at_ms bigint NOT NULL,
  PRIMARY KEY (key_id, place)
) WITH (fillfactor = 50);

-- Takes one grant if fewer than `places` were made in the window (now - window, now]. The time is read
-- after the key's row is locked, so the grants of one key are in order of time. `given_ms` replaces the
-- clock in tests. The name of a policy must change when its number of places does.
CREATE FUNCTION rate_take(
  the_policy text, the_key text, places integer, window_ms bigint, given_ms bigint,
  OUT granted boolean, OUT remaining integer, OUT reset_ms bigint
) LANGUAGE plpgsql AS $$
DECLARE
  held rate_key%ROWTYPE;
  now_ms bigint;
  since_ms bigint;
  oldest_ms bigint;
  low bigint;
  high bigint;
  middle bigint;
BEGIN
  LOOP
    SELECT * INTO held FROM rate_key WHERE policy = the_policy AND key = the_key FOR UPDATE;
    EXIT WHEN FOUND;
    INSERT INTO rate_key (policy, key) VALUES (the_policy, the_key) ON CONFLICT DO NOTHING;
  END LOOP;
  now_ms := greatest(held.newest_ms,
    coalesce(given_ms, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint));
  since_ms := now_ms - window_ms;

  IF held.newest_ms <= since_ms THEN
    held.oldest := held.next;
  END IF;
  IF held.oldest < held.next THEN
    SELECT at_ms INTO oldest_ms FROM rate_grant
      WHERE key_id = held.key_id AND place = held.oldest % places;
    IF oldest_ms <= since_ms THEN
      -- Binary search for the first grant inside the window.
      low := held.oldest + 1;
      high := held.next - 1;
      WHILE low < high LOOP
        middle := (low + high) / 2;
        SELECT at_ms INTO oldest_ms FROM rate_grant
          WHERE key_id = held.key_id AND place = middle % places;
        IF oldest_ms <= since_ms THEN low := middle + 1; ELSE high := middle; END IF;
      END LOOP;
      held.oldest := low;
      SELECT at_ms INTO oldest_ms FROM rate_grant
        WHERE key_id = held.key_id AND place = held.oldest % places;
    END IF;
  END IF;

  granted := held.next - held.oldest < places;
  IF granted THEN
    INSERT INTO rate_grant (key_id, place, at_ms)
      VALUES (held.key_id, held.next % places, now_ms)
      ON CONFLICT (key_id, place) DO UPDATE SET at_ms = excluded.at_ms;
    held.next := held.next + 1;
    UPDATE rate_key SET next = held.next, oldest = held.oldest, newest_ms = now_ms
      WHERE key_id = held.key_id;
  END IF;
  remaining := places - (held.next - held.oldest);
  reset_ms := coalesce(oldest_ms, now_ms) + window_ms - now_ms;
END
$$;
