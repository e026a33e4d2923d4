-- Payments on a test network: a store of them belongs to that network.
-- Locks: store_payments, which has one row, for an instant.

ALTER TABLE store_payments DROP CONSTRAINT store_payments_payments_check,
  ADD CHECK (payments IN ('simulated', 'live', 'live on base-sepolia'));
