-- The kind of payments of this store, written at the first start. A refund worker of the other kind looks
-- for payments on a chain on which they never were, and cancels what is owed; and a scan of the other kind
-- continues at a block that its chain does not have.
-- Locks: none on a table that exists.
CREATE TABLE store_payments (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  payments text NOT NULL CHECK (payments IN ('simulated', 'live'))
);
COMMENT ON TABLE store_payments IS 'The kind of payments of this store. A store must never mix simulated and live payments.';

-- A store of an earlier version: the number of a simulated block is half the time in seconds, far above
-- every block of the chain. A store that has scanned both stays without a row until a start.
INSERT INTO store_payments (payments)
  SELECT CASE WHEN min(through_block) > 500000000 THEN 'simulated' ELSE 'live' END FROM chain_scan
  HAVING min(through_block) > 500000000 OR max(through_block) <= 500000000;

-- A worker may start between this migration and the task that grants the rights of every table.
DO $$
DECLARE name text;
BEGIN
  FOR name IN SELECT rolname FROM pg_roles WHERE rolname IN ('bellwether_service', 'bellwether_refund')
  LOOP
    EXECUTE format('GRANT SELECT, INSERT ON store_payments TO %I', name);
  END LOOP;
END
$$;
