-- The items of one market, for its page: without regard to case, as slugs are compared.
CREATE INDEX feed_item_by_market ON feed_item
  (lower((data -> 'market' ->> 'slug') COLLATE "C"), feed_index);
