-- The rights of the two roles that do not own the tables: the service's and the refund worker's. `deno
-- task migrate` runs this as the owner, after every migration; logins are members of a role.
--
-- The service may claim and change payments, and may not change refunds. The refund worker may sign and
-- confirm refunds, and may not change payments nor read answers. Neither owns a table, so neither can
-- disable a guard.
DO $$
DECLARE
  role text;
  own_table text;
  own text := format('SCHEMA %I', current_schema());
BEGIN
  FOREACH role IN ARRAY ARRAY['bellwether_service', 'bellwether_refund'] LOOP
    -- Roles belong to the whole server: another database or migrator may have created this one. An owner
    -- without the right to create roles can grant to existing ones.
    BEGIN
      IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role) THEN
        EXECUTE format('CREATE ROLE %I NOLOGIN', role);
      END IF;
    EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
    END;
    EXECUTE format('REVOKE ALL ON ALL TABLES IN %s FROM %I', own, role);
    EXECUTE format('GRANT USAGE ON %s TO %I', own, role);
    EXECUTE format('GRANT USAGE ON ALL SEQUENCES IN %s TO %I', own, role);
  END LOOP;
  -- Not on a view: it has its owner's rights on the tables under it.
  FOR own_table IN SELECT tablename FROM pg_tables WHERE schemaname = current_schema() LOOP
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO bellwether_service', own_table);
  END LOOP;
END $$;

-- These have rights by column; on every other table the service has all.
REVOKE ALL ON payment, payment_answer, payment_event, payment_deleted, delivered_before_restore,
  refund, refund_action, refund_treasury, schema_migration, store_payments FROM bellwether_service;

GRANT SELECT ON schema_migration TO bellwether_service, bellwether_refund;
GRANT SELECT, INSERT ON store_payments TO bellwether_service, bellwether_refund;
GRANT SELECT ON delivered_before_restore TO bellwether_service, bellwether_refund;
GRANT SELECT, INSERT, UPDATE, DELETE ON simulated_account, simulated_authorization
  TO bellwether_refund;

-- The other columns of a payment are its identity.
GRANT SELECT, INSERT, UPDATE (state, reason, fence, lease_until, secret_hash, changed_at, intended_at,
  key_hash, transaction_hint, paid_transaction, paid_block, paid_log_index, paid_finality, paid_amount,
  answer_hash, answered_at, sent_at) ON payment TO bellwether_service;
GRANT SELECT, INSERT, DELETE, UPDATE (used_at) ON payment_answer TO bellwether_service;
GRANT SELECT ON payment_deleted TO bellwether_service;
GRANT EXECUTE ON FUNCTION delete_old_payments(bigint, integer) TO bellwether_service;

-- Not the signature of a refund: it can move money.
GRANT SELECT (payment_id, state, reason, transaction, amount, queue, confirmed_at, created_at,
  changed_at) ON refund TO bellwether_service;

-- What the worker needs to verify a refund: no answer, secret or signature.
GRANT SELECT (payment_id, chain_id, asset, token_name, token_version, payer, nonce, pay_to, amount,
  valid_after, valid_before, settlement, state, reason, created_at, changed_at, paid_transaction,
  paid_block, paid_log_index, paid_finality) ON payment TO bellwether_refund;
-- Nothing that says what is owed to whom.
GRANT SELECT, UPDATE (state, treasury, refund_nonce, valid_before, signature, transaction,
  transaction_hint, attempts, next_attempt_at, lease_until, fence, last_error, signed_at, confirmed_at,
  confirmed_block, confirmed_log_index, changed_at) ON refund TO bellwether_refund;
GRANT SELECT, INSERT ON refund_treasury TO bellwether_refund;
