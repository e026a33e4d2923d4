-- The token of simulated payments, with the rules of the real contract: an authorization is used once,
-- and no account spends more than its balance. Empty where payments are live.

-- A payer without a row has a starting balance, so that a throw-away key can buy.
CREATE TABLE simulated_account (
  address text PRIMARY KEY,
  -- Atomic units. What pay_to receives is summed from the authorizations instead: a single row would
  -- make all sales wait for each other.
  balance bigint NOT NULL CHECK (balance >= 0)
);

-- Every authorization that was used, by a transfer or by its payer's cancellation.
CREATE TABLE simulated_authorization (
  asset text NOT NULL,
  payer text NOT NULL,
  nonce text NOT NULL,
  -- Null for a cancellation.
  recipient text,
  amount bigint,
  transaction text NOT NULL UNIQUE,
  -- Seconds since the epoch.
  block_time bigint NOT NULL,
  PRIMARY KEY (asset, payer, nonce),
  CHECK ((recipient IS NULL) = (amount IS NULL))
);
CREATE INDEX simulated_authorization_by_recipient ON simulated_authorization (recipient);

-- One transfer, complete or not at all: 'transferred', 'used' or 'insufficient_funds'.
CREATE FUNCTION simulated_transfer(
  token text, sender text, used_nonce text, receiver text, units bigint, play_balance bigint,
  hash text, at bigint
) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO simulated_authorization (asset, payer, nonce, recipient, amount, transaction, block_time)
  VALUES (token, sender, used_nonce, receiver, units, hash, at)
  ON CONFLICT (asset, payer, nonce) DO NOTHING;
  IF NOT FOUND THEN RETURN 'used'; END IF;
  INSERT INTO simulated_account AS account (address, balance)
  SELECT sender, greatest(play_balance - units, 0) WHERE play_balance >= units
    OR EXISTS (SELECT FROM simulated_account WHERE address = sender)
  ON CONFLICT (address) DO UPDATE SET balance = account.balance - units
    WHERE account.balance >= units;
  IF NOT FOUND THEN
    DELETE FROM simulated_authorization
    WHERE asset = token AND payer = sender AND nonce = used_nonce;
    RETURN 'insufficient_funds';
  END IF;
  RETURN 'transferred';
END $$;
