-- The chain of feed items: each item has the hash of its content, and a hash that includes those of an
-- item before it. Items of an earlier version get theirs from the job `feed-chain` after the start.
-- Locks: feed_item and feed_counter, for reads and writes, until the migration ends; no row is
-- rewritten, the checks read 90 days of items (well under a second).
ALTER TABLE feed_item
  ADD COLUMN salt bytea,
  ADD COLUMN content_hash bytea,
  ADD COLUMN previous_hash bytea,
  ADD COLUMN skip_hash bytea,
  ADD COLUMN hash bytea,
  ADD CHECK ((salt IS NULL) = (content_hash IS NULL)),
  ADD CHECK ((hash IS NULL) = (previous_hash IS NULL) AND (hash IS NULL) = (skip_hash IS NULL)),
  ADD CHECK (hash IS NULL OR content_hash IS NOT NULL);
COMMENT ON COLUMN feed_item.salt IS 'Random; sold with the item, so that its content cannot be guessed from content_hash.';
COMMENT ON COLUMN feed_item.content_hash IS 'SHA-256 of the canonical JSON of the published item and its salt (feed/domain/chain.ts).';
COMMENT ON COLUMN feed_item.previous_hash IS 'The hash of the item before it.';
COMMENT ON COLUMN feed_item.skip_hash IS 'The hash of an earlier item (skipIndex in feed/domain/chain.ts), so that proofs are short.';
COMMENT ON COLUMN feed_item.hash IS 'SHA-256 of the canonical JSON of its index and the three hashes before.';

ALTER TABLE feed_counter
  ADD COLUMN chain_index bigint NOT NULL DEFAULT 0,
  ADD COLUMN chain_peaks bytea[] NOT NULL DEFAULT '{}';
COMMENT ON COLUMN feed_counter.chain_index IS 'The last item in the chain. Later ones are of an earlier version, and wait for their content hash.';
COMMENT ON COLUMN feed_counter.chain_peaks IS 'The hash of item chain_index (last), of where it skips to, and so on. All that the next items need, so items can be pruned.';

CREATE TABLE feed_head (
  day date PRIMARY KEY,
  feed_index bigint NOT NULL,
  hash bytea NOT NULL,
  made_at timestamptz NOT NULL,
  jws text NOT NULL
);
COMMENT ON TABLE feed_head IS 'The signed head of the chain at the end of each UTC day, kept for ever.';
COMMENT ON COLUMN feed_head.day IS 'Every item that was appended in it is at or before feed_index.';

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
END
$$;
COMMENT ON FUNCTION feed_skip(bigint) IS 'The smallest part of an index as a sum of numbers 2^k - 1, the largest first.';

-- One link of the chain. The hash of an index that was never in it is 32 zero bytes.
CREATE FUNCTION feed_link(
  item_index bigint, content bytea, INOUT peaks bytea[],
  OUT previous_link bytea, OUT skip_link bytea, OUT link bytea
) LANGUAGE plpgsql IMMUTABLE AS $$
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
END
$$;
COMMENT ON FUNCTION feed_link(bigint, bytea, bytea[]) IS 'One link of the chain, from the peaks before it. The hash of an index that was never in the chain is 32 zero bytes.';

-- The first kept item of an earlier version is the first of the chain.
UPDATE feed_counter SET chain_index = (
  SELECT coalesce(min(feed_index) - 1, feed_counter.last_index) FROM feed_item
);
UPDATE feed_counter SET chain_peaks = array_fill(
  decode(repeat('00', 32), 'hex'),
  ARRAY[(
    WITH RECURSIVE peak (index) AS (
      SELECT chain_index UNION ALL SELECT index - feed_skip(index) FROM peak WHERE index > 0
    )
    SELECT count(*)::integer FROM peak WHERE index > 0
  )]
);

-- Links the items that wait, as far as they have a content hash. Returns the last index in the chain.
CREATE FUNCTION feed_link_waiting() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  counter feed_counter%ROWTYPE;
  item record;
  linked record;
BEGIN
  SELECT * INTO STRICT counter FROM feed_counter FOR UPDATE;
  FOR item IN
    -- An item that an earlier release pruned in the meantime counts with a content hash of zeros.
    SELECT n AS feed_index, feed_item.feed_index IS NULL AS gone, content_hash
    FROM generate_series(counter.chain_index + 1, counter.last_index) n
    LEFT JOIN feed_item ON feed_item.feed_index = n ORDER BY n
  LOOP
    EXIT WHEN item.content_hash IS NULL AND NOT item.gone;
    SELECT * INTO STRICT linked FROM feed_link(
      item.feed_index, coalesce(item.content_hash, decode(repeat('00', 32), 'hex')),
      counter.chain_peaks);
    UPDATE feed_item SET previous_hash = linked.previous_link, skip_hash = linked.skip_link,
      hash = linked.link
    WHERE feed_index = item.feed_index;
    counter.chain_index := item.feed_index;
    counter.chain_peaks := linked.peaks;
  END LOOP;
  UPDATE feed_counter SET chain_index = counter.chain_index, chain_peaks = counter.chain_peaks
  WHERE chain_index < counter.chain_index;
  RETURN counter.chain_index;
END
$$;
COMMENT ON FUNCTION feed_link_waiting() IS 'Links the items that wait, as far as they have a content hash. Returns the last index in the chain.';

-- An item of the release before has no content hash, and waits for it.
CREATE OR REPLACE FUNCTION feed_append(items json) RETURNS SETOF feed_item LANGUAGE plpgsql AS $$
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
    -- All null while the chain waits for an item before this one.
    SELECT NULL::bytea AS previous_link, NULL::bytea AS skip_link, NULL::bytea AS link INTO linked;
    IF counter.chain_index = counter.last_index AND item.content_hash IS NOT NULL THEN
      SELECT * INTO STRICT linked
      FROM feed_link(counter.last_index + 1, item.content_hash, counter.chain_peaks);
      counter.chain_index := counter.last_index + 1;
      counter.chain_peaks := linked.peaks;
    END IF;
    counter.last_index := counter.last_index + 1;
    RETURN QUERY
      INSERT INTO feed_item (feed_index, dedupe_key, type, created_at, title, data, salt,
        content_hash, previous_hash, skip_hash, hash)
      VALUES (counter.last_index, item.dedupe_key, item.type, item.created_at, item.title,
        item.data, item.salt, item.content_hash, linked.previous_link, linked.skip_link,
        linked.link)
      RETURNING *;
  END LOOP;
  IF added THEN
    UPDATE feed_counter SET last_index = counter.last_index, chain_index = counter.chain_index,
      chain_peaks = counter.chain_peaks;
  END IF;
END
$$;

-- An item never changes; only what was empty of its chain is filled in, once.
CREATE FUNCTION feed_item_is_final() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (OLD.feed_index, OLD.dedupe_key, OLD.type, OLD.created_at, OLD.title, OLD.data::text)
      IS DISTINCT FROM (NEW.feed_index, NEW.dedupe_key, NEW.type, NEW.created_at, NEW.title, NEW.data::text)
    OR (OLD.content_hash IS NOT NULL
      AND (OLD.salt, OLD.content_hash) IS DISTINCT FROM (NEW.salt, NEW.content_hash))
    OR (OLD.hash IS NOT NULL AND (OLD.previous_hash, OLD.skip_hash, OLD.hash)
      IS DISTINCT FROM (NEW.previous_hash, NEW.skip_hash, NEW.hash))
  THEN
    RAISE EXCEPTION 'an item of the feed is corrected by a later item, and never changed'
      USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END
$$;
COMMENT ON FUNCTION feed_item_is_final() IS 'An item never changes; only what was empty of its chain is filled in, once.';
CREATE TRIGGER feed_item_is_final BEFORE UPDATE ON feed_item
  FOR EACH ROW EXECUTE FUNCTION feed_item_is_final();
