-- Renames tables, columns, functions and triggers to plain technical terms, one refund state
-- to 'needs_review', and comments the schema. Every guard checks what it checked before.
--
-- Stop the service and the refund workers for this one migration. A process of the previous version uses
-- the old names, and fails on its first statement after the migration.

-- Wallet activity: the venue's word is "activity event".
ALTER TYPE whale_act_kind RENAME TO whale_activity_kind;
ALTER TABLE whale_act RENAME TO whale_activity;
ALTER TABLE whale_activity RENAME CONSTRAINT whale_act_pkey TO whale_activity_pkey;
ALTER TABLE whale_activity RENAME COLUMN acted_at TO activity_at_ms;
ALTER TABLE whale_stale RENAME COLUMN acted_at TO activity_at_ms;
ALTER TABLE whale_wallet RENAME COLUMN acts TO activity_count;
ALTER TABLE whale_position RENAME COLUMN acts_version TO activity_version;
ALTER TABLE whale_position RENAME COLUMN made_version TO entries_version;
ALTER TABLE whale_market RENAME COLUMN facts_asked_at TO facts_requested_at;
ALTER TABLE whale_market RENAME COLUMN asked_at TO requested_at;
ALTER TABLE whale_market RENAME COLUMN told_at TO resolution_learned_at;

-- The other stores of the feed's products.
ALTER TABLE news_source RENAME COLUMN asked_at TO requested_at;
ALTER TABLE news_source RENAME COLUMN answered_at TO responded_at;
ALTER TABLE detection RENAME COLUMN told TO published;
UPDATE detection SET verdict = 'published' WHERE verdict = 'told';
ALTER INDEX detection_untold RENAME TO detection_unpublished;
ALTER TABLE score_market RENAME COLUMN told TO outcome_published;
ALTER TABLE score_market RENAME COLUMN last_look_at TO last_mover_at;
ALTER TABLE score_market RENAME COLUMN asked_at TO requested_at;
ALTER INDEX score_market_told RENAME TO score_market_unresolved;
ALTER TABLE a2a_task RENAME COLUMN gives_way TO eviction_order;
ALTER TABLE a2a_task RENAME COLUMN place TO sequence_number;
ALTER SEQUENCE a2a_task_place_seq RENAME TO a2a_task_sequence_number_seq;
ALTER INDEX a2a_task_turn RENAME TO a2a_task_eviction;

CREATE OR REPLACE FUNCTION feed_append(items json) RETURNS SETOF feed_item LANGUAGE plpgsql AS $$
DECLARE
  counter bigint;
  added bigint;
BEGIN
  SELECT last_index INTO STRICT counter FROM feed_counter FOR UPDATE;
  RETURN QUERY
    WITH incoming AS (
      SELECT DISTINCT ON (i.dedupe_key) i.*
      FROM ROWS FROM (json_to_recordset(items)
        AS (dedupe_key text, type text, created_at timestamptz, title text, data json))
        WITH ORDINALITY AS i (dedupe_key, type, created_at, title, data, item_number)
      ORDER BY i.dedupe_key, i.item_number
    )
    INSERT INTO feed_item (feed_index, dedupe_key, type, created_at, title, data)
    SELECT counter + row_number() OVER (ORDER BY item_number),
      i.dedupe_key, i.type, i.created_at, i.title, i.data
    FROM incoming i
    -- One index lookup for each key, whatever the planner's row estimate is.
    WHERE (SELECT true FROM feed_item other WHERE other.dedupe_key = i.dedupe_key LIMIT 1) IS NULL
    RETURNING *;
  GET DIAGNOSTICS added = ROW_COUNT;
  IF added > 0 THEN
    UPDATE feed_counter SET last_index = counter + added;
  END IF;
END
$$;

-- Rate limits. `test_now_ms` replaces the clock in tests.
ALTER TABLE rate_grant RENAME COLUMN place TO ring_index;
ALTER TABLE rate_key RENAME COLUMN next TO next_grant;
ALTER TABLE rate_key RENAME COLUMN oldest TO oldest_grant;
DROP FUNCTION rate_take(text, text, integer, bigint, bigint);
CREATE FUNCTION rate_take(
  policy_name text, client_key text, grants_max integer, window_ms bigint, test_now_ms bigint,
  OUT granted boolean, OUT remaining integer, OUT reset_ms bigint
) LANGUAGE plpgsql AS $$
DECLARE
  ring rate_key%ROWTYPE;
  now_ms bigint;
  since_ms bigint;
  oldest_ms bigint;
  low bigint;
  high bigint;
  middle bigint;
BEGIN
  LOOP
    SELECT * INTO ring FROM rate_key WHERE policy = policy_name AND key = client_key FOR UPDATE;
    EXIT WHEN FOUND;
    INSERT INTO rate_key (policy, key) VALUES (policy_name, client_key) ON CONFLICT DO NOTHING;
  END LOOP;
  -- Read after the row is locked, so that the grants of one key are in order of time.
  now_ms := greatest(ring.newest_ms,
    coalesce(test_now_ms, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint));
  since_ms := now_ms - window_ms;

  IF ring.newest_ms <= since_ms THEN
    ring.oldest_grant := ring.next_grant;
  END IF;
  IF ring.oldest_grant < ring.next_grant THEN
    SELECT at_ms INTO oldest_ms FROM rate_grant
      WHERE key_id = ring.key_id AND ring_index = ring.oldest_grant % grants_max;
    IF oldest_ms <= since_ms THEN
      -- Binary search for the first grant inside the window.
      low := ring.oldest_grant + 1;
      high := ring.next_grant - 1;
      WHILE low < high LOOP
        middle := (low + high) / 2;
        SELECT at_ms INTO oldest_ms FROM rate_grant
          WHERE key_id = ring.key_id AND ring_index = middle % grants_max;
        IF oldest_ms <= since_ms THEN low := middle + 1; ELSE high := middle; END IF;
      END LOOP;
      ring.oldest_grant := low;
      SELECT at_ms INTO oldest_ms FROM rate_grant
        WHERE key_id = ring.key_id AND ring_index = ring.oldest_grant % grants_max;
    END IF;
  END IF;

  granted := ring.next_grant - ring.oldest_grant < grants_max;
  IF granted THEN
    INSERT INTO rate_grant (key_id, ring_index, at_ms)
      VALUES (ring.key_id, ring.next_grant % grants_max, now_ms)
      ON CONFLICT (key_id, ring_index) DO UPDATE SET at_ms = excluded.at_ms;
    ring.next_grant := ring.next_grant + 1;
    UPDATE rate_key SET next_grant = ring.next_grant, oldest_grant = ring.oldest_grant,
      newest_ms = now_ms WHERE key_id = ring.key_id;
  END IF;
  remaining := grants_max - (ring.next_grant - ring.oldest_grant);
  reset_ms := coalesce(oldest_ms, now_ms) + window_ms - now_ms;
END
$$;

-- Payments.
ALTER INDEX payment_owed RENAME TO payment_refund_due;
ALTER INDEX payment_liable RENAME TO payment_liability;
ALTER TABLE payment RENAME CONSTRAINT payment_check1 TO payment_lease_required;
ALTER TABLE payment RENAME CONSTRAINT payment_check2 TO payment_intent_required;
ALTER TABLE payment RENAME CONSTRAINT payment_check3 TO payment_answer_before_settlement;
ALTER TABLE payment RENAME CONSTRAINT payment_check4 TO payment_transfer_required;
ALTER TABLE payment RENAME CONSTRAINT payment_check5 TO payment_answer_until_delivered;
ALTER TABLE payment RENAME CONSTRAINT payment_check6 TO payment_no_answer_unless_charged;

CREATE OR REPLACE FUNCTION payment_guard() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  state_changes boolean;
  transfer_changes boolean;
BEGIN
  IF TG_OP = 'DELETE' THEN
    RAISE EXCEPTION 'a payment row cannot be deleted' USING ERRCODE = 'restrict_violation';
  END IF;
  IF (NEW.payment_id, NEW.chain_id, NEW.asset, NEW.token_name, NEW.token_version, NEW.payer,
      NEW.nonce, NEW.pay_to, NEW.amount, NEW.valid_after, NEW.valid_before, NEW.signature,
      NEW.settlement, NEW.product_id, NEW.request, NEW.created_at)
    IS DISTINCT FROM
     (OLD.payment_id, OLD.chain_id, OLD.asset, OLD.token_name, OLD.token_version, OLD.payer,
      OLD.nonce, OLD.pay_to, OLD.amount, OLD.valid_after, OLD.valid_before, OLD.signature,
      OLD.settlement, OLD.product_id, OLD.request, OLD.created_at) THEN
    RAISE EXCEPTION 'the identity columns of a payment cannot change'
      USING ERRCODE = 'restrict_violation';
  END IF;

  state_changes := NEW.state <> OLD.state;
  IF state_changes AND NOT (OLD.state || ' ' || NEW.state = ANY (ARRAY[
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

  IF state_changes AND OLD.sent_at IS NOT NULL THEN
    RAISE EXCEPTION 'a payment cannot change state after its answer was delivered'
      USING ERRCODE = 'restrict_violation';
  END IF;
  IF NEW.sent_at IS DISTINCT FROM OLD.sent_at
    AND (state_changes OR OLD.state <> 'answered' OR OLD.sent_at IS NOT NULL) THEN
    RAISE EXCEPTION 'sent_at can be set once, while the payment is answered'
      USING ERRCODE = 'restrict_violation';
  END IF;

  -- The answer is stored with a state change and may be erased later. It is never replaced: the payer
  -- is charged for the answer that was stored before settlement was requested.
  IF NEW.answer_body IS DISTINCT FROM OLD.answer_body AND NEW.answer_body IS NOT NULL
    AND (OLD.answer_body IS NOT NULL OR NOT state_changes) THEN
    RAISE EXCEPTION 'answer_body can be set once, with a state change'
      USING ERRCODE = 'restrict_violation';
  END IF;
  IF NEW.intended_at IS DISTINCT FROM OLD.intended_at
    AND NOT (state_changes AND NEW.state = 'settling' AND OLD.intended_at IS NULL) THEN
    RAISE EXCEPTION 'intended_at can be set once, with the change to settling'
      USING ERRCODE = 'restrict_violation';
  END IF;
  IF NEW.answered_at IS DISTINCT FROM OLD.answered_at
    AND NOT (state_changes AND NEW.state = 'answered' AND OLD.answered_at IS NULL) THEN
    RAISE EXCEPTION 'answered_at can be set once, with the change to answered'
      USING ERRCODE = 'restrict_violation';
  END IF;

  -- The transfer on the chain is stored with the state change it causes. It may change in two cases:
  -- its block becomes safe from reorganisation, or a payment recorded as void was paid after all.
  transfer_changes := (NEW.paid_transaction, NEW.paid_block, NEW.paid_log_index, NEW.paid_finality)
    IS DISTINCT FROM
    (OLD.paid_transaction, OLD.paid_block, OLD.paid_log_index, OLD.paid_finality);
  IF transfer_changes AND NOT coalesce(
    CASE
      WHEN OLD.paid_transaction IS NULL
        THEN state_changes AND NEW.state IN ('settled', 'answered', 'refund_due')
      WHEN state_changes AND OLD.state = 'void' THEN true
      ELSE OLD.paid_finality = 'latest' AND NEW.paid_finality = 'safe'
        AND NEW.state IN ('settled', 'answered', 'refund_due', 'refunded')
    END, false) THEN
    RAISE EXCEPTION 'the recorded transfer of a payment cannot be changed here'
      USING ERRCODE = 'restrict_violation';
  END IF;

  IF NEW.fence <> OLD.fence + (OLD.state = 'released' AND NEW.state = 'claimed')::int THEN
    RAISE EXCEPTION 'the fence of a payment increases by one with every claim and never else'
      USING ERRCODE = 'restrict_violation';
  END IF;
  IF NEW.secret_hash IS DISTINCT FROM OLD.secret_hash AND NEW.fence = OLD.fence THEN
    RAISE EXCEPTION 'secret_hash can change only with a claim' USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END $$;

-- One trigger instead of four, with the checks in the same order.
DROP TRIGGER payment_born ON payment;
DROP TRIGGER payment_born_of_its_amount ON payment;
DROP TRIGGER payment_born_well_formed ON payment;
DROP TRIGGER payment_born_whole ON payment;
DROP FUNCTION payment_born();
DROP FUNCTION payment_born_of_its_amount();
DROP FUNCTION payment_born_well_formed();
DROP FUNCTION payment_born_whole();

CREATE FUNCTION payment_before_insert() RETURNS trigger LANGUAGE plpgsql AS $$
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
    AND coalesce(NEW.signature ~ '^0x[0-9a-f]{130}$', true)
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

CREATE TRIGGER payment_before_insert BEFORE INSERT ON payment
  FOR EACH ROW EXECUTE FUNCTION payment_before_insert();

ALTER FUNCTION payment_paid_amount() RENAME TO payment_paid_amount_guard;
CREATE OR REPLACE FUNCTION payment_paid_amount_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.state = 'refund_due' OR NEW.state <> 'refund_due'
    OR NEW.paid_amount <= 0 OR NEW.paid_amount = NEW.amount THEN
    RAISE EXCEPTION 'paid_amount can be set only with the change to refund_due, to another positive amount'
      USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END $$;
ALTER TRIGGER payment_paid_amount ON payment RENAME TO payment_paid_amount_guard;

-- The event log, written by triggers with the rights of the tables' owner.
DROP TRIGGER payment_log_born ON payment;
DROP TRIGGER payment_log_moved ON payment;
DROP FUNCTION payment_log_born();
DROP FUNCTION payment_log_moved();
DO $outer$
BEGIN
  EXECUTE format($create$
    CREATE FUNCTION %1$I.log_payment_insert() RETURNS trigger LANGUAGE plpgsql
      SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
    BEGIN
      INSERT INTO %1$I.payment_event (payment_id, to_state, fence, reason)
      SELECT payment_id, state, fence, reason FROM new_rows;
      RETURN NULL;
    END $body$
  $create$, current_schema());
  EXECUTE format($create$
    CREATE FUNCTION %1$I.log_payment_update() RETURNS trigger LANGUAGE plpgsql
      SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
    BEGIN
      INSERT INTO %1$I.payment_event (payment_id, from_state, to_state, fence, reason)
      SELECT payment_id, old_rows.state, new_rows.state, new_rows.fence, new_rows.reason
      FROM new_rows JOIN old_rows USING (payment_id) WHERE new_rows.state <> old_rows.state;
      RETURN NULL;
    END $body$
  $create$, current_schema());
END $outer$;

CREATE TRIGGER log_payment_insert AFTER INSERT ON payment
  REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION log_payment_insert();
CREATE TRIGGER log_payment_update AFTER UPDATE ON payment
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION log_payment_update();

CREATE OR REPLACE FUNCTION payment_event_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'a payment_event row cannot be changed or deleted'
    USING ERRCODE = 'restrict_violation';
END $$;

-- Refunds. The triggers of the table are off while the state is renamed: refund_guard would refuse the
-- change, and the deferred trigger would leave an event pending, which forbids ALTER TABLE.
ALTER TABLE refund DISABLE TRIGGER USER;
ALTER TABLE refund DROP CONSTRAINT refund_state_check;
DROP INDEX refund_due;
UPDATE refund SET last_error = 'needs_review' WHERE last_error = 'stuck';
UPDATE refund SET state = 'needs_review' WHERE state = 'stuck';
ALTER TABLE refund ADD CONSTRAINT refund_state_check
  CHECK (state IN ('queued', 'signed', 'broadcast', 'confirmed', 'cancelled', 'needs_review'));
-- Refunds that need review are checked too, but rarely: the chain may have paid them after all.
CREATE INDEX refund_due ON refund (next_attempt_at)
  WHERE state IN ('queued', 'signed', 'broadcast', 'needs_review');
ALTER TABLE refund RENAME CONSTRAINT refund_signed TO refund_signature_required;
ALTER TABLE refund RENAME CONSTRAINT refund_signed_whole TO refund_signature_complete;
ALTER TABLE refund RENAME CONSTRAINT refund_signature_form TO refund_signature_format;
ALTER TABLE refund RENAME CONSTRAINT refund_confirmed TO refund_confirmed_with_transfer;
ALTER TABLE refund RENAME CONSTRAINT refund_confirmed_whole TO refund_confirmed_with_treasury;
ALTER TABLE refund ENABLE TRIGGER USER;

CREATE OR REPLACE FUNCTION refund_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    RAISE EXCEPTION 'a refund row cannot be deleted' USING ERRCODE = 'restrict_violation';
  END IF;
  -- The amount may change while no refund was ever signed: when a cancelled refund is queued again.
  -- The treasury and the nonce make the token contract pay the refund at most once.
  IF (NEW.payment_id, NEW.payer, NEW.asset, NEW.chain_id, NEW.created_at)
    IS DISTINCT FROM (OLD.payment_id, OLD.payer, OLD.asset, OLD.chain_id, OLD.created_at)
    OR (NEW.amount <> OLD.amount
      AND NOT (OLD.state = 'cancelled' AND NEW.state = 'queued' AND OLD.treasury IS NULL))
    OR (OLD.treasury IS NOT NULL AND NEW.treasury IS DISTINCT FROM OLD.treasury)
    OR (OLD.refund_nonce IS NOT NULL AND NEW.refund_nonce IS DISTINCT FROM OLD.refund_nonce) THEN
    RAISE EXCEPTION 'the identity columns of a refund cannot change'
      USING ERRCODE = 'restrict_violation';
  END IF;
  IF OLD.state = 'confirmed' THEN
    RAISE EXCEPTION 'a confirmed refund cannot change' USING ERRCODE = 'restrict_violation';
  END IF;
  IF NEW.state <> OLD.state AND NOT (OLD.state || ' ' || NEW.state = ANY (ARRAY[
      'queued signed', 'queued confirmed', 'queued cancelled', 'queued needs_review',
      'signed broadcast', 'signed confirmed', 'signed needs_review',
      'broadcast signed', 'broadcast confirmed', 'broadcast needs_review',
      'needs_review queued', 'needs_review confirmed',
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
  IF NEW.fence < OLD.fence THEN
    RAISE EXCEPTION 'the fence of a refund cannot decrease' USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END $$;

ALTER FUNCTION refund_born() RENAME TO refund_before_insert;
CREATE OR REPLACE FUNCTION refund_before_insert() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.state <> 'queued' OR num_nonnulls(NEW.treasury, NEW.refund_nonce, NEW.signature,
      NEW.transaction) > 0 THEN
    RAISE EXCEPTION 'a refund must be inserted as queued, without signature and transaction'
      USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END $$;
ALTER TRIGGER refund_born ON refund RENAME TO refund_before_insert;

ALTER FUNCTION payment_owed() RENAME TO queue_refund;
CREATE OR REPLACE FUNCTION queue_refund() RETURNS trigger LANGUAGE plpgsql
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
ALTER TRIGGER payment_owed_born ON payment RENAME TO queue_refund_on_insert;
ALTER TRIGGER payment_owed_moved ON payment RENAME TO queue_refund_on_update;

ALTER FUNCTION refund_ended() RENAME TO finish_refunded_payment;
CREATE OR REPLACE FUNCTION finish_refunded_payment() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  -- As in queue_refund: the schema of the refunds first, and pg_temp last.
  PERFORM set_config('search_path', format('%I, pg_temp', TG_TABLE_SCHEMA), true);
  UPDATE payment
  SET state = CASE NEW.state WHEN 'confirmed' THEN 'refunded' ELSE 'void' END,
    reason = CASE NEW.state WHEN 'confirmed' THEN reason ELSE NEW.last_error END,
    changed_at = clock_timestamp()
  WHERE payment_id = NEW.payment_id AND state = 'refund_due';
  RETURN NULL;
END $$;
ALTER TRIGGER refund_ended ON refund RENAME TO finish_refunded_payment;

ALTER FUNCTION payment_repaid() RENAME TO payment_refund_guard;
CREATE OR REPLACE FUNCTION payment_refund_guard() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  refund_state text;
BEGIN
  EXECUTE format('SELECT state FROM %I.refund WHERE payment_id = $1', TG_TABLE_SCHEMA)
    INTO refund_state USING NEW.payment_id;
  IF refund_state IS DISTINCT FROM
    (CASE NEW.state WHEN 'refunded' THEN 'confirmed' ELSE 'cancelled' END) THEN
    RAISE EXCEPTION 'a payment cannot become % while its refund is %', NEW.state,
      coalesce(refund_state, 'missing') USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END $$;
ALTER TRIGGER payment_repaid ON payment RENAME TO payment_refund_guard;

ALTER FUNCTION refund_agrees() RENAME TO refund_matches_payment;
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
      WHEN 'refunded' THEN coalesce(refund_state = 'confirmed', false)
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
ALTER TRIGGER payment_refund_agrees ON payment RENAME TO payment_matches_refund;
ALTER TRIGGER refund_payment_agrees ON refund RENAME TO refund_matches_payment;

CREATE OR REPLACE FUNCTION refund_treasury_guard() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  later_terms bigint;
BEGIN
  IF TG_OP <> 'INSERT' THEN
    RAISE EXCEPTION 'a refund_treasury row cannot be changed or deleted'
      USING ERRCODE = 'restrict_violation';
  END IF;
  EXECUTE format('SELECT count(*) FROM %I.refund_treasury
      WHERE $1 IS NULL OR coalesce(after_block, -1) >= $1', TG_TABLE_SCHEMA)
    INTO later_terms USING NEW.after_block;
  IF later_terms > 0 THEN
    RAISE EXCEPTION 'a treasury must start after every treasury before it'
      USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END $$;

ALTER FUNCTION never_emptied() RENAME TO forbid_truncate;
CREATE OR REPLACE FUNCTION forbid_truncate() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the table % cannot be truncated', TG_TABLE_NAME
    USING ERRCODE = 'restrict_violation';
END $$;
ALTER TRIGGER payment_never_emptied ON payment RENAME TO payment_forbid_truncate;
ALTER TRIGGER payment_event_never_emptied ON payment_event RENAME TO payment_event_forbid_truncate;
ALTER TRIGGER refund_never_emptied ON refund RENAME TO refund_forbid_truncate;
ALTER TRIGGER refund_treasury_never_emptied ON refund_treasury
  RENAME TO refund_treasury_forbid_truncate;

-- Comments of the schema, in one statement to save a hundred round trips.
DO $$
BEGIN
  COMMENT ON TABLE a2a_task IS 'Tasks of /a2a, shared by all replicas and kept for minutes.';
  COMMENT ON COLUMN a2a_task.client IS 'Whom the task counts against in the limits.';
  COMMENT ON COLUMN a2a_task.version IS
    'Increases with every change; each change is a compare-and-set on it.';
  COMMENT ON COLUMN a2a_task.sequence_number IS 'The order in which tasks were opened.';
  COMMENT ON COLUMN a2a_task.eviction_order IS
    'Tasks with the lowest number are deleted first when there are too many.';
  COMMENT ON TABLE chain_scan IS
    'The range of blocks read for transfers to each pay_to address: (after_block, through_block].';
  COMMENT ON TABLE detection IS
    'The last review of each market as a candidate for an already decided outcome.';
  COMMENT ON COLUMN detection.evidence_key IS
    'Identifies the evidence of the last question to the model; null if there was none.';
  COMMENT ON COLUMN detection.verdict IS 'Why no item was published, or that one was.';
  COMMENT ON COLUMN detection.published IS
    'An item was published. Kept for ever, so that a market is published once.';
  COMMENT ON TABLE digest IS 'One digest for each slot of four hours.';
  COMMENT ON COLUMN digest.until_at IS 'The end of the period it covers.';
  COMMENT ON COLUMN digest.feed_index IS
    'The newest feed item it covers; the next digest starts after it.';
  COMMENT ON TABLE feed_counter IS
    'The last feed index. Locked by every append, so that items are committed in index order without gaps.';
  COMMENT ON TABLE feed_item IS 'The items of the feed.';
  COMMENT ON COLUMN feed_item.data IS 'json and not jsonb: the text is served as it was written.';
  COMMENT ON TABLE headline IS 'Headlines of the last week.';
  COMMENT ON TABLE news_source IS
    'When each news source was last requested, and when it last responded.';
  COMMENT ON TABLE job IS
    'Scheduled jobs. The fence increases with every claim of any slot of the job.';
  COMMENT ON TABLE job_slot IS
    'The scheduled runs of each job, with the lease of the replica that runs them.';
  COMMENT ON TABLE market IS
    'Facts of each market. They rarely change, so they are stored apart from market_quote.';
  COMMENT ON TABLE market_quote IS
    'Volume, liquidity and best prices of each market; rewritten with every listing.';
  COMMENT ON TABLE mid_series IS 'One series of mid prices for each market, under a short key.';
  COMMENT ON COLUMN mid_series.seeded_at IS 'When its history was fetched from the venue.';
  COMMENT ON TABLE mid_hour IS
    'One hour of a series: the n-th offset belongs to the n-th mid. Not in order of time.';
  COMMENT ON COLUMN mid_hour.hour IS 'Whole hours since the epoch.';
  COMMENT ON COLUMN mid_hour.offsets_ms IS 'Milliseconds since the start of the hour.';
  COMMENT ON TABLE payment IS 'Every payment, its state, and the answer that was sold.';
  COMMENT ON COLUMN payment.amount IS 'Atomic units of the token, as the payer signed them.';
  COMMENT ON COLUMN payment.valid_after IS 'Seconds since the epoch, as in the token contract.';
  COMMENT ON COLUMN payment.valid_before IS 'Seconds since the epoch, as in the token contract.';
  COMMENT ON COLUMN payment.signature IS 'Null for an unmatched transfer: no call presented it.';
  COMMENT ON COLUMN payment.fence IS 'Increases with every claim.';
  COMMENT ON COLUMN payment.secret_hash IS 'Hash of a secret that only the first caller knows.';
  COMMENT ON COLUMN payment.intended_at IS
    'When the intent to settle was stored, before the facilitator is called.';
  COMMENT ON COLUMN payment.transaction_hint IS
    'The transaction the facilitator named; not verified on the chain.';
  COMMENT ON COLUMN payment.paid_transaction IS 'The transfer as read from the chain.';
  COMMENT ON COLUMN payment.paid_amount IS
    'What was paid, if it is not the agreed amount; this is what is refunded.';
  COMMENT ON COLUMN payment.sent_at IS
    'When the answer was delivered. After this the payment cannot be refunded.';
  COMMENT ON TABLE payment_event IS
    'Every state change of every payment, in order. Written by triggers only.';
  COMMENT ON TABLE rate_key IS
    'The rate-limit log: a ring of grants for each policy and key. Unlogged: a crash of the database loses at most one window.';
  COMMENT ON COLUMN rate_key.next_grant IS
    'The number of the next grant, which is also the number of grants made.';
  COMMENT ON COLUMN rate_key.oldest_grant IS 'The oldest grant that may still be inside a window.';
  COMMENT ON TABLE rate_grant IS
    'Grants of the rate limits. Grant n is stored at ring_index n % limit.';
  COMMENT ON TABLE refund IS
    'At most one refund for each payment. Each is an EIP-3009 authorization, so the token contract pays it at most once.';
  COMMENT ON COLUMN refund.fence IS
    'Increases with every claim of a worker, so that one whose lease has expired cannot write.';
  COMMENT ON COLUMN refund.signed_at IS
    'When it was last signed; the hourly and daily caps sum over it.';
  COMMENT ON COLUMN refund.transaction IS 'The transaction as read from the chain.';
  COMMENT ON COLUMN refund.transaction_hint IS
    'The transaction the facilitator named; not verified on the chain.';
  COMMENT ON TABLE refund_treasury IS
    'Which treasury refunds which payments, by the block of the payment. Never changed: a second treasury must not refund what the first has refunded.';
  COMMENT ON COLUMN refund_treasury.after_block IS
    'It refunds payments of later blocks, up to the after_block of the next treasury. Null for the first.';
  COMMENT ON TABLE research_report IS
    'Research reports, shared by all replicas: one row for each generation of a market''s report.';
  COMMENT ON COLUMN research_report.state IS
    'lost: the lease of the replica that made it has expired.';
  COMMENT ON TABLE score_state IS
    'The cursor of the self-score in the feed. Locked by every writer of the score tables.';
  COMMENT ON COLUMN score_state.last_index IS 'The last feed item that was read.';
  COMMENT ON COLUMN score_state.revision IS 'Increases when the counts change.';
  COMMENT ON TABLE score_market IS 'Markets of scored feed items, and how they were resolved.';
  COMMENT ON COLUMN score_market.outcome_published IS 'A predetermined outcome was published.';
  COMMENT ON COLUMN score_market.last_mover_at IS 'When the last of its movers is scored.';
  COMMENT ON COLUMN score_market.requested_at IS
    'When its resolution was last requested from the venue.';
  COMMENT ON COLUMN score_market.version IS 'Increases when the resolution changes.';
  COMMENT ON COLUMN score_market.ended_at IS
    'When it was resolved, or when that was learned if the venue gives no time.';
  COMMENT ON TABLE score_check IS 'The score of each feed item, kept for ever.';
  COMMENT ON COLUMN score_check.at IS
    'For a mover, when its price is compared; for a predetermined outcome, when it was published.';
  COMMENT ON COLUMN score_check.due_at IS
    'When it can be judged; null until the resolution changes again.';
  COMMENT ON COLUMN score_check.point_at IS 'The time of the mid price it was judged by.';
  COMMENT ON TABLE simulated_account IS
    'Balances of the simulated token. A payer without a row has a starting balance.';
  COMMENT ON COLUMN simulated_account.balance IS
    'Atomic units. What pay_to receives is summed from the authorizations instead: one row would make all sales wait.';
  COMMENT ON TABLE simulated_authorization IS
    'Used authorizations of the simulated token. recipient is null for a cancelled one.';
  COMMENT ON COLUMN simulated_authorization.block_time IS 'Seconds since the epoch.';
  COMMENT ON TABLE store_venue IS 'The venue of this store. A feed must never mix two venues.';
  COMMENT ON TABLE whale_wallet IS 'Tracked wallets, and how much of their activity was read.';
  COMMENT ON COLUMN whale_wallet.markets IS 'Number of positions.';
  COMMENT ON COLUMN whale_wallet.both_sides IS 'Number of positions with buys of both outcomes.';
  COMMENT ON TABLE whale_event IS
    'Events of the venue. Positions in markets of one event are scored together.';
  COMMENT ON TABLE whale_market IS
    'Markets with whale activity: event, resolution, and when each was last requested.';
  COMMENT ON COLUMN whale_market.event_id IS
    'The first event the venue named, null until the facts are known. Never changed: sums depend on it.';
  COMMENT ON COLUMN whale_market.requested_at IS
    'When its resolution was last requested from the venue.';
  COMMENT ON COLUMN whale_market.ended_at IS
    'When it was resolved, or when that was learned if the venue gives no time.';
  COMMENT ON COLUMN whale_market.resolution_learned_at IS
    'When its resolution last changed here. A digest covers what was learned since the one before.';
  COMMENT ON TABLE whale_market_facts IS
    'Facts of each market, apart from whale_market so that its updates stay small.';
  COMMENT ON TABLE whale_token IS 'Outcome tokens, under short keys.';
  COMMENT ON TABLE whale_activity IS
    'Activity events of tracked wallets. The primary key is the whole identity of an event. No foreign keys: there are tens of millions of rows.';
  COMMENT ON COLUMN whale_activity.activity_at_ms IS 'Milliseconds since the epoch.';
  COMMENT ON COLUMN whale_activity.token_id IS '0 if the venue names none.';
  COMMENT ON TABLE whale_position IS
    'A wallet in a market, and the entries computed from its activity.';
  COMMENT ON COLUMN whale_position.activity_version IS 'Increases when activity is added.';
  COMMENT ON COLUMN whale_position.entries_version IS
    'The activity_version the entries were computed from; 0 before the first computation.';
  COMMENT ON COLUMN whale_position.due IS 'An entry may have to be published.';
  COMMENT ON TABLE whale_stale IS
    'Positions whose entries must be recomputed, newest activity first. Only in markets whose facts are known.';
  COMMENT ON TABLE whale_uncounted IS
    'Positions whose score must be counted again in the sums of their wallet.';
  COMMENT ON COLUMN whale_uncounted.since IS
    'The number, from whale_change, of the first change that is not counted.';
  COMMENT ON COLUMN whale_uncounted.version IS 'The number, from whale_change, of the newest change.';
  COMMENT ON TABLE whale_score IS 'The scores that are counted in whale_sums.';
  COMMENT ON TABLE whale_sums IS
    'Sums over the scores of a wallet. Stored in the row and uncompressed, with room to be rewritten in place.';
  COMMENT ON COLUMN whale_sums.scores IS 'Number of counted positions.';
  COMMENT ON COLUMN whale_sums.sums IS 'float8 numbers, least significant byte first.';
  COMMENT ON TABLE whale_calibration IS
    'The published calibration of each wallet, and the one before.';
  COMMENT ON TABLE whale_revision IS
    'Increases when a published calibration changes. Written last in a transaction, since all writers lock it.';
  COMMENT ON FUNCTION feed_append(json) IS
    'Appends new items with the next indices, in one statement, so that no writer keeps the counter locked while it waits for its client.';
  COMMENT ON FUNCTION rate_take(text, text, integer, bigint, bigint) IS
    'Takes one grant if fewer than grants_max were made in the window (now - window_ms, now]. The ring has grants_max entries: another limit needs another policy name.';
  COMMENT ON FUNCTION payment_guard() IS
    'Refuses changes of a payment that would lose or invent money, whatever the code does.';
  COMMENT ON FUNCTION payment_before_insert() IS
    'Refuses new payments that are malformed or not at the start of their life.';
  COMMENT ON FUNCTION payment_paid_amount_guard() IS
    'A payer may use the nonce of a payment for another amount. That amount is recorded once, when it becomes due.';
  COMMENT ON FUNCTION payment_refund_guard() IS
    'A payment becomes refunded only after its refund is confirmed, and void only after its refund is cancelled.';
  COMMENT ON FUNCTION refund_matches_payment() IS
    'At commit: a due payment has a refund, a refunded one a confirmed refund, and both name the same debt.';
  COMMENT ON FUNCTION queue_refund() IS
    'Queues the refund in the statement that makes the payment due, with the owner''s rights. A cancelled refund is queued again.';
  COMMENT ON FUNCTION finish_refunded_payment() IS
    'Ends a payment when its refund ends, with the owner''s rights: the refund worker may not write payments.';
  COMMENT ON FUNCTION log_payment_insert() IS
    'Logs new payments, with the owner''s rights: a login that may write payments may not write their log.';
  COMMENT ON FUNCTION log_payment_update() IS
    'Logs state changes, with the owner''s rights, in one statement for a batch.';
  COMMENT ON FUNCTION refund_guard() IS 'Refuses changes of a refund that could pay it twice.';
  COMMENT ON FUNCTION refund_before_insert() IS 'A refund starts as queued.';
  COMMENT ON FUNCTION refund_treasury_guard() IS
    'Treasuries are only appended, in the order of their blocks.';
  COMMENT ON FUNCTION forbid_truncate() IS 'Row triggers do not fire on TRUNCATE.';
  COMMENT ON FUNCTION simulated_transfer(text, text, text, text, bigint, bigint, text, bigint) IS
    'One transfer, complete or not at all. Returns transferred, used or insufficient_funds.';
END
$$;
