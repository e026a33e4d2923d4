/**
 * The settings of money: whom buyers pay, who brings payments to the chain, and those of the refund
 * worker, the one process that has the treasury's key.
 *
 * A file of their own, for the worker loads it: nothing here knows what is sold.
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
    /** Without a slash at the end. */
    readonly url: string
    readonly apiKey: { readonly id: string; readonly secret: Redacted.Redacted } | null
  }
  /** May hold a key of its provider. */
  readonly rpcUrl: Redacted.Redacted
  /** The chain is a node on this machine: its money belongs to no one. */
  readonly rehearsal: boolean
}

/** Whom buyers pay, who brings payments to the chain, and when a payment counts. */
export interface Money {
  readonly payments: { readonly kind: "simulated" } | LivePayments
  readonly payTo: `0x${string}`
  readonly treasury: `0x${string}`
  readonly finality: Finality
}

/** Stands for the seller in simulated payments; nobody has its key. */
const simulatedPayTo: `0x${string}` = "0x00000000000000000000000000000000be11e700"

/** Refunds play money. Its key is public: `simulatedTreasuryKey`. */
export const simulatedTreasury: `0x${string}` = "0x755EA3720496256aE359b8d9B41f95bB09B41F00"

/** A throw-away key that everybody knows: it signs refunds of play money, and owns nothing. */
export const simulatedTreasuryKey: `0x${string}` = `0x${"be11e7".padEnd(64, "0")}`

/** The settings of the refund worker, the only process that has a key that moves money. */
export const loadWorker = Effect.fn("settings.loadWorker")(
  function* (mode: Mode, get: GetVariable) {
    const read = reader(mode, get)
    const databaseUrl = yield* firstUrl(read, "REFUND_DATABASE_URL")
    const money = yield* readMoney(mode, read)
    const maxPerHour = yield* read("REFUND_MAX_PER_HOUR_USD")
    const maxPerDay = yield* read("REFUND_MAX_PER_DAY_USD")
    if (maxPerHour > maxPerDay) {
      return yield* invalidSettings(
        "REFUND_MAX_PER_HOUR_USD must not be over REFUND_MAX_PER_DAY_USD",
      )
    }
    return {
      mode,
      databaseUrl,
      ...money,
      /** The worker must refuse to work unless this is the key of `treasury`. */
      treasuryKey: money.payments.kind === "live"
        ? yield* readTreasuryKey(read)
        : Redacted.make(simulatedTreasuryKey),
      lease: yield* read("LEASE"),
      sweep: yield* read("SWEEP"),
      maxPerHour,
      maxPerDay,
      logLevel: yield* read("LOG_LEVEL"),
    }
  },
)
export type WorkerSettings = Effect.Success<ReturnType<typeof loadWorker>>

export const readMoney = Effect.fnUntraced(function* (mode: Mode, read: ReadSetting) {
  const payments = yield* readPayments(mode, read)
  const payTo = (yield* read("PAY_TO_ADDRESS")) ??
    (payments.kind === "simulated"
      ? simulatedPayTo
      : yield* needed("PAY_TO_ADDRESS", "the address that buyers pay"))
  // Play money is refunded by the treasury whose key everybody knows, whatever is set.
  const treasury = payments.kind === "simulated"
    ? simulatedTreasury
    : (yield* read("TREASURY_ADDRESS")) ??
      (yield* needed("TREASURY_ADDRESS", "the address that refunds are paid from"))
  if (payTo.toLowerCase() === treasury.toLowerCase()) {
    return yield* invalidSettings(
      "PAY_TO_ADDRESS and TREASURY_ADDRESS must differ: a refund is paid by the treasury alone",
    )
  }
  return { payments, payTo, treasury, finality: yield* read("FINALITY") } satisfies Money
})

const needed = (name: string, what: string) =>
  invalidSettings(`PAYMENTS=live needs ${name}, ${what}`)

const readPayments = Effect.fnUntraced(function* (mode: Mode, read: ReadSetting) {
  const kind = yield* read("PAYMENTS")
  if (kind === "live") return yield* readLive(read)
  const allowed = yield* read("ALLOW_SIMULATED_PAYMENTS")
  if (mode === "start" && allowed !== "1") {
    return yield* invalidSettings(
      "Cannot start with PAYMENTS=simulated: set ALLOW_SIMULATED_PAYMENTS=1 to mean it",
    )
  }
  return { kind } satisfies Money["payments"]
})

const readLive = Effect.fnUntraced(function* (read: ReadSetting) {
  const rpcUrl = (yield* read("RPC_URL")) ?? (yield* needed("RPC_URL", "an endpoint of the chain"))
  const url = Redacted.value(
    (yield* read("FACILITATOR_URL")) ??
      (yield* needed("FACILITATOR_URL", "the address of an x402 facilitator")),
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
      "FACILITATOR_API_KEY_ID and FACILITATOR_API_KEY_SECRET go together: one of them is not set",
    )
    : { id, secret }
})

const readTreasuryKey = Effect.fnUntraced(function* (read: ReadSetting) {
  const key = yield* read("TREASURY_PRIVATE_KEY")
  return key ??
    (yield* invalidSettings("PAYMENTS=live needs TREASURY_PRIVATE_KEY in the refund worker"))
})

/** The embedded store belongs to the service's process, so a process of its own needs an address. */
export const firstUrl = Effect.fnUntraced(function* (
  read: ReadSetting,
  own: "REFUND_DATABASE_URL" | "MIGRATION_DATABASE_URL",
) {
  const url = (yield* read(own)) ?? (yield* read("DATABASE_URL"))
  return url ?? (yield* invalidSettings(
    `Cannot start without ${own} or DATABASE_URL: the embedded store belongs to the service's process`,
  ))
})
