-- Predetermined items of two kinds are counted apart; those of earlier versions count as evidence.
ALTER TABLE score_check ADD COLUMN contested boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN score_check.contested IS
  'The item is a contested proposal: the venue''s word alone, at a price that doubts it.';
