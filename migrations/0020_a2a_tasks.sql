-- Tasks of /a2a, shared by replicas, so that an offer made by one is paid at another: a row a task,
-- for minutes. The money is the payment's and stands in its own table; a task names the payment it is
-- bound to, and its id is that payment's secret. A row cannot be dear to anybody else: whoever lost one
-- opens another, and a payment is told of by its own id too.
--
-- What a client wrote is JSON in a text column: it may hold what PostgreSQL's own json refuses (NUL,
-- half a surrogate pair, a thousand brackets), and nobody looks into it here.

CREATE TABLE a2a_task (
  id uuid PRIMARY KEY,
  -- Who it counts against.
  client text COLLATE "C" NOT NULL CHECK (char_length(client) <= 256),
  context_id text NOT NULL CHECK (char_length(context_id) <= 2048),
  state text COLLATE "C" NOT NULL CHECK (state IN
    ('asked', 'offered', 'paying', 'completed', 'failed', 'canceled', 'declined')),
  skill text COLLATE "C" CHECK (char_length(skill) <= 64),
  parameters text CHECK (char_length(parameters) <= 4096),
  payment_id text COLLATE "C" CHECK (payment_id ~ '^0x[0-9a-f]{64}$'),
  note text CHECK (char_length(note) <= 262144),
  history text NOT NULL CHECK (char_length(history) <= 65536),
  -- Grows with every move.
  version integer NOT NULL DEFAULT 1 CHECK (version > 0),
  -- In the order they were opened, which a clock cannot tell of two in one millisecond.
  place bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  opened_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  moved_at timestamptz NOT NULL DEFAULT clock_timestamp() CHECK (isfinite(moved_at)),
  expires_at timestamptz NOT NULL CHECK (isfinite(expires_at)),
  -- Whose turn it is to give way, the lowest first: what has ended, what is unpaid, what was paid for
  -- and is told from its payment, and what is being paid for.
  gives_way smallint NOT NULL GENERATED ALWAYS AS (CASE
    WHEN state IN ('asked', 'offered') THEN 1
    WHEN state = 'paying' THEN 3
    WHEN state = 'completed' AND payment_id IS NOT NULL AND note IS NULL THEN 2
    ELSE 0 END) STORED,
  CHECK ((skill IS NULL) = (parameters IS NULL)),
  -- Only what is named is offered, and only what is offered is paid for.
  CHECK (state <> 'asked' OR skill IS NULL),
  CHECK (state NOT IN ('offered', 'paying', 'declined') OR skill IS NOT NULL),
  CHECK (payment_id IS NULL OR skill IS NOT NULL),
  CHECK (CASE WHEN state = 'paying' THEN payment_id IS NOT NULL
    WHEN state IN ('completed', 'failed') THEN true ELSE payment_id IS NULL END)
);
CREATE INDEX a2a_task_expires ON a2a_task (expires_at);
CREATE INDEX a2a_task_turn ON a2a_task (gives_way, place);
CREATE INDEX a2a_task_client ON a2a_task (client);
