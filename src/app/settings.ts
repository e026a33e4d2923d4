/**
 * The settings of the service: every variable it reads, once, with its default.
 *
 * Only the entry points read this file. A value that does not parse, and a combination that would
 * take real money without being told so, stops the start with a sentence.
 *
 * @module
 */
import { Config, Duration, Effect, Redacted } from "effect"
import { type DocumentSettings, documentSettings } from "./documentSettings.ts"
import { intelligence, type IntelligenceSettings } from "./intelligenceSettings.ts"
import { type Money, money, readLease, readSweep } from "./paymentSettings.ts"
import {
  type Get,
  type Mode,
  type Read,
  readDatabaseUrl,
  readDuration,
  reader,
  readLogLevel,
  refuse,
} from "./settingsReader.ts"
import type { Variable } from "./variables.ts"

export { InvalidSettings, type Mode } from "./settingsReader.ts"
export { type Variable, variables } from "./variables.ts"

/** At most `limit` requests in any `windowMs`; `off` is for benchmarks only. */
export type Budget = { readonly limit: number; readonly windowMs: number } | "off"

const maxBudget = 1_000
/** Hardly an entry is larger: with more, the feed would tell of none. */
const maxWhaleStakeUsd = 1_000_000

type VenueSettings =
  | { readonly kind: "simulated"; readonly seed: number }
  | { readonly kind: "replay"; readonly dir: string }
  | { readonly kind: "polymarket" }

/** Where the embedded store is served to another process of this machine. */
interface StoreServer {
  readonly port: number
  readonly password: Redacted.Redacted
}

type DatabaseSettings =
  | { readonly kind: "postgres"; readonly url: Redacted.Redacted }
  | { readonly kind: "embedded"; readonly dir: string; readonly served: StoreServer | null }

/** The venue, and the store of what it told. */
export interface VenueStore {
  readonly database: DatabaseSettings
  readonly venue: VenueSettings
}

export interface Settings extends Money, VenueStore, IntelligenceSettings, DocumentSettings {
  readonly mode: Mode
  readonly host: string
  readonly port: number
  readonly adminPort: number
  readonly publicBaseUrl: string
  /** The folder in which this process keeps what it has handed over, until the store knows. */
  readonly handOvers: string
  readonly tick: Duration.Duration
  readonly lease: Duration.Duration
  readonly hold: Duration.Duration
  readonly sweep: Duration.Duration
  readonly scan: Duration.Duration
  /** What a tracked wallet's entry must cost to be told in the feed, in USD. */
  readonly whaleStakeUsdMin: number
  readonly freeLimit: Budget
  readonly documentLimit: Budget
  readonly invalidPaymentLimit: Budget
  readonly trustedProxyHops: number
  readonly logLevel: "Debug" | "Info" | "Warn" | "Error"
}

/** Each hop may be an attacker's word, so nobody needs many. */
const hopsMax = 8

/** Reads and checks every variable through `get`, one name at a time. */
export const load = Effect.fn("settings.load")(function* (mode: Mode, get: Get) {
  const read = reader(get)
  const port = yield* read("PORT", Config.Port, portWords, 8402, (port) => port > 0)
  const adminPort = yield* read("ADMIN_PORT", Config.Port, portWords, 8403, (port) => port > 0)
  if (port === adminPort) {
    return yield* refuse("PORT and ADMIN_PORT must differ: the admin listener is not public")
  }
  const venue = yield* venueSettings(mode, read)
  const about = yield* money(mode, read)
  const stores = yield* serving(yield* database(venue, read), read)
  yield* refuseForMoney(mode, about, venue, stores)
  const base = yield* publicBaseUrl(mode, about, port, read)
  const settings: Settings = {
    mode,
    host: yield* read(
      "HOST",
      Config.NonEmptyString,
      "an address to bind",
      mode === "dev" ? "127.0.0.1" : "0.0.0.0",
      (host) => /^[a-z0-9.:-]+$/i.test(host),
    ),
    port,
    adminPort,
    publicBaseUrl: base,
    database: stores,
    handOvers: `.data/handed-over-${port}`,
    venue,
    ...about,
    ...(yield* intelligence(venue.kind, read)),
    ...(yield* documentSettings(base, read)),
    ...(yield* pace(mode, read)),
    whaleStakeUsdMin: yield* read(
      "WHALE_MIN_STAKE_USD",
      Config.Int,
      `whole USD from 1 to ${maxWhaleStakeUsd}`,
      1_000,
      (usd) => usd >= 1 && usd <= maxWhaleStakeUsd,
    ),
    freeLimit: yield* budget(read, "FREE_LIMIT", { limit: 5, windowMs: 60_000 }),
    documentLimit: yield* budget(read, "DOCUMENT_LIMIT", { limit: 120, windowMs: 60_000 }),
    invalidPaymentLimit: yield* budget(read, "INVALID_PAYMENT_LIMIT", {
      limit: 30,
      windowMs: 60_000,
    }),
    trustedProxyHops: yield* read(
      "TRUSTED_PROXY_HOPS",
      Config.Int,
      `an integer from 0 to ${hopsMax}`,
      0,
      (hops) => hops >= 0 && hops <= hopsMax,
    ),
    logLevel: yield* readLogLevel(read),
  }
  return settings
})

export interface BackfillSettings extends VenueStore {
  readonly logLevel: Settings["logLevel"]
}

/** What the task backfill reads: the same venue and store as the service. */
export const loadBackfill = Effect.fn("settings.loadBackfill")(function* (get: Get) {
  const read = reader(get)
  // A server may hold what another venue told; a folder of this machine is the venue's own.
  const shared = (yield* readDatabaseUrl(read, "DATABASE_URL")) !== null
  const venue = yield* venueSettings(shared ? "start" : "dev", read)
  return {
    venue,
    database: yield* database(venue, read),
    logLevel: yield* readLogLevel(read),
  } satisfies BackfillSettings
})

const portWords = "a port number from 1 to 65535"

/** How often things are done, and how long they are waited for. */
const pace = Effect.fnUntraced(function* (mode: Mode, read: Read) {
  const tick = mode === "dev" ? Duration.seconds(10) : Duration.minutes(10)
  const second = Duration.seconds(1)
  const hour = Duration.hours(1)
  return {
    tick: yield* readDuration(read, "TICK", tick, { minimum: second, maximum: hour }),
    lease: yield* readLease(read),
    hold: yield* readDuration(read, "HOLD", Duration.minutes(10), {
      minimum: second,
      maximum: Duration.hours(24),
    }),
    sweep: yield* readSweep(read),
    scan: yield* readDuration(read, "SCAN", Duration.seconds(60), {
      minimum: second,
      maximum: hour,
    }),
  }
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

const database = Effect.fnUntraced(function* (venue: VenueSettings, read: Read) {
  const url = yield* readDatabaseUrl(read, "DATABASE_URL")
  if (url !== null) return { kind: "postgres", url } satisfies DatabaseSettings
  // A world of its own for each venue, so that no feed mixes two.
  const own = venue.kind === "simulated" ? `simulated-${venue.seed}` : venue.kind
  const dir = yield* read("DATA_DIR", Config.NonEmptyString, "a folder", `.data/${own}`)
  return { kind: "embedded", dir, served: null } satisfies DatabaseSettings
})

/** The embedded store, served where STORE_URL says. */
const serving = Effect.fnUntraced(function* (database: DatabaseSettings, read: Read) {
  if (database.kind === "postgres") return database
  const served = yield* read(
    "STORE_URL",
    Config.Redacted,
    "an address such as postgres://postgres:password@127.0.0.1:5433/postgres",
    null,
    (url) => storeServer(url) !== null,
  )
  return {
    ...database,
    served: served === null ? null : storeServer(served),
  } satisfies DatabaseSettings
})

function storeServer(address: Redacted.Redacted): StoreServer | null {
  const url = URL.parse(Redacted.value(address))
  const own = url?.protocol === "postgres:" && url.hostname === "127.0.0.1"
  return own && url.port !== "" && /^[\w-]{16,}$/.test(url.password)
    ? { port: Number(url.port), password: Redacted.make(url.password) }
    : null
}

const venueSettings = Effect.fnUntraced(function* (mode: Mode, read: Read) {
  const kind = yield* read(
    "VENUE",
    (name) => Config.Literals(["simulated", "replay", "polymarket"], name),
    "simulated, replay or polymarket",
    mode === "dev" ? "simulated" : null,
  )
  if (kind === null) {
    return yield* refuse("Cannot start without VENUE: set it to polymarket, replay or simulated")
  }
  switch (kind) {
    case "simulated": {
      const seed = yield* read("SIMULATION_SEED", Config.Int, "an integer", 1)
      return { kind, seed } satisfies VenueSettings
    }
    case "replay": {
      const dir = yield* read("REPLAY_DIR", Config.NonEmptyString, "a folder", null)
      return dir === null
        ? yield* refuse("VENUE=replay needs REPLAY_DIR, a folder of recorded pages")
        : { kind, dir } satisfies VenueSettings
    }
    case "polymarket":
      return { kind } satisfies VenueSettings
  }
})

/** An origin: buyers check it against what they asked for, so a path or a typo would lose every sale. */
const publicBaseUrl = Effect.fnUntraced(function* (
  mode: Mode,
  { payments }: Money,
  port: number,
  read: Read,
) {
  const url = yield* read(
    "PUBLIC_BASE_URL",
    Config.URL,
    "an origin such as https://api.example.com, without a path",
    null,
    (url) => /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`,
  )
  if (url !== null) return url.origin
  return mode === "dev" && payments.kind === "simulated"
    ? `http://127.0.0.1:${port}`
    : yield* refuse("Cannot start without PUBLIC_BASE_URL: the origin buyers reach the service at")
})

const budget = (read: Read, name: Variable, fallback: Budget) =>
  Effect.map(
    read(
      name,
      Config.String,
      `requests/seconds such as 5/60s (at most ${maxBudget} requests), or off`,
      null,
      (text) => text === "off" || budgetOf(text) !== null,
    ),
    (text): Budget => text === null ? fallback : budgetOf(text) ?? "off",
  )

function budgetOf(text: string): Exclude<Budget, "off"> | null {
  const [, limit, seconds] = /^(\d{1,5})\/(\d{1,5})s$/.exec(text) ?? []
  const parsed = { limit: Number(limit), windowMs: Number(seconds) * 1000 }
  return parsed.limit >= 1 && parsed.limit <= maxBudget && parsed.windowMs >= 1000 ? parsed : null
}
