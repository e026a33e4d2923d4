-- Research reports, shared by replicas: one row for each generation, so that a caller who waited for one
-- can read how it ended after the next has started. Everything here can be generated again.

CREATE TABLE research_report (
  market text COLLATE "C" NOT NULL,
  -- Numbers the generations of one market's report.
  generation integer NOT NULL,
  -- `lost`: the lease of its replica expired, and another one started.
  state text NOT NULL CHECK (state IN ('making', 'made', 'failed', 'lost')),
  lease_until timestamptz NOT NULL,
  begun_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  made_at timestamptz,
  -- json, not jsonb: the text is served as it was written, with its keys in the same order.
  report json,
  PRIMARY KEY (market, generation),
  CHECK ((state = 'made') = (made_at IS NOT NULL) AND (made_at IS NULL) = (report IS NULL))
);
CREATE UNIQUE INDEX research_report_making ON research_report (market) WHERE state = 'making';
CREATE INDEX research_report_begun ON research_report (begun_at);
