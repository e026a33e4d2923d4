-- Whether a digest is not worth its price: then it is not charged. A version that does not set it sells
-- nothing that this one would not sell.
ALTER TABLE digest ADD COLUMN below_threshold boolean NOT NULL DEFAULT true;

-- Stored digests were written even when the venue had not been read. Those rest on nothing.
DELETE FROM digest WHERE EXISTS (
  SELECT FROM json_array_elements(digest -> 'facts') AS fact
  WHERE fact ->> 'statement' LIKE 'The venue was not read at all%'
    OR fact ->> 'statement' LIKE 'No market was watched%'
);

-- Of the others, the feed items of the window show what was reported.
UPDATE digest SET below_threshold = false FROM (
  SELECT slot, until_at, feed_index, lag(feed_index, 1, 0::bigint) OVER (ORDER BY slot) AS after
  FROM digest
) covered
WHERE covered.slot = digest.slot AND 3 <= (
  SELECT count(*) FROM feed_item
  WHERE feed_item.feed_index > covered.after AND feed_item.feed_index <= covered.feed_index
    AND created_at >= covered.until_at - interval '1 day'
);
