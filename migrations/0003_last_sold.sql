-- When each product was last sold, for a metric: a catalogue forgets a product after 30 days.
-- Locks: payment, for writes, about 1 s per million rows.

CREATE INDEX payment_last_sold ON payment (product_id, answered_at) WHERE state = 'answered';
