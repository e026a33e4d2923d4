/**
 * The settings of money: whom buyers pay, who brings payments to the chain, when a payment counts.
 *
 * What both processes need stands here; the treasury's key is read in `workerSettings.ts`.
 *
 * @module
 */
import { Config, Duration, Effect, Redacted } from "effect"
import {
  isLoopback,
  type Mode,
  type Read,
  readAddress,
  readDuration,
  readServiceUrl,
  refuse,
} from "./settingsReader.ts"
import type { Variable } from "./variables.ts"

export interface LivePayments {
  readonly kind: "live"
  readonly facilitator: {
    /** Without a slash at the end. */
    readonly url: string
    readonly apiKey: { readonly id: string; readonly secret: Redacted.Redacted } | null
  }
  /** May hold a key of its provider. */
  readonly rpcUrl: Redacted.Redacted
  /** The chain is a node on this machine: its money is nobody's. */
  readonly rehearsal: boolean
}

type Payments = { readonly kind: "simulated" } | LivePayments

/** When a block counts as safe: as its chain says, or that many blocks behind the latest. */
type Finality = "safe" | { readonly blocks: number }

export interface Money {
  readonly payments: Payments
  readonly payTo: `0x${string}`
  readonly treasury: `0x${string}`
  readonly finality: Finality
}

/** Stands for the seller in simulated payments; nobody holds its key. */
const simulatedPayTo: `0x${string}` = "0x00000000000000000000000000000000be11e700"

/** Refunds play money. Its key is public: `simulatedTreasuryKey`. */
export const simulatedTreasury: `0x${string}` = "0x755EA3720496256aE359b8d9B41f95bB09B41F00"

/** Base makes a block in two seconds: more than this is over half an hour. */
const finalityBlocksMax = 1_000

export const money = Effect.fnUntraced(function* (mode: Mode, read: Read) {
  const payments = yield* readPayments(mode, read)
  const payTo = yield* party(read, payments, "PAY_TO_ADDRESS", simulatedPayTo)
  const treasury = payments.kind === "live"
    ? yield* party(read, payments, "TREASURY_ADDRESS", simulatedTreasury)
    : simulatedTreasury
  if (payTo.toLowerCase() === treasury.toLowerCase()) {
    return yield* refuse(
      "PAY_TO_ADDRESS and TREASURY_ADDRESS must differ: a refund is paid by the treasury alone",
    )
  }
  return { payments, payTo, treasury, finality: yield* readFinality(read) } satisfies Money
})

const readPayments = Effect.fnUntraced(function* (mode: Mode, read: Read) {
  const kind = yield* read(
    "PAYMENTS",
    (name) => Config.Literals(["simulated", "live"], name),
    "simulated or live",
    mode === "dev" ? "simulated" : "live",
  )
  if (kind === "live") return yield* readLive(read)
  const allowed = yield* read("ALLOW_SIMULATED_PAYMENTS", Config.String, "1", null)
  if (mode === "start" && allowed !== "1") {
    return yield* refuse(
      "Cannot start with PAYMENTS=simulated: set ALLOW_SIMULATED_PAYMENTS=1 to mean it",
    )
  }
  return { kind } satisfies Payments
})

const readLive = Effect.fnUntraced(function* (read: Read) {
  const rpcUrl = yield* readServiceUrl(read, "RPC_URL")
  if (rpcUrl === null) return yield* needed("RPC_URL", "an endpoint of the chain")
  const url = yield* readServiceUrl(read, "FACILITATOR_URL")
  if (url === null) return yield* needed("FACILITATOR_URL", "the address of an x402 facilitator")
  if (new URL(Redacted.value(url)).search !== "") {
    return yield* refuse("FACILITATOR_URL must have no query: /verify and /settle are added to it")
  }
  const facilitator = {
    url: Redacted.value(url).replace(/\/+$/, ""),
    apiKey: yield* readApiKey(read),
  }
  const rehearsal = isLoopback(new URL(Redacted.value(rpcUrl)).hostname)
  return { kind: "live", facilitator, rpcUrl, rehearsal } satisfies LivePayments
})

const readApiKey = Effect.fnUntraced(function* (read: Read) {
  const id = yield* read("FACILITATOR_API_KEY_ID", Config.NonEmptyString, "a key's name", null)
  const secret = yield* read("FACILITATOR_API_KEY_SECRET", Config.Redacted, "a key", null)
  if (id === null && secret === null) return null
  return id === null || secret === null
    ? yield* refuse(
      "FACILITATOR_API_KEY_ID and FACILITATOR_API_KEY_SECRET go together: one of them is not set",
    )
    : { id, secret }
})

const needed = (name: Variable, what: string) => refuse(`PAYMENTS=live needs ${name}, ${what}`)

/** Who is paid or pays: a live one is always named. */
const party = (
  read: Read,
  payments: Payments,
  name: "PAY_TO_ADDRESS" | "TREASURY_ADDRESS",
  simulated: `0x${string}`,
) =>
  Effect.flatMap(
    readAddress(read, name),
    (address) =>
      address !== null
        ? Effect.succeed(address)
        : payments.kind === "simulated"
        ? Effect.succeed(simulated)
        : needed(name, `the address ${variablesOf[name]}`),
  )

const variablesOf = {
  PAY_TO_ADDRESS: "that buyers pay",
  TREASURY_ADDRESS: "that refunds are paid from",
} as const

const readFinality = (read: Read) =>
  Effect.map(
    read(
      "FINALITY",
      Config.String,
      `safe, or a number of blocks from 1 to ${finalityBlocksMax}`,
      "safe",
      (text) =>
        text === "safe" ||
        (/^\d{1,4}$/.test(text) && Number(text) >= 1 && Number(text) <= finalityBlocksMax),
    ),
    (text): Finality => text === "safe" ? text : { blocks: Number(text) },
  )

/** How long a silent worker keeps what it works on. */
export const readLease = (read: Read) =>
  readDuration(read, "LEASE", Duration.seconds(90), {
    minimum: Duration.seconds(1),
    maximum: Duration.minutes(10),
  })

export const readSweep = (read: Read) =>
  readDuration(read, "SWEEP", Duration.seconds(15), {
    minimum: Duration.millis(100),
    maximum: Duration.minutes(5),
  })
