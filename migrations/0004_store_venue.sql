-- Which venue a store's feed is about, written at its first start: a feed must never mix the items of
-- two venues, least of all made-up ones with real ones.
CREATE TABLE store_venue (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  venue text NOT NULL
);
