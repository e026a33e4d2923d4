-- A table of whales is almost a megabyte, stored with each sale until it can no longer be fetched. The
-- default compression takes about 40 ms for it, more than the rest of the sale; lz4 takes about 2 ms,
-- where PostgreSQL was built with it. Existing rows stay as they are.
DO $$
BEGIN
  ALTER TABLE payment ALTER COLUMN answer_body SET COMPRESSION lz4;
EXCEPTION WHEN feature_not_supported OR invalid_parameter_value THEN NULL;
END
$$;
