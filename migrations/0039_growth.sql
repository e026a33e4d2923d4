-- Autovacuum of the tables that grow largest. At ten sales a second the default, a fifth of the rows,
-- is 68 million dead versions of payments, 20 days of them; a fiftieth is two days. It takes a lock
-- that no read and no write waits for.
ALTER TABLE payment SET (
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_insert_scale_factor = 0.02,
  autovacuum_analyze_scale_factor = 0.02
);
ALTER TABLE payment_event SET (
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_insert_scale_factor = 0.02
);
