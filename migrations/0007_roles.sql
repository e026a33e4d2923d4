-- The event log is written by triggers with the rights of its owner, so a login that does not own the
-- tables cannot forge it. `deno task migrate` grants the rights of each login.

DO $outer$
BEGIN
  EXECUTE format($create$
    CREATE OR REPLACE FUNCTION %1$I.payment_log() RETURNS trigger LANGUAGE plpgsql
      SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
    BEGIN
      INSERT INTO %1$I.payment_event (payment_id, from_state, to_state, fence, reason)
      VALUES (NEW.payment_id, CASE TG_OP WHEN 'UPDATE' THEN OLD.state END, NEW.state, NEW.fence,
        NEW.reason);
      RETURN NULL;
    END $body$
  $create$, current_schema());
END $outer$;
