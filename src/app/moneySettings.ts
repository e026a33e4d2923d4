/**
 * The settings of payments (payee, facilitator, chain) and of the refund worker, the only process
 * with the treasury's key.
 *
 * A separate file, because the worker loads it too and must not import the products.
 *
 * @module
 */
import { Effect, Redacted } from "effect"
import {
  type Finality,
  type GetVariable,
  invalidSettings,
  isLoopback,
  type Mode,
  reader,
  type ReadSetting,
} from "./variables.ts"

export interface LivePayments {
  readonly kind: "live"
  readonly facilitator: {
    /** Without a trailing slash. */
    readonly url: string
    readonly apiKey: { readonly id: string; readonly secret: Redacted.Redacted } | null
  }
  /** May contain the provider's key. */
  readonly rpcUrl: Redacted.Redacted
  /** True when the chain is a local node, whose money has no value. */
  readonly rehearsal: boolean
}

/** The payee, the treasury, the payment mode, and when a payment is final. */
export interface MoneySettings {
  readonly payments: { readonly kind: "simulated" } | LivePayments
  readonly payTo: `0x${string}`
  readonly treasury: `0x${string}`
  readonly finality: Finality
}

/** The payee of simulated payments. No one has its key. */
const simulatedPayTo: `0x${string}` = "0x00000000000000000000000000000000be11e700"

/** The treasury of simulated payments: the address of `simulatedTreasuryKey`. */
export const simulatedTreasury: `0x${string}` = "0x755EA3720496256aE359b8d9B41f95bB09B41F00"

/** A private key that is public: it signs simulated refunds, and its address owns nothing. */
export const simulatedTreasuryKey: `0x${string}` = `0x${"be11e7".padEnd(64, "0")}`

/** The settings of the refund worker. */
export const loadWorker = Effect.fn("settings.loadWorker")(
  function* (mode: Mode, get: GetVariable) {
    const read = reader(mode, get)
    const databaseUrl = yield* requiredDatabaseUrl(read, "REFUND_DATABASE_URL")
    const money = yield* readMoneySettings(mode, read)
    const maxPerHour = yield* read("REFUND_MAX_PER_HOUR_USD")
    const maxPerDay = yield* read("REFUND_MAX_PER_DAY_USD")
    if (maxPerHour > maxPerDay) {
      return yield* invalidSettings(
        "REFUND_MAX_PER_HOUR_USD must not be greater than REFUND_MAX_PER_DAY_USD",
      )
    }
    return {
      mode,
      databaseUrl,
      ...money,
      /** The worker must refuse to start unless this is the key of `treasury`. */
      treasuryKey: money.payments.kind === "live"
        ? yield* readTreasuryKey(read)
        : Redacted.make(simulatedTreasuryKey),
      lease: yield* read("LEASE"),
      sweep: yield* read("SWEEP"),
      maxPerHour,
      maxPerDay,
      maxUnmatchedPerDay: yield* read("UNMATCHED_REFUND_MAX_PER_DAY_USD"),
      adminHost: yield* read("ADMIN_HOST"),
      adminPort: yield* read("REFUND_ADMIN_PORT"),
      logLevel: yield* read("LOG_LEVEL"),
    }
  },
)
export type WorkerSettings = Effect.Success<ReturnType<typeof loadWorker>>

export const readMoneySettings = Effect.fnUntraced(function* (mode: Mode, read: ReadSetting) {
  const payments = yield* readPayments(mode, read)
  const payTo = (yield* read("PAY_TO_ADDRESS")) ??
    (payments.kind === "simulated"
      ? simulatedPayTo
      : yield* missing("PAY_TO_ADDRESS", "the address that buyers pay"))
  // Simulated payments always use the simulated treasury, even when TREASURY_ADDRESS is set.
  const treasury = payments.kind === "simulated"
    ? simulatedTreasury
    : (yield* read("TREASURY_ADDRESS")) ??
      (yield* missing("TREASURY_ADDRESS", "the address that refunds are paid from"))
  if (payTo.toLowerCase() === treasury.toLowerCase()) {
    return yield* invalidSettings(
      "PAY_TO_ADDRESS and TREASURY_ADDRESS must differ: only the treasury pays refunds",
    )
  }
  return { payments, payTo, treasury, finality: yield* read("FINALITY") } satisfies MoneySettings
})

/** The payee whose transfers are scanned, and the chain to read them from. */
export const readScan = Effect.fnUntraced(function* (read: ReadSetting) {
  const payTo = yield* read("PAY_TO_ADDRESS")
  if ((yield* read("PAYMENTS")) === "simulated") {
    return { payTo: payTo ?? simulatedPayTo, chain: "simulated" as const }
  }
  return {
    payTo: payTo ?? (yield* missing("PAY_TO_ADDRESS", "the address that buyers pay")),
    chain: {
      rpcUrl: (yield* read("RPC_URL")) ?? (yield* missing("RPC_URL", "an endpoint of the chain")),
      finality: yield* read("FINALITY"),
    },
  }
})

const missing = (name: string, what: string) =>
  invalidSettings(`PAYMENTS=live needs ${name}, ${what}`)

const readPayments = Effect.fnUntraced(function* (mode: Mode, read: ReadSetting) {
  const kind = yield* read("PAYMENTS")
  if (kind === "live") return yield* readLive(read)
  const allowed = yield* read("ALLOW_SIMULATED_PAYMENTS")
  if (mode === "start" && allowed !== "1") {
    return yield* invalidSettings(
      "Cannot start with PAYMENTS=simulated: set ALLOW_SIMULATED_PAYMENTS=1 to allow it",
    )
  }
  return { kind } satisfies MoneySettings["payments"]
})

const readLive = Effect.fnUntraced(function* (read: ReadSetting) {
  const rpcUrl = (yield* read("RPC_URL")) ?? (yield* missing("RPC_URL", "an endpoint of the chain"))
  const url = Redacted.value(
    (yield* read("FACILITATOR_URL")) ??
      (yield* missing("FACILITATOR_URL", "the address of an x402 facilitator")),
  )
  if (new URL(url).search !== "") {
    return yield* invalidSettings(
      "FACILITATOR_URL must have no query: /verify and /settle are added to it",
    )
  }
  const facilitator = { url: url.replace(/\/+$/, ""), apiKey: yield* readApiKey(read) }
  const rehearsal = isLoopback(new URL(Redacted.value(rpcUrl)).hostname)
  return { kind: "live", facilitator, rpcUrl, rehearsal } satisfies LivePayments
})

const readApiKey = Effect.fnUntraced(function* (read: ReadSetting) {
  const id = yield* read("FACILITATOR_API_KEY_ID")
  const secret = yield* read("FACILITATOR_API_KEY_SECRET")
  if (id === null && secret === null) return null
  return id === null || secret === null
    ? yield* invalidSettings(
      "FACILITATOR_API_KEY_ID and FACILITATOR_API_KEY_SECRET must be set together: one of them is missing",
    )
    : { id, secret }
})

const readTreasuryKey = Effect.fnUntraced(function* (read: ReadSetting) {
  const key = yield* read("TREASURY_PRIVATE_KEY")
  return key ??
    (yield* invalidSettings("PAYMENTS=live needs TREASURY_PRIVATE_KEY in the refund worker"))
})

/**
 * The database URL of a separate process. It is required, because the embedded store belongs to the
 * service's process.
 */
export const requiredDatabaseUrl = Effect.fnUntraced(function* (
  read: ReadSetting,
  own: "REFUND_DATABASE_URL" | "MIGRATION_DATABASE_URL",
) {
  const url = (yield* read(own)) ?? (yield* read("DATABASE_URL"))
  return url ?? (yield* invalidSettings(
    `Cannot start without ${own} or DATABASE_URL: the embedded store belongs to the service's process`,
  ))
})
