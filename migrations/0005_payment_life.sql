-- Unmatched transfers, undelivered answers, refunds queued by a trigger, and how far the chain was read.

-- An unmatched transfer was presented by no call: the chain shows only who paid how much.
ALTER TABLE payment
  ALTER COLUMN signature DROP NOT NULL,
  ALTER COLUMN product_id DROP NOT NULL,
  ALTER COLUMN request DROP NOT NULL,
  ADD CONSTRAINT payment_known_or_orphan CHECK (num_nulls(signature, product_id, request) IN (0, 3));

CREATE FUNCTION payment_born_whole() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.signature IS NULL) <> (NEW.state = 'refund_due') THEN
    RAISE EXCEPTION 'a payment is claimed by a call, or found on the chain'
      USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER payment_born_whole BEFORE INSERT ON payment
  FOR EACH ROW EXECUTE FUNCTION payment_born_whole();

-- The statement that makes a payment due also queues its refund, with the rights of the tables' owner:
-- the service needs no right to write refunds. A cancelled refund is queued again.
CREATE FUNCTION payment_owed() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  -- Tables are resolved in the schema of the payments first, and in pg_temp last, where any login may
  -- create a table of the same name.
  PERFORM set_config('search_path', format('%I, pg_temp', TG_TABLE_SCHEMA), true);
  INSERT INTO refund (payment_id, payer, amount, asset, chain_id, reason)
  VALUES (NEW.payment_id, NEW.payer, NEW.amount, NEW.asset, NEW.chain_id,
    coalesce(NEW.reason, 'owed'))
  ON CONFLICT (payment_id) DO UPDATE
    SET state = 'queued', reason = excluded.reason, changed_at = clock_timestamp();
  RETURN NULL;
END $$;

CREATE TRIGGER payment_owed_born AFTER INSERT ON payment
  FOR EACH ROW WHEN (NEW.state = 'refund_due') EXECUTE FUNCTION payment_owed();
CREATE TRIGGER payment_owed_moved AFTER UPDATE ON payment
  FOR EACH ROW WHEN (NEW.state = 'refund_due' AND OLD.state <> 'refund_due')
  EXECUTE FUNCTION payment_owed();

-- How far the chain was read for transfers to an address. It never decreases.
CREATE TABLE chain_scan (
  chain_id bigint NOT NULL,
  asset text NOT NULL,
  pay_to text NOT NULL,
  through_block bigint NOT NULL CHECK (through_block >= 0),
  PRIMARY KEY (chain_id, asset, pay_to)
);

-- What may still have to be refunded; summed before every settle-early sale.
CREATE INDEX payment_liable ON payment (amount)
  WHERE state = 'refund_due'
    OR (settlement = 'settle-early' AND state IN ('settling', 'unresolved', 'settled'));
