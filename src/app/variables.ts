/**
 * The name of every environment variable, what it means, and which process may read it.
 *
 * A process is started with permission for the names of its own list and no other, so a list is a
 * wall: the treasury's key is in the refund worker's alone.
 *
 * @module
 */

/** What each variable means; the README's table is checked against this one. */
export const variables = {
  PORT: "public listener",
  HOST: "address both listeners bind",
  ADMIN_PORT: "admin listener: /livez, /readyz, /metrics",
  PUBLIC_BASE_URL: "the origin that absolute addresses are built from",
  DATABASE_URL: "PostgreSQL; without it the embedded one runs under DATA_DIR",
  REFUND_DATABASE_URL: "the same PostgreSQL with the refund worker's own login",
  MIGRATION_DATABASE_URL: "the same PostgreSQL with its owner's login, for the task migrate",
  DATA_DIR: "where the embedded PostgreSQL keeps its files",
  STORE_URL: "where the embedded store is served to the refund worker; set by the task dev",
  VENUE: "simulated, replay or polymarket",
  REPLAY_DIR: "the folder of recorded pages that VENUE=replay reads",
  SIMULATION_SEED: "which simulated world",
  TICK: "how often the venue is read, aligned to the clock",
  PAYMENTS: "simulated or live",
  ALLOW_SIMULATED_PAYMENTS: "1 lets `start` run with simulated payments",
  PAY_TO_ADDRESS: "the address that is paid",
  TREASURY_ADDRESS: "the address that refunds are paid from",
  TREASURY_PRIVATE_KEY: "the key of TREASURY_ADDRESS; for the refund worker only",
  FACILITATOR_URL: "the x402 facilitator",
  FACILITATOR_API_KEY_ID: "the facilitator's API key, where it wants one",
  FACILITATOR_API_KEY_SECRET: "its secret: a PEM EC key, or an Ed25519 key in base64",
  RPC_URL: "a JSON-RPC endpoint of the chain",
  FINALITY: "when a block counts as safe: `safe`, or blocks behind the latest",
  LEASE: "how long a payment or a refund belongs to a worker that is silent",
  HOLD: "how long a buyer may still come for an answer that was not handed over",
  SWEEP: "how often payments and refunds that wait are looked through",
  SCAN: "how often the chain is read for transfers to PAY_TO_ADDRESS",
  REFUND_MAX_PER_HOUR_USD: "refunds over it in an hour wait for a person",
  REFUND_MAX_PER_DAY_USD: "refunds over it in a day wait for a person",
  WHALE_MIN_STAKE_USD: "what an entry of a tracked wallet must cost to be told in the feed",
  NEWS_FEEDS: "where the news comes from: https feeds and gdelt, or off",
  OPENAI_API_KEY: "the key of a model that writes and detects; for the service only",
  OPENAI_BASE_URL: "a server that speaks like OpenAI's, instead of it",
  OPENAI_MODEL: "the model's name there",
  OPENAI_PRICE: "what the model costs, for metrics",
  FREE_LIMIT: "free requests a client address, as requests/seconds, or off",
  DOCUMENT_LIMIT: "documents and unpaid probes a client address",
  INVALID_PAYMENT_LIMIT: "invalid payments and given-away answers a client address",
  FAMILY_FILE: "a JSON file: the catalogue of sibling products",
  LEGACY_ROUTES_FILE: "a JSON file: where paths of the predecessor went",
  SECURITY_CONTACT: "where security problems are reported",
  TRUSTED_PROXY_HOPS: "how many proxies in front append to X-Forwarded-For",
  LOG_LEVEL: "Debug, Info, Warn or Error",
} as const
export type Variable = keyof typeof variables

const names = Object.keys(variables) as ReadonlyArray<Variable>

/** What moves money out, or opens more of the store than the service needs. */
const notForTheService: ReadonlyArray<Variable> = [
  ...["TREASURY_PRIVATE_KEY", "REFUND_DATABASE_URL", "MIGRATION_DATABASE_URL"] as const,
  ...["REFUND_MAX_PER_HOUR_USD", "REFUND_MAX_PER_DAY_USD"] as const,
]

export const serviceVariables: ReadonlyArray<Variable> = names.filter((name) =>
  !notForTheService.includes(name)
)

export const workerVariables: ReadonlyArray<Variable> = [
  ...["DATABASE_URL", "REFUND_DATABASE_URL", "PAYMENTS", "ALLOW_SIMULATED_PAYMENTS"] as const,
  ...["PAY_TO_ADDRESS", "TREASURY_ADDRESS", "TREASURY_PRIVATE_KEY", "FACILITATOR_URL"] as const,
  ...["FACILITATOR_API_KEY_ID", "FACILITATOR_API_KEY_SECRET", "RPC_URL", "FINALITY"] as const,
  ...["LEASE", "SWEEP", "REFUND_MAX_PER_HOUR_USD", "REFUND_MAX_PER_DAY_USD", "LOG_LEVEL"] as const,
]

export const migrationVariables: ReadonlyArray<Variable> = [
  "DATABASE_URL",
  "MIGRATION_DATABASE_URL",
]

export const backfillVariables: ReadonlyArray<Variable> = [
  ...["DATABASE_URL", "DATA_DIR", "VENUE", "REPLAY_DIR", "SIMULATION_SEED", "LOG_LEVEL"] as const,
]
