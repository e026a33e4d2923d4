/**
 * The settings of each process: what it makes of its variables, and which combinations it refuses.
 *
 * A combination that would take real money by mistake stops the start with a sentence. Only the entry
 * points load settings.
 *
 * @module
 */
import { Effect, Redacted, Result, Schema, SchemaIssue } from "effect"
import { Family, familyOfOne } from "../http/documents/family.ts"
import { LegacyRoutes, usualLegacyRoutes } from "../http/pages/legacy.ts"
import { type FeedList, usualFeeds } from "../news/sources/feeds.ts"
import type { ModelOptions } from "../writing/openai/model.ts"
import {
  type Finality,
  type Get,
  InvalidSettings,
  isLoopback,
  type Mode,
  type Read,
  reader,
  type StoreServer,
} from "./variables.ts"

const refuse = (message: string) => Effect.fail(new InvalidSettings({ message }))

type VenueSettings =
  | { readonly kind: "simulated"; readonly seed: number }
  | { readonly kind: "replay"; readonly dir: string }
  | { readonly kind: "polymarket" }

type DatabaseSettings =
  | { readonly kind: "postgres"; readonly url: Redacted.Redacted }
  | { readonly kind: "embedded"; readonly dir: string; readonly served: StoreServer | null }

/** The venue, and the store of what was read from it. */
export interface VenueStore {
  readonly database: DatabaseSettings
  readonly venue: VenueSettings
}

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

type NewsSettings =
  | { readonly kind: "off" }
  /** The headlines of the simulated world. */
  | { readonly kind: "simulated" }
  | { readonly kind: "real" } & FeedList

/** Stands for the seller in simulated payments; nobody has its key. */
const simulatedPayTo: `0x${string}` = "0x00000000000000000000000000000000be11e700"

/** Refunds play money. Its key is public: `simulatedTreasuryKey`. */
export const simulatedTreasury: `0x${string}` = "0x755EA3720496256aE359b8d9B41f95bB09B41F00"

/** A throw-away key that everybody knows: it signs refunds of play money, and owns nothing. */
export const simulatedTreasuryKey: `0x${string}` = `0x${"be11e7".padEnd(64, "0")}`

const openaiUrl = new URL("https://api.openai.com/v1")
/** A small one: its drafts are checked word by word, and six digests a day are written. */
const modelDefault = "gpt-5-mini"
/** Goes out where a server of this machine asks for no key. */
const emptyKey = Redacted.make("none")

/** Most bytes of a file of settings. */
const fileBytesMax = 64 * 1_024

/** The settings of the service. */
export const loadService = Effect.fn("settings.loadService")(function* (mode: Mode, get: Get) {
  const read = reader(mode, get)
  const port = yield* read("PORT")
  const adminPort = yield* read("ADMIN_PORT")
  if (port === adminPort) {
    return yield* refuse("PORT and ADMIN_PORT must differ: the admin listener is not public")
  }
  const venue = yield* readVenue(read)
  const money = yield* readMoney(mode, read)
  const database = yield* readServed(yield* readDatabase(venue, read), read)
  yield* refuseForMoney(mode, money, venue, database)
  const publicBaseUrl = yield* readBaseUrl(mode, money, port, read)
  return {
    mode,
    host: yield* read("HOST"),
    port,
    adminPort,
    publicBaseUrl,
    database,
    /** The folder in which this process keeps what it has delivered, until the store knows. */
    deliveryJournal: `.data/handed-over-${port}`,
    venue,
    ...money,
    /** Null: rules write and detect. */
    model: yield* readModel(read),
    news: yield* readNews(venue.kind, read),
    ...(yield* readDocuments(publicBaseUrl, read)),
    tick: yield* read("TICK"),
    lease: yield* read("LEASE"),
    hold: yield* read("HOLD"),
    sweep: yield* read("SWEEP"),
    scan: yield* read("SCAN"),
    whaleStakeUsdMin: yield* read("WHALE_MIN_STAKE_USD"),
    freeLimit: yield* read("FREE_LIMIT"),
    documentLimit: yield* read("DOCUMENT_LIMIT"),
    invalidPaymentLimit: yield* read("INVALID_PAYMENT_LIMIT"),
    trustedProxyHops: yield* read("TRUSTED_PROXY_HOPS"),
    logLevel: yield* read("LOG_LEVEL"),
  }
})
export type ServiceSettings = Effect.Success<ReturnType<typeof loadService>>

/** The settings of the refund worker, the only process that has a key that moves money. */
export const loadWorker = Effect.fn("settings.loadWorker")(function* (mode: Mode, get: Get) {
  const read = reader(mode, get)
  const databaseUrl = yield* firstUrl(read, "REFUND_DATABASE_URL")
  const money = yield* readMoney(mode, read)
  const maxPerHour = yield* read("REFUND_MAX_PER_HOUR_USD")
  const maxPerDay = yield* read("REFUND_MAX_PER_DAY_USD")
  if (maxPerHour > maxPerDay) {
    return yield* refuse("REFUND_MAX_PER_HOUR_USD must not be over REFUND_MAX_PER_DAY_USD")
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
})
export type WorkerSettings = Effect.Success<ReturnType<typeof loadWorker>>

/** The settings of the backfill: the same venue and store as the service. */
export const loadBackfill = Effect.fn("settings.loadBackfill")(function* (get: Get) {
  // A server may hold the data of another venue; a folder of this machine is the venue's own.
  const shared = (yield* reader("start", get)("DATABASE_URL")) !== null
  const read = reader(shared ? "start" : "dev", get)
  const venue = yield* readVenue(read)
  return { venue, database: yield* readDatabase(venue, read), logLevel: yield* read("LOG_LEVEL") }
})
export type BackfillSettings = Effect.Success<ReturnType<typeof loadBackfill>>

/** The login that migrations run with. */
export const loadMigration = Effect.fn("settings.loadMigration")(function* (get: Get) {
  return { databaseUrl: yield* firstUrl(reader("start", get), "MIGRATION_DATABASE_URL") }
})

/** What would take real money for what is not real, or keep its record where it can be lost. */
const refuseForMoney = Effect.fnUntraced(function* (
  mode: Mode,
  { payments }: Money,
  venue: VenueSettings,
  database: DatabaseSettings,
) {
  if (payments.kind === "simulated") return
  if (mode === "start" && database.kind === "embedded") {
    return yield* refuse(
      "Cannot start with PAYMENTS=live on the embedded store: set DATABASE_URL to a PostgreSQL " +
        "that survives a loss of power",
    )
  }
  if (!payments.rehearsal && venue.kind !== "polymarket") {
    return yield* refuse(
      `Cannot sell what VENUE=${venue.kind} shows for real money: set VENUE=polymarket, or ` +
        "rehearse with RPC_URL at a node of this machine",
    )
  }
})

const readVenue = Effect.fnUntraced(function* (read: Read) {
  const kind = yield* read("VENUE")
  switch (kind) {
    case null:
      return yield* refuse("Cannot start without VENUE: set it to polymarket, replay or simulated")
    case "simulated":
      return { kind, seed: yield* read("SIMULATION_SEED") } satisfies VenueSettings
    case "replay": {
      const dir = yield* read("REPLAY_DIR")
      return dir === null
        ? yield* refuse("VENUE=replay needs REPLAY_DIR, a folder of recorded pages")
        : { kind, dir } satisfies VenueSettings
    }
    case "polymarket":
      return { kind } satisfies VenueSettings
  }
})

const readDatabase = Effect.fnUntraced(function* (venue: VenueSettings, read: Read) {
  const url = yield* read("DATABASE_URL")
  if (url !== null) return { kind: "postgres", url } satisfies DatabaseSettings
  // A world of its own for each venue, so that no feed mixes two.
  const own = venue.kind === "simulated" ? `simulated-${venue.seed}` : venue.kind
  const dir = (yield* read("DATA_DIR")) ?? `.data/${own}`
  return { kind: "embedded", dir, served: null } satisfies DatabaseSettings
})

/** The embedded store, served where STORE_URL says. */
const readServed = (database: DatabaseSettings, read: Read) =>
  database.kind === "postgres"
    ? Effect.succeed(database)
    : Effect.map(read("STORE_URL"), (served): DatabaseSettings => ({ ...database, served }))

const readBaseUrl = Effect.fnUntraced(function* (
  mode: Mode,
  { payments }: Money,
  port: number,
  read: Read,
) {
  const origin = yield* read("PUBLIC_BASE_URL")
  if (origin !== null) return origin
  return mode === "dev" && payments.kind === "simulated"
    ? `http://127.0.0.1:${port}`
    : yield* refuse("Cannot start without PUBLIC_BASE_URL: the origin buyers reach the service at")
})

const readMoney = Effect.fnUntraced(function* (mode: Mode, read: Read) {
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
    return yield* refuse(
      "PAY_TO_ADDRESS and TREASURY_ADDRESS must differ: a refund is paid by the treasury alone",
    )
  }
  return { payments, payTo, treasury, finality: yield* read("FINALITY") } satisfies Money
})

const needed = (name: string, what: string) => refuse(`PAYMENTS=live needs ${name}, ${what}`)

const readPayments = Effect.fnUntraced(function* (mode: Mode, read: Read) {
  const kind = yield* read("PAYMENTS")
  if (kind === "live") return yield* readLive(read)
  const allowed = yield* read("ALLOW_SIMULATED_PAYMENTS")
  if (mode === "start" && allowed !== "1") {
    return yield* refuse(
      "Cannot start with PAYMENTS=simulated: set ALLOW_SIMULATED_PAYMENTS=1 to mean it",
    )
  }
  return { kind } satisfies Money["payments"]
})

const readLive = Effect.fnUntraced(function* (read: Read) {
  const rpcUrl = (yield* read("RPC_URL")) ?? (yield* needed("RPC_URL", "an endpoint of the chain"))
  const url = Redacted.value(
    (yield* read("FACILITATOR_URL")) ??
      (yield* needed("FACILITATOR_URL", "the address of an x402 facilitator")),
  )
  if (new URL(url).search !== "") {
    return yield* refuse("FACILITATOR_URL must have no query: /verify and /settle are added to it")
  }
  const facilitator = { url: url.replace(/\/+$/, ""), apiKey: yield* readApiKey(read) }
  const rehearsal = isLoopback(new URL(Redacted.value(rpcUrl)).hostname)
  return { kind: "live", facilitator, rpcUrl, rehearsal } satisfies LivePayments
})

const readApiKey = Effect.fnUntraced(function* (read: Read) {
  const id = yield* read("FACILITATOR_API_KEY_ID")
  const secret = yield* read("FACILITATOR_API_KEY_SECRET")
  if (id === null && secret === null) return null
  return id === null || secret === null
    ? yield* refuse(
      "FACILITATOR_API_KEY_ID and FACILITATOR_API_KEY_SECRET go together: one of them is not set",
    )
    : { id, secret }
})

const readTreasuryKey = Effect.fnUntraced(function* (read: Read) {
  const key = yield* read("TREASURY_PRIVATE_KEY")
  return key ?? (yield* refuse("PAYMENTS=live needs TREASURY_PRIVATE_KEY in the refund worker"))
})

/** The embedded store belongs to the service's process, so a process of its own needs an address. */
const firstUrl = Effect.fnUntraced(function* (
  read: Read,
  own: "REFUND_DATABASE_URL" | "MIGRATION_DATABASE_URL",
) {
  const url = (yield* read(own)) ?? (yield* read("DATABASE_URL"))
  return url ?? (yield* refuse(
    `Cannot start without ${own} or DATABASE_URL: the embedded store belongs to the service's process`,
  ))
})

const readModel = Effect.fnUntraced(function* (read: Read) {
  const key = yield* read("OPENAI_API_KEY")
  const address = yield* read("OPENAI_BASE_URL")
  const baseUrl = address === null ? null : new URL(Redacted.value(address))
  if (baseUrl !== null && baseUrl.search !== "") {
    return yield* refuse("OPENAI_BASE_URL must have no query: paths are added to it")
  }
  const model = yield* read("OPENAI_MODEL")
  const price = yield* read("OPENAI_PRICE")
  if (key === null && (baseUrl === null || !isLoopback(baseUrl.hostname))) {
    const set = Object.entries({
      OPENAI_BASE_URL: baseUrl,
      OPENAI_MODEL: model,
      OPENAI_PRICE: price,
    })
      .find(([, value]) => value !== null)
    return set === undefined
      ? null
      : yield* refuse(`${set[0]} is set and OPENAI_API_KEY is not: set both, or neither`)
  }
  if (model === null && baseUrl !== null) {
    return yield* refuse("OPENAI_BASE_URL needs OPENAI_MODEL, the name of a model of that server")
  }
  return {
    apiKey: key ?? emptyKey,
    baseUrl: baseUrl ?? openaiUrl,
    model: model ?? modelDefault,
    price,
  } satisfies ModelOptions
})

/**
 * Real news goes with the real venue only: in a simulated world it would explain what never happened,
 * and with recorded pages what had not happened yet.
 */
const readNews = Effect.fnUntraced(function* (venue: VenueSettings["kind"], read: Read) {
  const list = yield* read("NEWS_FEEDS")
  if (list === "off") return { kind: "off" } satisfies NewsSettings
  if (venue === "polymarket") return { kind: "real", ...list ?? usualFeeds } satisfies NewsSettings
  if (list !== null) {
    return yield* refuse(
      `NEWS_FEEDS names real news, and VENUE=${venue} shows no real present: leave it out, or set ` +
        "it to off",
    )
  }
  return { kind: venue === "simulated" ? "simulated" : "off" } satisfies NewsSettings
})

/** The documents about the service; each file that is named is read once. */
const readDocuments = Effect.fnUntraced(function* (publicBaseUrl: string, read: Read) {
  const familyFile = yield* read("FAMILY_FILE")
  const routesFile = yield* read("LEGACY_ROUTES_FILE")
  return {
    family: familyFile === null
      ? familyOfOne(publicBaseUrl)
      : yield* fileOf("FAMILY_FILE", familyFile, Family),
    legacyRoutes: routesFile === null ? usualLegacyRoutes : new Map(
      Object.entries(yield* fileOf("LEGACY_ROUTES_FILE", routesFile, LegacyRoutes)),
    ),
    /** Where security problems are reported: a `mailto:` or `https:` address. */
    contact: (yield* read("SECURITY_CONTACT")) ?? usualContact(publicBaseUrl),
    /** The files that these settings were read from. */
    files: [familyFile, routesFile].filter((file) => file !== null),
  }
})

/** The mailbox that RFC 2142 names; an IP address has none. */
function usualContact(publicBaseUrl: string): string {
  const { hostname } = new URL(publicBaseUrl)
  const isAddress = hostname.startsWith("[") || /^[\d.]+$/.test(hostname)
  return `mailto:security@${isAddress ? "localhost" : hostname}`
}

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

/** What a file of JSON holds; refused in words that say where it is wrong. */
const fileOf = Effect.fnUntraced(function* <A>(
  name: "FAMILY_FILE" | "LEGACY_ROUTES_FILE",
  path: string,
  schema: Schema.Codec<A, unknown>,
) {
  const text = yield* Effect.tryPromise(() => textOf(path)).pipe(
    Effect.catch(() => refuse(`${name} must be a file that can be read: ${path}`)),
  )
  if (text === null) {
    return yield* refuse(`${name} must be a file of at most ${fileBytesMax} bytes: ${path}`)
  }
  const json = Result.try((): unknown => JSON.parse(text))
  if (Result.isFailure(json)) return yield* refuse(`${name} must be a file of JSON: ${path}`)
  return yield* Schema.decodeUnknownEffect(schema)(json.success).pipe(
    Effect.catch(({ issue }) => {
      const [first] = issuesOf(issue).issues
      const where = first?.path?.join(".") ?? ""
      return refuse(`${name} is wrong${where === "" ? "" : ` at ${where}`}: ${first?.message}`)
    }),
  )
})

/** The text of a file; null when it is too large. */
async function textOf(path: string): Promise<string | null> {
  const { size } = await Deno.stat(path)
  return size > fileBytesMax ? null : await Deno.readTextFile(path)
}
