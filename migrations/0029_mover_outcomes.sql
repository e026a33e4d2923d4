-- What movers did next: the features of a move stay with its check, and sums of drift by kind of move
-- are kept as checks are judged. Checks of items of an earlier rule have no features and count in no sum.

-- Drift and margin are in half price steps, so that sums are whole numbers.
ALTER TABLE score_check
  ADD COLUMN move_window text CHECK (move_window IN ('1h', '24h')),
  ADD COLUMN z_score float8,
  ADD COLUMN converged boolean,
  ADD COLUMN ends_at timestamptz,
  ADD COLUMN event_key text,
  ADD COLUMN bins text[],
  ADD COLUMN drift integer,
  ADD COLUMN margin integer,
  ADD CHECK ((bins IS NULL) = (event_key IS NULL) AND (bins IS NULL) = (converged IS NULL)
    AND (bins IS NULL) = (z_score IS NULL) AND (bins IS NULL) = (move_window IS NULL)),
  ADD CHECK ((drift IS NULL) = (margin IS NULL));
COMMENT ON COLUMN score_check.ends_at IS 'The scheduled end of the market, as the item had it.';
COMMENT ON COLUMN score_check.event_key IS 'Moves with one key are one independent trial.';
COMMENT ON COLUMN score_check.bins IS 'The bins of the move, finest first (moveOutcomes.ts).';
COMMENT ON COLUMN score_check.drift IS
  'Direction x (later price - price_now) in half price steps; null while unknown.';
COMMENT ON COLUMN score_check.margin IS '2 x drift + size of the move; the move kept half from 0 on.';
CREATE INDEX score_check_event ON score_check (event_key) WHERE drift IS NOT NULL;
CREATE INDEX score_check_margin ON score_check (kind, converged, margin) WHERE margin IS NOT NULL;

CREATE TABLE score_bin (
  kind text NOT NULL CHECK (kind IN ('mover_1h', 'mover_24h')),
  bin text NOT NULL,
  moves bigint NOT NULL,
  events bigint NOT NULL,
  kept bigint NOT NULL,
  drift bigint NOT NULL,
  moves_moves bigint NOT NULL,
  moves_drift bigint NOT NULL,
  drift_drift bigint NOT NULL,
  stated_moves bigint,
  stated_events bigint,
  stated_drift bigint,
  stated_low float8,
  stated_high float8,
  tested integer NOT NULL DEFAULT 0,
  contained integer NOT NULL DEFAULT 0,
  PRIMARY KEY (kind, bin),
  CHECK (contained <= tested)
);
COMMENT ON TABLE score_bin IS 'Sums over the judged movers of each bin, clustered by event.';
COMMENT ON COLUMN score_bin.kept IS 'Moves that kept half.';
COMMENT ON COLUMN score_bin.moves_moves IS
  'Sum over events of moves x moves; moves_drift and drift_drift accordingly.';
COMMENT ON COLUMN score_bin.stated_moves IS
  'The sums from which the interval under test was computed.';
COMMENT ON COLUMN score_bin.tested IS
  'Intervals whose next as many events have followed; contained: those whose mean was inside.';
