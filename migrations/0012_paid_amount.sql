-- Transfers of another amount than agreed.
--
-- A payer may use the nonce of a payment for another amount to pay_to. The agreed amount is then never
-- paid, and the amount that was paid is refunded.

ALTER TABLE payment ADD COLUMN paid_amount bigint;

CREATE FUNCTION payment_paid_amount() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.state = 'refund_due' OR NEW.state <> 'refund_due'
    OR NEW.paid_amount <= 0 OR NEW.paid_amount = NEW.amount THEN
    RAISE EXCEPTION 'another sum is found with what makes it due' USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END $$;

CREATE FUNCTION payment_born_of_its_amount() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'a payment begins with its amount alone' USING ERRCODE = 'restrict_violation';
END $$;

CREATE TRIGGER payment_born_of_its_amount BEFORE INSERT ON payment
  FOR EACH ROW WHEN (NEW.paid_amount IS NOT NULL) EXECUTE FUNCTION payment_born_of_its_amount();
CREATE TRIGGER payment_paid_amount BEFORE UPDATE ON payment
  FOR EACH ROW WHEN (NEW.paid_amount IS DISTINCT FROM OLD.paid_amount)
  EXECUTE FUNCTION payment_paid_amount();

-- A refund is of the amount that was paid. Only the owner's role may insert one, and its identity never
-- changes, so it is compared with its payment at commit instead of by a foreign key over five columns.
ALTER TABLE refund
  DROP CONSTRAINT refund_payment_id_payer_amount_asset_chain_id_fkey,
  ADD FOREIGN KEY (payment_id) REFERENCES payment;
ALTER TABLE payment DROP CONSTRAINT payment_payment_id_payer_amount_asset_chain_id_key;

CREATE OR REPLACE FUNCTION payment_owed() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  -- Tables are resolved in the schema of the payments first, and in pg_temp last, where any login may
  -- create a table of the same name.
  PERFORM set_config('search_path', format('%I, pg_temp', TG_TABLE_SCHEMA), true);
  INSERT INTO refund (payment_id, payer, amount, asset, chain_id, reason)
  VALUES (NEW.payment_id, NEW.payer, coalesce(NEW.paid_amount, NEW.amount), NEW.asset,
    NEW.chain_id, coalesce(NEW.reason, 'owed'))
  ON CONFLICT (payment_id) DO UPDATE
    SET state = 'queued', reason = excluded.reason, amount = excluded.amount,
      changed_at = clock_timestamp();
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION refund_agrees() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  payment_state text;
  refund_state text;
  same boolean;
BEGIN
  PERFORM set_config('search_path', format('%I, pg_temp', TG_TABLE_SCHEMA), true);
  SELECT payment.state, refund.state,
    (payment.payer, coalesce(payment.paid_amount, payment.amount), payment.asset, payment.chain_id)
      IS NOT DISTINCT FROM (refund.payer, refund.amount, refund.asset, refund.chain_id)
  INTO payment_state, refund_state, same
  FROM payment LEFT JOIN refund USING (payment_id) WHERE payment_id = NEW.payment_id;
  IF NOT (CASE payment_state
      WHEN 'refund_due' THEN coalesce(refund_state NOT IN ('cancelled'), false)
      WHEN 'refunded' THEN coalesce(refund_state = 'confirmed', false)
      WHEN 'void' THEN coalesce(refund_state = 'cancelled', true)
      ELSE refund_state IS NULL END) THEN
    RAISE EXCEPTION 'a payment that is % does not go with a refund that is %', payment_state,
      coalesce(refund_state, 'missing') USING ERRCODE = 'restrict_violation';
  END IF;
  IF refund_state IS NOT NULL AND NOT same THEN
    RAISE EXCEPTION 'a refund is of what was paid, to who paid it' USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NULL;
END $$;

-- The payer and the asset never change. The amount may change while no refund was ever signed: when a
-- cancelled refund becomes due again.
CREATE OR REPLACE FUNCTION refund_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    RAISE EXCEPTION 'a refund is never deleted' USING ERRCODE = 'restrict_violation';
  END IF;
  -- The treasury and the nonce make the token contract pay the refund at most once.
  IF (NEW.payment_id, NEW.payer, NEW.asset, NEW.chain_id, NEW.created_at)
    IS DISTINCT FROM (OLD.payment_id, OLD.payer, OLD.asset, OLD.chain_id, OLD.created_at)
    OR (NEW.amount <> OLD.amount
      AND NOT (OLD.state = 'cancelled' AND NEW.state = 'queued' AND OLD.treasury IS NULL))
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

-- A settle-early sale counts as liable from its claim, so that two replicas that claim at the same time
-- see each other's sale.
DROP INDEX payment_liable;
CREATE INDEX payment_liable ON payment (settlement)
  WHERE state = 'refund_due' OR (settlement = 'settle-early'
    AND state IN ('claimed', 'settling', 'unresolved', 'settled'));

-- The block after which the first scan started. Every scan reads the last blocks of the previous one
-- again, but no block before this one.
ALTER TABLE chain_scan ADD COLUMN after_block bigint;
UPDATE chain_scan SET after_block = through_block;
ALTER TABLE chain_scan ALTER COLUMN after_block SET NOT NULL,
  ADD CHECK (after_block BETWEEN 0 AND through_block);
