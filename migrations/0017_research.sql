-- Research reports, shared by replicas: a row each time one is made, so that whoever waited for a
-- generation can read how it ended after the next has begun. Nothing here is money, and all of it can
-- be made again.

CREATE TABLE research_report (
  market text COLLATE "C" NOT NULL,
  -- Numbers the makings of one market's report.
  generation integer NOT NULL,
  -- `lost`: its maker fell silent, and another began.
  state text NOT NULL CHECK (state IN ('making', 'made', 'failed', 'lost')),
  lease_until timestamptz NOT NULL,
  begun_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  made_at timestamptz,
  -- json, not jsonb: the text is served as it was written, its keys in their order.
  report json,
  PRIMARY KEY (market, generation),
  CHECK ((state = 'made') = (made_at IS NOT NULL) AND (made_at IS NULL) = (report IS NULL))
);
CREATE UNIQUE INDEX research_report_making ON research_report (market) WHERE state = 'making';
CREATE INDEX research_report_begun ON research_report (begun_at);
