-- A rate-limit log of at most 240 grants is one row, which one upsert reads and writes. A longer log
-- stays a ring of rows, because an upsert writes its whole array.
CREATE UNLOGGED TABLE rate_log (
  policy text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  grants bigint[] NOT NULL,
  taken integer NOT NULL,
  taken_ms bigint NOT NULL,
  PRIMARY KEY (key, policy)
) WITH (fillfactor = 70);
ALTER TABLE rate_log ALTER COLUMN grants SET STORAGE EXTERNAL;

COMMENT ON TABLE rate_log IS 'The rate-limit log of a policy and key, for limits up to 240. Unlogged: a crash of the database loses at most one window.';
COMMENT ON COLUMN rate_log.grants IS 'Times of the grants in milliseconds, ascending; those before the window are dropped by the next take.';
COMMENT ON COLUMN rate_log.taken IS 'How many grants the newest take got.';
COMMENT ON COLUMN rate_log.taken_ms IS 'The time of the newest take.';
COMMENT ON TABLE rate_key IS 'The rate-limit log for limits over 240: a ring of grants for each policy and key. Unlogged: a crash of the database loses at most one window.';

-- Takes `asked` grants for each key, or as many as are left. Keys are distinct and in one order for all
-- callers, so that no two calls deadlock. Times are read after the row is locked, so that the grants
-- of one key are in order of time; `width_bucket` finds the first one inside the window.
CREATE FUNCTION rate_takes(
  policy_name text, client_keys text[], asked integer[], grants_max integer, window_ms bigint,
  test_now_ms bigint)
RETURNS TABLE (client_key text, granted integer, remaining integer, reset_ms bigint)
LANGUAGE plpgsql AS $function$
#variable_conflict use_column
DECLARE
  one record;
BEGIN
  IF grants_max <= 240 THEN
    RETURN QUERY
      INSERT INTO rate_log AS log (policy, key, grants, taken, taken_ms)
      SELECT policy_name, input.key, array_fill(at_ms, ARRAY[least(input.asked, grants_max)]),
        least(input.asked, grants_max), at_ms
      FROM unnest(client_keys, asked) AS input (key, asked), (
        SELECT coalesce(test_now_ms, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint)
          AS at_ms) clock
      ON CONFLICT (key, policy) DO UPDATE SET (grants, taken, taken_ms) = (
        SELECT kept || array_fill(at_ms, ARRAY[more]), more, at_ms
        FROM (
          SELECT greatest(log.taken_ms, coalesce(test_now_ms,
            floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint)) AS at_ms OFFSET 0) clock,
          LATERAL (SELECT log.grants[width_bucket(at_ms - window_ms, log.grants) + 1 :] AS kept
            OFFSET 0) live,
          LATERAL (SELECT greatest(0, least(excluded.taken, grants_max - cardinality(kept))) AS more
            OFFSET 0) share)
      RETURNING log.key, log.taken, grants_max - cardinality(log.grants),
        log.grants[1] + window_ms - log.taken_ms;
    RETURN;
  END IF;
  FOR i IN 1 .. cardinality(client_keys) LOOP
    client_key := client_keys[i];
    granted := 0;
    FOR n IN 1 .. asked[i] LOOP
      SELECT * INTO one
        FROM rate_take(policy_name, client_keys[i], grants_max, window_ms, test_now_ms);
      granted := granted + one.granted::integer;
      remaining := one.remaining;
      reset_ms := one.reset_ms;
    END LOOP;
    RETURN NEXT;
  END LOOP;
END
$function$;

CREATE OR REPLACE FUNCTION rate_take(policy_name text, client_key text, grants_max integer, window_ms bigint, test_now_ms bigint, OUT granted boolean, OUT remaining integer, OUT reset_ms bigint)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
DECLARE
  ring rate_key%ROWTYPE;
  now_ms bigint;
  since_ms bigint;
  oldest_ms bigint;
  low bigint;
  high bigint;
  middle bigint;
BEGIN
  -- A process of the release before calls this function for short logs, too.
  IF grants_max <= 240 THEN
    SELECT t.granted = 1, t.remaining, t.reset_ms INTO granted, remaining, reset_ms
      FROM rate_takes(policy_name, ARRAY[client_key], ARRAY[1], grants_max, window_ms, test_now_ms) t;
    RETURN;
  END IF;
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
$function$;

CREATE OR REPLACE FUNCTION payment_before_insert()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
  -- Length and digits are compared separately: a counted repetition such as {64} makes the pattern
  -- ten times as slow.
  IF NOT (NEW.payment_id ~ '^0x[0-9a-f]*$' AND length(NEW.payment_id) = 66
    AND NEW.nonce ~ '^0x[0-9a-f]*$' AND length(NEW.nonce) = 66
    AND NEW.asset ~ '^0x[0-9a-f]*$' AND length(NEW.asset) = 42
    AND NEW.payer ~ '^0x[0-9a-f]*$' AND length(NEW.payer) = 42
    AND NEW.pay_to ~ '^0x[0-9a-f]*$' AND length(NEW.pay_to) = 42 AND NEW.pay_to <> NEW.payer
    AND coalesce(NEW.signature ~ '^0x[0-9a-f]*$' AND length(NEW.signature) % 2 = 0
      AND length(NEW.signature) BETWEEN 132 AND 4098, true)
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
END $function$;

-- A trigger with `UPDATE OF` runs only for an UPDATE that names a column of its list. No other UPDATE
-- can change these columns, because no other trigger changes them. So a sale does not pay for the
-- comparison of its identity, nor, when its delivery is marked, for reading its answer.
CREATE FUNCTION payment_identity_guard()
RETURNS trigger LANGUAGE plpgsql AS $function$
BEGIN
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
  RETURN NEW;
END $function$;

CREATE TRIGGER payment_identity_guard
  BEFORE UPDATE OF payment_id, chain_id, asset, token_name, token_version, payer, nonce,
  pay_to, amount, valid_after, valid_before, signature, settlement, product_id, request,
  created_at ON payment
  FOR EACH ROW EXECUTE FUNCTION payment_identity_guard();

CREATE FUNCTION payment_answer_guard()
RETURNS trigger LANGUAGE plpgsql AS $function$
BEGIN
  -- The answer is stored with a state change and may be erased later. It is never replaced: the payer
  -- is charged for the answer that was stored before settlement was requested.
  IF NEW.answer_body IS DISTINCT FROM OLD.answer_body AND NEW.answer_body IS NOT NULL
    AND (OLD.answer_body IS NOT NULL OR NEW.state = OLD.state) THEN
    RAISE EXCEPTION 'answer_body can be set once, with a state change'
      USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END $function$;

CREATE TRIGGER payment_answer_guard BEFORE UPDATE OF answer_body ON payment
  FOR EACH ROW EXECUTE FUNCTION payment_answer_guard();

CREATE OR REPLACE FUNCTION payment_guard()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  state_changes boolean;
  transfer_changes boolean;
BEGIN
  state_changes := NEW.state <> OLD.state;
  IF state_changes AND NOT (CASE OLD.state
      WHEN 'claimed' THEN NEW.state IN ('settling', 'released')
      WHEN 'released' THEN NEW.state IN ('claimed', 'void', 'refund_due')
      WHEN 'settling' THEN NEW.state IN ('unresolved', 'void',
        CASE NEW.settlement WHEN 'compute-first' THEN 'answered' ELSE 'settled' END)
      WHEN 'unresolved' THEN NEW.state IN ('refund_due', 'void',
        CASE NEW.settlement WHEN 'compute-first' THEN 'answered' ELSE 'settled' END)
      WHEN 'settled' THEN NEW.settlement <> 'compute-first'
        AND NEW.state IN ('answered', 'refund_due')
      WHEN 'answered' THEN NEW.state = 'refund_due'
      WHEN 'refund_due' THEN NEW.state IN ('refunded', 'void')
      WHEN 'void' THEN NEW.state = 'refund_due'
      ELSE false END) THEN
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
END $function$;

-- The service of the release before takes its limits through the new table as soon as this migration
-- has ended, before `migrate` grants the rights of every table.
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'bellwether_service') THEN
    GRANT SELECT, INSERT, UPDATE, DELETE ON rate_log TO bellwether_service;
  END IF;
END
$$;

-- Short logs move to the new table. Last, because requests with a limit wait for this lock.
LOCK TABLE rate_key, rate_grant IN ACCESS EXCLUSIVE MODE;
WITH moved AS (
  DELETE FROM rate_key WHERE substring(policy FROM ';q=([0-9]+);')::integer <= 240 RETURNING *
), grants AS (
  DELETE FROM rate_grant USING moved WHERE rate_grant.key_id = moved.key_id
  RETURNING rate_grant.key_id, at_ms
)
INSERT INTO rate_log (policy, key, grants, taken, taken_ms)
SELECT moved.policy, moved.key, array_agg(grants.at_ms ORDER BY grants.at_ms), 0, moved.newest_ms
FROM moved JOIN grants USING (key_id) GROUP BY moved.policy, moved.key, moved.newest_ms;
