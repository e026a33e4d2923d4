/**
 * The settings of each process: what it makes of its variables, and which combinations it refuses.
 *
 * A combination that would take real money by mistake stops the start with a sentence. Only the entry
 * points load settings.
 *
 * @module
 */
import { Effect, Redacted, Result, Schema, SchemaIssue } from "effect"
import { familyOfOne, ProductFamily } from "../http/documents/family.ts"
import { defaultLegacyRoutes, LegacyRoutes } from "../http/pages/legacy.ts"
import { defaultFeeds, type NewsFeedList } from "../news/sources/feeds.ts"
import type { ModelOptions } from "../writing/openai/model.ts"
import { type MoneySettings, readMoneySettings, requiredDatabaseUrl } from "./moneySettings.ts"
import {
  type Get,
  isLoopback,
  type Mode,
  type Read,
  reader,
  refuse,
  type StoreServer,
} from "./variables.ts"

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

type NewsSettings =
  | { readonly kind: "off" }
  /** The headlines of the simulated world. */
  | { readonly kind: "simulated" }
  | { readonly kind: "real" } & NewsFeedList

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
  const money = yield* readMoneySettings(mode, read)
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
  return { databaseUrl: yield* requiredDatabaseUrl(reader("start", get), "MIGRATION_DATABASE_URL") }
})

/** What would take real money for what is not real, or keep its record where it can be lost. */
const refuseForMoney = Effect.fnUntraced(function* (
  mode: Mode,
  { payments }: MoneySettings,
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
  { payments }: MoneySettings,
  port: number,
  read: Read,
) {
  const origin = yield* read("PUBLIC_BASE_URL")
  if (origin !== null) return origin
  return mode === "dev" && payments.kind === "simulated"
    ? `http://127.0.0.1:${port}`
    : yield* refuse("Cannot start without PUBLIC_BASE_URL: the origin buyers reach the service at")
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
  if (venue === "polymarket") {
    return { kind: "real", ...list ?? defaultFeeds } satisfies NewsSettings
  }
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
      : yield* fileOf("FAMILY_FILE", familyFile, ProductFamily),
    legacyRoutes: routesFile === null ? defaultLegacyRoutes : new Map(
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
