-- Payments and their refunds. Whatever the code does, the database refuses what would lose or invent
-- money: an illegal state change, a changed identity, a deleted row, a due refund that is not queued, a
-- second refund, the refund of a delivered answer. The owner of the tables could still drop a guard or
-- write to payment_event, so the service and the worker use roles that own nothing.

CREATE TABLE payment (
  -- Identity: what the payer signed, and the request it was first presented for. It never changes.
  payment_id text PRIMARY KEY CHECK (payment_id ~ '^0x[0-9a-f]{64}$'),
  chain_id bigint NOT NULL CHECK (chain_id > 0),
  asset text NOT NULL CHECK (asset ~ '^0x[0-9a-f]{40}$'),
  token_name text NOT NULL,
  token_version text NOT NULL,
  payer text NOT NULL CHECK (payer ~ '^0x[0-9a-f]{40}$'),
  nonce text NOT NULL CHECK (nonce ~ '^0x[0-9a-f]{64}$'),
  pay_to text NOT NULL CHECK (pay_to ~ '^0x[0-9a-f]{40}$' AND pay_to <> payer),
  -- Atomic units of the token.
  amount bigint NOT NULL CHECK (amount > 0),
  -- Seconds since the epoch, as in the token contract.
  valid_after bigint NOT NULL,
  valid_before bigint NOT NULL,
  signature text NOT NULL CHECK (signature ~ '^0x[0-9a-f]{130}$'),
  settlement text NOT NULL CHECK (settlement IN ('compute-first', 'settle-early')),
  product_id text NOT NULL,
  request text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),

  -- The fence increases with every claim.
  state text NOT NULL,
  reason text,
  fence integer NOT NULL DEFAULT 1 CHECK (fence > 0),
  lease_until timestamptz,
  -- Hash of a secret that only the first caller knows; changes only with a new claim.
  secret_hash text,
  changed_at timestamptz NOT NULL DEFAULT now(),

  -- The intent to settle, stored before the facilitator is called.
  intended_at timestamptz,
  transaction_hint text,
  -- The transfer as read from the chain.
  paid_transaction text,
  paid_block bigint,
  paid_log_index integer,
  paid_finality text CHECK (paid_finality IN ('latest', 'safe')),

  answer_body bytea,
  answered_at timestamptz,
  sent_at timestamptz,

  UNIQUE (chain_id, asset, payer, nonce),
  UNIQUE (payment_id, payer, amount, asset, chain_id),
  CHECK (state IN ('claimed', 'released', 'settling', 'unresolved', 'settled', 'answered',
    'refund_due', 'refunded', 'void')),
  CHECK (state NOT IN ('claimed', 'settling', 'settled') OR lease_until IS NOT NULL),
  CHECK (state NOT IN ('settling', 'unresolved', 'settled', 'answered') OR intended_at IS NOT NULL),
  CHECK (state NOT IN ('settling', 'unresolved') OR settlement = 'settle-early'
    OR answer_body IS NOT NULL),
  CHECK (state NOT IN ('settled', 'answered', 'refund_due', 'refunded')
    OR (paid_transaction IS NOT NULL AND paid_block IS NOT NULL AND paid_log_index IS NOT NULL
      AND paid_finality IS NOT NULL)),
  -- The body may be deleted after the answer was delivered, not before.
  CHECK (state <> 'answered' OR (answered_at IS NOT NULL
    AND (answer_body IS NOT NULL OR sent_at IS NOT NULL))),
  -- No answer is stored once a refund is due, or when nothing was charged.
  CHECK (state NOT IN ('claimed', 'released', 'refund_due', 'refunded', 'void')
    OR (answer_body IS NULL AND sent_at IS NULL))
) WITH (fillfactor = 70);

-- The rows that the sweep reads; they are few at any time.
CREATE INDEX payment_waiting ON payment (changed_at)
  WHERE state IN ('claimed', 'released', 'settling', 'unresolved', 'settled');
CREATE INDEX payment_unsent ON payment (answered_at) WHERE state = 'answered' AND sent_at IS NULL;
CREATE INDEX payment_owed ON payment (changed_at) WHERE state = 'refund_due';

CREATE FUNCTION payment_guard() RETURNS trigger LANGUAGE plpgsql AS $$
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

  -- The answer is stored with a state change and may be deleted later. It is never replaced: the payer
  -- is charged for the answer that was stored before the facilitator was called.
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

  -- The transfer on the chain is stored with the state change it causes. It may change in two cases:
  -- its block becomes safe from reorganisation, or a payment recorded as void was paid after all.
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

CREATE TRIGGER payment_guard BEFORE UPDATE OR DELETE ON payment
  FOR EACH ROW EXECUTE FUNCTION payment_guard();

CREATE FUNCTION payment_born() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- An unmatched transfer is inserted as refund_due: the chain shows it, and no call presented it.
  IF NEW.state NOT IN ('claimed', 'refund_due') THEN
    RAISE EXCEPTION 'a payment cannot begin as %', NEW.state USING ERRCODE = 'restrict_violation';
  END IF;
  -- Only an unmatched transfer has happened before its row is inserted.
  IF NEW.intended_at IS NOT NULL OR NEW.answered_at IS NOT NULL OR (NEW.state = 'claimed'
    AND (NEW.paid_transaction, NEW.paid_block, NEW.paid_log_index, NEW.paid_finality)
      IS DISTINCT FROM (NULL, NULL, NULL, NULL)) THEN
    RAISE EXCEPTION 'a payment begins with nothing but its claim'
      USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER payment_born BEFORE INSERT ON payment
  FOR EACH ROW EXECUTE FUNCTION payment_born();

-- Every state change of each payment, in order; a replay gives the state of the row. Written by
-- triggers.
CREATE TABLE payment_event (
  event_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  payment_id text NOT NULL REFERENCES payment,
  from_state text,
  to_state text NOT NULL,
  fence integer NOT NULL,
  reason text,
  at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX payment_event_by_payment ON payment_event (payment_id, event_id);

CREATE FUNCTION payment_log() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO payment_event (payment_id, from_state, to_state, fence, reason)
  VALUES (NEW.payment_id, CASE TG_OP WHEN 'UPDATE' THEN OLD.state END, NEW.state, NEW.fence,
    NEW.reason);
  RETURN NULL;
END $$;

CREATE TRIGGER payment_log_born AFTER INSERT ON payment
  FOR EACH ROW EXECUTE FUNCTION payment_log();
CREATE TRIGGER payment_log_moved AFTER UPDATE ON payment
  FOR EACH ROW WHEN (OLD.state <> NEW.state) EXECUTE FUNCTION payment_log();

CREATE FUNCTION payment_event_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'what happened is never rewritten' USING ERRCODE = 'restrict_violation';
END $$;

CREATE TRIGGER payment_event_guard BEFORE UPDATE OR DELETE ON payment_event
  FOR EACH ROW EXECUTE FUNCTION payment_event_guard();

-- At most one refund per payment, of the same amount and to its payer, by the foreign key. A refund is
-- an EIP-3009 authorization, so the token contract pays it at most once, whatever happens here.
CREATE TABLE refund (
  payment_id text PRIMARY KEY,
  payer text NOT NULL,
  amount bigint NOT NULL,
  asset text NOT NULL,
  chain_id bigint NOT NULL,
  reason text NOT NULL,
  state text NOT NULL DEFAULT 'queued'
    CHECK (state IN ('queued', 'signed', 'broadcast', 'confirmed', 'cancelled', 'stuck')),
  treasury text CHECK (treasury ~ '^0x[0-9a-f]{40}$'),
  refund_nonce text CHECK (refund_nonce ~ '^0x[0-9a-f]{64}$'),
  valid_before bigint,
  signature text,
  transaction text,
  attempts integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz NOT NULL DEFAULT now(),
  lease_owner text,
  lease_until timestamptz,
  last_error text,
  created_at timestamptz NOT NULL DEFAULT now(),
  changed_at timestamptz NOT NULL DEFAULT now(),
  FOREIGN KEY (payment_id, payer, amount, asset, chain_id)
    REFERENCES payment (payment_id, payer, amount, asset, chain_id),
  UNIQUE (treasury, refund_nonce),
  CHECK (state NOT IN ('signed', 'broadcast', 'confirmed')
    OR (treasury IS NOT NULL AND refund_nonce IS NOT NULL AND valid_before IS NOT NULL
      AND signature IS NOT NULL)),
  CHECK (state <> 'confirmed' OR transaction IS NOT NULL)
);
CREATE INDEX refund_open ON refund (next_attempt_at)
  WHERE state IN ('queued', 'signed', 'broadcast');

CREATE FUNCTION refund_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    RAISE EXCEPTION 'a refund is never deleted' USING ERRCODE = 'restrict_violation';
  END IF;
  IF (NEW.payment_id, NEW.payer, NEW.amount, NEW.asset, NEW.chain_id, NEW.created_at)
    IS DISTINCT FROM
     (OLD.payment_id, OLD.payer, OLD.amount, OLD.asset, OLD.chain_id, OLD.created_at)
    OR (OLD.treasury IS NOT NULL AND NEW.treasury IS DISTINCT FROM OLD.treasury)
    OR (OLD.refund_nonce IS NOT NULL AND NEW.refund_nonce IS DISTINCT FROM OLD.refund_nonce) THEN
    RAISE EXCEPTION 'the identity of a refund never changes' USING ERRCODE = 'restrict_violation';
  END IF;
  IF NEW.state <> OLD.state AND NOT (OLD.state || ' ' || NEW.state = ANY (ARRAY[
      'queued signed', 'queued cancelled', 'queued stuck',
      'signed broadcast', 'signed confirmed', 'signed stuck',
      'broadcast signed', 'broadcast confirmed', 'broadcast stuck',
      'stuck queued', 'stuck signed', 'stuck confirmed',
      'cancelled queued'])) THEN
    RAISE EXCEPTION 'a refund cannot go from % to %', OLD.state, NEW.state
      USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER refund_guard BEFORE UPDATE OR DELETE ON refund
  FOR EACH ROW EXECUTE FUNCTION refund_guard();

-- At commit: a due payment has a queued refund, a refunded one a confirmed refund, and no other payment
-- has a refund.
CREATE FUNCTION refund_agrees() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  payment_state text;
  refund_state text;
BEGIN
  SELECT state INTO payment_state FROM payment WHERE payment_id = NEW.payment_id;
  SELECT state INTO refund_state FROM refund WHERE payment_id = NEW.payment_id;
  IF NOT (CASE payment_state
      WHEN 'refund_due' THEN coalesce(refund_state NOT IN ('cancelled'), false)
      WHEN 'refunded' THEN coalesce(refund_state = 'confirmed', false)
      WHEN 'void' THEN coalesce(refund_state = 'cancelled', true)
      ELSE refund_state IS NULL END) THEN
    RAISE EXCEPTION 'a payment that is % does not go with a refund that is %', payment_state,
      coalesce(refund_state, 'missing') USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NULL;
END $$;

CREATE CONSTRAINT TRIGGER payment_refund_agrees AFTER INSERT OR UPDATE ON payment
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (NEW.state IN ('refund_due', 'refunded', 'void'))
  EXECUTE FUNCTION refund_agrees();
CREATE CONSTRAINT TRIGGER refund_payment_agrees AFTER INSERT OR UPDATE ON refund
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refund_agrees();

-- The row triggers above do not fire on TRUNCATE.
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
