-- One purchase key buys once: while a payment with a key is live or answered, no other payment of the
-- same payer for the same request and key can be claimed. Contract wallets sign with more than 65 bytes.

ALTER TABLE payment ADD COLUMN key_hash text COLLATE "C";
COMMENT ON COLUMN payment.key_hash IS
  'Hash of chain, payer, request and purchase key, without the nonce; null without a key, or when the answer was erased.';

CREATE UNIQUE INDEX payment_live_key ON payment (key_hash) WHERE key_hash IS NOT NULL
  AND state IN ('claimed', 'settling', 'unresolved', 'settled', 'answered');

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
COMMENT ON FUNCTION payment_key_guard() IS
  'A key is set by a claim. It is erased only with the answer, so that a live key is never free.';

CREATE TRIGGER payment_key_insert BEFORE INSERT ON payment FOR EACH ROW
  WHEN (NEW.key_hash IS NOT NULL) EXECUTE FUNCTION payment_key_guard();
CREATE TRIGGER payment_key_guard BEFORE UPDATE ON payment FOR EACH ROW
  WHEN (NEW.key_hash IS DISTINCT FROM OLD.key_hash) EXECUTE FUNCTION payment_key_guard();

-- As before, but a signature may have up to 2,048 bytes.
CREATE OR REPLACE FUNCTION payment_before_insert() RETURNS trigger LANGUAGE plpgsql AS $$
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
  IF NOT (NEW.payment_id ~ '^0x[0-9a-f]{64}$' AND NEW.nonce ~ '^0x[0-9a-f]{64}$'
    AND NEW.asset ~ '^0x[0-9a-f]{40}$' AND NEW.payer ~ '^0x[0-9a-f]{40}$'
    AND NEW.pay_to ~ '^0x[0-9a-f]{40}$' AND NEW.pay_to <> NEW.payer
    AND coalesce(NEW.signature ~ '^0x([0-9a-f]{2})+$' AND length(NEW.signature) BETWEEN 132 AND 4098,
      true)
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
