-- Published whale entries are scored too: at the price a follower could have paid, against later
-- prices, and at prices from the book. Entries that were published before are not scored.
ALTER TABLE score_check
  DROP CONSTRAINT score_check_kind_check,
  DROP CONSTRAINT score_check_verdict_check,
  DROP CONSTRAINT score_check_check,
  ADD COLUMN value double precision CHECK (value BETWEEN 0 AND 1),
  ADD CONSTRAINT score_check_kind_check CHECK (kind IN (
    'mover_1h', 'mover_24h', 'predetermined', 'whale_entry', 'whale_1h', 'whale_24h', 'whale_close'
  )),
  ADD CONSTRAINT score_check_verdict_check CHECK (verdict IN (
    'persisted', 'reverted', 'unknown', 'correct', 'wrong', 'uneven', 'cancelled', 'paid', 'priced'
  )),
  ADD CONSTRAINT score_check_check CHECK (
    (kind IN ('mover_1h', 'mover_24h')) = (outcome IS NULL)
    AND (outcome IS NULL) = (price_start IS NOT NULL)
    AND (price_start IS NULL) = (price_now IS NULL)
  );

CREATE TABLE score_entry (
  feed_index bigint PRIMARY KEY,
  wallet text NOT NULL,
  event_key text NOT NULL,
  label text NOT NULL CHECK (label IN ('follow', 'fade', 'neutral', 'none')),
  entry_price double precision NOT NULL,
  ask double precision,
  other_ask double precision,
  fee_rate double precision NOT NULL,
  CHECK ((ask IS NULL) = (other_ask IS NULL))
);

CREATE TABLE score_reading (
  feed_index bigint NOT NULL REFERENCES score_entry,
  delay_minutes smallint NOT NULL,
  market_id text,
  outcome smallint NOT NULL CHECK (outcome IN (0, 1)),
  due_at timestamptz NOT NULL,
  state text NOT NULL DEFAULT 'due' CHECK (state IN ('due', 'read', 'missed', 'no_book')),
  read_at timestamptz,
  mid double precision,
  own_price double precision[],
  other_price double precision[],
  PRIMARY KEY (feed_index, delay_minutes),
  CHECK ((state = 'read') = (own_price IS NOT NULL) AND (own_price IS NULL) = (other_price IS NULL))
);
CREATE INDEX score_reading_due ON score_reading (due_at) WHERE state = 'due';

COMMENT ON COLUMN score_check.value IS 'The payout or the later price of the outcome that a whale entry bought.';
COMMENT ON COLUMN score_check.at IS
  'When its price is compared; for a predetermined outcome, the result of a whale entry and its last price, when it was published.';
COMMENT ON TABLE score_entry IS 'A published whale entry as it was published.';
COMMENT ON COLUMN score_entry.event_key IS 'Entries with the same key are not independent.';
COMMENT ON COLUMN score_entry.label IS 'Published with it; none without a calibration.';
COMMENT ON COLUMN score_entry.entry_price IS 'What the wallet paid.';
COMMENT ON COLUMN score_entry.ask IS 'Best ask of the bought outcome at publication; null without a book.';
COMMENT ON COLUMN score_entry.other_ask IS 'Best ask of the other outcome.';
COMMENT ON COLUMN score_entry.fee_rate IS 'Taker rate of the venue: fee = shares x rate x p x (1 - p).';
COMMENT ON TABLE score_reading IS
  'What buying after a published whale entry costs, read from the book at publication and later.';
COMMENT ON COLUMN score_reading.outcome IS 'The side that the wallet bought.';
COMMENT ON COLUMN score_reading.mid IS 'Of the first outcome; null when a side of the book was empty.';
COMMENT ON COLUMN score_reading.own_price IS
  'The price of buying each size of the bought side, smallest size first; null: the book was too thin.';
COMMENT ON COLUMN score_reading.other_price IS 'The same for the other side.';
