/**
 * The settings of each process, decoded from its environment variables.
 *
 * A combination that could take real money by mistake stops the start with a message. Only the
 * entry points load settings.
 *
 * @module
 */
import { Effect, Redacted, Schema, SchemaIssue } from "effect"
import { familyOfOne, ProductFamily } from "../catalog/domain/family.ts"
import { defaultFeeds, type NewsFeedList } from "../news/sources/feeds.ts"
import type { SigningKeyOptions } from "../signing/ed25519/signingKey.ts"
import type { ModelOptions } from "../writing/openai/model.ts"
import {
  isRehearsal,
  type MoneySettings,
  readAdminPort,
  readMoneySettings,
  readNetwork,
  readScan,
  requiredDatabaseUrl,
} from "./moneySettings.ts"
import {
  type GetVariable,
  type InvalidSettings,
  invalidSettings,
  isLoopback,
  type Mode,
  reader,
  type ReadSetting,
  together,
} from "./variables.ts"

type Venue = "simulated" | "polymarket"

type DatabaseSettings =
  | { readonly kind: "postgres"; readonly url: Redacted.Redacted }
  | { readonly kind: "embedded"; readonly dir: string }

type NewsSettings =
  | { readonly kind: "off" }
  /** The headlines of the simulated world. */
  | { readonly kind: "simulated" }
  | { readonly kind: "real" } & NewsFeedList

const openaiUrl = new URL("https://api.openai.com/v1")
/** A small model is enough: it writes six digests a day, and every draft is checked. */
const modelDefault = "gpt-5-mini"
/** Sent to a server on this machine that needs no key. */
const emptyKey = Redacted.make("none")

/** The settings of the service. */
export const loadService = Effect.fn("settings.loadService")(
  function* (mode: Mode, get: GetVariable) {
    const read = reader(mode, get)
    const venue = readVenue(read)
    const money = readMoneySettings(read)
    const publicBaseUrl = readBaseUrl(mode, read)
    const { ports, documents, times, dataDir, money: paid, ...rest } = yield* together({
      ports: readPorts(read),
      venue,
      money,
      database: readDatabase(venue, read),
      safeSale: Effect.flatMap(together({ money, venue }), checkSale),
      publicBaseUrl,
      signing: readSigning(venue, read),
      /** Null: rules instead of a model. */
      model: readModel(read),
      news: Effect.flatMap(venue, (venue) => readNews(venue, read)),
      /** Null: no traces. */
      collector: readCollector(read),
      documents: readDocuments(publicBaseUrl, read),
      host: read("HOST"),
      adminHost: read("ADMIN_HOST"),
      tick: read("TICK"),
      trustedProxyHops: read("TRUSTED_PROXY_HOPS"),
      logLevel: read("LOG_LEVEL"),
      commit: read("COMMIT"),
      limits: readLimits(read),
      times: readTimes(read),
      dataDir: read("DATA_DIR"),
    })
    return {
      mode,
      ...rest,
      ...ports,
      ...documents,
      ...times,
      ...paid,
      /** Folder of the delivery journal: deliveries that are not yet stored in the database. */
      deliveryJournal: `${dataDir === null ? ".data/" : `${dataDir}-`}handed-over-${ports.port}`,
    }
  },
)
export type ServiceSettings = Effect.Success<ReturnType<typeof loadService>>

const readPorts = Effect.fnUntraced(function* (read: ReadSetting) {
  const ports = yield* together({
    port: read("PORT"),
    adminPort: readAdminPort(read, "ADMIN_PORT", 1),
  })
  return ports.port !== ports.adminPort ? ports : yield* invalidSettings(
    "PORT and ADMIN_PORT must differ: the admin listener is not public",
  )
})

const readLimits = (read: ReadSetting) =>
  together({
    free: read("FREE_LIMIT"),
    documents: read("DOCUMENT_LIMIT"),
    pages: read("PAGE_LIMIT"),
    invalidPayments: read("INVALID_PAYMENT_LIMIT"),
  })

const readTimes = (read: ReadSetting) =>
  together({
    lease: read("LEASE"),
    hold: read("HOLD"),
    sweep: read("SWEEP"),
    scan: read("SCAN"),
  })

/** The login that migrations run with. */
export const loadMigration = Effect.fn("settings.loadMigration")(function* (get: GetVariable) {
  return { databaseUrl: yield* requiredDatabaseUrl(reader("start", get)) }
})

/** The login of the restore command, and, when it sets the start of the scan, chain and payee. */
export const loadRestore = Effect.fn("settings.loadRestore")(
  function* (setsScan: boolean, get: GetVariable) {
    const read = reader("start", get)
    return yield* together({
      databaseUrl: requiredDatabaseUrl(read),
      scan: setsScan ? readScan(read) : Effect.succeed(null),
    })
  },
)
export type RestoreSettings = Effect.Success<ReturnType<typeof loadRestore>>

/** Fails if real money would be taken for data that is not live. */
const checkSale = Effect.fnUntraced(function* (
  { money: { payments, network }, venue }: { readonly money: MoneySettings; readonly venue: Venue },
) {
  const hasValue = payments.kind === "live" && !payments.rehearsal && !network.isTest
  if (hasValue && venue !== "polymarket") {
    return yield* invalidSettings(
      `Cannot sell data of VENUE=${venue} for real money: set VENUE=polymarket, or ` +
        "rehearse with NETWORK=base-sepolia, or with RPC_URL set to a node on this machine",
    )
  }
})

const readVenue = Effect.fnUntraced(function* (read: ReadSetting) {
  const venue = yield* read("VENUE")
  return venue ?? (yield* invalidSettings(
    "Cannot start without VENUE: set it to polymarket or simulated",
  ))
})

/** Real money is not recorded in a store that can lose it. */
const readDatabase = Effect.fnUntraced(
  function* (venue: Effect.Effect<Venue, InvalidSettings>, read: ReadSetting) {
    const { url, dataDir, payments } = yield* together({
      url: read("DATABASE_URL"),
      dataDir: read("DATA_DIR"),
      payments: read("PAYMENTS"),
    })
    if (url !== null) return { kind: "postgres", url } satisfies DatabaseSettings
    if (payments === "live") {
      return yield* invalidSettings(
        "Cannot start with PAYMENTS=live on the embedded store, which can lose data when power " +
          "fails: set DATABASE_URL to a PostgreSQL server",
      )
    }
    const dir = dataDir ?? defaultDataDir(yield* venue)
    return { kind: "embedded", dir } satisfies DatabaseSettings
  },
)

/** One folder per venue, so that no feed mixes two venues. */
const defaultDataDir = (venue: Venue) => `.data/${venue}`

/** The key that signs offers and receipts, set where the money has value. */
const readSigning = Effect.fnUntraced(
  function* (venue: Effect.Effect<Venue, InvalidSettings>, read: ReadSetting) {
    const { key, retired, payments, rpcUrls, network, dataDir } = yield* together({
      key: read("SIGNING_PRIVATE_KEY"),
      retired: read("SIGNING_RETIRED_KEYS"),
      payments: read("PAYMENTS"),
      rpcUrls: read("RPC_URL"),
      network: readNetwork(read),
      dataDir: read("DATA_DIR"),
    })
    const rehearsal = network.isTest || (rpcUrls !== null && isRehearsal(rpcUrls))
    if (key === null && payments === "live" && !rehearsal) {
      return yield* invalidSettings(
        "Cannot start with PAYMENTS=live without SIGNING_PRIVATE_KEY: set it to 0x and what " +
          "`openssl rand -hex 32` prints, the same on every replica",
      )
    }
    const folder = `${dataDir ?? defaultDataDir(yield* venue)}-signing`
    return { key: key ?? { folder }, retired: retired ?? [] } satisfies Omit<
      SigningKeyOptions,
      "publicBaseUrl"
    >
  },
)

const readBaseUrl = Effect.fnUntraced(function* (mode: Mode, read: ReadSetting) {
  const { origin, payments, port } = yield* together({
    origin: read("PUBLIC_BASE_URL"),
    payments: read("PAYMENTS"),
    port: read("PORT"),
  })
  if (origin !== null) return origin
  return mode === "dev" && payments === "simulated"
    ? `http://127.0.0.1:${port}`
    : yield* invalidSettings(
      "Cannot start without PUBLIC_BASE_URL: set it to the origin at which buyers reach the service",
    )
})

/** Without a key these do nothing, except for a server on this machine. */
const keyed = [
  ...["OPENAI_BASE_URL", "OPENAI_MODEL", "OPENAI_CHECK_MODEL"] as const,
  ...["OPENAI_REASONING_EFFORT", "OPENAI_MAX_TOKENS"] as const,
]

const readModel = Effect.fnUntraced(function* (read: ReadSetting) {
  const { key, address, ...options } = yield* together({
    key: read("OPENAI_API_KEY"),
    address: read("OPENAI_BASE_URL"),
    model: read("OPENAI_MODEL"),
    checkModel: read("OPENAI_CHECK_MODEL"),
    reasoningEffort: read("OPENAI_REASONING_EFFORT"),
    tokensMax: read("OPENAI_MAX_TOKENS"),
  })
  const baseUrl = address === null ? null : new URL(Redacted.value(address))
  if (baseUrl !== null && baseUrl.search !== "") {
    return yield* invalidSettings("OPENAI_BASE_URL must have no query: paths are appended to it")
  }
  if (key === null && (baseUrl === null || !isLoopback(baseUrl.hostname))) {
    for (const name of keyed) {
      if ((yield* read(name)) !== null) {
        return yield* invalidSettings(
          `${name} is set but OPENAI_API_KEY is not: set both, or neither`,
        )
      }
    }
    return null
  }
  if (options.model === null && baseUrl !== null) {
    return yield* invalidSettings(
      "OPENAI_BASE_URL needs OPENAI_MODEL, the name of a model of that server",
    )
  }
  return {
    apiKey: key ?? emptyKey,
    baseUrl: baseUrl ?? openaiUrl,
    ...options,
    model: options.model ?? modelDefault,
  } satisfies ModelOptions
})

/** Where traces are sent, and with which headers. */
const readCollector = Effect.fnUntraced(function* (read: ReadSetting) {
  const { endpoint, headers } = yield* together({
    endpoint: read("OTEL_EXPORTER_OTLP_ENDPOINT"),
    headers: read("OTEL_EXPORTER_OTLP_HEADERS"),
  })
  if (endpoint === null) {
    return headers === null ? null : yield* invalidSettings(
      "OTEL_EXPORTER_OTLP_HEADERS is set but OTEL_EXPORTER_OTLP_ENDPOINT is not: set both, or neither",
    )
  }
  if (headers !== null && endpoint.protocol === "http:" && !isLoopback(endpoint.hostname)) {
    return yield* invalidSettings(
      "OTEL_EXPORTER_OTLP_HEADERS would be sent in plain text: set OTEL_EXPORTER_OTLP_ENDPOINT to " +
        "an https address",
    )
  }
  const url = `${endpoint.href.replace(/\/$/, "")}/v1/traces`
  return { url, headers: headers ?? Redacted.make({}) }
})

/**
 * Real news is used with the live venue only: it does not explain simulated markets.
 */
const readNews = Effect.fnUntraced(function* (venue: Venue, read: ReadSetting) {
  const list = yield* read("NEWS_FEEDS")
  if (list === "off") return { kind: "off" } satisfies NewsSettings
  if (venue === "polymarket") {
    return { kind: "real", ...list ?? defaultFeeds } satisfies NewsSettings
  }
  if (list !== null) {
    return yield* invalidSettings(
      `NEWS_FEEDS needs VENUE=polymarket, and VENUE is ${venue}: leave NEWS_FEEDS unset, or set ` +
        "it to off",
    )
  }
  return { kind: "simulated" } satisfies NewsSettings
})

/** What the documents say of the operator. */
const readDocuments = Effect.fnUntraced(function* (
  origin: Effect.Effect<string, InvalidSettings>,
  read: ReadSetting,
) {
  const { publicBaseUrl, file, contact, scope } = yield* together({
    publicBaseUrl: origin,
    file: read("FAMILY_FILE"),
    contact: read("SECURITY_CONTACT"),
    scope: read("PACKAGE_SCOPE"),
  })
  return {
    family: file === null ? familyOfOne(publicBaseUrl, scope) : yield* familyIn(file),
    /** The owner's scope on npm, once the packages are there; null: the service serves them. */
    packageScope: scope,
    /** Where to report security problems: a `mailto:` or `https:` address. */
    contact: contact ?? defaultContact(publicBaseUrl),
    /** The files that these settings were read from. */
    files: file === null ? [] : [file],
  }
})

/** The security mailbox of RFC 2142; at `localhost` when the host is an IP address. */
function defaultContact(publicBaseUrl: string): string {
  const { hostname } = new URL(publicBaseUrl)
  const isAddress = hostname.startsWith("[") || /^[\d.]+$/.test(hostname)
  return `mailto:security@${isAddress ? "localhost" : hostname}`
}

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

/** The family of products in a JSON file. An error message names the first invalid field. */
const familyIn = Effect.fnUntraced(function* (path: string) {
  const text = yield* Effect.tryPromise(() => Deno.readTextFile(path)).pipe(
    Effect.catch(() => invalidSettings(`FAMILY_FILE must be a readable file: ${path}`)),
  )
  return yield* Schema.decodeUnknownEffect(Schema.fromJsonString(ProductFamily))(text).pipe(
    Effect.catch(({ issue }) => {
      const [first] = issuesOf(issue).issues
      const where = first?.path?.join(".") ?? ""
      return invalidSettings(
        `FAMILY_FILE is invalid${where === "" ? "" : ` at ${where}`}: ${first?.message}`,
      )
    }),
  )
})
