-- The venue of the store's feed, written at the first start. A feed must never mix the items of two
-- venues, and never simulated items with real ones.
CREATE TABLE store_venue (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  venue text NOT NULL
);
