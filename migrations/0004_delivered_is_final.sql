-- What the first guard of payments let through: the refund of an answer that was handed over, an
-- answer replaced by another on its way, what the chain said and when it was said rewritten, and
-- tables emptied at once. Whoever owns the tables can still drop a guard, or write a line into
-- payment_event by hand: that is kept out by roles that do not own them, not by triggers.

CREATE OR REPLACE FUNCTION payment_guard() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  moved boolean;
  said_anew boolean;
BEGIN
  IF TG_OP = 'DELETE' THEN
    RAISE EXCEPTION 'a payment is never deleted' USING ERRCODE = 'restrict_violation';
  END IF;
  IF (NEW.payment_id, NEW.chain_id, NEW.asset, NEW.token_name, NEW.token_version, NEW.payer,
      NEW.nonce, NEW.pay_to, NEW.amount, NEW.valid_after, NEW.valid_before, NEW.signature,
      NEW.settlement, NEW.product_id, NEW.request, NEW.created_at)
    IS DISTINCT FROM
     (OLD.payment_id, OLD.chain_id, OLD.asset, OLD.token_name, OLD.token_version, OLD.payer,
      OLD.nonce, OLD.pay_to, OLD.amount, OLD.valid_after, OLD.valid_before, OLD.signature,
      OLD.settlement, OLD.product_id, OLD.request, OLD.created_at) THEN
    RAISE EXCEPTION 'the identity of a payment never changes'
      USING ERRCODE = 'restrict_violation';
  END IF;

  moved := NEW.state <> OLD.state;
  IF moved AND NOT (OLD.state || ' ' || NEW.state = ANY (ARRAY[
      'claimed settling', 'claimed released',
      'released claimed', 'released void', 'released refund_due',
      'settling unresolved', 'settling void',
      'unresolved refund_due', 'unresolved void',
      'answered refund_due',
      'refund_due refunded', 'refund_due void',
      'void refund_due']
    || CASE NEW.settlement
      WHEN 'compute-first' THEN ARRAY['settling answered', 'unresolved answered']
      ELSE ARRAY['settling settled', 'unresolved settled', 'settled answered',
        'settled refund_due'] END)) THEN
    RAISE EXCEPTION 'a payment cannot go from % to %', OLD.state, NEW.state
      USING ERRCODE = 'restrict_violation';
  END IF;

  IF moved AND OLD.sent_at IS NOT NULL THEN
    RAISE EXCEPTION 'an answer that was handed over is final' USING ERRCODE = 'restrict_violation';
  END IF;
  IF NEW.sent_at IS DISTINCT FROM OLD.sent_at
    AND (moved OR OLD.state <> 'answered' OR OLD.sent_at IS NOT NULL) THEN
    RAISE EXCEPTION 'an answer is handed over once, when it is charged'
      USING ERRCODE = 'restrict_violation';
  END IF;

  -- Stored with a move, kept or forgotten after it, never replaced: what is charged for is what was
  -- stored before the facilitator was asked.
  IF NEW.answer_body IS DISTINCT FROM OLD.answer_body AND NEW.answer_body IS NOT NULL
    AND (OLD.answer_body IS NOT NULL OR NOT moved) THEN
    RAISE EXCEPTION 'an answer changes with a move alone, and only once'
      USING ERRCODE = 'restrict_violation';
  END IF;
  IF NEW.intended_at IS DISTINCT FROM OLD.intended_at
    AND NOT (moved AND NEW.state = 'settling' AND OLD.intended_at IS NULL) THEN
    RAISE EXCEPTION 'the intent is stored once, before settlement'
      USING ERRCODE = 'restrict_violation';
  END IF;
  IF NEW.answered_at IS DISTINCT FROM OLD.answered_at
    AND NOT (moved AND NEW.state = 'answered' AND OLD.answered_at IS NULL) THEN
    RAISE EXCEPTION 'an answer is stored once' USING ERRCODE = 'restrict_violation';
  END IF;

  -- The chain's word is stored with the move it decides. It may change in two ways: from a block that
  -- may be reorganised away to one that may not, and when a payment held to be void has paid after all.
  said_anew := (NEW.paid_transaction, NEW.paid_block, NEW.paid_log_index, NEW.paid_finality)
    IS DISTINCT FROM
    (OLD.paid_transaction, OLD.paid_block, OLD.paid_log_index, OLD.paid_finality);
  IF said_anew AND NOT coalesce(
    CASE
      WHEN OLD.paid_transaction IS NULL
        THEN moved AND NEW.state IN ('settled', 'answered', 'refund_due')
      WHEN moved AND OLD.state = 'void' THEN true
      ELSE OLD.paid_finality = 'latest' AND NEW.paid_finality = 'safe'
        AND NEW.state IN ('settled', 'answered', 'refund_due', 'refunded')
    END, false) THEN
    RAISE EXCEPTION 'what the chain said is not rewritten' USING ERRCODE = 'restrict_violation';
  END IF;

  IF NEW.fence <> OLD.fence + (OLD.state = 'released' AND NEW.state = 'claimed')::int THEN
    RAISE EXCEPTION 'the fence grows by one with every claim' USING ERRCODE = 'restrict_violation';
  END IF;
  IF NEW.secret_hash IS DISTINCT FROM OLD.secret_hash AND NEW.fence = OLD.fence THEN
    RAISE EXCEPTION 'the secret changes with a claim alone' USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION payment_born() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- An orphan is born owed: the chain shows a transfer to us that nobody told us of.
  IF NEW.state NOT IN ('claimed', 'refund_due') THEN
    RAISE EXCEPTION 'a payment cannot begin as %', NEW.state USING ERRCODE = 'restrict_violation';
  END IF;
  -- Nothing but the transfer of an orphan has happened before its row.
  IF NEW.intended_at IS NOT NULL OR NEW.answered_at IS NOT NULL OR (NEW.state = 'claimed'
    AND (NEW.paid_transaction, NEW.paid_block, NEW.paid_log_index, NEW.paid_finality)
      IS DISTINCT FROM (NULL, NULL, NULL, NULL)) THEN
    RAISE EXCEPTION 'a payment begins with nothing but its claim'
      USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END $$;

-- The guards above see rows; emptying a table shows them none.
CREATE FUNCTION never_emptied() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the table % is never emptied', TG_TABLE_NAME
    USING ERRCODE = 'restrict_violation';
END $$;

CREATE TRIGGER payment_never_emptied BEFORE TRUNCATE ON payment
  FOR EACH STATEMENT EXECUTE FUNCTION never_emptied();
CREATE TRIGGER payment_event_never_emptied BEFORE TRUNCATE ON payment_event
  FOR EACH STATEMENT EXECUTE FUNCTION never_emptied();
CREATE TRIGGER refund_never_emptied BEFORE TRUNCATE ON refund
  FOR EACH STATEMENT EXECUTE FUNCTION never_emptied();
