-- Refunds of unmatched transfers have a queue of their own, a person can settle a refund, and the
-- refunds of one payer are counted.

-- Which caps apply to a refund, and what it waits for.
ALTER TABLE refund
  ADD COLUMN queue text NOT NULL DEFAULT 'sales' CHECK (queue IN ('sales', 'unmatched')),
  ADD COLUMN amount_approved boolean NOT NULL DEFAULT false,
  DROP CONSTRAINT refund_state_check,
  ADD CONSTRAINT refund_state_check CHECK (state IN ('queued', 'signed', 'broadcast', 'confirmed',
    'cancelled', 'needs_review', 'settled_by_hand'));

-- Final refunds get their queue too: refund_guard would refuse to change them.
ALTER TABLE refund DISABLE TRIGGER USER;
UPDATE refund SET queue = 'unmatched' FROM payment
WHERE payment.payment_id = refund.payment_id
  AND (payment.request IS NULL OR payment.paid_amount IS NOT NULL);
ALTER TABLE refund ENABLE TRIGGER USER;

DROP INDEX refund_due;
CREATE INDEX refund_due ON refund (queue, next_attempt_at)
  WHERE state IN ('queued', 'signed', 'broadcast', 'needs_review');

-- What sales may still have to refund, and the refunds of one payer.
DROP INDEX payment_liability;
CREATE INDEX payment_liability ON payment (settlement)
  WHERE (state = 'refund_due' AND request IS NOT NULL AND paid_amount IS NULL)
    OR (settlement = 'settle-early'
      AND state IN ('claimed', 'settling', 'unresolved', 'settled'));
CREATE INDEX payment_charged_by_payer ON payment (payer, created_at)
  WHERE settlement = 'settle-early' AND request IS NOT NULL
    AND state IN ('settled', 'answered', 'refund_due', 'refunded');

CREATE TABLE refund_action (
  action_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  payment_id text NOT NULL,
  action text NOT NULL CHECK (action IN ('requeue', 'approve_amount', 'settle')),
  person text NOT NULL CHECK (length(person) BETWEEN 1 AND 100),
  note text NOT NULL CHECK (length(note) BETWEEN 1 AND 1000),
  transaction text CHECK (transaction ~ '^0x[0-9a-f]{64}$'),
  at timestamptz NOT NULL,
  login text NOT NULL,
  CHECK (transaction IS NULL OR action = 'settle')
);
CREATE INDEX refund_action_by_payment ON refund_action (payment_id, at);

CREATE FUNCTION refund_action_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    RAISE EXCEPTION 'a refund_action row cannot be changed or deleted'
      USING ERRCODE = 'restrict_violation';
  END IF;
  NEW.at := transaction_timestamp();
  NEW.login := session_user;
  RETURN NEW;
END $$;

CREATE TRIGGER refund_action_guard BEFORE INSERT OR UPDATE OR DELETE ON refund_action
  FOR EACH ROW EXECUTE FUNCTION refund_action_guard();
CREATE TRIGGER refund_action_forbid_truncate BEFORE TRUNCATE ON refund_action
  FOR EACH STATEMENT EXECUTE FUNCTION forbid_truncate();

CREATE FUNCTION refund_review_guard() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  recorded boolean;
BEGIN
  EXECUTE format('SELECT EXISTS (SELECT FROM %I.refund_action
      WHERE payment_id = $1 AND action = $2 AND at = transaction_timestamp()
        AND transaction IS NOT DISTINCT FROM $3)', TG_TABLE_SCHEMA)
    INTO recorded USING NEW.payment_id,
      CASE WHEN NEW.state = 'settled_by_hand' THEN 'settle'
        WHEN NEW.amount_approved AND NOT OLD.amount_approved THEN 'approve_amount'
        ELSE 'requeue' END,
      CASE WHEN NEW.state = 'settled_by_hand' THEN NEW.transaction END;
  IF NOT recorded THEN
    RAISE EXCEPTION 'a refund can leave needs_review only with a row of refund_action'
      USING ERRCODE = 'restrict_violation';
  END IF;
  -- The token contract accepts a signature until valid_before, on the clock of its blocks.
  IF NEW.state = 'settled_by_hand'
    AND OLD.valid_before >= extract(epoch FROM clock_timestamp()) - 600 THEN
    RAISE EXCEPTION 'a refund whose signature can still be used cannot be settled by hand'
      USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER refund_review_guard BEFORE UPDATE ON refund FOR EACH ROW
  WHEN (OLD.state = 'needs_review' AND NEW.state IN ('queued', 'settled_by_hand'))
  EXECUTE FUNCTION refund_review_guard();

CREATE OR REPLACE FUNCTION refund_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    RAISE EXCEPTION 'a refund row cannot be deleted' USING ERRCODE = 'restrict_violation';
  END IF;
  -- The amount and its queue may change while no refund was ever signed: when a cancelled refund is
  -- queued again. The treasury and the nonce make the token contract pay the refund at most once.
  IF (NEW.payment_id, NEW.payer, NEW.asset, NEW.chain_id, NEW.created_at)
    IS DISTINCT FROM (OLD.payment_id, OLD.payer, OLD.asset, OLD.chain_id, OLD.created_at)
    OR ((NEW.amount, NEW.queue) IS DISTINCT FROM (OLD.amount, OLD.queue)
      AND NOT (OLD.state = 'cancelled' AND NEW.state = 'queued' AND OLD.treasury IS NULL))
    OR (OLD.treasury IS NOT NULL AND NEW.treasury IS DISTINCT FROM OLD.treasury)
    OR (OLD.refund_nonce IS NOT NULL AND NEW.refund_nonce IS DISTINCT FROM OLD.refund_nonce) THEN
    RAISE EXCEPTION 'the identity columns of a refund cannot change'
      USING ERRCODE = 'restrict_violation';
  END IF;
  IF OLD.state IN ('confirmed', 'settled_by_hand') THEN
    RAISE EXCEPTION 'a % refund cannot change', OLD.state USING ERRCODE = 'restrict_violation';
  END IF;
  IF NEW.state <> OLD.state AND NOT (OLD.state || ' ' || NEW.state = ANY (ARRAY[
      'queued signed', 'queued confirmed', 'queued cancelled', 'queued needs_review',
      'signed broadcast', 'signed confirmed', 'signed needs_review',
      'broadcast signed', 'broadcast confirmed', 'broadcast needs_review',
      'needs_review queued', 'needs_review confirmed', 'needs_review settled_by_hand',
      'cancelled queued'])) THEN
    RAISE EXCEPTION 'a refund cannot go from % to %', OLD.state, NEW.state
      USING ERRCODE = 'restrict_violation';
  END IF;
  IF NEW.state = 'cancelled' AND NEW.treasury IS NOT NULL THEN
    RAISE EXCEPTION 'a signed refund cannot be cancelled' USING ERRCODE = 'restrict_violation';
  END IF;
  IF (NEW.signature, NEW.valid_before, NEW.signed_at)
    IS DISTINCT FROM (OLD.signature, OLD.valid_before, OLD.signed_at)
    AND NOT coalesce(NEW.state = 'signed'
      AND (OLD.valid_before IS NULL OR NEW.valid_before > OLD.valid_before), false) THEN
    RAISE EXCEPTION 'a refund can be signed again only with a later valid_before'
      USING ERRCODE = 'restrict_violation';
  END IF;
  IF (NEW.treasury IS DISTINCT FROM OLD.treasury)
    AND NEW.state NOT IN ('signed', 'confirmed') THEN
    RAISE EXCEPTION 'the treasury of a refund can be set only when it is signed or confirmed'
      USING ERRCODE = 'restrict_violation';
  END IF;
  IF NEW.amount_approved <> OLD.amount_approved AND NOT (NEW.state = 'queued'
    AND OLD.state = CASE WHEN NEW.amount_approved THEN 'needs_review' ELSE 'cancelled' END) THEN
    RAISE EXCEPTION 'the amount of a refund can be approved only when it leaves needs_review'
      USING ERRCODE = 'restrict_violation';
  END IF;
  IF NEW.fence < OLD.fence THEN
    RAISE EXCEPTION 'the fence of a refund cannot decrease' USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION queue_refund() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  -- Tables are resolved in the schema of the payments first, and in pg_temp last, where any login may
  -- create a table of the same name.
  PERFORM set_config('search_path', format('%I, pg_temp', TG_TABLE_SCHEMA), true);
  INSERT INTO refund (payment_id, payer, amount, asset, chain_id, reason, queue)
  VALUES (NEW.payment_id, NEW.payer, coalesce(NEW.paid_amount, NEW.amount), NEW.asset,
    NEW.chain_id, coalesce(NEW.reason, 'owed'),
    CASE WHEN NEW.request IS NULL OR NEW.paid_amount IS NOT NULL THEN 'unmatched' ELSE 'sales' END)
  ON CONFLICT (payment_id) DO UPDATE
    SET state = 'queued', reason = excluded.reason, amount = excluded.amount,
      queue = excluded.queue, amount_approved = false, changed_at = clock_timestamp();
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION finish_refunded_payment() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  -- As in queue_refund: the schema of the refunds first, and pg_temp last.
  PERFORM set_config('search_path', format('%I, pg_temp', TG_TABLE_SCHEMA), true);
  UPDATE payment
  SET state = CASE NEW.state WHEN 'cancelled' THEN 'void' ELSE 'refunded' END,
    reason = CASE NEW.state WHEN 'cancelled' THEN NEW.last_error ELSE reason END,
    changed_at = clock_timestamp()
  WHERE payment_id = NEW.payment_id AND state = 'refund_due';
  RETURN NULL;
END $$;

DROP TRIGGER finish_refunded_payment ON refund;
CREATE TRIGGER finish_refunded_payment AFTER UPDATE ON refund FOR EACH ROW
  WHEN (NEW.state IN ('confirmed', 'cancelled', 'settled_by_hand') AND OLD.state <> NEW.state)
  EXECUTE FUNCTION finish_refunded_payment();

CREATE OR REPLACE FUNCTION payment_refund_guard() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  refund_state text;
BEGIN
  EXECUTE format('SELECT state FROM %I.refund WHERE payment_id = $1', TG_TABLE_SCHEMA)
    INTO refund_state USING NEW.payment_id;
  IF NOT coalesce(refund_state = ANY (CASE NEW.state
      WHEN 'refunded' THEN ARRAY['confirmed', 'settled_by_hand']
      ELSE ARRAY['cancelled'] END), false) THEN
    RAISE EXCEPTION 'a payment cannot become % while its refund is %', NEW.state,
      coalesce(refund_state, 'missing') USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION refund_matches_payment() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  payment_state text;
  refund_state text;
  same_debt boolean;
BEGIN
  -- As in queue_refund: the schema of the table first, and pg_temp last.
  PERFORM set_config('search_path', format('%I, pg_temp', TG_TABLE_SCHEMA), true);
  SELECT payment.state, refund.state,
    (payment.payer, coalesce(payment.paid_amount, payment.amount), payment.asset, payment.chain_id)
      IS NOT DISTINCT FROM (refund.payer, refund.amount, refund.asset, refund.chain_id)
  INTO payment_state, refund_state, same_debt
  FROM payment LEFT JOIN refund USING (payment_id) WHERE payment_id = NEW.payment_id;
  IF NOT (CASE payment_state
      WHEN 'refund_due' THEN coalesce(refund_state NOT IN ('cancelled'), false)
      WHEN 'refunded' THEN coalesce(refund_state IN ('confirmed', 'settled_by_hand'), false)
      WHEN 'void' THEN coalesce(refund_state = 'cancelled', true)
      ELSE refund_state IS NULL END) THEN
    RAISE EXCEPTION 'a payment in state % does not match its refund: %', payment_state,
      coalesce(refund_state, 'missing') USING ERRCODE = 'restrict_violation';
  END IF;
  IF refund_state IS NOT NULL AND NOT same_debt THEN
    RAISE EXCEPTION 'a refund must have the payer, paid amount, asset and chain of its payment'
      USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NULL;
END $$;

COMMENT ON COLUMN refund.queue IS
  '''unmatched'' for a transfer without a request or of another amount than requested. It has caps of its own and never delays a refund of a sale.';
COMMENT ON COLUMN refund.amount_approved IS
  'A person has approved an amount over the dearest product. Only the owner of the tables can set it.';
COMMENT ON COLUMN refund.transaction IS
  'The transaction as read from the chain; as a person named it if settled_by_hand.';
COMMENT ON TABLE refund_action IS
  'What persons did with refunds that needed review. Append-only. No foreign key: it is kept longer than the payment.';
COMMENT ON COLUMN refund_action.person IS 'Who did it, as given on the command line.';
COMMENT ON COLUMN refund_action.login IS 'The database login, set by a trigger.';
COMMENT ON COLUMN refund_action.at IS 'The start of the transaction that also moved the refund, set by a trigger.';
COMMENT ON FUNCTION refund_action_guard() IS 'Actions are only appended, with the time and the login of the database.';
COMMENT ON FUNCTION refund_review_guard() IS
  'A refund leaves needs_review only with an action of the same transaction, and is settled by hand only when no signature of it can be used.';
