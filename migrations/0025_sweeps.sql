-- The two sweeps read payments in different orders, so each has its index.
DROP INDEX payment_waiting;
CREATE INDEX payment_urgent ON payment (changed_at)
  WHERE state IN ('claimed', 'settling', 'unresolved', 'settled');
CREATE INDEX payment_released ON payment (valid_before) WHERE state = 'released';
