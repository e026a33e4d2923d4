-- What happened on each UTC day, for /status: the runs of scheduled parts, whose slots are deleted after
-- a week, and sums of the changes of payments, which are too many to be summed for each reader.

CREATE TABLE status_run_day (
  day date NOT NULL,
  part text NOT NULL,
  every_ms bigint NOT NULL CHECK (every_ms > 0),
  runs json NOT NULL,
  PRIMARY KEY (day, part)
);
COMMENT ON TABLE status_run_day IS 'What became of the planned runs of a part on a finished UTC day. Never changed.';
COMMENT ON COLUMN status_run_day.runs IS 'Outcomes with how many runs in a row had them, in order of time.';

CREATE TABLE status_payment_day (
  day date NOT NULL,
  kind text NOT NULL CHECK (kind IN ('charged', 'answered', 'undelivered', 'owed', 'cancelled', 'refunded')),
  step smallint NOT NULL,
  payments bigint NOT NULL,
  amount bigint NOT NULL,
  seconds_max bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (day, kind, step)
);
COMMENT ON TABLE status_payment_day IS 'Sums of the changes of payments that were stored on a UTC day.';
COMMENT ON COLUMN status_payment_day.step IS 'Of refunds: in which step of time from owed to refunded (paymentSums.ts); otherwise 0.';
COMMENT ON COLUMN status_payment_day.amount IS 'Atomic units of the token.';
COMMENT ON COLUMN status_payment_day.seconds_max IS 'Of refunds: the longest time from owed to refunded.';

CREATE TABLE status_payment_cursor (
  single boolean PRIMARY KEY DEFAULT true CHECK (single),
  since timestamptz NOT NULL,
  through_event bigint NOT NULL DEFAULT 0,
  through_at timestamptz NOT NULL,
  seen_event bigint NOT NULL DEFAULT 0,
  seen_at timestamptz NOT NULL,
  seen_xid xid8 NOT NULL
);
COMMENT ON TABLE status_payment_cursor IS 'How far the changes of payments are summed. Its row is locked while a batch is summed.';
COMMENT ON COLUMN status_payment_cursor.since IS 'The first change that is counted, or the first sum if there was none.';
COMMENT ON COLUMN status_payment_cursor.through_event IS 'The last event that is summed.';
COMMENT ON COLUMN status_payment_cursor.through_at IS 'All changes stored before this are summed.';
COMMENT ON COLUMN status_payment_cursor.seen_event IS 'The newest event when it was last looked for, at seen_at. Summed up to here at most.';
COMMENT ON COLUMN status_payment_cursor.seen_xid IS 'When all transactions before this have ended, no event up to seen_event can still appear.';
