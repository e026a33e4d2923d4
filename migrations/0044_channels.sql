-- Payment channels of x402's scheme batch-settlement. The tables stay empty without CHANNEL_AUTHORIZER.
-- Locks: none on a table that exists.
-- An answer is charged in the statement that marks it as delivered, and nowhere else.
CREATE TABLE channel (
  channel_id text PRIMARY KEY CHECK (channel_id ~ '^0x[0-9a-f]{64}$'),
  payer text NOT NULL,
  payer_authorizer text NOT NULL,
  receiver text NOT NULL,
  receiver_authorizer text NOT NULL,
  token text NOT NULL,
  withdraw_delay integer NOT NULL,
  salt text NOT NULL,
  charged bigint NOT NULL CHECK (charged >= 0),
  voucher text,
  balance bigint NOT NULL CHECK (balance >= 0),
  claimed bigint NOT NULL CHECK (claimed >= 0),
  withdraw_at bigint NOT NULL CHECK (withdraw_at >= 0),
  refund_nonce bigint NOT NULL CHECK (refund_nonce >= 0),
  read_at timestamptz NOT NULL,
  unclaimed_at timestamptz,
  claim_sent_at timestamptz,
  refund_nonce_sent bigint,
  refund_sent_at timestamptz,
  CHECK (claimed <= charged),
  CHECK (voucher IS NOT NULL OR claimed = charged),
  CHECK ((refund_nonce_sent IS NULL) = (refund_sent_at IS NULL))
);
CREATE INDEX channel_unclaimed ON channel (read_at) INCLUDE (charged, claimed)
  WHERE claimed < charged;
COMMENT ON TABLE channel IS 'A payment channel, by which many calls are paid with one deposit.';
COMMENT ON COLUMN channel.charged IS 'Atomic units of the answers that were delivered, cumulative; the ceiling of the voucher. Never falls.';
COMMENT ON COLUMN channel.voucher IS 'The payer''s signature for charged; null when the chain has claimed all of it and we have no signature.';
COMMENT ON COLUMN channel.claimed IS 'What the chain has claimed, as of a safe block. Never falls.';
COMMENT ON COLUMN channel.withdraw_at IS 'When the payer started a withdrawal, in seconds since the Unix epoch; 0 without one.';
COMMENT ON COLUMN channel.read_at IS 'When the chain was read.';
COMMENT ON COLUMN channel.unclaimed_at IS 'When the oldest charge that is not claimed was made.';
COMMENT ON COLUMN channel.claim_sent_at IS 'When a claim was sent that the chain does not show yet.';
COMMENT ON COLUMN channel.refund_nonce_sent IS 'The nonce of a refund that was sent, and that the chain does not show yet.';

CREATE TABLE channel_sale (
  sale_id text PRIMARY KEY CHECK (sale_id ~ '^0x[0-9a-f]{64}$'),
  channel_id text NOT NULL REFERENCES channel,
  ceiling bigint NOT NULL,
  price bigint NOT NULL CHECK (price > 0),
  request text NOT NULL,
  voucher text NOT NULL,
  key_hash text,
  state text NOT NULL CHECK (state IN ('claimed', 'answered', 'delivered')),
  lease_until timestamptz NOT NULL,
  deposit bigint NOT NULL DEFAULT 0 CHECK (deposit >= 0),
  deposit_transaction text,
  body bytea,
  answered_at timestamptz,
  delivered_at timestamptz,
  UNIQUE (channel_id, ceiling),
  CHECK (ceiling >= price),
  CHECK ((state = 'claimed') = (answered_at IS NULL)),
  CHECK (state <> 'answered' OR body IS NOT NULL),
  CHECK ((state = 'delivered') = (delivered_at IS NOT NULL))
);
CREATE UNIQUE INDEX channel_sale_open ON channel_sale (channel_id) WHERE state <> 'delivered';
CREATE UNIQUE INDEX channel_sale_key ON channel_sale (channel_id, key_hash)
  WHERE key_hash IS NOT NULL;
CREATE INDEX channel_sale_delivered ON channel_sale (delivered_at);
COMMENT ON TABLE channel_sale IS 'One call that is paid by a voucher. A call that fails has no row.';
COMMENT ON COLUMN channel_sale.ceiling IS 'What the voucher allows to claim: everything charged before, and the price.';
COMMENT ON COLUMN channel_sale.key_hash IS 'Hash of channel, request and the buyer''s key; null without a key.';
COMMENT ON COLUMN channel_sale.body IS 'The answer, for 24 hours after its delivery.';

-- What no program may do: charge twice, charge what was not delivered, or take back a charge.
CREATE FUNCTION guard_channel() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.channel_id, NEW.payer, NEW.payer_authorizer, NEW.receiver, NEW.receiver_authorizer,
      NEW.token, NEW.withdraw_delay, NEW.salt) IS DISTINCT FROM
      (OLD.channel_id, OLD.payer, OLD.payer_authorizer, OLD.receiver, OLD.receiver_authorizer,
      OLD.token, OLD.withdraw_delay, OLD.salt) THEN
    RAISE EXCEPTION 'a channel cannot be changed';
  END IF;
  IF NEW.charged < OLD.charged OR NEW.claimed < OLD.claimed THEN
    RAISE EXCEPTION 'what a channel has charged or claimed cannot fall';
  END IF;
  IF NEW.charged > OLD.charged AND NEW.charged <> NEW.claimed AND NOT EXISTS (
      SELECT FROM channel_sale WHERE channel_id = NEW.channel_id AND ceiling = NEW.charged
        AND state = 'delivered' AND ceiling - price = OLD.charged AND voucher = NEW.voucher) THEN
    RAISE EXCEPTION 'only a delivered answer is charged';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER guard_channel BEFORE UPDATE ON channel
  FOR EACH ROW EXECUTE FUNCTION guard_channel();

CREATE FUNCTION guard_channel_sale() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.sale_id, NEW.channel_id, NEW.ceiling, NEW.price, NEW.request, NEW.voucher)
      IS DISTINCT FROM
      (OLD.sale_id, OLD.channel_id, OLD.ceiling, OLD.price, OLD.request, OLD.voucher) THEN
    RAISE EXCEPTION 'a sale of a channel cannot be changed';
  END IF;
  IF (OLD.state, NEW.state) NOT IN (('claimed', 'claimed'), ('claimed', 'answered'),
      ('answered', 'answered'), ('answered', 'delivered'), ('delivered', 'delivered')) THEN
    RAISE EXCEPTION 'a sale of a channel cannot go from % to %', OLD.state, NEW.state;
  END IF;
  IF NEW.state = 'answered' AND OLD.state = 'claimed' AND NOT EXISTS (
      SELECT FROM channel WHERE channel_id = NEW.channel_id AND balance >= NEW.ceiling) THEN
    RAISE EXCEPTION 'the channel does not hold what the voucher allows to claim';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER guard_channel_sale BEFORE UPDATE ON channel_sale
  FOR EACH ROW EXECUTE FUNCTION guard_channel_sale();

CREATE FUNCTION charge_channel() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE channel SET charged = NEW.ceiling, voucher = NEW.voucher,
    unclaimed_at = coalesce(unclaimed_at, clock_timestamp())
  WHERE channel_id = NEW.channel_id AND charged = NEW.ceiling - NEW.price;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the channel has charged another amount than this voucher continues';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER charge_channel AFTER UPDATE ON channel_sale
  FOR EACH ROW WHEN (OLD.state = 'answered' AND NEW.state = 'delivered')
  EXECUTE FUNCTION charge_channel();
