-- Tasks of /a2a, shared by replicas, so that an offer of one replica can be paid at another: one row per
-- task, kept for minutes. A task names its payment, and the task's id is the secret of that payment. A
-- lost row loses no money: the payment has its own table and can be found by its own id, and the client
-- can open another task.
--
-- What a client wrote is JSON in a text column: it may contain what PostgreSQL's json refuses (NUL, half
-- a surrogate pair, a thousand brackets), and no query reads inside it.

CREATE TABLE a2a_task (
  id uuid PRIMARY KEY,
  -- The client whose limits it counts against.
  client text COLLATE "C" NOT NULL CHECK (char_length(client) <= 256),
  context_id text NOT NULL CHECK (char_length(context_id) <= 2048),
  state text COLLATE "C" NOT NULL CHECK (state IN
    ('asked', 'offered', 'paying', 'completed', 'failed', 'canceled', 'declined')),
  skill text COLLATE "C" CHECK (char_length(skill) <= 64),
  parameters text CHECK (char_length(parameters) <= 4096),
  payment_id text COLLATE "C" CHECK (payment_id ~ '^0x[0-9a-f]{64}$'),
  note text CHECK (char_length(note) <= 262144),
  history text NOT NULL CHECK (char_length(history) <= 65536),
  -- Increases with every change.
  version integer NOT NULL DEFAULT 1 CHECK (version > 0),
  -- The order in which tasks were opened; a clock cannot order two in one millisecond.
  place bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  opened_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  moved_at timestamptz NOT NULL DEFAULT clock_timestamp() CHECK (isfinite(moved_at)),
  expires_at timestamptz NOT NULL CHECK (isfinite(expires_at)),
  -- The order of eviction, lowest first: ended tasks, unpaid tasks, paid tasks whose answer is read from
  -- the payment, and tasks being paid.
  gives_way smallint NOT NULL GENERATED ALWAYS AS (CASE
    WHEN state IN ('asked', 'offered') THEN 1
    WHEN state = 'paying' THEN 3
    WHEN state = 'completed' AND payment_id IS NOT NULL AND note IS NULL THEN 2
    ELSE 0 END) STORED,
  CHECK ((skill IS NULL) = (parameters IS NULL)),
  -- An offer needs a skill, and a payment needs an offer.
  CHECK (state <> 'asked' OR skill IS NULL),
  CHECK (state NOT IN ('offered', 'paying', 'declined') OR skill IS NOT NULL),
  CHECK (payment_id IS NULL OR skill IS NOT NULL),
  CHECK (CASE WHEN state = 'paying' THEN payment_id IS NOT NULL
    WHEN state IN ('completed', 'failed') THEN true ELSE payment_id IS NULL END)
);
CREATE INDEX a2a_task_expires ON a2a_task (expires_at);
CREATE INDEX a2a_task_turn ON a2a_task (gives_way, place);
CREATE INDEX a2a_task_client ON a2a_task (client);
