-- What the refund worker may write. A trigger changes the payment when its refund is confirmed or
-- cancelled, so the worker needs no right to write payments.

ALTER TABLE refund
  -- Increases with every claim of a worker, so that one whose lease has expired cannot write the row.
  ADD COLUMN fence integer NOT NULL DEFAULT 0 CHECK (fence >= 0),
  -- When it was last signed; the caps sum over it.
  ADD COLUMN signed_at timestamptz,
  -- The transaction the facilitator named; "transaction" is read from the chain only.
  ADD COLUMN transaction_hint text,
  ADD COLUMN confirmed_at timestamptz,
  ADD COLUMN confirmed_block bigint,
  ADD COLUMN confirmed_log_index integer,
  DROP COLUMN lease_owner,
  -- A store restored from a backup finds paid refunds whose signature it no longer has.
  DROP CONSTRAINT refund_check,
  DROP CONSTRAINT refund_check1,
  ADD CONSTRAINT refund_signed CHECK (state NOT IN ('signed', 'broadcast')
    OR num_nulls(treasury, refund_nonce, valid_before, signature, signed_at) = 0),
  ADD CONSTRAINT refund_signed_whole
    CHECK (num_nulls(valid_before, signature, signed_at) IN (0, 3)
      AND num_nulls(treasury, refund_nonce) IN (0, 2)
      AND (signature IS NULL OR treasury IS NOT NULL)),
  ADD CONSTRAINT refund_signature_form CHECK (signature ~ '^0x[0-9a-f]{130}$'),
  ADD CONSTRAINT refund_confirmed CHECK ((state = 'confirmed')
    = (num_nulls(transaction, confirmed_at, confirmed_block, confirmed_log_index) = 0)),
  ADD CONSTRAINT refund_confirmed_whole CHECK (state <> 'confirmed' OR treasury IS NOT NULL);

-- Refunds that need review are checked too, but rarely: the chain may have paid them after all.
DROP INDEX refund_open;
CREATE INDEX refund_due ON refund (next_attempt_at)
  WHERE state IN ('queued', 'signed', 'broadcast', 'stuck');
CREATE INDEX refund_signed_at ON refund (signed_at) WHERE signed_at IS NOT NULL;

CREATE OR REPLACE FUNCTION refund_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    RAISE EXCEPTION 'a refund is never deleted' USING ERRCODE = 'restrict_violation';
  END IF;
  -- The treasury and the nonce make the token contract pay the refund at most once.
  IF (NEW.payment_id, NEW.payer, NEW.amount, NEW.asset, NEW.chain_id, NEW.created_at)
    IS DISTINCT FROM
     (OLD.payment_id, OLD.payer, OLD.amount, OLD.asset, OLD.chain_id, OLD.created_at)
    OR (OLD.treasury IS NOT NULL AND NEW.treasury IS DISTINCT FROM OLD.treasury)
    OR (OLD.refund_nonce IS NOT NULL AND NEW.refund_nonce IS DISTINCT FROM OLD.refund_nonce) THEN
    RAISE EXCEPTION 'the identity of a refund never changes' USING ERRCODE = 'restrict_violation';
  END IF;
  IF OLD.state = 'confirmed' THEN
    RAISE EXCEPTION 'a confirmed refund never changes' USING ERRCODE = 'restrict_violation';
  END IF;
  IF NEW.state <> OLD.state AND NOT (OLD.state || ' ' || NEW.state = ANY (ARRAY[
      'queued signed', 'queued confirmed', 'queued cancelled', 'queued stuck',
      'signed broadcast', 'signed confirmed', 'signed stuck',
      'broadcast signed', 'broadcast confirmed', 'broadcast stuck',
      'stuck queued', 'stuck confirmed',
      'cancelled queued'])) THEN
    RAISE EXCEPTION 'a refund cannot go from % to %', OLD.state, NEW.state
      USING ERRCODE = 'restrict_violation';
  END IF;
  IF NEW.state = 'cancelled' AND NEW.treasury IS NOT NULL THEN
    RAISE EXCEPTION 'a refund that was signed is never cancelled'
      USING ERRCODE = 'restrict_violation';
  END IF;
  IF (NEW.signature, NEW.valid_before, NEW.signed_at)
    IS DISTINCT FROM (OLD.signature, OLD.valid_before, OLD.signed_at)
    AND NOT coalesce(NEW.state = 'signed'
      AND (OLD.valid_before IS NULL OR NEW.valid_before > OLD.valid_before), false) THEN
    RAISE EXCEPTION 'a refund is signed anew only to run longer'
      USING ERRCODE = 'restrict_violation';
  END IF;
  IF (NEW.treasury IS DISTINCT FROM OLD.treasury)
    AND NEW.state NOT IN ('signed', 'confirmed') THEN
    RAISE EXCEPTION 'a refund has a treasury once it is signed'
      USING ERRCODE = 'restrict_violation';
  END IF;
  IF NEW.fence < OLD.fence THEN
    RAISE EXCEPTION 'the fence of a refund never falls' USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END $$;

-- A refund is inserted as 'queued' only.
CREATE FUNCTION refund_born() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.state <> 'queued' OR num_nonnulls(NEW.treasury, NEW.refund_nonce, NEW.signature,
      NEW.transaction) > 0 THEN
    RAISE EXCEPTION 'a refund begins as queued' USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER refund_born BEFORE INSERT ON refund
  FOR EACH ROW EXECUTE FUNCTION refund_born();

-- The end of a refund ends its payment, with the rights of the tables' owner. Tables are resolved in
-- the schema of the refunds first, and in pg_temp last.
CREATE FUNCTION refund_ended() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM set_config('search_path', format('%I, pg_temp', TG_TABLE_SCHEMA), true);
  UPDATE payment
  SET state = CASE NEW.state WHEN 'confirmed' THEN 'refunded' ELSE 'void' END,
    reason = CASE NEW.state WHEN 'confirmed' THEN reason ELSE NEW.last_error END,
    changed_at = clock_timestamp()
  WHERE payment_id = NEW.payment_id AND state = 'refund_due';
  RETURN NULL;
END $$;

CREATE TRIGGER refund_ended AFTER UPDATE ON refund
  FOR EACH ROW WHEN (NEW.state IN ('confirmed', 'cancelled') AND OLD.state <> NEW.state)
  EXECUTE FUNCTION refund_ended();

-- A payment becomes refunded only after its refund is confirmed, and a due one becomes void only after
-- its refund is cancelled.
CREATE FUNCTION payment_repaid() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  refund_state text;
BEGIN
  EXECUTE format('SELECT state FROM %I.refund WHERE payment_id = $1', TG_TABLE_SCHEMA)
    INTO refund_state USING NEW.payment_id;
  IF refund_state IS DISTINCT FROM
    (CASE NEW.state WHEN 'refunded' THEN 'confirmed' ELSE 'cancelled' END) THEN
    RAISE EXCEPTION 'a payment is not % while its refund is %', NEW.state,
      coalesce(refund_state, 'missing') USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER payment_repaid BEFORE UPDATE ON payment
  FOR EACH ROW WHEN (OLD.state = 'refund_due' AND NEW.state IN ('refunded', 'void'))
  EXECUTE FUNCTION payment_repaid();
