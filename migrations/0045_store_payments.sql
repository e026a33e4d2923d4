-- The kind of payments of this store, written at the first start. A refund worker with real money must
-- never pay what was owed for simulated payments, and the scan of the chain continues at a block of its
-- own kind.
-- Locks: none on a table that exists.
CREATE TABLE store_payments (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  payments text NOT NULL CHECK (payments IN ('simulated', 'live'))
);
COMMENT ON TABLE store_payments IS 'The kind of payments of this store. A store must never mix simulated and live payments.';

-- The number of a simulated block is half the time in seconds, far above every block of the chain.
INSERT INTO store_payments (payments)
  SELECT 'simulated' FROM chain_scan WHERE through_block > 500000000 LIMIT 1;
