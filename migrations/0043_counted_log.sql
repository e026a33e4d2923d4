-- The log of counted results: every count of a result becomes a record, and batches of records are
-- chained with the totals that the track record is computed from (whales/domain/countedLog.ts).
-- What was counted before is in the totals of the first batch, and has no records.
-- Locks: none on existing tables; creates two empty tables.
CREATE TABLE counted_batch (
  batch bigint PRIMARY KEY,
  content text NOT NULL,
  content_hash bytea NOT NULL,
  previous_hash bytea NOT NULL,
  skip_hash bytea NOT NULL,
  hash bytea NOT NULL,
  day date UNIQUE,
  jws text,
  CHECK ((day IS NULL) = (jws IS NULL))
);
COMMENT ON TABLE counted_batch IS 'The batches of the log of counted results, without a gap.';
COMMENT ON COLUMN counted_batch.content IS 'Canonical JSON: when it was closed, its records, and the totals over all wallets then.';
COMMENT ON COLUMN counted_batch.skip_hash IS 'The hash of an earlier batch (skipIndex in feed/domain/chain.ts), so that proofs are short.';
COMMENT ON COLUMN counted_batch.day IS 'Set in the first batch that was closed after this day; jws signs it as the head of the day.';

CREATE TABLE counted_record (
  record_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  records text[] NOT NULL,
  hash bytea NOT NULL,
  batch bigint
);
CREATE INDEX counted_record_by_batch ON counted_record (batch);
COMMENT ON TABLE counted_record IS 'The results that one transaction counted, each as canonical JSON with a random salt.';
COMMENT ON COLUMN counted_record.hash IS 'The hash of the list of the hashes of its records.';
COMMENT ON COLUMN counted_record.batch IS 'Null until a batch is closed.';

CREATE FUNCTION counted_is_final() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'a counted result is corrected by a later record, and never changed'
    USING ERRCODE = 'restrict_violation';
END
$$;
COMMENT ON FUNCTION counted_is_final() IS 'The log of counted results never changes; only the batch of a record is filled in, once.';
CREATE TRIGGER counted_batch_is_final BEFORE UPDATE OR DELETE ON counted_batch
  FOR EACH ROW EXECUTE FUNCTION counted_is_final();
CREATE TRIGGER counted_record_is_kept BEFORE DELETE ON counted_record
  FOR EACH ROW EXECUTE FUNCTION counted_is_final();
CREATE TRIGGER counted_record_is_final BEFORE UPDATE ON counted_record
  FOR EACH ROW WHEN (OLD.batch IS NOT NULL
    OR (OLD.record_id, OLD.records, OLD.hash) IS DISTINCT FROM (NEW.record_id, NEW.records, NEW.hash))
  EXECUTE FUNCTION counted_is_final();
