-- Liveness of a market rests on its volume of the last 24 hours; null where the venue does not give it.
ALTER TABLE market_quote ADD COLUMN volume_24h_usd float8;

-- Slugs are matched without regard to case. They are ASCII, and collation C gives it one rule everywhere.
DROP INDEX market_by_slug;
CREATE INDEX market_by_slug ON market (lower(slug COLLATE "C"));
DROP INDEX market_by_event;
CREATE INDEX market_by_event ON market (lower((facts ->> 'eventSlug') COLLATE "C"));
