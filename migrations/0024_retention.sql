-- Old payments can be deleted: the body of an answer a day after its delivery, and the row of an ended
-- payment, with its events and its refund, 13 months after its last change. The guards check state and
-- age themselves, so no login can delete anything else.
--
-- The existing guard functions stay as they are: they guard updates, and new ones guard deletions.
DO $$
BEGIN
  -- What was deleted. The scan must not read these blocks again: a transfer whose payment was deleted
  -- would look like one that belongs to no request, and would be refunded.
  CREATE TABLE payment_deleted (
    chain_id bigint NOT NULL,
    asset text NOT NULL,
    pay_to text NOT NULL,
    through_block bigint NOT NULL,
    PRIMARY KEY (chain_id, asset, pay_to)
  );
  COMMENT ON TABLE payment_deleted IS
    'The newest block of a deleted payment. Transfers up to it cannot be inserted as unmatched.';

  CREATE TABLE delivered_before_restore (
    payment_id text PRIMARY KEY CHECK (payment_id ~ '^0x[0-9a-f]{64}$'),
    loaded_at timestamptz NOT NULL DEFAULT clock_timestamp()
  );
  COMMENT ON TABLE delivered_before_restore IS
    'Payments whose answer was delivered, from delivery journals that `deno task restore` read. They are not refunded.';
  CREATE INDEX delivered_before_restore_loaded ON delivered_before_restore (loaded_at);

  -- The bodies to delete. Contains the answers of about a day.
  CREATE INDEX payment_delivered_body ON payment (sent_at)
    WHERE sent_at IS NOT NULL AND answer_body IS NOT NULL;

  -- Events are found by their payment only. A hash index has a third of the size.
  DROP INDEX payment_event_by_payment;
  CREATE INDEX payment_event_by_payment ON payment_event USING hash (payment_id);

  -- Events and a refund are deleted with their payment, and with nothing else.
  ALTER TABLE payment_event DROP CONSTRAINT payment_event_payment_id_fkey,
    ADD CONSTRAINT payment_event_payment_id_fkey
      FOREIGN KEY (payment_id) REFERENCES payment ON DELETE CASCADE;
  ALTER TABLE refund DROP CONSTRAINT refund_payment_id_fkey,
    ADD CONSTRAINT refund_payment_id_fkey
      FOREIGN KEY (payment_id) REFERENCES payment ON DELETE CASCADE;
END
$$;

CREATE FUNCTION payment_is_deletable(old_payment payment) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT (old_payment.state IN ('refunded', 'void')
      OR old_payment.state = 'answered' AND old_payment.sent_at IS NOT NULL)
    AND coalesce(old_payment.sent_at < clock_timestamp() - interval '13 months', true)
    -- An authorization that could still be presented must find its payment. It is unknown (and the
    -- column has no meaning) for an unmatched transfer.
    AND (old_payment.signature IS NULL OR old_payment.valid_before
      < extract(epoch FROM clock_timestamp() - interval '13 months'))
    -- The age is read from the events, which no login can write. changed_at and created_at can be forged.
    AND (SELECT max(event.at) < clock_timestamp() - interval '13 months'
      FROM payment_event event WHERE event.payment_id = old_payment.payment_id)
$$;
COMMENT ON FUNCTION payment_is_deletable(payment) IS
  'Whether a payment has ended and last changed 13 months ago.';

CREATE FUNCTION payment_delete_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT coalesce(payment_is_deletable(OLD), false) THEN
    RAISE EXCEPTION 'a payment row cannot be deleted until 13 months after its end'
      USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN OLD;
END $$;

CREATE FUNCTION deleted_with_payment() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  has_payment boolean;
BEGIN
  EXECUTE format('SELECT EXISTS (SELECT FROM %I.payment WHERE payment_id = $1)', TG_TABLE_SCHEMA)
    INTO has_payment USING OLD.payment_id;
  IF has_payment THEN
    RAISE EXCEPTION 'a % row cannot be deleted without its payment', TG_TABLE_NAME
      USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN OLD;
END $$;
COMMENT ON FUNCTION deleted_with_payment() IS
  'Allows only the deletion that follows from the deletion of the payment, which has its own guard.';

CREATE FUNCTION payment_body_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT coalesce(NEW.state = 'answered' AND NEW.sent_at <= clock_timestamp() - interval '24 hours',
    false) THEN
    RAISE EXCEPTION 'the body of an answer cannot be deleted until 24 hours after its delivery'
      USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END $$;
COMMENT ON FUNCTION payment_body_guard() IS
  'A buyer can fetch an answer again for 24 hours. A state change that owes a refund deletes it at once.';

CREATE FUNCTION unmatched_transfer_guard() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  deleted_through bigint;
BEGIN
  EXECUTE format('SELECT through_block FROM %I.payment_deleted
      WHERE chain_id = $1 AND asset = $2 AND pay_to = $3', TG_TABLE_SCHEMA)
    INTO deleted_through USING NEW.chain_id, NEW.asset, NEW.pay_to;
  IF NEW.paid_block <= deleted_through THEN
    RAISE EXCEPTION 'payments through block % were deleted: a transfer in block % may have been one of them',
      deleted_through, NEW.paid_block USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END $$;
COMMENT ON FUNCTION unmatched_transfer_guard() IS
  'A transfer that is as old as deleted payments may be one of theirs, so it is not refunded.';

-- Deletes the old ended payments among those of the next events after after_event, oldest first.
-- through_event is null when no old event is left.
CREATE FUNCTION delete_old_payments(
  after_event bigint, events_max integer, OUT through_event bigint, OUT deleted integer
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  old_ids text[];
BEGIN
  SELECT array_agg(DISTINCT payment_id), max(event_id) INTO old_ids, through_event
  FROM (
    SELECT event_id, payment_id, at FROM payment_event WHERE event_id > after_event
    ORDER BY event_id LIMIT events_max
  ) AS oldest WHERE at < clock_timestamp() - interval '13 months';
  WITH gone AS (
    DELETE FROM payment WHERE payment_id = ANY (old_ids) AND payment_is_deletable(payment)
    RETURNING chain_id, asset, pay_to, paid_block
  ), through AS (
    INSERT INTO payment_deleted AS known (chain_id, asset, pay_to, through_block)
    SELECT chain_id, asset, pay_to, max(paid_block) FROM gone
    WHERE paid_block IS NOT NULL GROUP BY chain_id, asset, pay_to
    ON CONFLICT (chain_id, asset, pay_to)
      DO UPDATE SET through_block = greatest(known.through_block, excluded.through_block)
  )
  SELECT count(*) INTO deleted FROM gone;
END $$;
COMMENT ON FUNCTION delete_old_payments(bigint, integer) IS
  'Deletes ended payments after 13 months, with the owner''s rights: the guards decide which.';

DO $$
DECLARE
  name text;
BEGIN
  -- Tables are resolved in the schema of the payments first, and in pg_temp last, where any login may
  -- create a table of the same name.
  FOREACH name IN ARRAY ARRAY['payment_is_deletable(payment)', 'delete_old_payments(bigint, integer)'] LOOP
    EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', name, current_schema());
  END LOOP;
  REVOKE ALL ON FUNCTION delete_old_payments(bigint, integer) FROM PUBLIC;

  DROP TRIGGER payment_guard ON payment;
  CREATE TRIGGER payment_guard BEFORE UPDATE ON payment
    FOR EACH ROW EXECUTE FUNCTION payment_guard();
  CREATE TRIGGER payment_delete_guard BEFORE DELETE ON payment
    FOR EACH ROW EXECUTE FUNCTION payment_delete_guard();
  CREATE TRIGGER payment_body_guard BEFORE UPDATE ON payment
    FOR EACH ROW WHEN (OLD.answer_body IS NOT NULL AND NEW.answer_body IS NULL
      AND NEW.state = OLD.state)
    EXECUTE FUNCTION payment_body_guard();
  CREATE TRIGGER unmatched_transfer_guard BEFORE INSERT ON payment
    FOR EACH ROW WHEN (NEW.state = 'refund_due') EXECUTE FUNCTION unmatched_transfer_guard();
  DROP TRIGGER payment_event_guard ON payment_event;
  CREATE TRIGGER payment_event_guard BEFORE UPDATE ON payment_event
    FOR EACH ROW EXECUTE FUNCTION payment_event_guard();
  CREATE TRIGGER payment_event_delete_guard BEFORE DELETE ON payment_event
    FOR EACH ROW EXECUTE FUNCTION deleted_with_payment();
  DROP TRIGGER refund_guard ON refund;
  CREATE TRIGGER refund_guard BEFORE UPDATE ON refund
    FOR EACH ROW EXECUTE FUNCTION refund_guard();
  CREATE TRIGGER refund_delete_guard BEFORE DELETE ON refund
    FOR EACH ROW EXECUTE FUNCTION deleted_with_payment();
END
$$;
