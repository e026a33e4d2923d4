-- An answer is stored once, under its hash: most buyers of a product get the same bytes. A payment has
-- the hash, and keeps it when the body is deleted.
-- Locks: payment, for reads and writes: 2 s per million rows, and 40 s per GB of stored answers.

CREATE TABLE payment_answer (
  -- SHA-256 of the body.
  hash bytea PRIMARY KEY CHECK (hash = sha256(body)),
  -- When a payment got this answer or delivered it, the last time, at most 30 minutes too early. Set by
  -- a trigger.
  used_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  body bytea NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02);
-- An answer can be almost a megabyte. The default compression takes about 40 ms for it; lz4 takes about
-- 2 ms, where PostgreSQL was built with it.
DO $$
BEGIN
  ALTER TABLE payment_answer ALTER COLUMN body SET COMPRESSION lz4;
EXCEPTION WHEN feature_not_supported OR invalid_parameter_value THEN NULL;
END $$;
CREATE INDEX payment_answer_used ON payment_answer (used_at);

DROP TRIGGER payment_answer_guard ON payment;
DROP TRIGGER payment_body_guard ON payment;
DROP FUNCTION payment_body_guard();

INSERT INTO payment_answer (hash, body)
SELECT DISTINCT ON (sha256(answer_body)) sha256(answer_body), answer_body
FROM payment WHERE answer_body IS NOT NULL;
ALTER TABLE payment ADD COLUMN answer_hash bytea;
UPDATE payment SET answer_hash = sha256(answer_body) WHERE answer_body IS NOT NULL;
-- With the column go its index and its constraints.
ALTER TABLE payment DROP COLUMN answer_body,
  ADD CONSTRAINT payment_answer_before_settlement
    CHECK (state NOT IN ('settling', 'unresolved') OR settlement = 'settle-early'
      OR answer_hash IS NOT NULL),
  ADD CONSTRAINT payment_answer_until_delivered
    CHECK (state <> 'answered'
      OR answered_at IS NOT NULL AND (answer_hash IS NOT NULL OR sent_at IS NOT NULL)),
  ADD CONSTRAINT payment_no_answer_unless_charged
    CHECK (state NOT IN ('claimed', 'released', 'refund_due', 'refunded', 'void')
      OR answer_hash IS NULL AND sent_at IS NULL);
CREATE INDEX payment_delivered ON payment (sent_at) WHERE sent_at IS NOT NULL;
-- The keys to free: those of about a day.
CREATE INDEX payment_delivered_key ON payment (sent_at)
  WHERE sent_at IS NOT NULL AND key_hash IS NOT NULL;

-- The answer is stored with a state change, and never replaced: the payer is charged for the answer
-- that was stored before settlement was requested. Only a state change takes it away.
CREATE OR REPLACE FUNCTION payment_answer_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.answer_hash IS NOT DISTINCT FROM OLD.answer_hash THEN RETURN NEW; END IF;
  IF NEW.state = OLD.state OR NEW.answer_hash IS NOT NULL AND OLD.answer_hash IS NOT NULL THEN
    RAISE EXCEPTION 'answer_hash can be set once, with a state change'
      USING ERRCODE = 'restrict_violation';
  END IF;
  IF NEW.answer_hash IS NOT NULL
    AND NOT EXISTS (SELECT FROM payment_answer WHERE hash = NEW.answer_hash) THEN
    RAISE EXCEPTION 'a payment can have only an answer that is stored'
      USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END $$;

-- A key is set by a claim. It is erased only a day after the delivery, so that a live key is never
-- free.
CREATE OR REPLACE FUNCTION payment_key_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.key_hash !~ '^0x[0-9a-f]{64}$' THEN
    RAISE EXCEPTION 'the key_hash of a payment is malformed' USING ERRCODE = 'check_violation';
  END IF;
  IF TG_OP = 'UPDATE' AND NEW.fence = OLD.fence AND NOT (NEW.key_hash IS NULL
    AND NEW.state = 'answered' AND OLD.state = 'answered'
    AND coalesce(OLD.sent_at <= clock_timestamp() - interval '24 hours', false)) THEN
    RAISE EXCEPTION 'key_hash can change only with a claim, or be erased a day after the delivery'
      USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END $$;

-- A stored answer is never changed. The time of its use is the database's.
CREATE FUNCTION payment_answer_used() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND NEW.hash <> OLD.hash THEN
    RAISE EXCEPTION 'a stored answer cannot be changed' USING ERRCODE = 'restrict_violation';
  END IF;
  NEW.used_at := clock_timestamp();
  RETURN NEW;
END $$;

-- Whether no payment needs a stored answer: a buyer can fetch it for 24 hours after its delivery, and
-- before that for as long as the payment may still be charged. A payment gets only an answer that
-- was used in the last 30 minutes, so none can get one that is being deleted.
CREATE FUNCTION payment_answer_is_deletable(answer payment_answer) RETURNS boolean
  LANGUAGE sql STABLE AS $$
  SELECT answer.used_at <= clock_timestamp() - interval '24 hours 30 minutes'
    AND NOT EXISTS (SELECT FROM payment
      WHERE state IN ('settling', 'unresolved') AND answer_hash = answer.hash)
    AND NOT EXISTS (SELECT FROM payment
      WHERE state = 'answered' AND sent_at IS NULL AND answer_hash = answer.hash)
$$;

CREATE FUNCTION payment_answer_delete_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT payment_answer_is_deletable(OLD) THEN
    RAISE EXCEPTION 'the body of an answer cannot be deleted until 24 hours after its delivery'
      USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN OLD;
END $$;

CREATE TRIGGER payment_answer_guard BEFORE UPDATE OF answer_hash ON payment FOR EACH ROW
  EXECUTE FUNCTION payment_answer_guard();
CREATE TRIGGER payment_answer_used BEFORE INSERT OR UPDATE ON payment_answer FOR EACH ROW
  EXECUTE FUNCTION payment_answer_used();
CREATE TRIGGER payment_answer_delete_guard BEFORE DELETE ON payment_answer FOR EACH ROW
  EXECUTE FUNCTION payment_answer_delete_guard();
CREATE TRIGGER payment_answer_forbid_truncate BEFORE TRUNCATE ON payment_answer
  FOR EACH STATEMENT EXECUTE FUNCTION forbid_truncate();

-- They decide what may be deleted, so they find their tables in this schema first (0001_schema.sql).
DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['payment_answer_is_deletable(payment_answer)',
    'payment_answer_delete_guard()'] LOOP
    EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', name, current_schema());
  END LOOP;
END $$;
