-- Which treasury refunds which payments; this never changes. Otherwise a new key, on a store restored
-- from a backup, would pay again what the old key has paid, because the token contract identifies a
-- refund by treasury and nonce.

CREATE TABLE refund_treasury (
  treasury text PRIMARY KEY CHECK (treasury ~ '^0x[0-9a-f]{40}$'),
  -- It refunds payments of later blocks, up to the after_block of the next treasury; null for the first.
  after_block bigint UNIQUE CHECK (after_block >= 0),
  entered_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX refund_treasury_first ON refund_treasury ((true)) WHERE after_block IS NULL;

INSERT INTO refund_treasury (treasury)
SELECT treasury FROM refund WHERE treasury IS NOT NULL ORDER BY signed_at LIMIT 1;

CREATE FUNCTION refund_treasury_guard() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  known bigint;
BEGIN
  IF TG_OP <> 'INSERT' THEN
    RAISE EXCEPTION 'the term of a treasury never changes' USING ERRCODE = 'restrict_violation';
  END IF;
  EXECUTE format('SELECT count(*) FROM %I.refund_treasury
      WHERE $1 IS NULL OR coalesce(after_block, -1) >= $1', TG_TABLE_SCHEMA)
    INTO known USING NEW.after_block;
  IF known > 0 THEN
    RAISE EXCEPTION 'a treasury enters after those before it' USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER refund_treasury_guard BEFORE INSERT OR UPDATE OR DELETE ON refund_treasury
  FOR EACH ROW EXECUTE FUNCTION refund_treasury_guard();
CREATE TRIGGER refund_treasury_never_emptied BEFORE TRUNCATE ON refund_treasury
  FOR EACH STATEMENT EXECUTE FUNCTION never_emptied();
