/**
 * The settings of payments (payee, facilitator, chain) and of the refund worker, the only process
 * with the treasury's key.
 *
 * A separate file, because the worker loads it too and must not import the products.
 *
 * @module
 */
import { Effect, Redacted } from "effect"
import { base, type Network, networks } from "../payments/domain/x402/terms.ts"
import {
  type Finality,
  type GetVariable,
  invalidSettings,
  isLoopback,
  portMax,
  reader,
  type ReadSetting,
  together,
  type Variable,
} from "./variables.ts"

export interface LivePayments {
  readonly kind: "live"
  readonly facilitator: {
    /** One or more, without a trailing slash, in the order in which they are asked. */
    readonly urls: ReadonlyArray<string>
    /** Of the first one. The others get none. */
    readonly apiKey: { readonly id: string; readonly secret: Redacted.Redacted } | null
  }
  /** One or more, which must agree. They may contain the provider's key. */
  readonly rpcUrls: Redacted.Redacted<ReadonlyArray<string>>
  /** True when the chain is a local node, whose money has no value. */
  readonly rehearsal: boolean
}

/** The payee, the treasury, the payment mode, and when a payment is final. */
export interface MoneySettings {
  readonly payments: { readonly kind: "simulated" } | LivePayments
  readonly payTo: `0x${string}`
  readonly treasury: `0x${string}`
  readonly finality: Finality
  /** That of simulated payments is Base, as in what buyers sign. */
  readonly network: Network
  /** Atomic units. */
  readonly unmatchedRefundMin: bigint
}

/** The payee of simulated payments. No one has its key. */
const simulatedPayTo: `0x${string}` = "0x00000000000000000000000000000000be11e700"

/** The treasury of simulated payments: the address of `simulatedTreasuryKey`. */
export const simulatedTreasury: `0x${string}` = "0x755EA3720496256aE359b8d9B41f95bB09B41F00"

/** A private key that is public: it signs simulated refunds, and its address owns nothing. */
export const simulatedTreasuryKey: `0x${string}` = `0x${"be11e7".padEnd(64, "0")}`

/** The settings of the refund worker. */
export const loadWorker = Effect.fn("settings.loadWorker")(
  function* (get: GetVariable) {
    const read = reader("start", get)
    const { money, treasuryKey, caps, ...others } = yield* together({
      databaseUrl: requiredDatabaseUrl(read),
      money: readMoneySettings(read),
      /** The worker must refuse to start unless this is the key of `treasury`. */
      treasuryKey: readTreasuryKey(read),
      caps: readCaps(read),
      lease: read("LEASE"),
      sweep: read("SWEEP"),
      maxUnmatchedPerDay: read("UNMATCHED_REFUND_MAX_PER_DAY_USD"),
      adminHost: read("ADMIN_HOST"),
      adminPort: readAdminPort(read, "REFUND_ADMIN_PORT", 2),
      logLevel: read("LOG_LEVEL"),
      commit: read("COMMIT"),
    })
    return { ...others, ...money, ...caps, treasuryKey }
  },
)
export type WorkerSettings = Effect.Success<ReturnType<typeof loadWorker>>

/** A port of probes and metrics, `after` PORT if unset: services on one machine differ in PORT alone. */
export const readAdminPort = Effect.fnUntraced(function* (
  read: ReadSetting,
  name: "ADMIN_PORT" | "REFUND_ADMIN_PORT",
  after: number,
) {
  const { port, own } = yield* together({ port: read("PORT"), own: read(name) })
  if (own !== null) return own
  return port + after <= portMax ? port + after : yield* invalidSettings(
    `PORT must be at most ${portMax - after}, or set ${name}`,
  )
})

const readCaps = Effect.fnUntraced(function* (read: ReadSetting) {
  const caps = yield* together({
    maxPerHour: read("REFUND_MAX_PER_HOUR_USD"),
    maxPerDay: read("REFUND_MAX_PER_DAY_USD"),
  })
  return caps.maxPerHour <= caps.maxPerDay ? caps : yield* invalidSettings(
    "REFUND_MAX_PER_HOUR_USD must not be greater than REFUND_MAX_PER_DAY_USD",
  )
})

export const readMoneySettings = Effect.fnUntraced(function* (read: ReadSetting) {
  const kind = read("PAYMENTS")
  const settings = yield* together({
    payments: readPayments(read),
    payTo: readPayTo(read),
    // Simulated payments always use the simulated treasury, even when TREASURY_ADDRESS is set.
    treasury: Effect.flatMap(
      kind,
      (kind) =>
        kind === "simulated"
          ? Effect.succeed(simulatedTreasury)
          : required(read, "TREASURY_ADDRESS", "the address that refunds are paid from"),
    ),
    finality: read("FINALITY"),
    network: readNetwork(read),
    unmatchedRefundMin: read("UNMATCHED_REFUND_MIN_USD"),
  })
  if (settings.payTo.toLowerCase() === settings.treasury.toLowerCase()) {
    return yield* invalidSettings(
      "PAY_TO_ADDRESS and TREASURY_ADDRESS must differ: only the treasury pays refunds",
    )
  }
  return settings satisfies MoneySettings
})

const readPayTo = (read: ReadSetting) =>
  Effect.flatMap(
    read("PAYMENTS"),
    (kind) =>
      kind === "simulated"
        ? Effect.map(read("PAY_TO_ADDRESS"), (payTo) => payTo ?? simulatedPayTo)
        : required(read, "PAY_TO_ADDRESS", "the address that buyers pay"),
  )

/** The payee whose transfers are scanned, and the chain to read them from. */
export const readScan = Effect.fnUntraced(function* (read: ReadSetting) {
  if ((yield* read("PAYMENTS")) === "simulated") {
    return { payTo: yield* readPayTo(read), chain: "simulated" as const }
  }
  const { payTo, ...chain } = yield* together({
    payTo: readPayTo(read),
    rpcUrls: required(read, "RPC_URL", "an endpoint of the chain"),
    finality: read("FINALITY"),
    network: readNetwork(read),
  })
  return { payTo, chain }
})

/** A variable that PAYMENTS=live needs. */
const required = <N extends Variable>(read: ReadSetting, name: N, what: string) =>
  Effect.flatMap(
    read(name),
    (value) =>
      value === null
        ? invalidSettings(`PAYMENTS=live needs ${name}, ${what}`)
        : Effect.succeed(value),
  )

const readPayments = Effect.fnUntraced(function* (read: ReadSetting) {
  const kind = yield* read("PAYMENTS")
  return kind === "live" ? yield* readLive(read) : { kind } satisfies MoneySettings["payments"]
})

const readLive = Effect.fnUntraced(function* (read: ReadSetting) {
  const { rpcUrls, facilitator } = yield* together({
    rpcUrls: required(read, "RPC_URL", "an endpoint of the chain"),
    facilitator: together({ urls: readFacilitatorUrls(read), apiKey: readApiKey(read) }),
  })
  const rehearsal = isRehearsal(rpcUrls)
  return { kind: "live", facilitator, rpcUrls, rehearsal } satisfies LivePayments
})

/** The network of payments; Base unless set. Simulated payments have no other. */
export const readNetwork = Effect.fnUntraced(function* (read: ReadSetting) {
  const { name, kind } = yield* together({ name: read("NETWORK"), kind: read("PAYMENTS") })
  const network = Object.values<Network>(networks).find(({ v1Name }) => v1Name === name) ?? base
  return kind === "live" || network === base ? network : yield* invalidSettings(
    `NETWORK=${name} needs PAYMENTS=live: simulated payments are on no chain`,
  )
})

/** What a store of these payments is bound to: never to two kinds, nor to two networks. */
export const storedPayments = ({ payments, network }: Pick<MoneySettings, "network"> & {
  readonly payments: Pick<MoneySettings["payments"], "kind">
}): string => network.isTest ? `${payments.kind} on ${network.v1Name}` : payments.kind

/** Whether the chain is a local node, whose money has no value. */
export const isRehearsal = (rpcUrls: LivePayments["rpcUrls"]) =>
  Redacted.value(rpcUrls).every((url) => isLoopback(new URL(url).hostname))

const readFacilitatorUrls = Effect.fnUntraced(function* (read: ReadSetting) {
  const given = yield* required(read, "FACILITATOR_URL", "the address of an x402 facilitator")
  const urls = Redacted.value(given)
  if (urls.some((url) => new URL(url).search !== "")) {
    return yield* invalidSettings(
      "FACILITATOR_URL must have no query: /verify and /settle are added to it",
    )
  }
  return urls.map((url) => url.replace(/\/+$/, ""))
})

const readApiKey = Effect.fnUntraced(function* (read: ReadSetting) {
  const { id, secret } = yield* together({
    id: read("FACILITATOR_API_KEY_ID"),
    secret: read("FACILITATOR_API_KEY_SECRET"),
  })
  if (id === null && secret === null) return null
  return id === null || secret === null
    ? yield* invalidSettings(
      "FACILITATOR_API_KEY_ID and FACILITATOR_API_KEY_SECRET must be set together: one of them is missing",
    )
    : { id, secret }
})

const readTreasuryKey = Effect.fnUntraced(function* (read: ReadSetting) {
  if ((yield* read("PAYMENTS")) === "simulated") return Redacted.make(simulatedTreasuryKey)
  return (yield* read("TREASURY_PRIVATE_KEY")) ??
    (yield* invalidSettings("PAYMENTS=live needs TREASURY_PRIVATE_KEY in the refund worker"))
})

/** The database of a separate process: the embedded store belongs to the service's process. */
export const requiredDatabaseUrl = (read: ReadSetting) =>
  Effect.flatMap(
    read("DATABASE_URL"),
    (url) =>
      url !== null ? Effect.succeed(url) : invalidSettings(
        "Cannot start without DATABASE_URL: the embedded store belongs to the service's process",
      ),
  )
